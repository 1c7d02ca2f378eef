// The state and overlays on it, against a naive model: whatever happens, they give the same answers.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { KindName } from '../../../src/core/kinds/index.ts';
import { type Change, created, deleted, updated } from '../../../src/core/model/change.ts';
import { overlay } from '../../../src/core/model/overlay.ts';
import type { Resource } from '../../../src/core/model/resource.ts';
import { createState, type State } from '../../../src/core/model/state.ts';
import { keysOf, nameKey, referrers, singleton, type View } from '../../../src/core/model/view.ts';
import { made } from '../../control/world.ts';

/** The dullest view: a list that is searched. */
function naive(): { rows: Map<string, Resource>; apply: (changes: readonly Change[]) => void } {
  const rows = new Map<string, Resource>();
  const apply = (changes: readonly Change[]) => {
    for (const { kind, id, after } of changes) {
      if (after) rows.set(`${kind} ${id}`, after);
      else rows.delete(`${kind} ${id}`);
    }
  };
  return { rows, apply };
}

const names = ['a', 'b', 'c', 'constructor'];
const step = fc.record({
  id: fc.constantFrom('1', '2', '3', '4', '__proto__'),
  kind: fc.constantFrom('Stack' as const, 'InstanceType' as const),
  name: fc.constantFrom(...names),
  refs: fc.uniqueArray(fc.constantFrom(...names), { maxLength: 3 }),
  remove: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

function resourceOf({ kind, id, name, refs }: Step): Resource {
  const spec = kind === 'Stack' ? { runtime: 'r', ...(refs[0] ? { replaces: refs[0] } : {}) } : { stacks: refs };
  return made(kind, name, spec, { id });
}

/** Turns a step into a change of what is there. */
function changeOf(view: View, wanted: Step): Change | undefined {
  const before = view.get(wanted.kind, wanted.id) as Resource | undefined;
  if (wanted.remove) return before && deleted(before);
  return before ? updated(before, resourceOf(wanted)) : created(resourceOf(wanted));
}

function play(view: State, model: ReturnType<typeof naive>, steps: readonly Step[]): void {
  for (const wanted of steps) {
    const change = changeOf(view, wanted);
    if (!change) continue;
    view.apply([change]);
    model.apply([change]);
  }
}

const kinds: readonly KindName[] = ['Stack', 'InstanceType'];
const byId = (rows: Iterable<Resource>) => [...rows].map(({ id }) => id).sort();

function agree(view: View, { rows }: ReturnType<typeof naive>): void {
  const all = [...rows.values()];
  const keys = new Set([...all.flatMap(keysOf), ...names.map(nameKey), '>Stack/a', '>Stack/zzz']);
  for (const kind of kinds) {
    const own = all.filter((row) => row.kind === kind);
    assert.equal(byId(view.all(kind)), byId(own));
    assert.is(view.count(kind), own.length);
    for (const id of ['1', '2', '3', '4', '__proto__', 'none'])
      assert.is(view.get(kind, id) as Resource | undefined, rows.get(`${kind} ${id}`));
    for (const key of keys) {
      const holders = own.filter((row) => keysOf(row).includes(key));
      assert.equal(byId(view.having(kind, key)), byId(holders), `${kind} ${key}`);
      assert.is(view.countHaving(kind, key), holders.length, `${kind} ${key}`);
    }
    for (const name of names)
      assert.is(
        view.named(kind, name) !== undefined,
        own.some((row) => row.name === name),
      );
  }
}

const steps = fc.array(step, { maxLength: 25 });
const views = suite('views');

views('of a state answer as a list that is searched', () => {
  fc.assert(
    fc.property(steps, (changes) => {
      const [state, model] = [createState(), naive()];
      play(state, model, changes);
      agree(state, model);
    }),
  );
});

views('of an overlay answer as if its changes had been applied, and leave what lies below as it was', () => {
  fc.assert(
    fc.property(steps, steps, (below, above) => {
      const [state, model, untouched] = [createState(), naive(), naive()];
      play(state, model, below);
      untouched.apply([...model.rows.values()].map(created));
      play(overlay(state), model, above);
      agree(state, untouched);
    }),
  );
  fc.assert(
    fc.property(steps, steps, (below, above) => {
      const [state, model] = [createState(), naive()];
      play(state, model, below);
      const over = overlay(state);
      play(over, model, above);
      agree(over, model);
    }),
  );
});

views('of an overlay over an overlay do too', () => {
  fc.assert(
    fc.property(steps, steps, steps, (below, between, above) => {
      const [state, model] = [createState(), naive()];
      play(state, model, below);
      const first = overlay(state);
      play(first, model, between);
      const second = overlay(first);
      play(second, model, above);
      agree(second, model);
    }),
  );
});

views('list in the order of creation, whatever changes in between', () => {
  const stack = (name: string, label = '') => made('Stack', name, { runtime: '4', label });
  const type = (name: string, ...stacks: string[]) => made('InstanceType', name, { stacks, defaultStack: 'nr-4' });
  const listed = (view: View) => [
    [...view.all('InstanceType')].map(({ name }) => name),
    [...referrers(view, 'InstanceType', stack('nr-4'))].map(({ name }) => name),
  ];
  const state = createState();
  state.apply([stack('nr-4'), type('a', 'nr-4'), type('b', 'nr-4'), type('c', 'nr-4')].map(created));
  const edit = [updated(type('a', 'nr-4'), type('a', 'nr-4', 'nr-5'))];
  const over = overlay(state, [created(type('d', 'nr-4')), created(type('e', 'nr-4')), ...edit]);
  over.apply([updated(type('d', 'nr-4'), type('d', 'nr-4', 'nr-5'))]);
  assert.equal(listed(over), [
    ['a', 'b', 'c', 'd', 'e'],
    ['a', 'b', 'c', 'd', 'e'],
  ]);
  state.apply(edit);
  assert.equal(listed(state), [
    ['a', 'b', 'c'],
    ['a', 'b', 'c'],
  ]);
  state.apply([deleted(type('b', 'nr-4')), created(type('b', 'nr-4'))]);
  assert.equal(listed(state), [
    ['a', 'c', 'b'],
    ['a', 'c', 'b'],
  ]);
});

views('find names whatever their case', () => {
  const state = createState();
  state.apply([created(made('Stack', 'nr-4', { runtime: '4' }))]);
  assert.is(state.named('Stack', 'NR-4')?.name, 'nr-4');
});

views('know who refers to what', () => {
  const state = createState();
  const stack = made('Stack', 'nr-4', { runtime: '4' });
  state.apply([
    created(stack),
    created(made('InstanceType', 'small', { stacks: ['nr-4'], defaultStack: 'nr-4' })),
    created(made('InstanceType', 'large', { stacks: ['nr-5'] })),
  ]);
  assert.equal(
    [...referrers(state, 'InstanceType', stack)].map(({ name }) => name),
    ['small'],
  );
});

views('have a Platform and admin settings before anybody declared them', () => {
  const state = createState();
  assert.is(singleton(state, 'Platform').spec.licence, 'community');
  assert.is(singleton(state, 'Platform').generation, 0);
  state.apply([created(made('Platform', 'platform', { licence: 'enterprise' }))]);
  assert.is(singleton(state, 'Platform').spec.licence, 'enterprise');
});

views.run();
