// timeout: 600
// Renames in one revision, whatever they are: lines, swaps and circles, with references that documents, the API and orphans hold.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keep, prepare } from '../../../src/control/reconcile.ts';
import { declaredKindNames } from '../../../src/core/kinds/index.ts';
import { updated } from '../../../src/core/model/change.ts';
import type { DeclaredResource } from '../../../src/core/model/resource.ts';
import type { View } from '../../../src/core/model/view.ts';
import { type Files, load, made, newWorld, put, record, type World } from '../../control/world.ts';

const names = {
  Stack: ['s0', 's1', 's2', 's3', 's4'],
  InstanceType: ['t0', 't1', 't2', 't3'],
} as const;
type Kind = keyof typeof names;

/** Old names by new ones; an old name that is nobody's any more goes. */
type Moves = Readonly<Record<Kind, Readonly<Record<string, string>>>>;

/** What one revision declares: names, and what refers to them by position, so that it can be said in any names. */
interface Sketch {
  readonly Stack: readonly string[];
  readonly InstanceType: readonly string[];
  /** The stacks of each instance type. */
  readonly stacksOf: readonly (readonly number[])[];
  readonly leftOf: readonly boolean[];
  readonly types: readonly number[];
  readonly leftLimits: readonly number[];
  readonly orphan: boolean;
}

const some = (kind: Kind) => fc.subarray([...names[kind]], { minLength: 1 });
const anySketch: fc.Arbitrary<Sketch> = fc.record({
  Stack: some('Stack'),
  InstanceType: some('InstanceType'),
  stacksOf: fc.array(fc.subarray([0, 1, 2, 3, 4]), { minLength: 4, maxLength: 4 }),
  leftOf: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
  types: fc.subarray([0, 1, 2, 3]),
  leftLimits: fc.subarray([0, 1, 2, 3]),
  orphan: fc.boolean(),
});

/** New names for objects: any of the pool, in any order, so that lines, swaps and circles come. */
const anyMoves = fc.record({
  Stack: fc.shuffledSubarray([...names.Stack], { minLength: 5 }),
  InstanceType: fc.shuffledSubarray([...names.InstanceType], { minLength: 4 }),
});

function moved(sketch: Sketch, order: Readonly<Record<Kind, readonly string[]>>): readonly [Sketch, Moves] {
  const moves = { Stack: {} as Record<string, string>, InstanceType: {} as Record<string, string> };
  const rename = (kind: Kind) =>
    sketch[kind].map((old, at) => {
      const fresh = order[kind][at] ?? old;
      moves[kind][fresh] = old;
      return fresh;
    });
  return [{ ...sketch, Stack: rename('Stack'), InstanceType: rename('InstanceType') }, moves];
}

const previous = (moves: Moves | undefined, kind: Kind, name: string) => {
  const old = moves?.[kind][name];
  return old === undefined || old === name ? {} : { previousNames: [old] };
};

/** The files of a sketch: what documents say, they say in the names of their own revision. */
function filesOf(sketch: Sketch, moves?: Moves, says = sketch): Files {
  const files: Record<string, string> = {};
  for (const name of sketch.Stack)
    files[`s/${name}.yaml`] = JSON.stringify({
      kind: 'Stack',
      metadata: { name, ...previous(moves, 'Stack', name) },
      spec: { runtime: '4' },
    });
  sketch.InstanceType.forEach((name, at) => {
    const stacks = (says.stacksOf[at] ?? []).flatMap((index) => sketch.Stack[index] ?? []);
    files[`t/${name}.yaml`] = JSON.stringify({
      kind: 'InstanceType',
      metadata: { name, ...previous(moves, 'InstanceType', name) },
      lifecycle: { ignore: sketch.leftOf[at] ? ['/spec/stacks', '/spec/defaultStack'] : [] },
      spec: { stacks, ...(stacks[0] === undefined ? {} : { defaultStack: stacks[0] }) },
    });
  });
  const types = says.types.flatMap((index) => sketch.InstanceType[index] ?? []);
  const left = sketch.leftLimits.flatMap((index) => sketch.InstanceType[index] ?? []);
  files['team.yaml'] = JSON.stringify({
    kind: 'TeamType',
    metadata: { name: 'team' },
    lifecycle: { ignore: left.map((name) => `/spec/instanceTypes/${name}/limit`) },
    spec: { instanceTypes: types.map((name) => ({ name })) },
  });
  if (sketch.orphan && !moves)
    files['orphan.yaml'] = JSON.stringify({
      kind: 'InstanceType',
      metadata: { name: 'orphan' },
      lifecycle: { onRemove: 'orphan' },
      spec: { stacks: sketch.Stack, defaultStack: sketch.Stack[0] },
    });
  return files;
}

function planIn(world: World, files: Files, serves: boolean) {
  return prepare(world.store, load(files), { ...world.options(), mode: { serves } });
}

async function applyIn(world: World, files: Files, serves: boolean) {
  const prepared = await planIn(world, files, serves);
  const errors = prepared.document.findings.filter(({ severity }) => severity === 'error');
  assert.equal(
    errors.map(({ message }) => message),
    [],
  );
  await keep(world.store, prepared, record(world));
}

/** What an object refers to, by the ids of what it names. */
function idsIn(view: View, resource: DeclaredResource | undefined): unknown {
  const spec = resource?.spec as
    | { stacks?: string[]; defaultStack?: string; instanceTypes?: { name: string; limit?: number }[] }
    | undefined;
  const ids = (kind: Kind, list: readonly string[] = []) => list.map((name) => view.named(kind, name)?.id).sort();
  const items = (spec?.instanceTypes ?? []).map(({ name, limit }) => [ids('InstanceType', [name]), limit]);
  return [ids('Stack', spec?.stacks), ids('Stack', spec?.defaultStack === undefined ? [] : [spec.defaultStack]), items];
}

/** The limits of the items that are left to the API, by the id of the type. */
function limitsIn(view: View): ReadonlyMap<string | undefined, number | undefined> {
  const items = view.named('TeamType', 'team')?.spec.instanceTypes ?? [];
  return new Map(items.map(({ name, limit }) => [view.named('InstanceType', name)?.id, limit]));
}

/** Objects of the API's own that name what documents declare, and what it writes into fields that are left to it. */
async function writeOwn(world: World, sketch: Sketch): Promise<void> {
  const [stack = ''] = sketch.Stack;
  await put(
    world,
    made('Stack', 'own', { runtime: '4', replaces: stack }),
    made('InstanceType', 'own', { stacks: sketch.Stack, defaultStack: stack }),
    made('TeamType', 'own', { instanceTypes: sketch.InstanceType.map((name, limit) => ({ name, limit })) }),
  );
  const view = world.store.read();
  const team = view.named('TeamType', 'team');
  const left = new Set(sketch.leftLimits.map((index) => sketch.InstanceType[index]));
  const types = sketch.InstanceType.flatMap((name, at) => {
    const type = view.named('InstanceType', name);
    const spec = { ...type?.spec, stacks: sketch.Stack, defaultStack: sketch.Stack.at(-1) };
    return type && sketch.leftOf[at] ? [updated(type, { ...type, spec } as DeclaredResource)] : [];
  });
  const instanceTypes = team?.spec.instanceTypes.map((item, limit) =>
    left.has(item.name) ? { ...item, limit } : item,
  );
  const teams = team ? [updated(team, { ...team, spec: { ...team.spec, instanceTypes } } as DeclaredResource)] : [];
  await world.store.commit(() => ({ changes: [...types, ...teams] }), { id: world.context('api').newId() });
}

const any = suite('any renames in one revision');

any('leave nothing to plan, not even in silence, and let everything refer to what it referred to', async () => {
  await fc.assert(
    fc.asyncProperty(anySketch, anySketch, anyMoves, fc.boolean(), async (first, says, order, serves) => {
      const world = newWorld();
      await applyIn(world, filesOf(first), serves);
      await writeOwn(world, first);
      await applyIn(world, filesOf(first), serves);
      const before = world.store.read();
      const own = (view: View) => [
        idsIn(view, view.get('Stack', 'api-Stack-own')),
        view.named('Stack', view.get('Stack', 'api-Stack-own')?.spec.replaces ?? '')?.id,
        idsIn(view, view.get('InstanceType', 'api-InstanceType-own')),
        idsIn(view, view.get('TeamType', 'api-TeamType-own')),
        idsIn(view, view.named('InstanceType', 'orphan')),
      ];
      const [wasOwn, wasLimits] = [own(before), limitsIn(before)];
      const wasLeft = first.InstanceType.map((name) => idsIn(before, before.named('InstanceType', name)));
      const wasIds = { Stack: idsOf(before, 'Stack', first), InstanceType: idsOf(before, 'InstanceType', first) };
      const [second, moves] = moved(first, order);
      const files = filesOf(second, moves, says);
      await applyIn(world, files, serves);
      const after = world.store.read();
      assert.equal(idsOf(after, 'Stack', second), wasIds.Stack, 'each stack is the one that it was');
      assert.equal(idsOf(after, 'InstanceType', second), wasIds.InstanceType, 'each type is the one that it was');
      assert.equal(own(after), wasOwn, 'what the API made names what it named');
      second.InstanceType.forEach((name, at) => {
        if (second.leftOf[at]) assert.equal(idsIn(after, after.named('InstanceType', name)), wasLeft[at]);
        else assert.equal(after.named('InstanceType', name)?.spec.stacks, stacksSaid(second, says, at));
      });
      const limits = limitsIn(after);
      for (const index of second.leftLimits) {
        const { id } = after.named('InstanceType', second.InstanceType[index] ?? '') ?? {};
        if (id !== undefined && wasLimits.has(id) && limits.has(id)) assert.is(limits.get(id), wasLimits.get(id));
      }
      for (const isServer of [serves, serves]) {
        const { plan, document } = await planIn(world, files, isServer);
        assert.equal([plan.planned, plan.left, document.changes], [[], undefined, []]);
        await applyIn(world, files, isServer);
      }
      assert.equal(allIn(world.store.read()), allIn(after));
    }),
    { numRuns: 200, includeErrorInReport: true },
  );
});

any.run();

function stacksSaid(sketch: Sketch, says: Sketch, at: number): readonly string[] {
  return (says.stacksOf[at] ?? []).flatMap((index) => sketch.Stack[index] ?? []);
}

function idsOf(view: View, kind: Kind, sketch: Sketch): (string | undefined)[] {
  return sketch[kind].map((name) => view.named(kind, name)?.id);
}

function allIn(view: View): unknown {
  return declaredKindNames.flatMap((kind) => [...view.all(kind)]);
}
