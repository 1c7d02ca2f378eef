// A write over the API: a proposal that is kept, or only tried; once for each Idempotency-Key; and only while the caller still may.
import { submit } from '../control/submit.ts';
import { actorOf, callerNow } from '../core/access/actor.ts';
import { refusedByToken } from '../core/access/by-token.ts';
import type { Action } from '../core/access/policy.ts';
import type { KindName } from '../core/kinds/index.ts';
import type { Change } from '../core/model/change.ts';
import { type AnyProposal, type Context, type ProposalWith, proposedBy } from '../core/model/proposal.ts';
import type { View } from '../core/model/view.ts';
import type { PlanDocument } from '../core/plan/plan-document.ts';
import { dryRun } from './dry-run.ts';
import { Problem } from './errors.ts';
import { once, Repeated } from './idempotency.ts';
import { decideOn, refuse } from './plugins/guard.ts';
import type { Call, Reply } from './route.ts';

/**
 * What was kept. `made` is the id of what a route that `creates` made; `repeated`: it was made by an earlier request with the same key, and nothing
 * was found out anew.
 */
export interface Kept<R = undefined> {
  readonly view: View;
  readonly changes: readonly Change[];
  readonly made: string;
  readonly repeated: boolean;
  readonly result?: R | undefined;
}

/** What a write came to: the plan of a dry run, or the state once it is kept. */
export type Outcome<R = undefined> =
  | { readonly plan: PlanDocument<KindName>; readonly result?: R | undefined }
  | Kept<R>;

/** A request that may ask for a dry run. */
type Write = Call<unknown, { readonly dryRun: boolean }>;

/** Keeps a proposal, or plans it where the caller only tries. Throws `Refused` (never for a dry run) and what the proposal throws. */
export async function write<R = undefined>(call: Write, proposal: AnyProposal<R>): Promise<Outcome<R>> {
  const { services, query, body } = call;
  if (query.dryRun) return dryRun(services, whileAllowed(call, proposal), contextOf(call), body);
  return keep(call, proposal);
}

/** The answer to a write that leaves nothing to show: 204, or the plan of a dry run. */
export function emptyAnswer(outcome: Outcome<unknown>): Reply {
  return 'plan' in outcome ? { body: outcome.plan } : { status: 204 };
}

/** What a proposal may know of a call. */
export function contextOf({ caller, requestId, address, services }: Call): Context {
  const { clock, newId } = services;
  return { now: clock(), newId, actor: actorOf(caller), origin: 'api', requestId, address };
}

async function keep<R>(call: Call, proposal: AnyProposal<R>): Promise<Kept<R>> {
  const { door } = call.services;
  try {
    const { position, changes, result } = await submit(door, whileAllowed(call, once(call, proposal)), contextOf(call));
    const view = await door.store.reach(position);
    return { view, changes, made: madeBy(call, changes), repeated: false, result };
  } catch (error) {
    if (!(error instanceof Repeated)) throw error;
    return { view: door.store.read(), changes: [], made: error.made, repeated: true };
  }
}

function madeBy({ route }: Call, changes: readonly Change[]): string {
  return changes.find(({ kind, before }) => kind === route.creates && !before)?.id ?? '';
}

/** Throws `session_required` where a token asks for what takes a session, by whatever route. */
function requireSessionFor({ caller }: Call, changes: readonly Change[], view: View): void {
  if (caller.kind !== 'user' || caller.by !== 'token') return;
  const refused = refusedByToken(changes, view, caller);
  if (refused !== undefined) throw new Problem('session_required', { detail: `A token may not ${refused}.` });
}

/** Rights may be taken away while a body is still on its way: what counts is what holds when the change is made. */
export function whileAllowed<R>(call: Call, proposal: AnyProposal<R>): ProposalWith<R> {
  return (view, context) => {
    requireAllowed(call, view, context.now);
    const proposed = proposedBy(proposal, view, context);
    requireSessionFor(call, proposed.changes, view);
    return proposed;
  };
}

/**
 * Throws where the caller may not (any more) do what they ask for, by a state and at a time (RFC 3339). `action`: what a part of the request needs
 * beyond the route.
 */
export function requireAllowed(
  { caller, route, params }: Pick<Call, 'caller' | 'route' | 'params'>,
  view: View,
  now: string,
  action: Action = route.action,
): void {
  const known = callerNow(caller, view, now);
  const credential = caller.kind === 'user' && caller.by === 'session' ? 'session' : 'token';
  refuse(decideOn(action, route, params, known, view), action, known, credential);
}
