// Idempotency-Key: a request that made something may be sent again, and makes it once.
import { createHash } from 'node:crypto';
import { actorOf } from '../core/access/actor.ts';
import { created, deleted } from '../core/model/change.ts';
import { type AnyProposal, proposedBy } from '../core/model/proposal.ts';
import type { Resource } from '../core/model/resource.ts';
import { Problem } from './errors.ts';
import type { Call } from './route.ts';

/** How long a key is remembered. */
const rememberedHours = 24;

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
    const expiresAt = new Date(Date.parse(context.now) + rememberedHours * 3_600_000).toISOString();
    const times = { generation: 1, createdAt: context.now, updatedAt: context.now };
    const spec = { request, made, expiresAt };
    const note: Resource = { kind: 'IdempotentRequest', id: context.newId(), name, spec, ...times };
    return { ...proposed, changes: [...changes, ...(known ? [deleted(known)] : []), created(note)] };
  };
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
