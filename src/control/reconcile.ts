// One reconcile: a judged tree against a state, prepared outside the store and kept by one transaction that takes turns with everybody else.
import { isDeclaredKind } from '../core/kinds/index.ts';
import { hasErrors } from '../core/model/finding.ts';
import type { Context, Proposed } from '../core/model/proposal.ts';
import type { View } from '../core/model/view.ts';
import { carriedOut } from '../core/plan/carried-out.ts';
import type { PlanMode } from '../core/plan/drift.ts';
import { isUnfollowed, withoutRefused } from '../core/plan/former-names.ts';
import { located } from '../core/plan/locate.ts';
import { planSteps } from '../core/plan/plan.ts';
import { type PlanDocument, planDocumentSteps, withConsequences } from '../core/plan/plan-document.ts';
import type { Plan, Planned } from '../core/plan/planned.ts';
import { revive } from '../core/plan/revive.ts';
import type { Facts } from '../core/rules/facts.ts';
import { type Consents, noConsents, type TreeFacts } from '../core/rules/rule.ts';
import { createSlicer, inSlices, type Slicer } from '../lib/slice.ts';
import { unless } from '../lib/steps.ts';
import { type PositionedView, Refused, type Store, type StoreRecord } from '../store/store.ts';
import { auditRecords, plannedRecords } from './audit.ts';
import { BaseMoved, PlanBlocked } from './failures.ts';
import type { InventoryOf } from './inventory.ts';
import { noteReconciled } from './reconciled.ts';
import { type LongProposal, recordsOf, type TransactOptions, type Tried, transact, transactSteps } from './transact.ts';
import type { LoadedTree } from './tree.ts';

/** A plan that was made and checked against the state at `position`. */
export interface Prepared {
  readonly plan: Plan;
  readonly document: PlanDocument;
  readonly blocked: boolean;
  readonly position: string;
  readonly tried: Tried<Plan>;
  readonly options: TransactOptions;
  readonly context: Context;
}

/** What planning needs beside the tree and the state. */
export interface PlanOptions {
  readonly context: Context;
  readonly facts: Facts;
  readonly consents?: Consents;
  /** The revision that was applied last. */
  readonly revision: string | null;
  readonly inventoryOf: InventoryOf;
  readonly fingerprint: (secret: string) => string;
  readonly slicer?: Slicer;
  readonly mode?: PlanMode;
}

/**
 * Plans a valid tree against a state: every change, and every rule that forbids one. Between its slices the store may move on: when
 * declared resources change meanwhile, what was planned is of no use, and it is planned again; other writes are left to `keep`. Writers that never
 * pause wait for it at last, in a transaction that keeps nothing.
 */
export async function prepare(store: Store, loaded: LoadedTree, options: PlanOptions): Promise<Prepared> {
  const beside = await prepareBeside(store, loaded, options, { left: maxTries });
  if (beside) return beside;
  const { result } = await store.commit(alone(loaded, options), { id: options.context.newId() });
  // The id is fresh, so nothing was repeated.
  return result as Prepared;
}

/** How often a plan may still be made beside writers. Each that is begun counts. */
export interface Tries {
  left: number;
}

/** Plans beside writers, as often as it may; nothing where they moved what was planned each time. */
export async function prepareBeside(
  store: Store,
  loaded: LoadedTree,
  options: PlanOptions,
  tries: Tries,
): Promise<Prepared | undefined> {
  let moves = 0;
  const unsubscribe = store.subscribe((entry) => {
    if (entry === 'reset' || entry.changes.some(({ kind }) => isDeclaredKind(kind))) moves++;
  });
  try {
    while (tries.left > 0) {
      tries.left--;
      const start = moves;
      const steps = prepareSteps(store.read(), loaded, options);
      const prepared = await inSlices(
        unless(() => moves !== start, steps),
        options.slicer ?? createSlicer(),
      );
      if (prepared) return prepared;
    }
  } finally {
    unsubscribe();
  }
  return undefined;
}

/** How often a plan is made beside writers before they have to wait for it. */
export const maxTries = 3;

function alone(loaded: LoadedTree, options: PlanOptions) {
  return function* (view: PositionedView) {
    return { changes: [], result: yield* prepareSteps(view, loaded, options) };
  };
}

function* prepareSteps(
  view: PositionedView,
  loaded: LoadedTree,
  { context, facts, consents = noConsents, revision, inventoryOf, fingerprint, mode }: PlanOptions,
): Generator<void, Prepared, void> {
  const { position } = view;
  const options = { facts, consents, tree: loaded.desired.facts };
  const { desired } = loaded.desired;
  const tried = yield* transactSteps(view, planning(loaded, mode), context, options);
  const { result: plan, consequences, violations } = tried;
  const inventory = yield* inventoryOf(view);
  const findings = withoutRefused(loaded.findings, violations);
  for (const finding of [...violations, ...tried.warnings()])
    if (findings.push(located(finding, desired)) % 64 === 0) yield;
  const base = { revision, digest: inventory.digest };
  const around = { base, source: loaded.source, before: view, consequences, findings, fingerprint };
  const document = yield* planDocumentSteps(plan, around);
  return { plan, document, blocked: hasErrors(violations), position, tried, options, context };
}

/** What a tree wants, as a proposal. */
function planning({ desired: { desired } }: LoadedTree, mode?: PlanMode): LongProposal<Plan> {
  return function* (view, context) {
    return proposedIn(yield* planSteps(desired, view, context, mode));
  };
}

function proposedIn(plan: Plan): Proposed<Plan> {
  const { planned, problems = [] } = plan;
  return { changes: planned.map(({ change }) => change), findings: problems, result: plan };
}

/**
 * Keeps a prepared plan in one transaction with its record and its audit entries; answers the plan as it was done. Throws `PlanBlocked`, `BaseMoved` when an
 * object of the plan has changed since, `Refused` when the rest of the state has come to forbid it (prepare again after both), and what the store throws.
 */
export async function keep(store: Store, prepared: Prepared, record: StoreRecord): Promise<PlanDocument> {
  if (prepared.blocked) throw new PlanBlocked(prepared.document);
  const { plan, document, context } = prepared;
  const planned = await inSlices(plannedRecords(plan, document, store.read(), context), createSlicer());
  const transaction = function* (view: PositionedView) {
    const tried = yield* triedOn(view, prepared);
    const records = [record, ...planned, ...followingRecords(tried, context)];
    return { changes: [...tried.changes, ...noteReconciled(view, record)], records, result: tried.consequences };
  };
  const { result = [] } = await store.commit(transaction, { id: record.id });
  return withConsequences(document, result);
}

/**
 * Plans a tree and keeps the plan in one transaction, for which all other writers wait: its state stands still, so that nothing can move in between.
 * `outcome` is pure; it answers the record of the plan and what is to be known of it, or throws where the plan is not to be kept.
 */
export async function prepareAndKeep<R>(
  store: Store,
  loaded: LoadedTree,
  options: PlanOptions,
  {
    id,
    outcome,
  }: { readonly id: string; readonly outcome: (prepared: Prepared) => { record: StoreRecord; result: R } },
): Promise<R> {
  const transaction = function* (view: PositionedView) {
    const prepared = yield* prepareSteps(view, loaded, options);
    const { record, result } = outcome(prepared);
    const { plan, document, tried, context } = prepared;
    const planned = yield* plannedRecords(plan, document, view, context);
    const changes = [...tried.changes, ...noteReconciled(view, record)];
    return { changes, records: [record, ...planned, ...followingRecords(tried, context)], result };
  };
  const { result } = await store.commit(transaction, { id });
  // The id is fresh, so nothing was repeated.
  return result as R;
}

/** The audit entries of what goes with a plan. */
function followingRecords({ proposed, changes, before, after }: Tried<Plan>, context: Context): StoreRecord[] {
  return auditRecords(changes.slice(proposed.length), { before, after }, context);
}

/** What was tried, or, where others have written since, the same tried again: the plan stands as long as its objects do. */
function* triedOn(view: PositionedView, prepared: Prepared): Generator<void, Tried<Plan>, void> {
  const { plan, tried, position, options, context } = prepared;
  if (view.position === position) return tried;
  // biome-ignore lint/correctness/useYield: what is proposed is there already.
  const again: LongProposal<Plan> = function* () {
    return proposedIn(plan);
  };
  yield* requireUnmoved(plan, view);
  const fresh = yield* transactSteps(view, again, context, options);
  if (hasErrors(fresh.violations)) throw new Refused(fresh.violations);
  return fresh;
}

function* requireUnmoved({ planned }: Plan, view: View): Generator<void, void, void> {
  const ids = new Set(planned.map(({ change }) => change.id));
  const moved: string[] = [];
  for (const [index, one] of planned.entries()) {
    if (hasMoved(one, view, ids)) moved.push(addressIn(one));
    if (index % 256 === 255) yield;
  }
  if (moved.length > 0) throw new BaseMoved(moved);
}

function hasMoved({ change }: Planned, view: View, planned: ReadonlySet<string>): boolean {
  const { kind, before, after } = change;
  if (before && view.get(kind, change.id) !== before) return true;
  if (!after || before?.name === after.name) return false;
  // A name that the plan itself gives away is free.
  const holder = view.named(kind, after.name);
  return holder !== undefined && !planned.has(holder.id);
}

function addressIn({ change }: Planned): string {
  return `${change.kind}/${(change.after ?? change.before)?.name}`;
}

/** What came of a saved plan. */
export interface AppliedPlan {
  /** Nothing was left to do: the state is as the plan would leave it. */
  readonly alreadyApplied: boolean;
  /** What was done of it. */
  readonly plan: PlanDocument;
}

/**
 * Applies a saved plan, all or nothing. Throws `BaseMoved` with the addresses of its objects that changed since, and `Refused` with the
 * violations of the state as it is now.
 */
export async function applySaved(
  store: Store,
  saved: PlanDocument,
  options: {
    readonly context: Context;
    readonly facts: Facts;
    readonly consents?: Consents;
    readonly record: (applied: AppliedPlan) => StoreRecord;
  },
): Promise<AppliedPlan> {
  const { context, facts, consents = noConsents } = options;
  const surroundings = { facts, consents, tree: treeFactsOf(saved) };
  const unfollowed = saved.findings.filter(isUnfollowed);
  if (unfollowed.length > 0) throw new Refused(unfollowed);
  const transaction = (view: PositionedView) => {
    const tried = transact(view, (now) => revived(saved, now, context), context, surroundings);
    const { changes, consequences, violations, result: done } = tried;
    if (changes.length > 0 && violations.length > 0) throw new Refused(violations);
    const applied = { alreadyApplied: changes.length === 0, plan: carriedOut(saved, done, consequences) };
    const record = options.record(applied);
    const noted = [...changes, ...noteReconciled(view, record)];
    return { changes: noted, records: [record, ...recordsOf(tried, context)], result: applied };
  };
  const { result } = await store.commit(transaction, { id: context.newId() });
  // The id is fresh, so nothing was repeated.
  return result as AppliedPlan;
}

/** What is left to do of a saved plan; its result are the addresses of what is done. Throws `BaseMoved`. */
function revived(saved: PlanDocument, view: View, context: Context): Proposed<readonly string[]> {
  const { changes, stale, done } = revive(saved, view, context);
  if (stale.length > 0) throw new BaseMoved(stale);
  return { changes, result: done };
}

/**
 * The tree is not read again: a file that was empty when the plan was made deletes nothing later either. Not all findings may have been told, but
 * every change says what blocks it.
 */
function treeFactsOf({ findings, changes }: PlanDocument): TreeFacts {
  const blocking = changes.flatMap(({ blockedBy = [] }) => blockedBy);
  const emptied = findings.concat(blocking).filter(({ rule }) => rule === 'emptied-file');
  return {
    broken: new Set(),
    partial: new Set(),
    emptyFiles: new Set(emptied.flatMap(({ source }) => source?.file ?? [])),
  };
}
