// The key figures: what is counted, and that it is looked up and not counted anew.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { kinds } from '../../../src/core/kinds/index.ts';
import { created, deleted, updated } from '../../../src/core/model/change.ts';
import { defaultLifecycle, type Resource } from '../../../src/core/model/resource.ts';
import { createState } from '../../../src/core/model/state.ts';
import { statisticsOf } from '../../../src/core/model/statistics.ts';
import type { View } from '../../../src/core/model/view.ts';

const at = '2026-11-21T10:00:00.000Z';
const times = { generation: 1, createdAt: at, updatedAt: at } as const;

function user(name: string, more: object = {}): Resource<'User'> {
  const spec = kinds.User.spec.parse({ email: `${name}@example.net`, ...more });
  return { kind: 'User', id: name, name, spec, ...times };
}

function type(name: string): Resource {
  const spec = kinds.TeamType.spec.parse({});
  return { kind: 'TeamType', id: `id-${name}`, name, spec, ...times, ...{ labels: {}, lifecycle: defaultLifecycle } };
}

function team(name: string, ofType: string): Resource<'Team'> {
  return { kind: 'Team', id: name, name, spec: { displayName: name, type: `id-${ofType}` }, ...times };
}

function instance(name: string, state: string): Resource<'Instance'> {
  const refs = { team: 'a', instanceType: 'x', template: 'x', stack: 'x' };
  return { kind: 'Instance', id: name, name, spec: kinds.Instance.spec.parse({ ...refs, state }), ...times };
}

const statistics = suite('the key figures');

statistics('of nothing are all there, and 0', () => {
  const { teamsByType, instancesByState, devicesByCondition, ...counts } = statisticsOf(createState());
  assert.equal([teamsByType, devicesByCondition], [{}, { UpdateFailed: 0, Cloned: 0 }]);
  assert.is(Object.keys(instancesByState).length, 10);
  assert.ok([...Object.values(counts), ...Object.values(instancesByState)].every((count) => count === 0));
});

statistics('count every admin, suspended ones too, and follow who becomes one', () => {
  const state = createState();
  const bob = user('bob');
  state.apply([user('ann', { admin: true }), user('eve', { admin: true, suspended: true }), bob].map(created));
  const figures = () => {
    const { userCount, adminCount, suspendedUserCount } = statisticsOf(state);
    return [userCount, adminCount, suspendedUserCount];
  };
  assert.equal(figures(), [3, 2, 1]);
  const shutOut = user('bob', { suspended: true });
  state.apply([updated(bob, shutOut)]);
  assert.equal(figures(), [3, 2, 2]);
  const promoted = user('bob', { admin: true });
  state.apply([updated(shutOut, promoted)]);
  assert.equal(figures(), [3, 3, 1]);
  state.apply([deleted(promoted)]);
  assert.equal(figures(), [2, 2, 1]);
});

statistics('count teams by type and instances by state, also those of which there is none', () => {
  const state = createState();
  state.apply([type('starter'), type('pro'), type('empty')].map(created));
  state.apply([team('a', 'starter'), team('b', 'starter'), team('c', 'pro')].map(created));
  state.apply([instance('i', 'running'), instance('j', 'running'), instance('k', 'crashed')].map(created));
  const figures = statisticsOf(state);
  assert.equal(figures.teamsByType, { starter: 2, pro: 1, empty: 0 });
  assert.is(figures.teamCount, 3);
  assert.is(figures.instanceCount, 3);
  assert.is(figures.instancesByState.running, 2);
  assert.is(figures.instancesByState.crashed, 1);
  assert.is(figures.instancesByState.stopped, 0);
});

statistics('are looked up: nothing is listed but the team types', () => {
  const listed = new Set<string>();
  const state = createState();
  const view: View = {
    ...state,
    all: (kind) => {
      listed.add(kind);
      return state.all(kind);
    },
    having: () => {
      throw new Error('something was gone through');
    },
  };
  statisticsOf(view);
  assert.equal([...listed], ['TeamType']);
});

statistics.run();
