// A small world for tests of planning and reconciling: trees given as texts, a store in memory, a clock that ticks.
import { createInventory } from '../../src/control/inventory.ts';
import { keep, type PlanOptions, type Prepared, prepare } from '../../src/control/reconcile.ts';
import { type Door, submit } from '../../src/control/submit.ts';
import type { LoadedTree } from '../../src/control/tree.ts';
import { type DeclaredKindName, kindOf, type runtimeKinds, type SpecOf } from '../../src/core/kinds/index.ts';
import { created } from '../../src/core/model/change.ts';
import { type Finding, hasErrors } from '../../src/core/model/finding.ts';
import type { Context, Proposal } from '../../src/core/model/proposal.ts';
import { type DeclaredResource, defaultLifecycle, type Resource } from '../../src/core/model/resource.ts';
import { desireSteps } from '../../src/core/plan/desired-tree.ts';
import { judgeSteps } from '../../src/core/plan/judge.ts';
import type { PlanDocument } from '../../src/core/plan/plan-document.ts';
import type { Facts } from '../../src/core/rules/facts.ts';
import { type Consents, noConsents } from '../../src/core/rules/rule.ts';
import { ldapFilterProblem } from '../../src/lib/ldap-filter.ts';
import { treeOfTexts } from '../../src/manifests/texts.ts';
import { isMissing } from '../../src/manifests/tree.ts';
import { openMemoryStore } from '../../src/store/memory.ts';
import type { Store, StoreRecord } from '../../src/store/store.ts';

/** Files of a tree: path → text. */
export type Files = Readonly<Record<string, string>>;

export interface World {
  readonly store: Store;
  readonly door: Door;
  readonly context: (origin: Context['origin']) => Context;
  readonly options: (consents?: Consents) => PlanOptions;
}

/** A `weir.yaml` that says nothing. */
export const root = 'kind: Platform\nmetadata: {name: platform}\n';

/** Drivers and certificates as tests see them: a text is a certificate when it contains `CERT`. */
export const facts: Facts = {
  drivers: new Map(['local', 'container', 'orchestrator'].map((kind) => [kind, { provides: new Set() }])),
  certificateProblem: (text) => (text.includes('CERT') ? undefined : 'it is not PEM'),
  filterProblem: ldapFilterProblem,
};

/** A world with an empty store. */
export function newWorld(): World {
  const store = openMemoryStore({ rehearse: true });
  const inventoryOf = createInventory();
  let ticks = 0;
  const context = (origin: Context['origin']): Context => ({
    now: new Date(Date.UTC(2026, 0, 1, 0, 0, ticks++)).toISOString(),
    newId: () => `id-${ticks++}`,
    actor: origin === 'config' ? { kind: 'config' } : { kind: 'user', id: 'ann', name: 'ann' },
    origin,
  });
  const options = (consents: Consents = noConsents): PlanOptions => ({
    context: context('config'),
    facts,
    consents,
    revision: null,
    inventoryOf,
    fingerprint: (secret) => `print-${secret.length}`,
  });
  return { store, door: { store, facts: () => facts }, context, options };
}

/** Reads and judges a tree. A missing `weir.yaml` is added. */
export function load(files: Files): LoadedTree {
  const texts = Object.entries({ 'weir.yaml': root, ...files }).map(([path, content]) => ({ path, content }));
  const tree = treeOfTexts(texts);
  if (isMissing(tree)) throw new Error(tree.message);
  const desired = run(desireSteps({ ...tree, files: [...tree.files.values()], readPublicFile: tree.file }));
  const judged = run(judgeSteps(desired, facts));
  const source = { digest: tree.digest, files: tree.files.size };
  return { tree, desired, findings: [...desired.findings, ...judged], source };
}

/** The errors of a tree on its own, as `file:line:column rule message (did you mean …)`. */
export function problemsIn(files: Files): string[] {
  return load(files)
    .findings.filter(({ severity }) => severity === 'error')
    .map(told);
}

/** A finding on one line. */
export function told({ source, rule, message, suggestion }: Finding): string {
  const place = source ? `${source.file}:${source.line}:${source.column} ` : '';
  return `${place}${rule} ${message}${suggestion === undefined ? '' : ` (did you mean ${suggestion})`}`;
}

/** Plans a tree, which must be valid on its own. */
export function planOf(world: World, files: Files, consents?: Consents): Promise<Prepared> {
  const loaded = load(files);
  if (hasErrors(loaded.findings)) throw new Error(`the tree is not valid: ${loaded.findings.map(told).join('\n')}`);
  return prepare(world.store, loaded, world.options(consents));
}

/** Plans and keeps a tree. Throws what `keep` throws. */
export async function apply(world: World, files: Files, consents?: Consents): Promise<PlanDocument> {
  const prepared = await planOf(world, files, consents);
  await keep(world.store, prepared, record(world));
  return prepared.document;
}

/** The violations that a plan meets in the live state, one line each. */
export async function violationsOf(world: World, files: Files, consents?: Consents): Promise<string[]> {
  const { document } = await planOf(world, files, consents);
  return document.findings.filter(({ severity }) => severity === 'error').map(told);
}

/** A record of the history, for `keep`. */
export function record(world: World): StoreRecord {
  const { newId, now } = world.context('config');
  return { stream: 'history', id: newId(), at: now, body: {} };
}

/** Consent to exactly so many deletions. */
export function allowing(allowDeletes: number): Consents {
  return { allowDeletes, adopt: new Set() };
}

/** What an API write meets: its violations, one line each; nothing when it was kept. */
export async function write(world: World, proposal: Proposal): Promise<string[]> {
  try {
    await submit(world.door, proposal, world.context('api'));
    return [];
  } catch (error) {
    if (error instanceof Error && 'violations' in error) return (error.violations as Finding[]).map(told);
    throw error;
  }
}

/** Puts resources into the store as they are, past every rule. */
export async function put(world: World, ...resources: readonly Resource[]): Promise<void> {
  await world.store.commit(() => ({ changes: resources.map(created) }), { id: world.context('api').newId() });
}

/** A declared resource as the API makes one. */
export function made<K extends DeclaredKindName>(
  kind: K,
  name: string,
  spec: object = {},
  more: Partial<DeclaredResource<K>> = {},
): DeclaredResource<K> {
  const at = '2026-01-01T00:00:00.000Z';
  const parsed = kindOf(kind).spec.parse(spec) as SpecOf<K>;
  const base = { kind, id: `api-${kind}-${name}`, name, labels: {}, lifecycle: defaultLifecycle, spec: parsed };
  return { ...base, managedBy: 'api', generation: 1, createdAt: at, updatedAt: at, ...more };
}

/** A run-time resource; `spec` is taken as it is. */
export function living<K extends keyof typeof runtimeKinds>(kind: K, name: string, spec: object): Resource<K> {
  const at = '2026-01-01T00:00:00.000Z';
  const parsed = kindOf(kind).spec.parse(spec) as SpecOf<K>;
  return { kind, id: `${kind}-${name}`, name, spec: parsed, generation: 1, createdAt: at, updatedAt: at };
}

/** Ends a generator. */
export function run<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
