// One attempt to make the state what the tree wants, from reading to history.
import { type Finding, hasErrors } from '../core/model/finding.ts';
import type { Actor, Context } from '../core/model/proposal.ts';
import type { View } from '../core/model/view.ts';
import type { PlanDocument, PlanSource } from '../core/plan/plan-document.ts';
import type { Facts } from '../core/rules/facts.ts';
import { type Consents, noConsents } from '../core/rules/rule.ts';
import { Refused, type Store } from '../store/store.ts';
import { allLeft, entryOf, hasChanges, keptEntry, nothingPlanned } from './attempt-entry.ts';
import { type Drift, type HistoryEntry, isServer, missingRevision } from './config-status.ts';
import { driftAgain, driftIn, goneSince } from './drift.ts';
import { BaseMoved, ConsentMistaken, PlanBlocked, SourceMoved, TreeInvalid } from './failures.ts';
import { historyRecord, keepHistory, lastAttempts, rememberReconciled } from './history.ts';
import type { InventoryOf } from './inventory.ts';
import {
  keep,
  maxTries,
  type PlanOptions,
  type Prepared,
  prepare,
  prepareAndKeep,
  prepareBeside,
} from './reconcile.ts';
import type { LoadedTree } from './tree.ts';

/** What attempts need of the world. */
export interface Workbench {
  readonly store: Store;
  readonly facts: () => Facts;
  /** RFC 3339, UTC. */
  readonly now: () => string;
  readonly newId: () => string;
  /** Milliseconds, monotonic. */
  readonly elapsed: () => number;
  readonly inventoryOf: InventoryOf;
  readonly fingerprint: (secret: string) => string;
}

/** Why, by whom and with what consent an attempt is made. */
export interface Occasion {
  readonly trigger: HistoryEntry['trigger'];
  readonly actor: Actor;
  readonly consents?: Consents;
  readonly base?: { readonly revision?: string | null; readonly digest?: string };
  /** The digest of the tree that the caller has seen. */
  readonly source?: { readonly digest: string };
  readonly requestId?: string;
  /** The network address of whoever asks. */
  readonly address?: string;
  /** Throws where whoever asks may not (any more): see `ReconcileRequest`. */
  readonly permit?: ((view: View) => void) | undefined;
  /** Nothing is applied: a plan with changes waits until somebody asks for it. */
  readonly holds?: boolean;
}

/** What an attempt came to: its record, the plan where there was one, and why it was refused. */
export interface Attempt {
  readonly entry: HistoryEntry;
  readonly plan?: PlanDocument;
  readonly failure?: AttemptFailure;
  /** The plan waits until somebody asks for it; no record was left. */
  readonly held?: true;
}

/** Why nothing was kept of a tree that could be read. */
export type AttemptFailure = TreeInvalid | PlanBlocked | BaseMoved | SourceMoved;

/** Whether a failure says something of whoever asked, and nothing of the tree. */
export function isOfCaller(failure: unknown): failure is BaseMoved | SourceMoved | ConsentMistaken {
  return failure instanceof BaseMoved || failure instanceof SourceMoved || failure instanceof ConsentMistaken;
}

/** The context of a reconcile. */
export function reconcileContext(
  bench: Workbench,
  { actor, requestId, address }: Pick<Occasion, 'actor' | 'requestId' | 'address'>,
  revision: string,
): Context {
  const from = { ...(requestId === undefined ? {} : { requestId }), ...(address === undefined ? {} : { address }) };
  return { now: bench.now(), newId: bench.newId, actor, origin: 'config', revision, ...from };
}

/** Plans a loaded tree against the store, without keeping anything. */
export async function planLoaded(bench: Workbench, loaded: LoadedTree, asked: Asked): Promise<Prepared> {
  return prepare(bench.store, loaded, await planOptions(bench, loaded, asked));
}

/** By whom, with what consent and why a plan is asked for. */
type Asked = Pick<Occasion, 'actor' | 'consents' | 'requestId' | 'address'> & Partial<Pick<Occasion, 'trigger'>>;

async function planOptions(bench: Workbench, loaded: LoadedTree, occasion: Asked): Promise<PlanOptions> {
  const attempts = await lastAttempts(bench.store);
  const { applied } = attempts;
  const { trigger = 'command' } = occasion;
  const gone = await goneSince(bench.store, attempts);
  // Somebody who asks for it wants all of it.
  const mode = {
    serves: isServer({ trigger }),
    leavesDrift: trigger === 'start' || trigger === 'watch' || trigger === 'poll',
    ...(gone ? { gone } : {}),
  };
  const context = reconcileContext(bench, occasion, loaded.source.digest);
  const { inventoryOf, fingerprint } = bench;
  const consents = occasion.consents ?? noConsents;
  const revision = applied?.revision ?? null;
  return { context, facts: bench.facts(), consents, revision, inventoryOf, fingerprint, mode };
}

/**
 * Applies a loaded tree, and leaves a record whatever comes of it; but not where it is another tree or state than the caller's, which says
 * something of whoever asked, and nothing of the tree. Writers that change again and again
 * what it plans wait for it at last. Throws what the store throws.
 */
export async function applyLoaded(bench: Workbench, loaded: LoadedTree, occasion: Occasion): Promise<Attempt> {
  const start = bench.elapsed();
  await rememberReconciled(bench.store, bench.newId());
  const { digest } = loaded.source;
  if (occasion.source && occasion.source.digest !== digest) {
    const failure = new SourceMoved(digest, occasion.source.digest);
    return refuse(bench, occasion, start, { source: loaded.source, findings: [], failure });
  }
  if (hasErrors(loaded.findings)) {
    const failure = new TreeInvalid(loaded.findings);
    return refuse(bench, occasion, start, { source: loaded.source, findings: loaded.findings, failure });
  }
  let seen: Drift = {};
  const tries = { left: maxTries };
  for (;;) {
    const prepared = await prepareBeside(bench.store, loaded, await planOptions(bench, loaded, occasion), tries);
    if (!prepared) return applyAlone(bench, loaded, occasion, start, seen);
    seen = await driftOf(bench, prepared, occasion);
    const done = isToKeep(prepared, occasion)
      ? await tryToKeep(bench, prepared, occasion, start, seen)
      : await leave(bench, prepared, occasion, start, seen);
    if (done) return done;
  }
}

async function driftOf(bench: Workbench, { plan }: Prepared, occasion: Occasion): Promise<Drift> {
  return isServer(occasion) ? driftIn(bench.store, plan, bench.now()) : {};
}

function isToKeep(prepared: Prepared, occasion: Occasion): boolean {
  return !refusalOf(prepared, occasion) && !(occasion.holds && hasChanges(prepared.document));
}

/** What comes of a plan that is refused, or waits. */
async function leave(
  bench: Workbench,
  prepared: Prepared,
  occasion: Occasion,
  start: number,
  drift: Drift,
): Promise<Attempt> {
  const { document: plan } = prepared;
  const { source, findings } = plan;
  const failure = refusalOf(prepared, occasion);
  return failure
    ? refuse(bench, occasion, start, { source, findings, plan, drift, failure })
    : held(bench, occasion, start, { plan, drift });
}

/** Plans and keeps while every other writer waits. Who made drift that was not `seen` before cannot be looked up meanwhile. */
async function applyAlone(
  bench: Workbench,
  loaded: LoadedTree,
  occasion: Occasion,
  start: number,
  seen: Drift,
): Promise<Attempt> {
  const id = bench.newId();
  const options = await planOptions(bench, loaded, occasion);
  const [now, elapsed] = [bench.now(), bench.elapsed()];
  const still = { ...bench, now: () => now, elapsed: () => elapsed };
  const outcome = (prepared: Prepared) => {
    if (!isToKeep(prepared, occasion)) throw new NotToKeep(prepared);
    const { document: plan } = prepared;
    const drift = isServer(occasion) ? driftAgain(prepared.plan, seen) : {};
    const entry = keptEntry(still, plan, occasion, start, drift);
    return { record: historyRecord(id, entry), result: { entry, plan } };
  };
  try {
    return await prepareAndKeep(bench.store, loaded, options, { id, outcome });
  } catch (error) {
    if (!(error instanceof NotToKeep)) throw error;
    return leave(bench, error.prepared, occasion, start, await driftOf(bench, error.prepared, occasion));
  }
}

/** Ends the transaction of a plan that is refused, or waits. */
class NotToKeep extends Error {
  readonly prepared: Prepared;
  constructor(prepared: Prepared) {
    super('the plan is not to be kept');
    this.prepared = prepared;
  }
}

function refusalOf(prepared: Prepared, { base, consents = noConsents }: Occasion): PlanBlocked | BaseMoved | undefined {
  const actual = prepared.document.base;
  const moved =
    (base?.digest !== undefined && base.digest !== actual.digest) ||
    (base?.revision !== undefined && base.revision !== actual.revision);
  if (moved) return new BaseMoved();
  if (!prepared.blocked) return undefined;
  const errors = prepared.document.findings.filter(({ severity }) => severity === 'error');
  // Under a consent this rule looks at nothing but its number.
  const isMistaken = consents.allowDeletes !== undefined && errors.every(({ rule }) => rule === 'mass-delete');
  return isMistaken ? new ConsentMistaken(prepared.document) : new PlanBlocked(prepared.document);
}

/** Nothing is answered when the state moved between plan and commit: the caller plans again. */
async function tryToKeep(
  bench: Workbench,
  prepared: Prepared,
  occasion: Occasion,
  start: number,
  drift: Drift,
): Promise<Attempt | undefined> {
  const entry = keptEntry(bench, prepared.document, occasion, start, drift);
  try {
    return { entry, plan: await keep(bench.store, prepared, historyRecord(bench.newId(), entry)) };
  } catch (error) {
    if (error instanceof BaseMoved || error instanceof Refused) return undefined;
    throw error;
  }
}

function held(
  bench: Workbench,
  occasion: Occasion,
  start: number,
  { plan, drift }: { readonly plan: PlanDocument; readonly drift: Drift },
): Attempt {
  const { source, findings, summary } = plan;
  const outcome = { source, findings, summary, drift: allLeft(drift) };
  return { plan, held: true, entry: entryOf(bench, occasion, start, 'unchanged', outcome) };
}

/** Leaves a record of an attempt that found no tree. */
export async function recordMissing(bench: Workbench, { trigger, actor }: Occasion, missing: string): Promise<void> {
  const counts = { summary: nothingPlanned, errors: 1, warnings: 0, findings: [], durationMs: 0 };
  const name = actor.name ?? actor.id;
  const entry: HistoryEntry = {
    revision: missingRevision,
    trigger,
    result: 'refused',
    at: bench.now(),
    ...counts,
    missing,
    ...(name === undefined ? {} : { actor: name }),
  };
  await keepHistory(bench.store, bench.newId(), entry);
}

interface Refusal {
  readonly source: PlanSource;
  readonly findings: readonly Finding[];
  readonly plan?: PlanDocument;
  readonly drift?: Drift;
  readonly failure: AttemptFailure;
}

async function refuse(bench: Workbench, occasion: Occasion, start: number, refusal: Refusal): Promise<Attempt> {
  const { source, findings, plan, drift = {}, failure } = refusal;
  const entry = entryOf(bench, occasion, start, 'refused', {
    source,
    findings,
    summary: plan?.summary ?? nothingPlanned,
    // What is refused reverts nothing.
    drift: allLeft(drift),
  });
  if (!isOfCaller(failure)) await keepHistory(bench.store, bench.newId(), entry);
  return { entry, failure, ...(plan ? { plan } : {}) };
}
