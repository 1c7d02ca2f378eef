// The password that a user has, asked for again: a session alone may be somebody's who found a browser open.
import { submit } from '../control/submit.ts';
import type { UserCaller } from '../core/access/actor.ts';
import { countWrongPassword, type Guarded, localPassword, wrongPassword } from '../core/proposals/current-password.ts';
import { isLocked } from '../core/proposals/failed-sign-in.ts';
import { targetIn } from '../core/proposals/target.ts';
import type { Call } from './route.ts';
import { contextOf, whileAllowed } from './write.ts';

/** The hash that it fits. Counts a wrong one, and throws `Declined`: the same while the account is locked. */
export async function comparedPassword(
  call: Call,
  { user }: UserCaller,
  given: string,
  guarded: Guarded,
): Promise<string> {
  const { door, passwords, clock } = call.services;
  const known = targetIn(door.store.read(), 'User', { id: user.id });
  const hash = localPassword(door.store.read(), known, guarded);
  const isRight = await passwords.verify(given, hash);
  if (isRight && !isLocked(known, call.address, clock())) return hash;
  await submit(door, whileAllowed(call, countWrongPassword(user.id, call.address)), contextOf(call));
  throw wrongPassword(guarded);
}
