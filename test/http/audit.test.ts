// The audit log over the API: who did what, filtered and in pages, for admins and for the owners of a team.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { submit } from '../../src/control/submit.ts';
import { created, deleted, updated } from '../../src/core/model/change.ts';
import type { Actor, Proposal } from '../../src/core/model/proposal.ts';
import { auditEntryView } from '../../src/http/views/audit.ts';
import { newId } from '../../src/lib/id.ts';
import { type ServerWorld, start, startWorld } from './world.ts';

const audit = suite('the audit log');

const world = await startWorld();
audit.after(world.close);

const url = '/api/v1/admin/audit-log';
const ofCore = '/api/v1/teams/core/audit-log';

interface Shown {
  readonly id: string;
  readonly at: string;
  readonly event: string;
  readonly target: { readonly id?: string; readonly name?: string };
}

const read = async (query = '', at = url) => (await world.ask('GET', `${at}${query}`)).body;
const events = async (query = '', at = url): Promise<string[]> =>
  (await read(query, at)).auditEntries.map(({ event }: Shown) => event);

/** Does something past the API, as a route would do it. */
async function act(
  { store }: ServerWorld,
  proposal: Proposal,
  more: { readonly actor?: Actor; readonly now?: string; readonly requestId?: string } = {},
): Promise<void> {
  const { actor = { kind: 'user', id: 'olga', name: 'olga' }, now = start, requestId = 'req-test' } = more;
  const door = { store, facts: () => ({ drivers: new Map(), certificateProblem: () => undefined }) };
  const context = { now, newId, actor, origin: 'api', requestId, address: '192.0.2.7' } as const;
  await submit(door, proposal, context);
}

const retitle =
  (id: string, displayName: string): Proposal =>
  (view) => {
    const team = view.get('Team', id);
    return team ? [updated(team, { ...team, spec: { ...team.spec, displayName } })] : [];
  };

audit('tells an API write with its fields, who, from where, and by what request', async () => {
  const put = { spec: { label: 'Five', runtime: '5.0' } };
  const answer = await world.ask('POST', '/api/v1/stacks', { body: { name: 'nr-5', ...put } });
  assert.is(answer.status, 201);
  const [entry] = (await read('?limit=1')).auditEntries;
  assert.is(auditEntryView.safeParse(entry).error, undefined, JSON.stringify(entry));
  assert.equal(
    { ...entry, id: '', actor: { ...entry.actor, id: '' }, target: { ...entry.target, id: '' } },
    {
      id: '',
      at: start,
      event: 'stack.created',
      actor: { kind: 'token', id: '', name: 'ann' },
      target: { kind: 'Stack', id: '', name: 'nr-5' },
      changes: [
        { path: '/spec/label', before: null, after: 'Five' },
        { path: '/spec/runtime', before: null, after: '5.0' },
      ],
      requestId: answer.headers['x-request-id'] ?? entry.requestId,
      address: '127.0.0.1',
    },
  );
  assert.match(entry.requestId, /./);
});

audit('tells what documents did, by the revision that was applied', async () => {
  const { revision } = (await world.ask('GET', '/api/v1/admin/config')).body;
  const { count, auditEntries } = await read(`?revision=${revision.applied}`);
  assert.is(count, auditEntries.length);
  // Logs and screens show twelve digits of it.
  assert.is((await read(`?revision=${revision.applied.slice(0, 12)}`)).count, count);
  assert.ok(auditEntries.every((entry: { actor: unknown }) => Object(entry.actor).kind === 'config'));
  assert.equal(auditEntries.map(({ event, target }: Shown) => `${event} ${target.name}`).sort(), [
    'instance-type.created small',
    'platform.created platform',
    'sso-config.created corp',
    'sso-config.created folk',
    'stack.created nr-4',
    'team-type.created starter',
  ]);
  assert.equal(await events('?actor=config&event=stack'), ['stack.created']);
});

audit('says nothing of what was refused, or only tried', async () => {
  const { count } = await read();
  assert.is(
    (await world.ask('POST', '/api/v1/stacks', { body: { name: 'bad', spec: { runtime: 'a/b' } } })).status,
    409,
  );
  const tried = { name: 'tried', spec: { runtime: '5' } };
  assert.is((await world.ask('POST', '/api/v1/stacks?dryRun=true', { body: tried })).status, 200);
  assert.is((await world.ask('DELETE', '/api/v1/stacks/nr-4')).status, 409);
  assert.is((await read()).count, count);
});

audit('filters by actor, event, target, request and time, each and together', async () => {
  const [at, later] = ['2026-11-21T11:00:00.000Z', '2026-11-21T12:00:00.000Z'];
  await act(world, retitle('core', 'Core 1'), { now: at, requestId: 'one' });
  await act(world, retitle('other', 'Other 1'), { now: at, actor: { kind: 'user', id: 'otto', name: 'otto' } });
  await act(world, retitle('core', 'Core 2'), { now: later, requestId: 'two' });
  const targets = async (query: string) =>
    (await read(query)).auditEntries.map(({ target }: Shown) => target.name).join();
  assert.is(await targets('?actor=olga'), 'core,core');
  assert.is(await targets('?actor=otto'), 'other');
  assert.is(await targets('?target=other'), 'other');
  assert.is(await targets('?requestId=one'), 'core');
  assert.is(await targets(`?event=team.updated&since=${later}`), 'core');
  assert.is(await targets(`?event=team.updated&until=${later}`), 'other,core');
  assert.is(await targets('?since=2026-11-21T12:00:00%2B01:00&actor=olga'), 'core,core');
  assert.is(await targets('?event=team&actor=olga&target=core&requestId=two'), 'core');
  assert.is(await targets('?event=tea'), '');
  assert.is(await targets('?actor=nobody'), '');
});

audit('pages without gaps while more comes in, and counts all', async () => {
  const all = (await read('?event=stack')).auditEntries.map(({ id }: Shown) => id);
  const paged: string[] = [];
  let cursor = '';
  for (let page = 0; page === 0 || cursor !== ''; page += 1) {
    const { meta, count, auditEntries } = await read(`?event=stack&limit=1${cursor}`);
    assert.is(count, all.length);
    paged.push(...auditEntries.map(({ id }: Shown) => id));
    cursor = meta.next_cursor === undefined ? '' : `&cursor=${meta.next_cursor}`;
    await act(world, (view) => {
      const stack = view.named('Stack', 'nr-5');
      return stack ? [updated(stack, { ...stack, spec: { ...stack.spec, label: `page ${page}` } })] : [];
    });
  }
  assert.equal(paged, all);
});

audit('refuses times, cursors and parameters that are none', async () => {
  const { meta } = await read('?limit=1');
  const status = async (query: string) => (await world.ask('GET', `${url}?${query}`)).status;
  for (const query of [
    'since=yesterday',
    'until=2026-11-21',
    'since=',
    'actor=',
    'who=ann',
    'limit=0',
    'cursor=bm9wZQ',
  ])
    assert.is(await status(query), 400, query);
  assert.is(await status(`limit=1&cursor=${meta.next_cursor}`), 200);
  assert.is(await status(`limit=1&event=stack&cursor=${meta.next_cursor}`), 400, 'the cursor of another list');
  assert.is((await world.ask('GET', `${ofCore}?cursor=${meta.next_cursor}`)).status, 400);
});

audit('shows owners their team alone, without addresses', async () => {
  const member = { kind: 'Membership', id: 'm', name: 'm' } as const;
  const times = { generation: 1, createdAt: start, updatedAt: start };
  const spec = { team: 'core', user: 'bob', role: 'viewer', ssoManaged: false } as const;
  await act(world, () => [created({ ...member, spec, ...times })]);
  await act(world, (view) => [...view.having('Membership', 'member=core/bob')].map(deleted));
  const { status, body } = await world.ask('GET', ofCore, { as: 'owner' });
  assert.is(status, 200);
  assert.equal(
    body.auditEntries.map(({ event, target }: Shown) => `${event} ${target.name}`),
    ['membership.deleted core/bob', 'membership.created core/bob', 'team.updated core', 'team.updated core'],
  );
  assert.is(body.count, 4);
  assert.not.match(JSON.stringify(body), /192\.0\.2\.7|other/);
  assert.equal(await events('?event=membership.deleted', ofCore), ['membership.deleted']);
  assert.match(JSON.stringify(await read('?event=membership')), /192\.0\.2\.7/);
});

audit('never shows a secret', async () => {
  const spec = { emailDomain: 'example.edu', provider: 'ldap', ldap: { password: { value: 'hunter-22' } } };
  assert.is((await world.ask('POST', '/api/v1/sso-configs', { body: { name: 'edu', spec } })).status, 201);
  const again = { spec: { ...spec, ldap: { password: { value: 'hunter-23' } } } };
  assert.is((await world.ask('PUT', '/api/v1/sso-configs/edu', { body: again })).status, 200);
  const body = await read('?target=edu');
  assert.equal(
    body.auditEntries.map(({ changes }: { changes: { path: string }[] }) =>
      changes.find(({ path }) => path === '/spec/ldap/password'),
    ),
    [
      { path: '/spec/ldap/password', before: { set: true }, after: { set: true } },
      { path: '/spec/ldap/password', before: null, after: { set: true } },
    ],
  );
  assert.not.match(JSON.stringify(body), /hunter/);
});

audit.run();
