// What strangers have refused again and again: the audit log tells of it once, then with a number, and loses none at the end.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createMergedRefusals } from '../../src/http/merged-refusals.ts';
import { newId } from '../../src/lib/id.ts';
import { openMemoryStore } from '../../src/store/memory.ts';
import { testDirectory } from './directory-world.ts';
import { login, ssoDocuments, treeWith } from './people.ts';
import { type ServerWorld, start, startWorld } from './world.ts';

const minutes = (count: number) => new Date(Date.parse(start) + count * 60_000).toISOString();
const other = `---
kind: SsoConfig
metadata: {name: other}
spec:
  emailDomain: other.example
  provider: saml
  active: true
  saml: {signOnUrl: "https://idp.example/sso", issuer: idp, certificate: CERT}
`;
const files = treeWith([], { 'sso.yaml': ssoDocuments + other });
const post = (world: ServerWorld, name: string, response: string) =>
  world.ask('POST', `/sso/saml/${name}/acs`, {
    as: 'none',
    body: new URLSearchParams({ SAMLResponse: response }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://idp.example' },
  });

/** The entries of refusals, oldest first: what through, why in short, and how many. */
async function refusals(world: Pick<ServerWorld, 'store'>): Promise<readonly unknown[]> {
  const records = await world.store.records({ stream: 'audit', limit: 5000 });
  const found = records
    .map(({ body }) => body as Readonly<Record<string, unknown>>)
    .filter((one) => one['event'] === 'sign-in.failed');
  const short = (reason: unknown) =>
    /SsoConfig\/(\w+): (\w+ \w+ \w+)/.exec(String(reason))?.slice(1, 3).join(' ') ?? '';
  return found.map(({ reason, count }) => [short(reason), count ?? 1]).reverse();
}

const merged = suite('refusals of strangers');

merged('are audited by configuration, reason and minute, however many there are', async () => {
  const world = await startWorld(files, { directory: testDirectory() });
  for (let round = 0; round < 20; round += 1)
    for (const [name, response] of [
      ['corp', `A${round}A=`],
      ['corp', 'AAAA'],
      ['other', Buffer.from(`<a>${round}`).toString('base64')],
    ] as const)
      assert.is((await post(world, name, response)).status, 403);
  const first = await refusals(world);
  assert.is(first.length, new Set(first.map((one) => JSON.stringify(one))).size, JSON.stringify(first));
  assert.ok(first.length <= 4, JSON.stringify(first));
  assert.is(world.warned.length, 60, 'the log has each of them');
  world.setNow(minutes(1));
  await post(world, 'corp', 'AAAA');
  await post(world, 'other', 'AAAA');
  await world.app.close();
  const all = await refusals(world);
  const total = all.reduce<number>((sum, one) => sum + Number((one as [string, number])[1]), 0);
  assert.is(total, 62, JSON.stringify(all));
  assert.ok(all.length <= 10, JSON.stringify(all));
  await world.close();
});

merged('are merged for names that a directory does not know and for local passwords', async () => {
  const world = await startWorld(files, { directory: testDirectory() });
  for (let round = 0; round < 12; round += 1) {
    assert.is((await login(world, `who-${round}@dir.example`, 'x')).status, 401);
    assert.is((await login(world, `who-${round}@nowhere.example`, 'x')).status, 401);
  }
  assert.is((await refusals(world)).length, 2, JSON.stringify(await refusals(world)));
  await world.app.close();
  assert.equal(
    (await refusals(world)).slice(-2).map((one) => (one as [string, number])[1]),
    [11, 11],
  );
  await world.close();
});

merged('keep to a bounded number of kinds, and count the rest by what they came through', async () => {
  const store = openMemoryStore();
  const facts = { drivers: new Map(), certificateProblem: () => undefined };
  const made = createMergedRefusals({ door: { store, facts: () => facts }, clock: () => start, newId, log: () => {} });
  const note = (through: string, why: string, address = '192.0.2.1') =>
    made.note({
      like: [through, why],
      event: { event: 'sign-in.failed', target: { kind: 'SsoConfig' }, reason: `through SsoConfig/${through}: ${why}` },
      actor: { kind: 'sso' },
      requestId: why,
      address,
    });
  for (let at = 0; at < 1500; at += 1) await note('a', `no ${at}`);
  assert.is((await refusals({ store })).length, 1001);
  await note('a', 'no 0', '192.0.2.2');
  await note('a', 'no 0', '192.0.2.3');
  await made.flush('over');
  assert.is((await refusals({ store })).length, 1001, 'the minute is not over');
  await made.flush('all');
  await made.flush('all');
  const counted = (await store.records({ stream: 'audit', limit: 5000 })).filter(
    ({ body }) => body['count'] !== undefined,
  );
  assert.equal(
    counted.map(({ body }) => [body['count'], body['requestId'], body['address']]).sort(),
    [
      [2, 'no 0', undefined],
      [499, 'no 1499', '192.0.2.1'],
    ].sort(),
  );
  await store.close();
});

merged('are told in the log where they cannot be kept', async () => {
  const store = openMemoryStore();
  const told: string[] = [];
  const facts = { drivers: new Map(), certificateProblem: () => undefined };
  const door = { store, facts: () => facts };
  const made = createMergedRefusals({ door, clock: () => start, newId, log: (line) => told.push(line) });
  const event = { event: 'sign-in.failed', target: { kind: 'User' } };
  const one = { like: ['a', 'b'], event, actor: { kind: 'sso' }, requestId: '1', address: '' } as const;
  for (let at = 0; at < 4; at += 1) await made.note(one);
  await store.close();
  await made.flush('all');
  assert.match(told.join('\n'), /^3 of sign-in\.failed in 2026-11-21T10:00 \(a: b\) could not be audited: ./);
});

merged.run();
