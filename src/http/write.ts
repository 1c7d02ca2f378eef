// A write over the API: a proposal that is kept, or only tried; once for each Idempotency-Key; and only while the caller still may.
import { type SubmitOptions, submit } from '../control/submit.ts';
import { actorOf, callerNow } from '../core/access/actor.ts';
import type { KindName } from '../core/kinds/index.ts';
import type { Change } from '../core/model/change.ts';
import type { Context, Proposal } from '../core/model/proposal.ts';
import type { View } from '../core/model/view.ts';
import type { PlanDocument } from '../core/plan/plan-document.ts';
import { dryRun } from './dry-run.ts';
import { once, Repeated } from './idempotency.ts';
import { decideOn, refuse } from './plugins/guard.ts';
import type { Call, Reply } from './route.ts';

/** What was kept. `made` is the id of what a route that `creates` made; `repeated`: it was made by an earlier request with the same key. */
export interface Kept {
  readonly view: View;
  readonly changes: readonly Change[];
  readonly made: string;
  readonly repeated: boolean;
}

/** What a write came to: the plan of a dry run, or the state once it is kept. */
export type Outcome = { readonly plan: PlanDocument<KindName> } | Kept;

/** A request that may ask for a dry run. */
type Write = Call<unknown, { readonly dryRun: boolean }>;

/** Keeps a proposal, or plans it where the caller only tries. Throws `Refused` (never for a dry run) and what the proposal throws. */
export async function write(call: Write, proposal: Proposal, options: SubmitOptions = {}): Promise<Outcome> {
  const { services, query, body } = call;
  const allowed = whileAllowed(call, proposal);
  if (query.dryRun) return { plan: await dryRun(services, allowed, contextOf(call), body) };
  return keep(call, allowed, options);
}

/** The answer to a write that leaves nothing to show: 204, or the plan of a dry run. */
export function emptyAnswer(outcome: Outcome): Reply {
  return 'plan' in outcome ? { body: outcome.plan } : { status: 204 };
}

/** What a proposal may know of a call. */
export function contextOf({ caller, requestId, address, services }: Call): Context {
  const { clock, newId } = services;
  return { now: clock(), newId, actor: actorOf(caller), origin: 'api', requestId, address };
}

async function keep(call: Call, proposal: Proposal, options: SubmitOptions): Promise<Kept> {
  const { door } = call.services;
  try {
    const { position, changes } = await submit(door, once(call, proposal), contextOf(call), options);
    const view = await door.store.reach(position);
    return { view, changes, made: madeBy(call, changes), repeated: false };
  } catch (error) {
    if (!(error instanceof Repeated)) throw error;
    return { view: door.store.read(), changes: [], made: error.made, repeated: true };
  }
}

function madeBy({ route }: Call, changes: readonly Change[]): string {
  return changes.find(({ kind, before }) => kind === route.creates && !before)?.id ?? '';
}

/** Rights may be taken away while a body is still on its way: what counts is what holds when the change is made. */
export function whileAllowed(call: Call, proposal: Proposal): Proposal {
  return (view, context) => {
    requireAllowed(call, view, context.now);
    return proposal(view, context);
  };
}

/** Throws where the caller may not (any more) do what they ask for, by a state and at a time (RFC 3339). */
export function requireAllowed({ caller, route, params }: Call, view: View, now: string): void {
  const known = callerNow(caller, view, now);
  refuse(decideOn(route.action, route, params, known, view), route.action, known);
}
