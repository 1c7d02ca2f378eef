// Who waits for a device is looked at when something about it was written, and never else.
import { setImmediate } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Change, created, deleted, updated } from '../../src/core/model/change.ts';
import type { Resource } from '../../src/core/model/resource.ts';
import { createDeviceWaiters } from '../../src/http/device-waiters.ts';
import { openMemoryStore } from '../../src/store/memory.ts';
import { living, made } from '../control/world.ts';

const secrets = { hash: 'a'.repeat(64), credentialSecret: 'quiet' };
const type = made('TeamType', 'starter');
const other = made('TeamType', 'other');
const team = living('Team', 'core', { displayName: 'Core', type: type.id });
const hall = living('DeviceGroup', 'hall', { team: team.id });
const yard = living('DeviceGroup', 'yard', { team: team.id });
const gate = living('Device', 'gate', { team: team.id, group: hall.id, mode: 'developer', ...secrets });
const door = living('Device', 'door', { team: team.id, ...secrets, hash: 'b'.repeat(64) });

const waiters = suite('who waits for a device');

/** A store with all of these, and somebody who waits for the gate. `isSame` is what they find. */
async function waitForGate(ms = 3_600_000) {
  const store = openMemoryStore();
  let ids = 0;
  const write = (...changes: readonly Change[]) =>
    store.commit(() => ({ changes }), { id: `write-${ids++}` }).then(() => {});
  await write(...[type, other, team, hall, yard, gate, door].map((one: Resource) => created(one)));
  const all = createDeviceWaiters(store);
  const seen = { asked: 0, isSame: true, isLetGo: false };
  let leave = () => {};
  const wait = {
    device: gate.id,
    isSame: () => {
      seen.asked += 1;
      return seen.isSame;
    },
    ms,
    onEnd: (listener: () => void) => {
      leave = listener;
    },
  };
  const gone = all.until(wait).then(() => {
    seen.isLetGo = true;
  });
  return { store, write, all, seen, gone, wait, leave: () => leave() };
}

/** Another generation of something, with this in its spec. */
const becoming = <R extends Resource>(one: R, spec: object): Change =>
  updated(one, { ...one, generation: one.generation + 1, spec: { ...one.spec, ...spec } } as R);
let count = 0;
/** The gate with something else in what it should be. */
const again = (): Change => becoming(gate, { environment: [{ name: 'COUNT', value: String(count++) }] });

waiters('is asked when what it is told moved: its own, its group’s, or what its team has', async () => {
  const { write, seen, all } = await waitForGate();
  const wakes = async (...changes: readonly Change[]) => {
    const before = seen.asked;
    await write(...changes);
    return seen.asked - before;
  };
  const snapshot = { targetSnapshot: 'one' };
  for (const change of [again(), becoming(hall, snapshot), becoming(team, { type: other.id })])
    assert.is(await wakes(change), 1, change.kind);
  assert.is(await wakes(becoming(type, { features: { deviceAutoSnapshot: true } })), 0, 'no team has it any more');
  assert.is(await wakes(becoming(door, snapshot), becoming(yard, snapshot)), 0, 'others');
  assert.is(await wakes(becoming(gate, { lastSeenAt: '2026-11-21T10:05:00.000Z', reported: { state: 'running' } })), 0);
  assert.is(await wakes(becoming(hall, { description: 'The hall.' }), becoming(team, { displayName: 'Cores' })), 0);
  all.close();
});

waiters('of all teams sleep while teams come and go, and those alone wake whose answer may be another', async () => {
  const store = openMemoryStore();
  let ids = 0;
  const write = (...changes: readonly Change[]) => store.commit(() => ({ changes }), { id: `write-${ids++}` });
  const teams = Array.from({ length: 20 }, (_, at) =>
    living('Team', `team-${at}`, { displayName: 'A team', type: type.id }),
  );
  const devices = teams.flatMap(({ id }, at) =>
    Array.from({ length: 50 }, (_, one) =>
      living('Device', `device-${at}-${one}`, {
        team: id,
        mode: one < 5 ? 'developer' : 'autonomous',
        credentialSecret: 'quiet',
        hash: `${at}-${one}`.padEnd(64, '0').replaceAll('-', 'a'),
      }),
    ),
  );
  await write(...[type, other, ...teams, ...devices].map((one: Resource) => created(one)));
  const all = createDeviceWaiters(store);
  let asked = 0;
  const isSame = () => {
    asked += 1;
    return true;
  };
  for (const { id } of devices) void all.until({ device: id, isSame, ms: 3_600_000, onEnd: () => {} });
  const wakes = async (...changes: readonly Change[]) => {
    asked = 0;
    await write(...changes);
    return asked;
  };
  const [first, second] = teams;
  if (!first || !second) throw new Error('there are teams');
  const fresh = living('Team', 'fresh', { displayName: 'Fresh', type: type.id });
  assert.is(await wakes(created(fresh)), 0, 'a team that is made');
  assert.is(await wakes(becoming(fresh, { displayName: 'Fresher' })), 0, 'a team that is renamed');
  assert.is(await wakes(deleted(fresh)), 0, 'a team that goes');
  assert.is(await wakes(becoming(first, { type: other.id })), 5, 'developers of a team that gets another type');
  assert.is(await wakes(becoming(type, { description: 'For all.' })), 0, 'a type whose words change');
  assert.is(await wakes(becoming(type, { features: { deviceAutoSnapshot: true } })), 95, 'a type that gets a feature');
  assert.is(await wakes(created(made('Platform', 'platform'))), 0, 'a platform that is as it always was');
  all.close();
});

waiters('goes on waiting while all is the same to them, and is let go when it is not', async () => {
  const { write, seen, gone } = await waitForGate();
  await write(again());
  assert.equal([seen.asked, seen.isLetGo], [1, false]);
  seen.isSame = false;
  await write(again());
  await gone;
  await write(again());
  assert.is(seen.asked, 2, 'and is not asked any more');
});

waiters('is forgotten when they leave', async () => {
  const { write, seen, gone, leave } = await waitForGate();
  leave();
  await gone;
  await write(again());
  assert.is(seen.asked, 0);
});

waiters('is let go when their time is over', async () => {
  const { gone, seen } = await waitForGate(1);
  await gone;
  assert.is(seen.asked, 0);
});

waiters('is let go when the server closes, and does not wait any more', async () => {
  const { all, gone, wait, write, seen } = await waitForGate();
  all.close();
  await gone;
  await all.until(wait);
  await write(again());
  assert.is(seen.asked, 0);
});

waiters('are four for one device: a fifth lets go of the one that came first, and of no other', async () => {
  const { all, seen, wait } = await waitForGate();
  const more = Array.from({ length: 3 }, () => ({ isLetGo: false }));
  for (const one of more)
    void all.until({ ...wait, onEnd: () => {} }).then(() => Object.assign(one, { isLetGo: true }));
  void all.until({ ...wait, device: door.id, onEnd: () => {} });
  await setImmediate();
  assert.is(seen.isLetGo, false, 'four may wait');
  void all.until({ ...wait, onEnd: () => {} });
  await setImmediate();
  assert.equal([seen.isLetGo, ...more.map(({ isLetGo }) => isLetGo)], [true, false, false, false]);
  all.close();
});

waiters.run();
