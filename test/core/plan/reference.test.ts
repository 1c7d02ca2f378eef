// timeout: 600
// The reconciler and the API against a model of a hundred lines: after any line of trees and writes both have the same objects, for the same reasons.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keep } from '../../../src/control/reconcile.ts';
import { type DeclaredKindName, declaredKindNames, kindOf } from '../../../src/core/kinds/index.ts';
import { created, deleted, updated } from '../../../src/core/model/change.ts';
import { hasErrors } from '../../../src/core/model/finding.ts';
import { type DeclaredResource, defaultLifecycle } from '../../../src/core/model/resource.ts';
import type { View } from '../../../src/core/model/view.ts';
import { exportDocuments } from '../../../src/manifests/export.ts';
import { load, made, newWorld, planOf, record, type World, write as writeTo } from '../../control/world.ts';
import {
  addressOf,
  type Model,
  type Outcome,
  reconcile,
  type Spec,
  type Thing,
  textOf,
  type Wanted,
  write,
} from './reference.ts';

type Kind = 'Stack' | 'InstanceType' | 'Template';

const names: Readonly<Record<Kind, readonly string[]>> = {
  Stack: ['s0', 's1', 's2', 's3'],
  InstanceType: ['t0', 't1', 't2'],
  Template: ['m0', 'm1'],
};

const text = fc.constantFrom('', 'x', 'y');
const someStacks = fc.subarray([...names.Stack]);
const specs: Readonly<Record<Kind, fc.Arbitrary<Spec>>> = {
  Stack: fc.record({ label: text, runtime: fc.constantFrom('4', '5') }),
  InstanceType: fc.tuple(someStacks, text, fc.nat(3)).map(([stacks, description, at]) => {
    const defaultStack = stacks[at % Math.max(1, stacks.length)];
    return { description, stacks, ...(defaultStack === undefined ? {} : { defaultStack }) };
  }),
  Template: fc.record({ description: text }),
};

/** The stacks of a type go with its default one, so that what is left to the API fits. */
const ignorable: Readonly<Record<Kind, readonly (readonly string[])[]>> = {
  Stack: [['/spec/label']],
  InstanceType: [['/spec/description'], ['/spec/stacks', '/spec/defaultStack']],
  Template: [['/spec/description']],
};

/** Any document; what it says it was called before is any other name. */
const anyDocument = (kind: Kind, name: string): fc.Arbitrary<Wanted> =>
  fc.record({
    kind: fc.constant(kind),
    name: fc.constant(name),
    previousNames: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      {
        weight: 2,
        arbitrary: fc.subarray(names[kind].filter((other) => other !== name)),
      },
    ),
    labels: fc.constantFrom({}, {}, { tier: 'a' }),
    lifecycle: fc.record({
      protect: fc.constantFrom(false, false, false, false, true),
      onRemove: fc.constantFrom('delete' as const, 'delete' as const, 'orphan' as const),
      ignore: fc.constantFrom<readonly string[]>([], [], ...ignorable[kind]),
    }),
    spec: specs[kind],
  });

const platform = fc
  .record({ prune: fc.constantFrom(true, true, true, false), count: fc.constantFrom(1, 2, 10) })
  .map(({ prune, count }): Wanted => {
    const spec = { reconcile: { prune, maxDeletes: { count, percent: 100 } } };
    return { kind: 'Platform', name: 'platform', previousNames: [], labels: {}, lifecycle: defaultLifecycle, spec };
  });

const documentsOf = (kind: Kind) =>
  fc.subarray([...names[kind]]).chain((chosen) => fc.tuple(...chosen.map((name) => anyDocument(kind, name))));

/** A tree whose instance types name stacks that it has. */
const anyTree = fc
  .tuple(platform, documentsOf('Stack'), documentsOf('InstanceType'), documentsOf('Template'))
  .map(([root, stacks, types, templates]): Wanted[] => {
    const own = new Set(stacks.map(({ name }) => name));
    return [root, ...stacks, ...types.map((type) => ({ ...type, spec: fitted(type.spec, own) })), ...templates];
  });

/** A step; `moved`: the tree of before, in which stacks have other names; `says`: and whatever names them says so. */
type Step = Applied | (Omit<Applied, 'tree'> & Moved) | Write;

interface Moved {
  /** By how many, or the new names of the first ones. */
  readonly moved: number | readonly string[];
  readonly says: boolean;
}

const anyWrite = fc.constantFrom<Kind>('Stack', 'InstanceType', 'Template').chain((kind) =>
  fc.record({
    kind: fc.constant(kind),
    name: fc.constantFrom(...names[kind]),
    spec: fc.option(specs[kind], { nil: undefined, freq: 3 }),
  }),
);

/** The new names of the stacks: one further in a line, or any, so that some change places. */
const anyMoves = fc.oneof(
  fc.constantFrom(1, 2),
  fc.shuffledSubarray([...names.Stack], { minLength: names.Stack.length }),
);

const around = { adopts: fc.boolean(), consents: fc.boolean() };
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ tree: anyTree, ...around }) },
  { weight: 2, arbitrary: fc.record({ moved: anyMoves, says: fc.boolean(), ...around }) },
  { weight: 4, arbitrary: anyWrite },
);

const steps = fc.array(anyStep, { minLength: 2, maxLength: 10 });

const both = suite('the reconciler and the API');

both('do what the model does, and refuse what it refuses', async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(steps, async (line) => {
      const world = newWorld();
      let model: Model = new Map();
      for (const step of withTrees(line)) {
        const outcome = 'tree' in step ? await applied(world, model, step) : await written(world, model, step);
        model = outcome.after;
        agree('kept', shownOf(world.store.read()), shownIn(model));
        for (const rule of outcome.refusedBy.size > 0 ? outcome.refusedBy : ['kept']) seen.add(rule);
      }
      await exportsToNothing(world);
    }),
    { numRuns: 150, includeErrorInReport: true },
  );
  // A model that is never refused, or always, says nothing.
  for (const rule of [
    'kept',
    'config-managed',
    'references',
    'needs-adopt',
    'protected',
    'mass-delete',
    'vanished',
    'duplicate-object',
  ])
    assert.ok(seen.has(rule), `${rule} was never met`);
});

both('come to the same in whatever order documents stand', async () => {
  await fc.assert(
    fc.asyncProperty(anyTree, anyTree, fc.boolean(), async (first, second, adopts) => {
      const [one, other] = [newWorld(), newWorld()];
      for (const tree of [first, second]) {
        await applied(one, modelOf(one), { tree, adopts, consents: true });
        await applied(other, modelOf(other), { tree: tree.toReversed(), adopts, consents: true });
      }
      assert.equal(shownOf(other.store.read()), shownOf(one.store.read()));
    }),
    { numRuns: 50, includeErrorInReport: true },
  );
});

both.run();

/** The steps, with the trees that those come to which move names. */
function* withTrees(line: readonly Step[]): Generator<Applied | Write> {
  let last: readonly Wanted[] = [];
  for (const step of line) {
    if ('tree' in step) last = step.tree;
    if ('moved' in step) last = movedBy(last, step);
    if ('kind' in step) yield step;
    else if (last.length > 0) yield { adopts: step.adopts, consents: step.consents, tree: last };
  }
}

interface Write {
  readonly kind: Kind;
  readonly name: string;
  readonly spec: Spec | undefined;
}

interface Applied {
  readonly tree: readonly Wanted[];
  readonly adopts: boolean;
  readonly consents: boolean;
}

/** A document that is not told of it goes on naming what has the old names now, as far as there are any. */
function movedBy(tree: readonly Wanted[], { moved, says }: Moved): Wanted[] {
  const next = (name: string) =>
    typeof moved === 'number' ? `s${Number(name.slice(1)) + moved}` : (moved[Number(name.slice(1))] ?? name);
  const own = new Set(tree.filter(({ kind }) => kind === 'Stack').map(({ name }) => next(name)));
  return tree.map((document) => {
    const { kind, name, spec } = document;
    if (kind === 'Stack') return { ...document, name: next(name), previousNames: next(name) === name ? [] : [name] };
    if (kind !== 'InstanceType') return document;
    if (!says) return { ...document, spec: fitted(spec, own) };
    const { stacks, defaultStack, ...rest } = spec as { stacks: string[]; defaultStack?: string };
    const first = defaultStack === undefined ? {} : { defaultStack: next(defaultStack) };
    return { ...document, spec: { ...rest, stacks: stacks.map(next), ...first } };
  });
}

/** Applies a tree to both; answers what the model says of it, with which the plan has to agree. */
async function applied(world: World, model: Model, step: Applied): Promise<Outcome> {
  const files = filesOf(step.tree);
  const tree = step.tree.map((document) => ({ ...document, spec: whole(document.kind, document.spec) }));
  // Two documents that say they were the same object are wrong on their own.
  if (hasErrors(load(files).findings))
    return { ...reconcile(model, [], { adopts: true }), refusedBy: new Set(), after: model };
  const counted = reconcile(model, tree, { adopts: step.adopts }).counts.delete;
  const deletes = step.consents ? { deletes: counted } : {};
  const outcome = reconcile(model, tree, { adopts: step.adopts, ...deletes });
  const adopt = new Set(step.adopts ? tree.map(addressOf) : []);
  const prepared = await planOf(world, files, { adopt, ...(step.consents ? { allowDeletes: counted } : {}) });
  const { summary, findings } = prepared.document;
  const refusedBy = new Set(findings.flatMap(({ rule, severity }) => (severity === 'error' ? [rule] : [])));
  agree('refused by', [...refusedBy].sort(), [...outcome.refusedBy].sort());
  agree('blocked', prepared.blocked, outcome.refusedBy.size > 0);
  if (prepared.blocked) return outcome;
  const { blocked: _, ...counts } = summary;
  agree('counted', textOf(counts), textOf(outcome.counts));
  await keep(world.store, prepared, record(world));
  const again = await planOf(world, files);
  agree('left to plan', again.plan.planned, []);
  return outcome;
}

async function written(world: World, model: Model, { kind, name, spec }: Write): Promise<Outcome> {
  const outcome = write(model, { kind, name }, spec && whole(kind, spec));
  const violations = await writeTo(world, (view) => {
    const before = view.named<DeclaredKindName>(kind, name);
    if (!spec) return before ? [deleted(before)] : [];
    if (!before) return [created(made(kind, name, spec, { id: world.context('api').newId() }))];
    return [updated(before, { ...before, spec: kindOf(kind).spec.parse(spec) as DeclaredResource['spec'] })];
  });
  agree(`refused (${violations.join('; ')})`, violations.length > 0, outcome.refusedBy.size > 0);
  return outcome;
}

/** In one message, which fast-check shows beside the seed. */
function agree(what: string, real: unknown, model: unknown): void {
  const [is, should] = [JSON.stringify(real), JSON.stringify(model)];
  if (is !== should) throw new Error(`${what} is\n${is}\nand the model says\n${should}`);
}

/** What is exported, planned as a tree, changes nothing: all of it is there as it is. */
async function exportsToNothing(world: World): Promise<void> {
  const view = world.store.read();
  if (!view.named('Platform', 'platform')) return;
  const files = Object.fromEntries(exportDocuments(view).map(({ path, content }) => [path, content]));
  const { document } = await planOf(world, files);
  agree('planned of what was exported', document.changes, []);
}

function fitted({ stacks, defaultStack, ...rest }: Spec, own: ReadonlySet<string>): Spec {
  const there = (stacks as string[]).filter((name) => own.has(name));
  const first = there.includes(String(defaultStack)) ? defaultStack : there[0];
  return { ...rest, stacks: there, ...(first === undefined ? {} : { defaultStack: first }) };
}

function whole(kind: string, spec: Spec): Spec {
  return kindOf(kind as DeclaredKindName).spec.parse(spec) as Spec;
}

/** One file a document, so that one that is gone is no emptied file. */
function filesOf(tree: readonly Wanted[]): Record<string, string> {
  const files = tree.map(({ kind, name, previousNames, labels, lifecycle, spec }) => {
    const document = { kind, metadata: { name, labels, previousNames }, lifecycle, spec };
    return [kind === 'Platform' ? 'weir.yaml' : `${kind}/${name}.yaml`, JSON.stringify(document)];
  });
  return Object.fromEntries(files);
}

function modelOf(world: World): Model {
  return new Map(thingsOf(world.store.read()).map((thing) => [addressOf(thing), thing]));
}

function thingsOf(view: View): Thing[] {
  return declaredKindNames.flatMap((kind) =>
    [...view.all(kind)].map(({ name, previousNames: former, labels, lifecycle, managedBy, spec }) => ({
      ...{ kind, name, labels, lifecycle, spec: spec as Spec, ...(former ? { former } : {}) },
      managedBy: managedBy as Thing['managedBy'],
    })),
  );
}

function shownOf(view: View): string[] {
  return thingsOf(view).map(textOf).sort();
}

function shownIn(model: Model): string[] {
  return [...model.values()].map(textOf).sort();
}
