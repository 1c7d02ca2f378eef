// Idempotency-Key: a request that made something may be sent again, and makes it once.
import { createHash } from 'node:crypto';
import { actorOf } from '../core/access/actor.ts';
import { rememberedOf } from '../core/kinds/idempotent-request.ts';
import { created, deleted } from '../core/model/change.ts';
import { type AnyProposal, proposedBy } from '../core/model/proposal.ts';
import type { Resource } from '../core/model/resource.ts';
import { first } from '../core/model/state.ts';
import type { View } from '../core/model/view.ts';
import { Problem } from './errors.ts';
import type { Call } from './route.ts';

/** How long a key is remembered. */
const rememberedHours = 24;

/** How many keys are remembered of one caller. One that is forgotten too early would let its request be done twice, so the next one is refused instead. */
export const mostRemembered = 10_000;

/** Thrown by a proposal whose request was done before: `made` is the id of what it made then. */
export class Repeated extends Error {
  override readonly name = 'Repeated';
  readonly made: string;
  constructor(made: string) {
    super('this request was done before');
    this.made = made;
  }
}

/** The proposal of a call, done once for each key of a caller. Throws `Repeated`, or `idempotency_conflict` for another request with the key. */
export function once<R>(call: Call, proposal: AnyProposal<R>): AnyProposal<R> {
  const { idempotencyKey, route, caller } = call;
  if (idempotencyKey === undefined || route.creates === undefined) return proposal;
  const { id = '' } = caller.kind === 'user' ? { id: caller.user.id } : actorOf(caller);
  const name = digest(id, idempotencyKey);
  // With the key, which is not kept: a body may hold a password, which could be guessed from a digest of what else is known.
  const request = digest(idempotencyKey, route.method, route.url, JSON.stringify([call.params, call.body]));
  return (view, context) => {
    const known = view.named('IdempotentRequest', name);
    if (known && known.spec.expiresAt > context.now)
      throw repeated(known, request, view.get(route.creates ?? 'User', known.spec.made) !== undefined);
    const proposed = proposedBy(proposal, view, context);
    const { changes } = proposed;
    const made = changes.find(({ kind, before }) => kind === route.creates && !before)?.id;
    if (made === undefined) return proposed;
    const forgotten = known ?? roomFor(view, id, context.now);
    const expiresAt = new Date(Date.parse(context.now) + rememberedHours * 3_600_000).toISOString();
    const times = { generation: 1, createdAt: context.now, updatedAt: context.now };
    const spec = { caller: id, request, made, expiresAt };
    const note: Resource = { kind: 'IdempotentRequest', id: context.newId(), name, spec, ...times };
    return { ...proposed, changes: [...changes, ...(forgotten ? [deleted(forgotten)] : []), created(note)] };
  };
}

/** What is forgotten for one more key of the caller: nothing while there is room. Throws `rate_limited` where all are still good for something. */
function roomFor(view: View, caller: string, now: string): Resource<'IdempotentRequest'> | undefined {
  const key = rememberedOf(caller);
  if (view.countHaving('IdempotentRequest', key) < mostRemembered) return undefined;
  // In the order in which they were made, in which they end.
  const oldest = first(view.having('IdempotentRequest', key));
  if (!oldest || oldest.spec.expiresAt <= now) return oldest;
  const seconds = Math.ceil((Date.parse(oldest.spec.expiresAt) - Date.parse(now)) / 1000);
  throw new Problem('rate_limited', {
    detail: `No more than ${mostRemembered} Idempotency-Keys are remembered of one caller for ${rememberedHours} hours: nothing was made. Come back when the oldest has ended, or send what need not be safe to repeat without a key.`,
    headers: { 'retry-after': String(seconds) },
  });
}

function repeated({ spec }: Resource<'IdempotentRequest'>, request: string, exists: boolean): Error {
  if (spec.request !== request)
    return new Problem('idempotency_conflict', {
      detail: 'This Idempotency-Key was used for another request: take a fresh one for each thing that you make.',
    });
  if (exists) return new Repeated(spec.made);
  return new Problem('idempotency_conflict', {
    detail: 'What this request made has been deleted since: take a fresh Idempotency-Key to make it again.',
  });
}

function digest(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
