// A write that may be tried: the same proposal is kept, or shown as a plan and forgotten.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { evaluate, submit, type Tried } from '../control/submit.ts';
import { actorOf } from '../core/access/actor.ts';
import { type DeclaredKindName, isDeclaredKind } from '../core/kinds/index.ts';
import type { Change } from '../core/model/change.ts';
import type { Context, Proposal } from '../core/model/proposal.ts';
import type { View } from '../core/model/view.ts';
import { type PlanDocument, planDocumentSteps } from '../core/plan/plan-document.ts';
import type { Planned } from '../core/plan/planned.ts';
import { createSlicer, inSlices } from '../lib/slice.ts';
import { describedAs } from './json-schema.ts';
import type { Call } from './route.ts';

/** `?dryRun=true`, of every write. */
export const dryRunQuery = {
  dryRun: describedAs(
    z
      .enum(['true', 'false'])
      .default('false')
      .transform((word) => word === 'true'),
    { type: 'boolean', default: false },
  ).describe('Answer the plan, and keep nothing.'),
};

/** What a write came to: the plan of a dry run, or the state once it is kept. */
export type Outcome = { readonly plan: PlanDocument } | { readonly view: View };

type Write = Call<unknown, { readonly dryRun: boolean }>;

/** Keeps a proposal, or plans it where the caller only tries. Throws `Refused` (never for a dry run) and what the proposal throws. */
export async function write(call: Write, proposal: Proposal): Promise<Outcome> {
  const { door } = call.services;
  if (call.query.dryRun) return { plan: await planOf(call, proposal) };
  const { position } = await submit(door, proposal, contextOf(call));
  return { view: await door.store.reach(position) };
}

/** What a proposal may know of a call. */
export function contextOf({ caller, requestId, services }: Call): Context {
  const { clock, newId } = services;
  return { now: clock(), newId, actor: actorOf(caller), origin: 'api', requestId };
}

async function planOf(call: Write, proposal: Proposal): Promise<PlanDocument> {
  const { door, reconciler, fingerprint } = call.services;
  const { revision, inventory } = await reconciler.status();
  const view = door.store.read();
  const { changes, violations }: Tried = evaluate(view, proposal, contextOf(call), door.facts());
  const planned = changes.flatMap((change) => plannedOf(change) ?? []);
  const source = { digest: digestOf(call.body), files: 0 };
  const base = { revision: revision.applied, digest: inventory.digest };
  const around = { base, source, before: view, findings: violations, fingerprint };
  return inSlices(planDocumentSteps({ planned, unchanged: planned.length > 0 ? 0 : 1 }, around), createSlicer());
}

function plannedOf(change: Change): Planned | undefined {
  if (!isDeclared(change)) return undefined;
  const action = change.before ? (change.after ? 'update' : 'delete') : 'create';
  return { action, change, quiet: false };
}

function isDeclared(change: Change): change is Change<DeclaredKindName> & Change {
  return isDeclaredKind(change.kind);
}

/** A dry run has no tree; what was sent stands for it. */
function digestOf(body: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(body ?? null))
    .digest('hex');
}
