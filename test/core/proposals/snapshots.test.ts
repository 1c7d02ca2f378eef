// Proposals about snapshots, as literals: taken, thinned out, restored, and noted.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { kinds } from '../../../src/core/kinds/index.ts';
import { type Change, created, deleted } from '../../../src/core/model/change.ts';
import { isBlobNamed, namedBlobs } from '../../../src/core/model/named-blobs.ts';
import type { Context, Proposal } from '../../../src/core/model/proposal.ts';
import type { Resource } from '../../../src/core/model/resource.ts';
import { createState, type State } from '../../../src/core/model/state.ts';
import { createSnapshot } from '../../../src/core/proposals/create-snapshot.ts';
import { Declined } from '../../../src/core/proposals/declined.ts';
import { endRestore, restoreSnapshot } from '../../../src/core/proposals/restore-snapshot.ts';
import { withConsequences } from '../consequences/followed.ts';

const at = '2026-11-21T10:00:00.000Z';
const able = new Map([['local', { runner: {} }]]);
const blob = (digit: string | number) => String(digit).repeat(64).slice(0, 64);
let ids = 0;
const context = (): Context => ({
  now: at,
  newId: () => `id-${ids++}`,
  actor: { kind: 'user', id: 'ann', name: 'ann' },
  origin: 'api',
});

function instance(id: string, more: object = {}): Resource<'Instance'> {
  const made = { team: 'core', instanceType: 'small', template: 'plain', stack: 'nr-4', credentialSecret: `of ${id}` };
  const spec = kinds.Instance.spec.parse({ ...made, state: 'running', ...more });
  return { kind: 'Instance', id, name: id, spec, generation: 1, createdAt: at, updatedAt: at };
}

function stateWith(...resources: readonly Resource[]): State {
  const state = createState();
  state.apply(resources.map(created));
  return state;
}

function apply(state: State, proposal: Proposal): readonly Change[] {
  const changes = proposal(state, context());
  state.apply(changes);
  return changes;
}

const taken = (of: string, name: string, kind: 'manual' | 'auto' = 'manual', content = blob('a')) =>
  createSnapshot({ of: { kind: 'Instance', id: of }, name, kind, modules: {}, content });
const idOf = (changes: readonly Change[]) => changes.find(({ before }) => !before)?.id ?? '';
const declined = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof Declined) return `${error.reason}: ${error.message}`;
    throw error;
  }
  return 'it was not declined';
};
const current = (state: State, id = 'line') => state.get('Instance', id)?.spec;

const snapshots = suite('snapshots');

snapshots('belong to a team and an instance, and name who took them and what they hold', () => {
  const state = stateWith(instance('line'));
  const [made] = apply(state, taken('line', 'Mine'));
  assert.equal(made?.after?.spec, {
    team: 'core',
    instance: 'line',
    kind: 'manual',
    createdBy: { kind: 'user', id: 'ann', name: 'ann' },
    modules: {},
    content: blob('a'),
  });
  assert.equal([...namedBlobs(state)], [blob('a')]);
  assert.equal([isBlobNamed(state, blob('a')), isBlobNamed(state, blob('b'))], [true, false]);
});

snapshots('of deploys are ten, those of people stay, and the same deploy is one', () => {
  const state = stateWith(instance('line'), instance('other'));
  apply(state, taken('line', 'Mine'));
  apply(state, taken('other', 'auto of other', 'auto'));
  for (let count = 0; count < 12; count += 1) apply(state, taken('line', `auto ${count}`, 'auto', blob(count % 10)));
  const names = [...state.all('Snapshot')].map(({ name }) => name);
  assert.equal(names.slice(0, 3), ['Mine', 'auto of other', 'auto 2']);
  assert.is(names.length, 12);
  const deploy = createSnapshot({
    of: { kind: 'Instance', id: 'line' },
    name: 'again',
    kind: 'auto',
    modules: {},
    content: blob('b'),
    flowsDigest: 'digest',
  });
  assert.ok(apply(state, deploy).length > 0);
  assert.is(current(state)?.flowsDigest, 'digest');
  assert.equal(apply(state, deploy), []);
});

snapshots('are not taken of what is gone or going', () => {
  const state = stateWith(instance('line', { state: 'deleting' }));
  assert.match(
    declined(() => apply(state, taken('line', 'x'))),
    /^conflict: .*because it is being deleted/,
  );
  assert.match(
    declined(() => apply(state, taken('nothing', 'x'))),
    /^not_found: there is no such instance/,
  );
});

snapshots('go with what they were taken of', () => {
  const line = instance('line');
  const state = stateWith(line, instance('other'));
  apply(state, taken('line', 'x'));
  apply(state, taken('other', 'y'));
  const { after } = withConsequences(state, [deleted(line)]);
  assert.equal(
    [...after.all('Snapshot')].map(({ name }) => name),
    ['y'],
  );
});

const restores = suite('a restore');

restores('is written down with the blob and the secret that it needs, and keeps both when the snapshot goes', () => {
  const state = stateWith(instance('line'), instance('other'));
  const snapshot = idOf(apply(state, taken('other', 'x')));
  apply(state, restoreSnapshot({ id: 'line', snapshot }, able));
  const spec = current(state);
  assert.equal([spec?.state, spec?.desired], ['restarting', 'running']);
  const { id, ...restore } = spec?.restore ?? {};
  assert.type(id, 'string');
  assert.equal(restore, { snapshot, name: 'x', content: blob('a'), credentialSecret: 'of other' });
  const row = state.get('Snapshot', snapshot);
  if (row) state.apply([deleted(row)]);
  assert.equal([...namedBlobs(state)], [blob('a')]);
  assert.equal([isBlobNamed(state, blob('a')), isBlobNamed(state, blob('b'))], [true, false]);
});

restores('ends once: with flows that are no deploy, or with the reason', () => {
  const state = stateWith(instance('line'));
  const snapshot = idOf(apply(state, taken('line', 'x')));
  apply(state, restoreSnapshot({ id: 'line', snapshot }, able));
  const id = current(state)?.restore?.id ?? '';
  assert.equal(apply(state, endRestore('line', 'another', { flowsDigest: 'd' })), []);
  apply(state, endRestore('line', id, { flowsDigest: 'd' }));
  assert.equal([current(state)?.restore, current(state)?.flowsDigest], [undefined, 'd']);
  assert.equal(apply(state, endRestore('line', id, { reason: 'X', message: 'y' })), []);

  const crashed = stateWith(instance('line', { state: 'crashed' }));
  const other = idOf(apply(crashed, taken('line', 'x')));
  apply(crashed, restoreSnapshot({ id: 'line', snapshot: other }, able));
  apply(
    crashed,
    endRestore('line', current(crashed)?.restore?.id ?? '', { reason: 'DiskFull', message: 'it is full' }),
  );
  const failed = current(crashed)?.conditions.find(({ type }) => type === 'RestoreFailed');
  assert.equal([failed?.reason, failed?.message, current(crashed)?.flowsDigest], ['DiskFull', 'it is full', undefined]);
});

restores(
  'is refused without a driver, of another team, while one is on its way, and as long as something else is',
  () => {
    const foreign = instance('foreign');
    const state = stateWith(
      instance('line'),
      { ...foreign, spec: { ...foreign.spec, team: 'others' } },
      instance('starting', { state: 'starting' }),
    );
    const snapshot = idOf(apply(state, taken('line', 'x')));
    const into = (id: string, drivers: Parameters<typeof restoreSnapshot>[1] = able) =>
      declined(() => apply(state, restoreSnapshot({ id, snapshot }, drivers)));
    assert.match(
      into('line', new Map()),
      /^conflict: the instance line cannot be restored, because this build of Weir has no local/,
    );
    assert.is(into('foreign'), 'not_found: there is no such snapshot');
    assert.is(
      into('starting'),
      'conflict: the instance starting cannot be restored, because it is being started: wait for that',
    );
    assert.is(into('line'), 'it was not declined');
    assert.match(into('line'), /because it is being restarted: wait for that/);
    assert.match(
      declined(() => apply(state, taken('line', 'y'))),
      /because one is being restored into it/,
    );
  },
);

snapshots.run();
restores.run();
