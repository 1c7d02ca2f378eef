// How many invitations somebody may send: to one address within an hour, so that nobody's letter box is filled, and to all together within a day.
import { keptEmail } from '../core/kinds/scalars.ts';
import type { View } from '../core/model/view.ts';
import { Problem } from './errors.ts';
import { maxToAll, maxToOne, type Taken } from './quota.ts';
import type { Call } from './route.ts';
import { userOf } from './routes/self.ts';
import type { Outcome } from './write.ts';

/** The address that is called: whoever has a username, and an address in each of its forms, is one. */
export function calledAddress(view: View, called: string): string {
  return called.includes('@') ? keptEmail(called) : (view.named('User', called)?.spec.email ?? called);
}

/**
 * Sends an invitation, for which its place is taken before; it is given back where nothing was sent: refused, tried only, or done by an earlier request.
 * What is withdrawn later was sent. Throws `rate_limited`.
 */
export async function withinQuota<R>(
  call: Call<unknown, { readonly dryRun: boolean }>,
  { address, mails }: { readonly address: string; readonly mails: boolean },
  send: () => Promise<Outcome<R>>,
): Promise<Outcome<R>> {
  if (call.query.dryRun) return send();
  const taken = take(call, address, mails);
  const giveBack = () => {
    for (const one of taken) one.giveBack();
  };
  const outcome = await send().catch((error: unknown) => {
    giveBack();
    throw error;
  });
  if (!('plan' in outcome) && outcome.repeated) giveBack();
  return outcome;
}

function take({ caller, services }: Call, address: string, mails: boolean): readonly Taken[] {
  const { toOne, toAll } = services.invitationQuotas;
  const { id } = userOf(caller).user;
  const now = services.clock();
  const one = mails ? toOne.take(`${id} ${address}`, now) : undefined;
  if (typeof one === 'number') throw tooMany(`you had ${maxToOne} mails sent to them within an hour`, one);
  const all = toAll.take(id, now);
  if (typeof all !== 'number') return one ? [one, all] : [all];
  one?.giveBack();
  throw tooMany(
    `you sent ${maxToAll} invitations within a day, which is the limit whether or not they were withdrawn`,
    all,
  );
}

function tooMany(because: string, seconds: number): Problem {
  const [count, unit] = seconds > 5400 ? [Math.ceil(seconds / 3600), 'h'] : [Math.ceil(seconds / 60), 'min'];
  return new Problem('rate_limited', {
    detail: `No invitation can be sent now, because ${because}: try again in ${count} ${unit}.`,
    headers: { 'retry-after': String(seconds) },
  });
}
