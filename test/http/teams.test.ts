// Teams over HTTP: made, read, changed and deleted, by whom and within what limits.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { kinds } from '../../src/core/kinds/index.ts';
import { created } from '../../src/core/model/change.ts';
import type { Resource } from '../../src/core/model/resource.ts';
import { suiteInWorld } from './suite-in-world.ts';
import { audited, later, makeTeam, rulesIn, startTeams, teamsTree } from './team-people.ts';
import { type ServerWorld, start, startWorld } from './world.ts';

const inAWorld = (name: string) => suiteInWorld(name, startTeams);

const team = (id: string) => `/api/v1/teams/${id}`;
const times = { generation: 1, createdAt: start, updatedAt: start };

async function putInstance(world: ServerWorld): Promise<void> {
  const view = world.store.read();
  const [instanceType, template, stack] = [
    view.named('InstanceType', 'small')?.id,
    view.named('Template', 'standard')?.id,
    view.named('Stack', 'nr-4')?.id,
  ];
  const spec = kinds.Instance.spec.parse({ team: 'core', instanceType, template, stack, state: 'stopped' });
  const line: Resource<'Instance'> = { kind: 'Instance', id: 'line', name: 'Line 1', spec, ...times };
  const probe: Resource<'Device'> = {
    kind: 'Device',
    id: 'probe',
    name: 'probe',
    spec: kinds.Device.spec.parse({ team: 'core', hash: 'a'.repeat(64), credentialSecret: 's' }),
    ...times,
  };
  await world.store.commit(() => ({ changes: [created(line), created(probe)] }), { id: 'put-instance' });
}

const making = inAWorld('making a team');

making('makes its maker the owner, and answers it whole', async ({ world }) => {
  const { status, headers, body } = await makeTeam(world, 'user', { name: 'Plant One', type: 'starter' });
  assert.is(status, 201);
  assert.is(headers['location'], team(body.id));
  const { id, can, ...rest } = body;
  assert.equal(rest, {
    slug: 'plant-one',
    name: 'Plant One',
    type: { name: 'starter', active: true },
    memberCount: 1,
    pendingInvitationCount: 0,
    instanceCount: 0,
    deviceCount: 0,
    createdAt: start,
    updatedAt: start,
    role: 'owner',
    limits: {
      members: { used: 1, limit: 6 },
      instances: { used: 0, limit: null },
      devices: { used: 0, limit: null },
      instanceTypes: { small: { used: 0, limit: 2 } },
    },
  });
  assert.ok(can.includes('update-team') && can.includes('invite'));
  assert.equal((await world.ask('GET', team(id), { as: 'user' })).body, body);
  assert.is((await world.ask('GET', team(id), { as: 'owner' })).status, 404);
  assert.equal((await world.ask('GET', '/api/v1/teams/slug/plant-one', { as: 'user' })).body, body);
});

making('derives slugs from any script, and counts where one is taken', async ({ world }) => {
  const slugs: string[] = [];
  for (const name of ['東京工場', 'فريق القاهرة', '🚀🚀', '!!!', '…', 'Plant One', 'PLANT  one', 'plant-one'])
    slugs.push((await makeTeam(world, 'user', { name, type: 'roomy' })).body.slug);
  const [tokyo = '', cairo = '', rockets = '', ...rest] = slugs;
  for (const slug of [tokyo, cairo, rockets]) assert.match(slug, /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);
  assert.equal(rest, ['team', 'team-2', 'plant-one', 'plant-one-2', 'plant-one-3']);
  assert.is(new Set(slugs).size, slugs.length);
});

making('takes a slug that is given, unless another team has it or it has another form', async ({ world }) => {
  const given = await makeTeam(world, 'user', { name: 'A', slug: 'line-a', type: 'roomy' });
  assert.is(given.body.slug, 'line-a');
  const taken = await makeTeam(world, 'user', { name: 'B', slug: 'core', type: 'roomy' });
  assert.is(taken.status, 409);
  assert.is(taken.body.code, 'rule_violated');
  assert.equal(rulesIn(taken), ['slug-unique']);
  for (const slug of ['Core', '-a', 'a_b', '', 'é', 'a'.repeat(64)])
    assert.is((await makeTeam(world, 'user', { name: 'B', slug, type: 'roomy' })).status, 400, slug);
});

making('refuses names in which nothing can be seen, and says all that is wrong at once', async ({ world }) => {
  for (const name of ['', '   ', '\u200b\u200b', 'a\nb', 'x'.repeat(256)])
    assert.is((await makeTeam(world, 'user', { name, type: 'roomy' })).status, 400, JSON.stringify(name));
  const { status, body } = await makeTeam(world, 'user', { name: '', slug: 'A', colour: 'red' });
  assert.is(status, 400);
  assert.equal(body.violations.map(({ path }: { path: string }) => path).sort(), [
    '/colour',
    '/name',
    '/slug',
    '/type',
  ]);
  assert.is((await makeTeam(world, 'user', { name: '👩‍👩‍👧 家', type: 'roomy' })).status, 201);
});

making('offers users the active types with selfService, admins all active ones', async ({ world }) => {
  const gift = await makeTeam(world, 'user', { name: 'A', type: 'gift' });
  assert.is(gift.status, 403);
  assert.is(gift.body.code, 'forbidden');
  assert.match(gift.body.detail, /TeamType\/gift cannot be chosen, because only admins give it/);
  assert.is((await makeTeam(world, 'admin', { name: 'A', type: 'gift' })).status, 201);
  for (const as of ['user', 'admin'] as const) {
    assert.equal(rulesIn(await makeTeam(world, as, { name: 'B', type: 'closed' })), ['inactive']);
    assert.equal(rulesIn(await makeTeam(world, as, { name: 'B', type: 'none' })), ['references']);
  }
});

making('is for admins alone where the settings do not let users', async () => {
  const world = await startTeams('userTeamCreation: false');
  const refused = await makeTeam(world, 'user', { name: 'A', type: 'roomy' });
  assert.is(refused.status, 403);
  assert.is(refused.body.detail, 'You may not make a team: the administration settings leave that to admins.');
  assert.is((await makeTeam(world, 'admin', { name: 'A', type: 'roomy' })).status, 201);
  assert.not((await world.ask('GET', '/api/v1/user', { as: 'user' })).body.can.includes('create-team'));
  await world.close();
});

making('does it once for a key, and plans it without keeping it', async ({ world }) => {
  const body = { name: 'Once', type: 'roomy' };
  const headers = { 'idempotency-key': 'once' };
  const ask = (wanted: object) => world.ask('POST', '/api/v1/teams', { as: 'user', body: wanted, headers });
  const [first, second] = [await ask(body), await ask(body)];
  assert.equal([first.status, second.status], [201, 201]);
  assert.is(first.body.id, second.body.id);
  assert.is((await ask({ name: 'Twice', type: 'roomy' })).body.code, 'idempotency_conflict');
  const tried = await world.ask('POST', '/api/v1/teams?dryRun=true', { as: 'user', body });
  assert.is(tried.status, 200);
  assert.equal(tried.body.summary.create, 2);
  assert.is(tried.body.changes[0].address, 'Team/once-2');
  const blocked = await world.ask('POST', '/api/v1/teams?dryRun=true', { as: 'user', body: { ...body, slug: 'core' } });
  assert.is(blocked.status, 200);
  assert.equal(
    blocked.body.findings.map(({ rule }: { rule: string }) => rule),
    ['slug-unique'],
  );
  assert.is(world.store.read().count('Team'), 3);
});

making('gives teams that are made at the same time slugs of their own', async ({ world }) => {
  const made = await Promise.all(
    Array.from({ length: 8 }, () => makeTeam(world, 'user', { name: 'Same', type: 'roomy' })),
  );
  assert.equal(made.map(({ body }) => body.slug).sort(), ['same', ...[2, 3, 4, 5, 6, 7, 8].map((at) => `same-${at}`)]);
});

const reading = inAWorld('reading teams');

reading('shows every role its team, and what it may do there', async ({ world }) => {
  const can = async (as: 'owner' | 'viewer' | 'dashboard' | 'admin') => {
    const { status, body } = await world.ask('GET', team('core'), { as });
    assert.is(status, 200);
    return [body.role, body.can.includes('update-team'), body.can.includes('read-members')];
  };
  assert.equal(await can('owner'), ['owner', true, true]);
  assert.equal(await can('viewer'), ['viewer', false, true]);
  assert.equal(await can('dashboard'), ['dashboard', false, false]);
  assert.equal(await can('admin'), [null, true, true]);
});

reading('makes no difference between a team that is not there and one that is not yours', async ({ world }) => {
  for (const [method, url, body] of [
    ['GET', ''],
    ['PUT', '', { name: 'Mine' }],
    ['DELETE', ''],
    ['GET', '/members'],
    ['PUT', '/members/olga', { role: 'viewer' }],
    ['DELETE', '/members/olga'],
    ['GET', '/invitations'],
    ['POST', '/invitations', { user: 'bob', role: 'member' }],
    ['POST', '/invitations/x/resend'],
    ['DELETE', '/invitations/x'],
  ] as const) {
    const ask = async (id: string) => {
      const { status, body: answer } = await world.ask(method, `${team(id)}${url}`, { as: 'otherOwner', body });
      return [status, answer];
    };
    const theirs = await ask('core');
    assert.is(theirs[0], 404, `${method} ${url}`);
    assert.equal(theirs, await ask('nothing'), `${method} ${url}`);
  }
  const bySlug = async (slug: string) => (await world.ask('GET', `/api/v1/teams/slug/${slug}`, { as: 'user' })).body;
  assert.equal(await bySlug('core'), await bySlug('nothing'));
});

reading('lists one’s own teams in the order in which one came into them', async ({ world }) => {
  for (const [at, name] of ['Zebra', 'Ant', 'Cat'].entries()) {
    world.setNow(later(at + 1));
    await makeTeam(world, 'owner', { name, type: 'roomy' });
  }
  const ask = async (query: string) => (await world.ask('GET', `/api/v1/user/teams?${query}`, { as: 'owner' })).body;
  const names = (body: { teams: { name: string }[] }) => body.teams.map(({ name }) => name);
  const first = await ask('limit=2');
  assert.equal([first.count, names(first)], [4, ['The core team', 'Zebra']]);
  assert.is(first.teams[0].role, 'owner');
  assert.not('limits' in first.teams[0]);
  const zebra = first.teams[1].id;
  await world.ask('DELETE', `${team(zebra)}/members/olga`, { as: 'owner' });
  await world.ask('PUT', team('core'), { as: 'owner', body: { name: 'Core' } });
  const second = await ask(`limit=2&cursor=${first.meta.next_cursor}`);
  assert.equal([second.count, names(second), second.meta], [4, ['Ant', 'Cat'], {}]);
  assert.equal(names(await ask('sort=name')), ['Ant', 'Cat', 'Core', 'Zebra']);
  assert.equal(names(await ask('sort=-slug&limit=1')), ['Zebra']);
  assert.equal(names(await ask('q=C')), ['Core', 'Cat']);
  assert.is((await world.ask('GET', '/api/v1/user/teams?cursor=nonsense', { as: 'owner' })).status, 400);
  assert.is((await world.ask('GET', '/api/v1/user/teams?limit=0', { as: 'owner' })).status, 400);
});

reading('lists all teams to admins, by type and by what they are called', async ({ world }) => {
  await makeTeam(world, 'user', { name: 'Roomy One', type: 'roomy' });
  const slugs = async (query: string) => {
    const { body } = await world.ask('GET', `/api/v1/teams?${query}`);
    return [body.count, ...body.teams.map(({ slug }: { slug: string }) => slug)];
  };
  assert.equal(await slugs(''), [3, 'core', 'other', 'roomy-one']);
  assert.equal(await slugs('type=roomy'), [1, 'roomy-one']);
  assert.equal(await slugs('type=starter&q=CORE'), [1, 'core']);
  assert.equal(await slugs('type=none'), [0]);
  assert.equal(await slugs('sort=-name'), [3, 'other', 'core', 'roomy-one']);
  const { body } = await world.ask('GET', '/api/v1/teams?limit=1');
  const next = await world.ask('GET', `/api/v1/teams?limit=1&cursor=${body.meta.next_cursor}`);
  assert.equal([body.teams[0].role, next.body.teams[0].slug], [null, 'other']);
});

const changing = inAWorld('changing a team');

changing('changes what is given and nothing else', async ({ world }) => {
  world.setNow(later(60));
  const { status, body } = await world.ask('PUT', team('core'), { as: 'owner', body: { name: 'Renamed' } });
  assert.is(status, 200);
  assert.equal([body.name, body.slug, body.type.name, body.updatedAt], ['Renamed', 'core', 'starter', later(60)]);
  assert.not('warnings' in body);
  world.setNow(later(120));
  const same = await world.ask('PUT', team('core'), { as: 'owner', body: { name: 'Renamed', type: 'starter' } });
  assert.is(same.body.updatedAt, later(60));
  assert.is((await world.ask('PUT', team('core'), { as: 'owner', body: { colour: 'red' } })).status, 400);
});

changing('looks at If-Match', async ({ world }) => {
  const seen = async () => String((await world.ask('GET', team('core'), { as: 'owner' })).headers['etag']);
  const put = (name: string, etag: string) =>
    world.ask('PUT', team('core'), { as: 'owner', body: { name }, headers: { 'if-match': etag } });
  const first = await seen();
  assert.is((await put('One', first)).status, 200);
  assert.is((await put('Two', first)).status, 412);
  assert.is((await put('Two', await seen())).status, 200);
  assert.is((await world.ask('GET', team('core'))).body.name, 'Two');
});

changing('leaves the types that only admins give to admins, and lets a team keep its own', async ({ world }) => {
  const put = (as: 'owner' | 'admin', body: object) => world.ask('PUT', team('core'), { as, body });
  assert.is((await put('owner', { type: 'gift' })).status, 403);
  assert.is((await put('owner', { type: 'roomy' })).body.type.name, 'roomy');
  assert.is((await put('admin', { type: 'gift' })).body.type.name, 'gift');
  assert.is((await put('owner', { type: 'gift', name: 'Kept' })).status, 200);
  assert.equal(rulesIn(await put('admin', { type: 'closed' })), ['inactive']);
  const tooSmall = await put('admin', { type: 'tiny' });
  assert.equal(rulesIn(tooSmall), ['limit-reached']);
  assert.match(tooSmall.body.detail, /4 members and TeamType\/tiny allows 1/);
});

changing(
  'warns where groups of an identity provider are named after the slug, and keeps it in the audit log',
  async ({ world }) => {
    const tried = await world.ask('PUT', `${team('core')}?dryRun=true`, { as: 'owner', body: { slug: 'centre' } });
    assert.equal(
      tried.body.findings.map(({ rule, severity }: { rule: string; severity: string }) => [rule, severity]),
      [['slug-in-groups', 'warning']],
    );
    const { status, body } = await world.ask('PUT', team('core'), { as: 'owner', body: { slug: 'centre' } });
    assert.is(status, 200);
    assert.is(body.slug, 'centre');
    assert.equal(body.warnings, [
      {
        rule: 'slug-in-groups',
        severity: 'warning',
        message:
          'Team/centre: groups called svc-core-<role> do not decide any more who is in the team, because SsoConfig/corp finds it by its slug: call them svc-centre-<role> at the identity provider, and name centre in groups.teams',
        kind: 'Team',
        name: 'centre',
        path: '/slug',
      },
    ]);
    const entries = await audited(world);
    assert.equal(
      entries.filter(({ target }) => target.kind === 'Team').map(({ event, actor }) => [event, actor.name]),
      [
        ['team.parted-from-groups', 'olga'],
        ['team.updated', 'olga'],
      ],
    );
    assert.equal(entries.find(({ event }) => event === 'team.parted-from-groups')?.changes, [
      { path: '/groups', before: 'svc-core-<role>', after: 'svc-centre-<role>' },
    ]);
    const again = await world.ask('PUT', team('core'), { as: 'owner', body: { slug: 'middle' } });
    assert.not('warnings' in again.body);
    const other = await world.ask('PUT', team('other'), { as: 'otherOwner', body: { slug: 'another' } });
    assert.not('warnings' in other.body);
  },
);

changing('refuses the slug of another team', async ({ world }) => {
  const refused = await world.ask('PUT', team('core'), { as: 'owner', body: { slug: 'other' } });
  assert.equal([refused.status, rulesIn(refused)], [409, ['slug-unique']]);
});

const deleting = inAWorld('deleting a team');

deleting('takes its members and invitations with it', async ({ world }) => {
  await world.ask('POST', `${team('core')}/invitations`, { as: 'owner', body: { user: 'bob', role: 'member' } });
  const tried = await world.ask('DELETE', `${team('core')}?dryRun=true`, { as: 'owner' });
  assert.is(tried.body.summary.delete, 1);
  assert.equal(tried.body.changes[0].affects, { memberships: 4, invitations: 1 });
  assert.is(tried.body.consequences.length, 5);
  assert.is((await world.ask('DELETE', team('core'), { as: 'owner' })).status, 204);
  assert.is((await world.ask('GET', team('core'))).status, 404);
  const view = world.store.read();
  assert.equal([view.count('Team'), view.count('Membership'), view.count('Invitation')], [1, 1, 0]);
  assert.is((await world.ask('GET', '/api/v1/user/invitations', { as: 'user' })).body.count, 0);
  assert.is((await world.ask('DELETE', team('core'), { as: 'owner' })).status, 404);
});

deleting('declines while it has instances or devices, and says how many', async ({ world }) => {
  await putInstance(world);
  const { status, body } = await world.ask('DELETE', team('core'), { as: 'owner' });
  assert.is(status, 409);
  assert.is(body.code, 'conflict');
  assert.match(
    body.detail,
    /the team core cannot be deleted, because it has 1 instance and 1 device: delete these first/,
  );
  const tried = await world.ask('DELETE', `${team('core')}?dryRun=true`, { as: 'owner' });
  assert.is(tried.status, 200);
  const { rule, severity, message } = tried.body.findings[0];
  assert.equal([rule, severity, `${message}.`], ['conflict', 'error', body.detail]);
  assert.equal([tried.body.changes, tried.body.summary.blocked, tried.body.summary.unchanged], [[], 1, 0]);
});

deleting('looks at If-Match', async ({ world }) => {
  const { headers } = await world.ask('GET', team('core'), { as: 'owner' });
  await world.ask('PUT', team('core'), { as: 'owner', body: { name: 'Moved' } });
  const ask = { as: 'owner' as const, headers: { 'if-match': String(headers['etag']) } };
  assert.is((await world.ask('DELETE', team('core'), ask)).status, 412);
});

const scope = suite('sso scopes');

scope('of all teams are warned of for every team, drafts for none', async () => {
  const files = teamsTree('userTeamCreation: true');
  const sso = String(files['sso.yaml']);
  const put = async (text: string) => {
    const world = await startWorld({ ...files, 'sso.yaml': text });
    const { body } = await world.ask('PUT', team('other'), { as: 'otherOwner', body: { slug: 'another' } });
    await world.close();
    return body.warnings?.map(({ message }: { message: string }) => message.replace(/^.*: call/, 'call'));
  };
  const all = sso.replace('scope: selected, teams: [core]', 'scope: all');
  assert.equal(await put(all), ['call them svc-another-<role> at the identity provider']);
  assert.is(await put(all.replace('active: true', 'active: false')), undefined);
  assert.is(await put(all.replace('manageRoles: true', 'manageRoles: false')), undefined);
});

making.run();
reading.run();
changing.run();
deleting.run();
scope.run();
