// timeout: 400
// What holds of every plan, whatever the trees: tried on generated ones.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createInventory } from '../../../src/control/inventory.ts';
import { applySaved, keep } from '../../../src/control/reconcile.ts';
import { type DeclaredKindName, declaredKindNames, kindOf } from '../../../src/core/kinds/index.ts';
import { created, deleted, updated } from '../../../src/core/model/change.ts';
import { leavesOf } from '../../../src/core/model/leaves.ts';
import type { DeclaredResource } from '../../../src/core/model/resource.ts';
import { createState } from '../../../src/core/model/state.ts';
import type { View } from '../../../src/core/model/view.ts';
import { check } from '../../../src/core/rules/index.ts';
import { type Consents, noConsents } from '../../../src/core/rules/rule.ts';
import {
  apply,
  facts,
  load,
  made,
  newWorld,
  planOf,
  record,
  run,
  told,
  type World,
  write,
} from '../../control/world.ts';
import { specOf } from '../model/any-spec.ts';
import { type AnyDocument, anyTree, filesOf } from './any-tree.ts';

/** Consent to every adoption: orphans come back. */
const adoptAll = (documents: readonly AnyDocument[]): Consents => ({
  adopt: new Set(documents.map(({ kind, metadata }) => `${kind}/${metadata.name}`)),
});

const planTree = (world: World, documents: readonly AnyDocument[]) =>
  planOf(world, filesOf(documents), adoptAll(documents));

/** Applies a tree; where what an earlier one left behind stands in its way (an orphan, say) the whole case is skipped. */
async function applyTree(world: World, documents: readonly AnyDocument[]): Promise<void> {
  const prepared = await planTree(world, documents);
  fc.pre(!prepared.blocked);
  await keep(world.store, prepared, record(world));
}

function* allOf(view: View): Iterable<DeclaredResource> {
  for (const kind of declaredKindNames) yield* view.all(kind);
}

/** All that a state means, without ids and times, and without the order of sets and named lists. */
function meaningOf(view: View): object[] {
  return [...allOf(view)]
    .map(({ kind, name, previousNames = [], labels, lifecycle, managedBy, generation, source, firstName, spec }) => {
      const leaves = [...leavesOf(kind, spec).values()].map(({ path, value, set }) => [
        path,
        set ? [...(value as [])].sort() : value,
      ]);
      const around = { kind, name, previousNames, labels, lifecycle, managedBy, generation, source, firstName };
      return { ...around, leaves: leaves.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)) };
    })
    .sort((a, b) => (`${a.kind}/${a.name}` < `${b.kind}/${b.name}` ? -1 : 1));
}

const digestOf = (view: View) => run(createInventory()(view));

/** What may become of the names of a tree's objects: each of some gets a new one, or the first two of a kind change places. */
const renumbering = fc.oneof(
  fc
    .subarray([0, 1, 2, 3])
    .map((digits) => (name: string) => (digits.includes(Number(name.at(-1))) ? `${name}-new` : name)),
  fc.constantFrom('stack', 'instancetype', 'ssoconfig').map((kind) => (name: string) => {
    const [one, other] = [`${kind}-0`, `${kind}-1`];
    return name === one ? other : name === other ? one : name;
  }),
);

/** A tree, and another in which some objects of the first may have new names, wherever they are named. */
const twoTrees = fc.tuple(anyTree, anyTree, renumbering).map(([first, second, called]) => {
  const olds = new Set(second.map(({ metadata }) => metadata.name));
  const isMoved = (name: unknown): name is string =>
    typeof name === 'string' && olds.has(name) && called(name) !== name;
  const named = JSON.parse(JSON.stringify(second), (_key, value) => (isMoved(value) ? called(value) : value));
  const renamed = (named as AnyDocument[]).map((document, at): AnyDocument => {
    const old = second[at]?.metadata.name;
    return isMoved(old) ? { ...document, metadata: { ...document.metadata, previousNames: [old] } } : document;
  });
  return [first, renamed] as const;
});

const plans = suite('every plan');

plans('leaves nothing to plan once it was applied', async () => {
  await fc.assert(
    fc.asyncProperty(twoTrees, async ([first, second]) => {
      const world = newWorld();
      for (const documents of [first, second]) {
        await applyTree(world, documents);
        const { plan, document } = await planTree(world, documents);
        assert.equal(plan.planned, []);
        assert.equal([document.changes, document.summary.unchanged], [[], documents.length + 1]);
      }
    }),
    { numRuns: 60 },
  );
});

plans('does when it was saved what it does at once', async () => {
  await fc.assert(
    fc.asyncProperty(twoTrees, async ([first, second]) => {
      const [atOnce, saved] = [newWorld(), newWorld()];
      for (const world of [atOnce, saved]) await applyTree(world, first);
      await applyTree(atOnce, second);
      const { document } = await planTree(saved, second);
      const options = {
        context: saved.context('config'),
        facts,
        consents: adoptAll(second),
        record: () => record(saved),
      };
      const text = JSON.stringify(document);
      assert.is(
        (await applySaved(saved.store, JSON.parse(text), options)).alreadyApplied,
        document.changes.length + (document.adopted?.length ?? 0) === 0,
      );
      assert.equal(meaningOf(saved.store.read()), meaningOf(atOnce.store.read()));
      assert.equal(digestOf(saved.store.read()), digestOf(atOnce.store.read()));
      assert.ok(
        (await applySaved(saved.store, JSON.parse(text), options)).alreadyApplied,
        'applying twice changes nothing',
      );
    }),
    { numRuns: 60 },
  );
});

plans('shows each change that it makes, and counts it once', async () => {
  await fc.assert(
    fc.asyncProperty(twoTrees, async ([first, second]) => {
      const world = newWorld();
      await applyTree(world, first);
      const { plan, document } = await planTree(world, second);
      const { create, update, delete: gone, rename, adopt, unchanged, blocked } = document.summary;
      assert.is(
        create + update + gone + rename + adopt + blocked,
        document.changes.length + (document.adopted?.length ?? 0),
      );
      assert.is(document.changes.length, plan.planned.filter(({ quiet }) => !quiet).length);
      for (const { action, fields, address } of document.changes)
        if (action === 'update' || action === 'rename') assert.ok(fields.length > 0, address);
      assert.ok(unchanged >= 0);
    }),
    { numRuns: 60 },
  );
});

plans('comes to the same state in whatever order files, documents and keys stand', async () => {
  await fc.assert(
    fc.asyncProperty(anyTree, fc.infiniteStream(fc.nat()), async (documents, order) => {
      const [one, other] = [newWorld(), newWorld()];
      const shuffled = documents.map((document) => turned(document, order) as AnyDocument);
      await applyTree(one, documents);
      await apply(other, oneFile(shuffled, order));
      const bare = (view: View) => meaningOf(view).map((object) => ({ ...object, source: undefined }));
      assert.equal(bare(other.store.read()), bare(one.store.read()));
      assert.equal(digestOf(other.store.read()), digestOf(one.store.read()));
    }),
    { numRuns: 40 },
  );
});

type Numbers = Iterator<number>;

/** The same value with its keys in another order. */
function turned(value: unknown, order: Numbers): unknown {
  if (Array.isArray(value)) return value.map((item) => turned(item, order));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(mixed(Object.entries(value), order).map(([key, item]) => [key, turned(item, order)]));
}

function mixed<T>(items: readonly T[], order: Numbers): T[] {
  return items
    .map((item) => [order.next().value as number, item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}

function oneFile(documents: readonly AnyDocument[], order: Numbers) {
  const { 'weir.yaml': root = '' } = filesOf([]);
  return {
    'weir.yaml': root,
    'z/all.yml': mixed(documents, order)
      .map((document) => JSON.stringify(document))
      .join('\n---\n'),
  };
}

plans.run();

const writes = suite('API writes between reconciles');

/** One write: a resource is made, altered or deleted; rules may refuse it. */
const anyWrite = fc.constantFrom(...declaredKindNames.filter((kind) => kind !== 'Platform')).chain((kind) =>
  fc.record({
    kind: fc.constant(kind),
    name: fc.constantFrom(`${kind.toLowerCase()}-0`, `${kind.toLowerCase()}-1`, 'a', 'b'),
    spec: specOf(kind),
    refersTo: fc.constantFrom('stack-0', 'stack-1', 'instancetype-0'),
    remove: fc.boolean(),
  }),
);
type Write = typeof anyWrite extends fc.Arbitrary<infer W> ? W : never;

let ids = 0;

/** A third of what is written names something that documents declare. */
function referring({ kind, spec, refersTo }: Write): object {
  const isStack = refersTo.startsWith('stack');
  if (kind === 'Stack' && isStack) return { ...spec, replaces: refersTo };
  if (kind === 'InstanceType' && isStack) return { ...spec, stacks: [refersTo], defaultStack: refersTo };
  return kind === 'TeamType' && !isStack ? { ...spec, instanceTypes: [{ name: refersTo }] } : spec;
}

function proposalOf(wanted: Write) {
  const { kind, name, remove } = wanted;
  const spec = referring(wanted);
  const id = `own-${ids++}`;
  return (view: View) => {
    const before = view.named<DeclaredKindName>(kind, name);
    if (remove) return before ? [deleted(before)] : [];
    const named = kindOf(kind).singleton ?? name;
    const parsed = kindOf(kind).spec.parse(spec) as DeclaredResource['spec'];
    return before ? [updated(before, { ...before, spec: parsed })] : [created(made(kind, named, spec, { id }))];
  };
}

/** All of a state, as if it were made at once under its present names: what rules say of it. */
function problemsOf(view: View): string[] {
  const changes = [...allOf(view)].map(({ firstName: _, ...present }) => created(present));
  const after = createState();
  after.apply(changes);
  return check({ door: 'tree', changes, before: createState(), after, consents: noConsents, facts }).map(told);
}

writes('never lead to a state that the rules would refuse as a whole', async () => {
  await fc.assert(
    fc.asyncProperty(twoTrees, fc.array(anyWrite, { maxLength: 12 }), async ([first, second], between) => {
      const world = newWorld();
      await applyTree(world, first);
      for (const wanted of between) await write(world, proposalOf(wanted));
      assert.equal(problemsOf(world.store.read()), []);
      const prepared = await planTree(world, second);
      if (!prepared.blocked) await keep(world.store, prepared, record(world));
      assert.equal(problemsOf(world.store.read()), []);
    }),
    { numRuns: 60 },
  );
});

writes.run();

const generated = suite('generated trees');

generated('are valid on their own', () => {
  fc.assert(
    fc.property(anyTree, (documents) => {
      const errors = load(filesOf(documents)).findings.filter(({ severity }) => severity === 'error');
      assert.equal(errors.map(told), []);
    }),
  );
});

generated.run();
