// Saved plans: what they do later, and what they notice when somebody was there in between.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BaseMoved } from '../../../src/control/failures.ts';
import { applySaved } from '../../../src/control/reconcile.ts';
import { type Change, created, deleted, updated } from '../../../src/core/model/change.ts';
import type { PlanDocument } from '../../../src/core/plan/plan-document.ts';
import { revive } from '../../../src/core/plan/revive.ts';
import type { Consents } from '../../../src/core/rules/rule.ts';
import { Refused } from '../../../src/store/store.ts';
import {
  apply,
  type Files,
  facts,
  living,
  made,
  newWorld,
  planOf,
  put,
  record,
  type World,
} from '../../control/world.ts';

const stack = (name: string, spec = 'runtime: "4"', more = '') =>
  `kind: Stack\nmetadata: {name: ${name}}\nspec: {${spec}}\n${more}`;

/** What a plan is after it was saved and read again. */
async function saved(world: World, files: Files, consents?: Consents): Promise<PlanDocument> {
  return JSON.parse(JSON.stringify((await planOf(world, files, consents)).document));
}

/** `done`, `changed`, `stale: addresses`, or `refused: rules`. */
async function outcome(world: World, plan: PlanDocument, consents?: Consents): Promise<string> {
  const options = {
    context: world.context('config'),
    facts,
    record: () => record(world),
    ...(consents ? { consents } : {}),
  };
  try {
    return (await applySaved(world.store, plan, options)).alreadyApplied ? 'done' : 'changed';
  } catch (error) {
    if (error instanceof BaseMoved) return `stale: ${error.addresses.join(' ')}`;
    if (error instanceof Refused) return `refused: ${error.violations.map(({ rule }) => rule).join(' ')}`;
    throw error;
  }
}

/** Alters the store past every rule, as others might have. */
async function meanwhile(world: World, ...changes: readonly (Change | undefined)[]): Promise<void> {
  const real = changes.filter((change) => change !== undefined);
  await world.store.commit(() => ({ changes: real }), { id: world.context('api').newId() });
}

const edited = (world: World, name: string, spec: object): Change | undefined => {
  const before = world.store.read().named('Stack', name);
  return before && updated(before, { ...before, spec: { ...before.spec, ...spec }, generation: before.generation + 1 });
};
const gone = (world: World, name: string): Change | undefined => {
  const before = world.store.read().named('Stack', name);
  return before && deleted(before);
};

const plans = suite('a saved plan');

plans('is applied as it was shown, and once', async () => {
  const world = newWorld();
  await apply(world, { 'a.yaml': stack('a'), 'b.yaml': stack('b') });
  const plan = await saved(world, { 'a.yaml': stack('a', 'runtime: "5"'), 'c.yaml': stack('c') });
  assert.is(await outcome(world, plan), 'changed');
  const view = world.store.read();
  assert.equal(
    [view.named('Stack', 'a')?.spec.runtime, view.named('Stack', 'b'), view.named('Stack', 'c')?.spec.runtime],
    ['5', undefined, '4'],
  );
  assert.equal(view.named('Stack', 'c')?.source, { file: 'c.yaml', line: 1 });
  assert.is(await outcome(world, plan), 'done');
});

plans('adopts silently what is equal, unless it changed since', async () => {
  const world = newWorld();
  await put(world, made('Stack', 'a', { runtime: '4' }));
  const plan = await saved(world, { 'a.yaml': stack('a') });
  await meanwhile(world, edited(world, 'a', { label: 'x' }));
  assert.is(await outcome(world, plan), 'stale: Stack/a');
  const again = await saved(world, { 'a.yaml': stack('a', 'runtime: "4", label: x') });
  assert.is(await outcome(world, again), 'changed');
  const now = world.store.read().named('Stack', 'a');
  assert.equal([now?.managedBy, now?.generation, now?.source], ['config', 2, { file: 'a.yaml', line: 1 }]);
});

plans('lists every object that moved since', async () => {
  const world = newWorld();
  const names = ['edit', 'gone', 'same'];
  await apply(world, Object.fromEntries(names.map((name) => [`${name}.yaml`, stack(name)])));
  const plan = await saved(world, {
    ...Object.fromEntries(names.map((name) => [`${name}.yaml`, stack(name, 'runtime: "5"')])),
    'new.yaml': stack('new'),
  });
  await meanwhile(
    world,
    edited(world, 'edit', { label: 'x' }),
    gone(world, 'gone'),
    created(made('Stack', 'new', { runtime: '9' })),
  );
  const before = world.store.read().position;
  assert.is(await outcome(world, plan), 'stale: Stack/edit Stack/gone Stack/new');
  assert.is(world.store.read().position, before, 'nothing was kept');
});

plans('does not mind what moved outside of it', async () => {
  const world = newWorld();
  await apply(world, { 'a.yaml': stack('a') });
  const plan = await saved(world, { 'a.yaml': stack('a', 'runtime: "5"') });
  await put(world, made('Stack', 'own', { runtime: '1' }), living('User', 'ann', { email: 'a@b.example' }));
  assert.is(await outcome(world, plan), 'changed');
});

plans('notices who did some of it already, and does the rest', async () => {
  const world = newWorld();
  const before = { 'a.yaml': stack('a'), 'b.yaml': stack('b'), 'c.yaml': stack('c') };
  await apply(world, before);
  const plan = await saved(world, { 'a.yaml': stack('a', 'runtime: "5"'), 'b.yaml': stack('b', 'runtime: "5"') });
  await meanwhile(world, edited(world, 'a', { runtime: '5' }), gone(world, 'c'));
  const { changes, done, stale } = revive(plan, world.store.read(), world.context('config'));
  assert.equal([changes.length, [...done].sort(), stale], [1, ['Stack/a', 'Stack/c'], []]);
  assert.is(await outcome(world, plan), 'changed');
  assert.is(await outcome(world, plan), 'done');
});

plans('does not take an object that somebody else made for its own', async () => {
  const world = newWorld();
  const plan = await saved(world, { 'a.yaml': stack('a') });
  await apply(world, {});
  await put(world, made('Stack', 'a', { runtime: '4' }));
  assert.is(await outcome(world, plan), 'stale: Stack/a', 'equal, but not a document’s');
  const other = newWorld();
  const same = await saved(other, { 'a.yaml': stack('a') });
  await apply(other, { 'a.yaml': stack('a', 'runtime: "4", label: more') });
  assert.is(await outcome(other, same), 'stale: Stack/a', 'there is more to it than the plan knows');
});

plans('meets the rules of the state as it is then', async () => {
  const world = newWorld();
  await apply(world, { 'a.yaml': stack('a'), 'b.yaml': stack('b') });
  const plan = await saved(world, { 'b.yaml': stack('b') });
  const id = world.store.read().named('Stack', 'a')?.id;
  await put(world, living('Instance', 'i', { team: 't', instanceType: 't', template: 't', stack: id }));
  assert.is(await outcome(world, plan), 'refused: stack-in-use');
});

plans('needs the same consents as at once', async () => {
  const world = newWorld();
  await put(world, made('Stack', 'a', { runtime: '5' }));
  const adopt: Consents = { adopt: new Set(['Stack/a']) };
  const plan = await saved(world, { 'a.yaml': stack('a') }, adopt);
  assert.is(await outcome(world, plan), 'refused: needs-adopt');
  assert.is(await outcome(world, plan, adopt), 'changed');
  const many = Array.from({ length: 12 }, (_, at) => [`${at}.yaml`, stack(`s${at}`)]);
  await apply(world, { 'a.yaml': stack('a'), ...Object.fromEntries(many) });
  const deletions = await saved(world, { 'a.yaml': stack('a') }, { adopt: new Set(), allowDeletes: 12 });
  assert.is(await outcome(world, deletions), 'refused: mass-delete');
  assert.is(await outcome(world, deletions, { adopt: new Set(), allowDeletes: 11 }), 'refused: mass-delete');
  assert.is(await outcome(world, deletions, { adopt: new Set(), allowDeletes: 12 }), 'changed');
});

plans('notices that somebody else manages an object now, which is no new generation of it', async () => {
  const world = newWorld();
  const adopt: Consents = { adopt: new Set(['Stack/a']) };
  await apply(world, {});
  await put(world, made('Stack', 'a', { runtime: '5' }));
  const plan = await saved(world, { 'a.yaml': stack('a') }, adopt);
  const generation = () => world.store.read().named('Stack', 'a')?.generation;
  const before = generation();
  await apply(world, { 'a.yaml': stack('a', 'runtime: "5"') }, adopt);
  assert.is(generation(), before);
  assert.is(await outcome(world, plan, adopt), 'stale: Stack/a');
});

plans('that was blocked stays blocked while its reason holds, and is done when it does not', async () => {
  const world = newWorld();
  await apply(world, { 'a.yaml': stack('a', 'runtime: "4"', 'lifecycle: {protect: true}\n'), 'b.yaml': stack('b') });
  const plan = await saved(world, { 'b.yaml': stack('b') });
  assert.is(plan.changes[0]?.action, 'blocked');
  assert.is(await outcome(world, plan), 'refused: protected');
  assert.ok(world.store.read().named('Stack', 'a'));
});

plans('does not delete later what an emptied file would have deleted', async () => {
  const world = newWorld();
  await apply(world, { 'a.yaml': stack('a') });
  assert.is(await outcome(world, await saved(world, { 'a.yaml': '' })), 'refused: emptied-file');
});

plans('of a folder that vanished needs the exact number, also where it was made with it', async () => {
  const world = newWorld();
  await apply(world, { 'a.yaml': stack('a'), 'x/b.yaml': stack('b') });
  const consent = { adopt: new Set<string>(), allowDeletes: 1 };
  for (const consents of [undefined, consent])
    assert.is(await outcome(world, await saved(world, { 'a.yaml': stack('a') }, consents)), 'refused: vanished');
  assert.is(await outcome(world, await saved(world, { 'a.yaml': stack('a') }), consent), 'changed');
});

plans('lets go of an object as at once', async () => {
  const world = newWorld();
  const b = { 'b.yaml': stack('b') };
  await apply(world, { 'a.yaml': stack('a', 'runtime: "4"', 'lifecycle: {onRemove: orphan}\n'), ...b });
  assert.is(await outcome(world, await saved(world, b)), 'changed');
  const own = world.store.read().named('Stack', 'a');
  assert.equal([own?.managedBy, own?.source, own?.lifecycle.onRemove], ['api', undefined, 'delete']);
});

plans('lets names change places once, and remembers which previous names it followed', async () => {
  const world = newWorld();
  const was = (name: string, previous: string) => stack(name).replace('}', `, previousNames: [${previous}]}`);
  await apply(world, { 'a.yaml': stack('a'), 'b.yaml': stack('b') });
  const idOf = (name: string) => world.store.read().named('Stack', name)?.id;
  const [a, b] = [idOf('a'), idOf('b')];
  const files = { 'a.yaml': was('a', 'b'), 'b.yaml': was('b', 'a'), 'c.yaml': was('c', 'old') };
  const plan = await saved(world, files);
  assert.equal([await outcome(world, plan), await outcome(world, plan)], ['changed', 'done']);
  assert.equal([idOf('a'), idOf('b')], [b, a]);
  assert.equal((await planOf(world, files)).plan.planned, []);
  const more = { ...files, 'old.yaml': stack('old') };
  assert.is(await outcome(world, await saved(world, more)), 'changed');
  assert.equal((await planOf(world, more)).plan.planned, []);
});

plans('that has a previous name which nothing can follow is refused as it was', async () => {
  const world = newWorld();
  await apply(world, { 'a.yaml': stack('a') });
  const plan = await saved(world, { 'a.yaml': stack('a'), 'b.yaml': stack('b').replace('}', ', previousNames: [a]}') });
  assert.is(await outcome(world, plan), 'refused: duplicate-object');
  assert.is(world.store.read().named('Stack', 'b'), undefined);
});

plans('that somebody wrote by hand can name no field that is not there', async () => {
  const world = newWorld();
  await apply(world, { 'a.yaml': stack('a') });
  const plan = await saved(world, { 'a.yaml': stack('a', 'runtime: "5"') });
  const forged = JSON.parse(JSON.stringify(plan).replace('/spec/runtime', '/spec/__proto__/polluted'));
  try {
    await outcome(world, forged);
    assert.unreachable();
  } catch (error) {
    assert.match(String(error), 'is not a field of Stack');
  }
  assert.is(({} as Record<string, unknown>)['polluted'], undefined);
});

plans.run();
