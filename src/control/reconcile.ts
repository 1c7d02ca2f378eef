// One reconcile: a judged tree against a state, prepared outside the store and kept by one short transaction.
import { withConsequences } from '../core/consequences/index.ts';
import { isDeclaredKind } from '../core/kinds/index.ts';
import { type Finding, hasErrors } from '../core/model/finding.ts';
import { overlay } from '../core/model/overlay.ts';
import type { Context } from '../core/model/proposal.ts';
import type { View } from '../core/model/view.ts';
import { carriedOut } from '../core/plan/carried-out.ts';
import type { PlanMode } from '../core/plan/drift.ts';
import { located } from '../core/plan/locate.ts';
import { planSteps } from '../core/plan/plan.ts';
import { type PlanDocument, planDocumentSteps } from '../core/plan/plan-document.ts';
import type { Plan, Planned } from '../core/plan/planned.ts';
import { revive } from '../core/plan/revive.ts';
import { cautions } from '../core/rules/cautions.ts';
import type { Facts } from '../core/rules/facts.ts';
import { check, checkSteps } from '../core/rules/index.ts';
import { type Batch, type Consents, noConsents, type TreeFacts } from '../core/rules/rule.ts';
import { createSlicer, inSlices, type Slicer } from '../lib/slice.ts';
import { type PositionedView, type Receipt, Refused, type Store, type StoreRecord } from '../store/store.ts';
import { auditRecords, plannedRecords } from './audit.ts';
import { BaseMoved, PlanBlocked } from './failures.ts';
import type { InventoryOf } from './inventory.ts';
import type { LoadedTree } from './tree.ts';

/** A plan that was made and checked against the state at `position`. */
export interface Prepared {
  readonly plan: Plan;
  readonly document: PlanDocument;
  readonly blocked: boolean;
  readonly position: string;
  readonly batch: Omit<Batch, 'before' | 'after'>;
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
 * declared resources change meanwhile, what was planned is of no use, and it is planned again; other writes are left to `keep`.
 */
export async function prepare(store: Store, loaded: LoadedTree, options: PlanOptions): Promise<Prepared> {
  let moves = 0;
  const unsubscribe = store.subscribe((entry) => {
    if (entry === 'reset' || entry.changes.some(({ kind }) => isDeclaredKind(kind))) moves++;
  });
  try {
    for (let attempt = 0; ; attempt++) {
      const start = moves;
      // Writers that never pause must not keep the plan from being made: at last it is made in one go.
      const slicer = attempt < 3 ? (options.slicer ?? createSlicer()) : createSlicer(Number.POSITIVE_INFINITY);
      const prepared = await prepareOn(store.read(), loaded, { ...options, slicer }, () => moves !== start);
      if (prepared) return prepared;
    }
  } finally {
    unsubscribe();
  }
}

async function prepareOn(
  view: PositionedView,
  loaded: LoadedTree,
  options: PlanOptions & { readonly slicer: Slicer },
  moved: () => boolean,
): Promise<Prepared | undefined> {
  const { slicer } = options;
  const { position } = view;
  const { desired } = loaded.desired;
  const plan = await inSlices(unless(moved, planSteps(desired, view, options.context, options.mode)), slicer);
  if (!plan) return undefined;
  const batch = batchOf(plan, loaded, options);
  const violations = await inSlices(unless(moved, violationSteps(batch, view, desired)), slicer);
  const inventory = violations && (await inSlices(unless(moved, options.inventoryOf(view)), slicer));
  if (!violations || !inventory) return undefined;
  const findings = loaded.findings.concat(violations);
  const base = { revision: options.revision, digest: inventory.digest };
  const around = { base, source: loaded.source, before: view, findings, fingerprint: options.fingerprint };
  const document = await inSlices(unless(moved, planDocumentSteps(plan, around)), slicer);
  if (!document) return undefined;
  return { plan, document, blocked: hasErrors(violations), position, batch, context: options.context };
}

/** The steps of a generator, given up (nothing returned) as soon as `stop` says so. */
function* unless<T>(stop: () => boolean, steps: Generator<void, T>): Generator<void, T | undefined> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    yield;
    if (stop()) return undefined;
  }
}

function batchOf(plan: Plan, loaded: LoadedTree, { facts, consents }: PlanOptions): Prepared['batch'] {
  const changes = plan.planned.map(({ change }) => change);
  return { door: 'config', changes, consents: consents ?? noConsents, facts, tree: loaded.desired.facts };
}

function* violationSteps(
  batch: Prepared['batch'],
  before: View,
  desired: LoadedTree['desired']['desired'],
): Generator<void, readonly Finding[]> {
  const after = overlay(before);
  for (let at = 0; at < batch.changes.length; at += 64) {
    after.apply(batch.changes.slice(at, at + 64));
    yield;
  }
  const found: Finding[] = [];
  for (const step of checkSteps({ ...batch, before, after })) {
    for (const finding of step) found.push(located(finding, desired));
    yield;
  }
  for (const finding of cautions({ ...batch, before, after })) found.push(located(finding, desired));
  return found;
}

/**
 * Keeps a prepared plan in one transaction with its record and its audit entries. Throws `PlanBlocked`, `BaseMoved` when an object of the plan has changed since
 * (prepare again), and what the store throws.
 */
export async function keep(store: Store, prepared: Prepared, record: StoreRecord): Promise<Receipt> {
  if (prepared.blocked) throw new PlanBlocked(prepared.document);
  const { plan, document, batch, position, context } = prepared;
  const audit = await inSlices(plannedRecords(plan, document, store.read(), context), createSlicer());
  const ids = new Set(batch.changes.map(({ id }) => id));
  const transaction = (view: PositionedView) => {
    const moved = plan.planned.filter((one) => hasMoved(one, view, ids));
    if (moved.length > 0) throw new BaseMoved(moved.map(addressIn));
    if (view.position !== position) recheck(batch, view);
    const { changes, after } = withConsequences(view, batch.changes);
    const more = auditRecords(changes.slice(batch.changes.length), { before: view, after }, context);
    return { changes, records: [record, ...audit, ...more] };
  };
  return store.commit(transaction, { id: record.id });
}

/** Others have written something else since: the rules are asked again, on the state as it is now. */
function recheck(batch: Prepared['batch'], view: View): void {
  const violations = check({ ...batch, before: view, after: overlay(view, batch.changes) });
  if (violations.length > 0) throw new Refused(violations);
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
  let applied: AppliedPlan = { alreadyApplied: false, plan: saved };
  const tree = treeFactsOf(saved);
  const transaction = (view: PositionedView) => {
    const revived = revive(saved, view, options.context);
    if (revived.stale.length > 0) throw new BaseMoved(revived.stale);
    applied = { alreadyApplied: revived.changes.length === 0, plan: carriedOut(saved, revived.done) };
    const { changes, after } = withConsequences(view, revived.changes);
    const consents = options.consents ?? noConsents;
    const batch: Batch = { door: 'config', changes, before: view, after, consents, facts: options.facts, tree };
    const violations = changes.length > 0 ? check(batch) : [];
    if (violations.length > 0) throw new Refused(violations);
    const audit = auditRecords(changes, { before: view, after }, options.context);
    return { changes, records: [options.record(applied), ...audit] };
  };
  await store.commit(transaction, { id: options.context.newId() });
  return applied;
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
