// The loop over a tree that is edited all the time: nobody waits for it long, and nothing is refused for what moves.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { historyEntry } from '../../src/control/history.ts';
import { createInventory } from '../../src/control/inventory.ts';
import { startLoop } from '../../src/control/loop.ts';
import { noConsents } from '../../src/core/rules/rule.ts';
import { openMemoryStore } from '../../src/store/memory.ts';
import { NotKept } from '../../src/store/store.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { facts } from './world.ts';

const platform = 'kind: Platform\nmetadata: {name: platform}\nspec: {reconcile: {settleMs: 100, pollSeconds: 1}}\n';
const stack = (name: string, label = name) =>
  `kind: Stack\nmetadata: {name: ${name}}\nspec: {runtime: "4.1", label: ${label}}\n`;
const type = 'kind: InstanceType\nmetadata: {name: small}\nspec: {stacks: [late], defaultStack: late}\n';
const names = Array.from({ length: 10 }, (_, index) => `s${index}`);

async function scene() {
  const { path: root } = temporaryFolder();
  await writeFiles(root, {
    'weir.yaml': platform,
    ...Object.fromEntries(names.map((name) => [`${name}.yaml`, stack(name)])),
  });
  const store = openMemoryStore();
  const stop = new AbortController();
  let ids = 0;
  const { loop } = await startLoop({
    root,
    store,
    facts: () => facts,
    now: () => new Date().toISOString(),
    newId: () => `id-${ids++}`,
    elapsed: () => performance.now(),
    inventoryOf: createInventory(),
    fingerprint: (secret) => `${secret.length}`,
    log: () => {},
    stop: stop.signal,
  });
  let edits = 0;
  const put = () => {
    edits += 1;
    for (const name of [names[edits % 10] ?? '', names[(edits + 5) % 10] ?? ''])
      writeFileSync(join(root, `${name}.yaml`), stack(name, `l${edits}`));
  };
  const writer = setInterval(put, 20);
  const end = async () => {
    clearInterval(writer);
    await loop.close();
    await store.close();
  };
  return {
    root,
    store,
    loop,
    stop,
    end,
    settling: () => loop.standing()?.conditions.find((one) => one.type === 'Settling'),
  };
}

const busy = suite('the loop over a tree that is edited all the time');

busy('answers who asks for a reconcile, and tells what does not stand still', async () => {
  const { loop, settling, end } = await scene();
  try {
    await delay(300);
    const begun = performance.now();
    await loop.reconcile({ actor: { kind: 'user', id: 'u' }, consents: noConsents });
    // It is two seconds; the rest is for slow machines.
    assert.ok(performance.now() - begun < 12_000);
    assert.is(`${settling()?.status} ${settling()?.reason}`, 'True Moving');
    assert.match(settling()?.message ?? '', /was last acted on: s\d\.yaml, /);
    assert.ok((loop.standing()?.settling?.files.length ?? 0) > 3);
  } finally {
    await end();
  }
});

busy('refuses nothing that needs a file which is not quiet yet, and takes both up then', async () => {
  const { root, store, loop, end } = await scene();
  // Written all the time, so that it is not there yet.
  const late = setInterval(() => writeFileSync(join(root, 'late.yaml'), stack('late', `l${Date.now()}`)), 20);
  try {
    writeFileSync(join(root, 'type.yaml'), type);
    await delay(5_000);
    const types = () => [...store.read().all('InstanceType')].map(({ name }) => name);
    assert.equal(types(), []);
    clearInterval(late);
    await until('both', () => types().length === 1);
    const entries = (await store.records({ stream: 'history', limit: 1_000 })).map(historyEntry);
    assert.equal(
      entries.filter(({ result }) => result === 'refused'),
      [],
    );
    assert.ok(loop.settled());
  } finally {
    clearInterval(late);
    await end();
  }
});

busy('lets nobody wait once it is asked to stop', async () => {
  const { loop, stop, end } = await scene();
  try {
    await delay(300);
    const asked = loop.reconcile({ actor: { kind: 'user', id: 'u' }, consents: noConsents }).then(
      () => undefined,
      (error: unknown) => error,
    );
    await delay(200);
    stop.abort();
    const error = await asked;
    assert.ok(error instanceof NotKept, String(error));
  } finally {
    await end();
  }
});

busy.run();
