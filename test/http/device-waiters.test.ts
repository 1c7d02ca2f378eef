// Who waits for a device is looked at when something about it was written, and never else.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Change, created, updated } from '../../src/core/model/change.ts';
import type { Resource } from '../../src/core/model/resource.ts';
import { createDeviceWaiters } from '../../src/http/device-waiters.ts';
import { openMemoryStore } from '../../src/store/memory.ts';
import { living, made } from '../control/world.ts';

const secrets = { hash: 'a'.repeat(64), credentialSecret: 'quiet' };
const type = made('TeamType', 'starter');
const team = living('Team', 'core', { displayName: 'Core', type: type.id });
const hall = living('DeviceGroup', 'hall', { team: team.id });
const yard = living('DeviceGroup', 'yard', { team: team.id });
const gate = living('Device', 'gate', { team: team.id, group: hall.id, ...secrets });
const door = living('Device', 'door', { team: team.id, ...secrets, hash: 'b'.repeat(64) });

const waiters = suite('who waits for a device');

/** A store with all of these, and somebody who waits for the gate. `isSame` is what they find. */
async function waitForGate(ms = 3_600_000) {
  const store = openMemoryStore();
  let ids = 0;
  const write = (...changes: readonly Change[]) =>
    store.commit(() => ({ changes }), { id: `write-${ids++}` }).then(() => {});
  await write(...[type, team, hall, yard, gate, door].map((one: Resource) => created(one)));
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

const again = <R extends Resource>(one: R): Change => updated(one, { ...one, generation: one.generation + 1 });

waiters('is asked when it, its group, its team or what teams have is written', async () => {
  const { write, seen, all } = await waitForGate();
  await write(again(door), again(yard), created(living('User', 'ann', { email: 'ann@example.org' })));
  assert.is(seen.asked, 0);
  for (const one of [gate, hall, team, type]) await write(again(one));
  assert.is(seen.asked, 4);
  all.close();
});

waiters('goes on waiting while all is the same to them, and is let go when it is not', async () => {
  const { write, seen, gone } = await waitForGate();
  await write(again(gate));
  assert.equal([seen.asked, seen.isLetGo], [1, false]);
  seen.isSame = false;
  await write(again(gate));
  await gone;
  await write(again(gate));
  assert.is(seen.asked, 2, 'and is not asked any more');
});

waiters('is forgotten when they leave', async () => {
  const { write, seen, gone, leave } = await waitForGate();
  leave();
  await gone;
  await write(again(gate));
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
  await write(again(gate));
  assert.is(seen.asked, 0);
});

waiters.run();
