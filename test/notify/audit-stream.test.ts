// timeout: 400
// The audit log to receivers: everything, in order, at least once, whatever fails on the way; and what is known of it meanwhile.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { shownAuditEntry } from '../../src/core/audit/shown.ts';
import { openStore } from '../../src/store/json-file.ts';
import type { Store } from '../../src/store/store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { type AuditOffice, auditOffice, gotBy } from './audit-office.ts';
import { type Listener, listener, secret } from './listener.ts';

interface Context {
  office: AuditOffice;
  hook: Listener;
}

function streams(about: string) {
  const tests = suite<Context>(about);
  tests.before.each(async (context) => {
    context.office = auditOffice();
    context.hook = await listener();
  });
  tests.after.each(({ office, hook }) => end(office, hook));
  return tests;
}

async function end(office: AuditOffice, hook: Listener): Promise<void> {
  await office.close();
  await office.store.close();
  await hook.close().catch(() => {});
}

const got = (hook: Listener, ids: readonly string[]) =>
  until('all of it came', () => gotBy(hook).length >= ids.length, { now: () => [gotBy(hook), ids] });

const settled = (office: AuditOffice) =>
  until('how far it is is kept', () => {
    const { place } = office.store.read().named('AuditDelivered', 'webhook/siem')?.spec ?? {};
    return place;
  });

const streaming = streams('a receiver of the audit log');

streaming('gets each entry once and in order, signed, in the shape that the API has', async ({ office, hook }) => {
  office.start();
  await office.entries(3);
  await office.declare({ auditTo: { siem: hook.url } });
  const ids = [
    ...(await office.entries(2)),
    ...(await office.entries(1, { team: 'secret-team', address: '10.0.0.7' })),
  ];
  await got(hook, ids);
  assert.equal(gotBy(hook), ids, 'and nothing of before it was declared');
  const [first] = hook.received;
  assert.equal(first?.signedBy, ['first']);
  assert.equal(
    [first?.type, first?.data.platform, first?.data.dropped],
    ['audit.entries', 'https://weir.example.com', 0],
  );
  assert.match(String(first?.id), /^audit-/);
  const records = await office.store.records({ stream: 'audit', limit: 3 });
  const shown = records.toReversed().map(({ body }) => shownAuditEntry(body as never, true));
  assert.equal(
    hook.received.flatMap(({ data }) => data.entries),
    JSON.parse(JSON.stringify(shown)),
  );
  assert.is(hook.received.at(-1)?.data.entries.at(-1).address, '10.0.0.7');
  await until(() => office.standing('webhook/siem')?.waiting === 0);
  assert.equal(office.standing('webhook/siem'), {
    ...{ target: 'webhook/siem', waiting: 0, oldest: undefined, failing: undefined, dropped: 0 },
  });
});

streaming('gets no more at once than a hundred entries, or 256 KiB', async ({ office, hook }) => {
  await office.declare({ auditTo: { siem: hook.url } });
  office.start();
  const ids = [...(await office.entries(250)), ...(await office.entries(9, { reason: 'x'.repeat(100_000) }))];
  await got(hook, ids);
  assert.equal(gotBy(hook), ids);
  assert.ok(hook.received.every(({ data }) => data.entries.length <= 100));
  assert.ok(hook.received.every(({ bytes }) => bytes < 257 * 1024));
  assert.ok(hook.received.some(({ data }) => data.entries.length === 100));
});

streaming('makes no entries by being told, and few commits', async ({ office, hook }) => {
  await office.declare({ auditTo: { siem: hook.url } });
  office.start({ saveMs: 20 });
  await settled(office);
  const before = office.position();
  const ids: string[] = [];
  for (let nth = 0; nth < 60; nth += 1) ids.push(...(await office.entries(1)));
  await got(hook, ids);
  await office.close();
  assert.is((await office.store.records({ stream: 'audit', limit: 1000 })).length, 60);
  const commits = office.position() - before - 60;
  assert.ok(commits > 0 && commits < 45, `${commits} commits`);
  const { place } = office.store.read().named('AuditDelivered', 'webhook/siem')?.spec ?? {};
  const rest = await office.store.recordsAfter({ stream: 'audit', after: String(place), limit: 9 });
  assert.equal([rest.records, rest.lost], [[], 0], 'it is kept as it stops');
});

streaming('goes on after a restart where it was, with what came meanwhile', async ({ office, hook }) => {
  await office.declare({ auditTo: { siem: hook.url } });
  office.start();
  const ids = await office.entries(3);
  await got(hook, ids);
  await office.close();
  ids.push(...(await office.entries(120)));
  office.start();
  ids.push(...(await office.entries(1)));
  await got(hook, ids);
  assert.equal(gotBy(hook), ids);
});

streaming(
  'can be what the guide shows: it checks the signature, and keeps each entry once',
  async ({ office, hook }) => {
    const guide = readFileSync(new URL('../../docs/guides/audit-stream.md', import.meta.url), 'utf8');
    const [, code = ''] = /```js\n([\s\S]+?)```/.exec(guide) ?? [];
    const { path } = temporaryFolder();
    writeFileSync(join(path, 'receiver.mjs'), code);
    // A port that was free a moment ago.
    const { port } = hook;
    await hook.close();
    const child = spawn(process.execPath, ['receiver.mjs'], {
      cwd: path,
      env: { ...process.env, SIEM_HOOK_SECRET: secret, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    try {
      await office.declare({ auditTo: { siem: hook.url } });
      office.start({ saveMs: 3_600_000 });
      const ids = await office.entries(3);
      const kept = () =>
        existsSync(join(path, 'entries.jsonl'))
          ? readFileSync(join(path, 'entries.jsonl'), 'utf8')
              .split('\n')
              .slice(0, -1)
              .map((line) => JSON.parse(line).id)
          : [];
      await until(() => kept().length === 3);
      assert.equal(kept(), ids);
      const forged = await fetch(hook.url, { method: 'POST', body: '{"data": {"entries": [{"id": "forged"}]}}' });
      assert.is(forged.status, 401);
      office.secrets.set('WEIR_SECRET_HOOK', `whsec_${Buffer.alloc(32).toString('base64')}`);
      await office.entries(1);
      await until(() => office.standing('webhook/siem')?.failing?.reason === 'it answered 401');
      assert.equal(kept(), ids);
    } finally {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
  },
);

streaming.run();

const failing = streams('a receiver of the audit log that fails');

failing('is tried again, with the same message, until it takes it, whatever it answers', async ({ office, hook }) => {
  hook.answer(500, 404, 302, 410, (response) => response.destroy(), 429);
  await office.declare({ auditTo: { siem: hook.url } });
  office.start();
  const ids = await office.entries(2);
  await until(() => hook.received.length === 7);
  assert.is(new Set(hook.received.map(({ id }) => id)).size, 1);
  assert.equal(
    hook.received[6]?.data.entries.map(({ id }: { readonly id: string }) => id),
    ids,
  );
  await until(() => office.standing('webhook/siem')?.waiting === 0);
  assert.is(office.standing('webhook/siem')?.failing, undefined);
  assert.ok(office.logged.some((line) => /^warn: .*webhook\/siem yet, because it answered 404; next try/.test(line)));
  assert.ok(office.logged.includes('info: webhook/siem takes the audit log again'));
});

failing('says since when and why, how much waits and how old it is, and no secret', async ({ office, hook }) => {
  hook.always(503);
  await office.declare({ auditTo: { siem: hook.url } });
  office.start({ retryMs: [20, 3_600_000] });
  await office.entries(2);
  await until(() => hook.received.length === 2);
  await office.entries(3);
  const {
    waiting,
    oldest,
    failing: why,
  } = await until(() => {
    const standing = office.standing('webhook/siem');
    return standing?.failing && standing.waiting === 5 ? standing : undefined;
  });
  assert.is(waiting, 5);
  const [first] = (await office.store.records({ stream: 'audit', limit: 9 })).toReversed();
  assert.is(oldest, first?.at);
  assert.is(why?.reason, 'it answered 503');
  assert.ok(Date.parse(String(why?.since)) <= Date.now());
  assert.not.match(JSON.stringify([office.logged, office.standings()]), secret);
  hook.always(204);
  office.secrets.set('WEIR_SECRET_HOOK', secret);
  await office.declare({ auditTo: { siem: hook.url } });
  await until('a new declaration ends the pause', () => office.standing('webhook/siem')?.waiting === 0);
});

failing('holds up itself alone', async ({ office, hook }) => {
  const other = await listener();
  hook.always('mute');
  await office.declare({ auditTo: { siem: hook.url, other: other.url } });
  office.start({ answerMs: 60_000 });
  const ids = [...(await office.entries(150)), ...(await office.entries(150))];
  await got(other, ids);
  assert.equal(gotBy(other), ids);
  assert.is(hook.received.length, 1);
  await until(() => office.standing('webhook/other')?.waiting === 0);
  assert.is(office.standing('webhook/siem')?.waiting, 300);
  const begun = performance.now();
  await office.close();
  assert.ok(performance.now() - begun < 20_000, 'and a stop waits for nobody for long');
  hook.always(204);
  office.start();
  await until(() => gotBy(hook).length >= 400);
  assert.equal(gotBy(hook).slice(100), ids);
  await other.close();
});

failing('gets fewer at once where it says that it is too much', async ({ office, hook }) => {
  hook.answer(413, 413);
  await office.declare({ auditTo: { siem: hook.url } });
  office.start({ retryMs: [3_600_000] });
  const ids = await office.entries(100);
  await until(() => office.standing('webhook/siem')?.waiting === 0 && hook.received.length >= 6);
  assert.equal(
    hook.received.map(({ data }) => data.entries.length),
    [100, 50, 25, 25, 25, 25],
  );
  assert.equal(gotBy(hook).slice(150), ids);
});

failing('waits for a secret that is not there, or is none', async ({ office, hook }) => {
  office.secrets.delete('WEIR_SECRET_HOOK');
  await office.declare({ auditTo: { siem: hook.url } });
  office.start();
  const ids = await office.entries(1);
  await until(() => office.standing('webhook/siem')?.failing?.reason === 'the variable is not set');
  office.secrets.set('WEIR_SECRET_HOOK', 'whsec_c2hvcnQ=');
  await until(() => office.standing('webhook/siem')?.failing?.reason.startsWith('its secret is not'));
  office.secrets.set('WEIR_SECRET_HOOK', secret);
  await got(hook, ids);
  assert.equal(gotBy(hook), ids);
});

failing.run();

const declared = streams('what is declared of the audit log');

declared('counts at once: an address, one receiver more, one that is gone', async ({ office, hook }) => {
  const other = await listener();
  hook.always(503);
  office.start({ retryMs: [3_600_000] });
  await office.declare({ auditTo: { siem: hook.url } });
  const ids = await office.entries(2);
  await until(() => hook.received.length === 1);
  await office.declare({ auditTo: { siem: other.url } });
  await got(other, ids);
  assert.equal(gotBy(other), ids, 'what waited goes to the new address');
  await until(() => office.standing('webhook/siem')?.waiting === 0);
  hook.always(204);
  await office.declare({ auditTo: { more: hook.url } });
  await until(() => office.standings().length === 1 && office.standing('webhook/more'));
  await until(() => office.store.read().named('AuditDelivered', 'webhook/siem') === undefined);
  const later = await office.entries(1);
  await until(() => gotBy(hook).length === ids.length + 1);
  assert.equal(gotBy(hook).slice(ids.length), later);
  assert.equal(gotBy(other), ids);
  await other.close();
});

declared(
  'forgets who goes: who comes back begins anew, also where that was while nobody served',
  async ({ office, hook }) => {
    await office.declare({ auditTo: { siem: hook.url } });
    office.start();
    await settled(office);
    await office.close();
    await office.declare({});
    await office.entries(2);
    office.start();
    await until(() => office.store.read().count('AuditDelivered') === 0);
    await office.declare({ auditTo: { siem: hook.url } });
    const ids = await office.entries(1);
    await got(hook, ids);
    assert.equal(gotBy(hook), ids);
  },
);

declared.run();

const dropping = suite<Context>('entries that are gone before they were delivered');
dropping.after.each(({ office, hook }) => end(office, hook));

dropping('are counted, told and kept, and the rest comes', async (context) => {
  const { path } = temporaryFolder();
  const retention = { history: { count: 1 }, audit: { count: 20 } };
  const open = (): Promise<Store> => openStore(path, { create: true, snapshotBytes: 3000, log: () => {}, retention });
  const office = auditOffice(await open());
  const hook = await listener();
  Object.assign(context, { office, hook });
  hook.always(500);
  await office.declare({ auditTo: { siem: hook.url } });
  office.start({ retryMs: [3_600_000] });
  const ids: string[] = [];
  ids.push(...(await office.entries(1)));
  await until(() => hook.received.length === 1);
  await office.close();
  for (let nth = 0; nth < 150; nth += 1) ids.push(...(await office.entries(2)));
  await office.store.close();
  office.store = await open();
  hook.always(204);
  hook.received.length = 0;
  office.start();
  await until(() => gotBy(hook).at(-1) === ids.at(-1));
  const dropped = ids.length - gotBy(hook).length;
  assert.ok(dropped > 100, `${dropped} dropped`);
  assert.equal(gotBy(hook), ids.slice(dropped));
  assert.is(hook.received[0]?.data.dropped, dropped);
  assert.is(office.standing('webhook/siem')?.dropped, dropped);
  const words = `error: ${dropped} entries of the audit log will never come to webhook/siem`;
  assert.ok(
    office.logged.some((line) => line.startsWith(words)),
    office.logged.join('\n'),
  );
  await office.close();
  assert.is(office.store.read().named('AuditDelivered', 'webhook/siem')?.spec.dropped, dropped);
  office.start();
  await until(() => office.standing('webhook/siem')?.dropped === dropped);
  await office.entries(1);
  await until(() => gotBy(hook).length === ids.length - dropped + 1);
  assert.is(office.standing('webhook/siem')?.dropped, dropped, 'and are counted once');
});

dropping.run();
