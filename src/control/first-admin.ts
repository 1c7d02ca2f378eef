// The first admin of a store, and the way back in when a password is lost. Who calls hashes: nothing here sees a secret.
import type { Proposal } from '../core/model/proposal.ts';
import type { View } from '../core/model/view.ts';
import { type FirstAdmin, firstAdmin } from '../core/proposals/first-admin.ts';
import { resetPassword } from '../core/proposals/reset-password.ts';
import type { Clock } from '../lib/clock.ts';
import { type Door, submit } from './submit.ts';

/** The door, and where times and ids come from. */
export interface Doorway extends Door {
  readonly clock: Clock;
  readonly newId: () => string;
}

/** Whether nobody could sign in yet. */
export function needsFirstAdmin(view: View): boolean {
  return view.count('User') === 0;
}

/** Makes the first admin. The email address is `username@localhost` where none is given. Throws `Declined` where a user exists. */
export async function makeFirstAdmin(
  door: Doorway,
  admin: Omit<FirstAdmin, 'email'> & { readonly email?: string },
): Promise<void> {
  await keep(door, 'bootstrap', firstAdmin({ ...admin, email: admin.email ?? `${admin.username}@localhost` }));
}

/** Gives a user a new password. Throws `Declined` where there is no such user. */
export async function giveNewPassword(
  door: Doorway,
  user: { readonly username: string; readonly passwordHash: string },
): Promise<void> {
  await keep(door, 'reset-password', resetPassword(user));
}

async function keep(door: Doorway, name: string, proposal: Proposal): Promise<void> {
  const { clock, newId } = door;
  await submit(door, proposal, { now: clock(), newId, actor: { kind: 'job', name }, origin: 'api' });
}
