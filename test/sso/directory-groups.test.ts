// timeout: 1200
// From Debian's slapd to teams: people sign in over HTTP, and their groups become roles.
import * as assert from 'uvu/assert';
import { created } from '../../src/core/model/change.ts';
import { ldapProvider } from '../../src/sso/ldap.ts';
import { login, put, treeWith } from '../http/people.ts';
import { type ServerWorld, startWorld } from '../http/world.ts';
import { debian, suiteWith } from '../support/debian.ts';
import { rootDn, rootPassword, type Slapd, slapdCommands, slapdPackages, startSlapd } from '../support/slapd.ts';
import { group, people, person, uniqueGroup, unit } from './ldap/sample-directory.ts';

const commands = debian(slapdPackages, slapdCommands);
const dn = (uid: string) => `uid=${uid},${people}`;
const ldif = [
  ...['people', 'groups'].map(unit),
  ...['ann-lee', 'bob', 'eve'].map((uid) => person(uid, uid === 'ann-lee' ? { displayName: 'Ann Lee' } : {})),
  group('weir_svc-core-member_x', [dn('ann-lee'), dn('bob')]),
  uniqueGroup('weir_svc-core-owner_x', [dn('ann-lee')]),
  group('weir_bosses_x', [dn('bob')]),
  group('svc-core-owner', [dn('eve')]),
  group('weir_svc-ghost-owner_x', [dn('eve')]),
].join('');
const documents = (port: number, server: string) => `kind: SsoConfig
metadata: {name: dir}
spec:
  emailDomain: example.com
  provider: ldap
  active: true
  provisionNewUsers: true
  sessions: {expiryHours: 8, idleHours: 1}
  ldap:
    server: "${server}:${port}"
    username: "${rootDn}"
    password: {fromEnv: WEIR_SECRET_LDAP}
    baseDn: "${people}"
    userSearchFilter: "(|(uid=\${username})(mail=\${email}))"
    groupDn: ou=groups,dc=example,dc=com
    groupPrefixLength: 5
    groupSuffixLength: 2
  groups: {manageRoles: true, adminGroup: bosses}
`;

const secretOf = () => ({ value: rootPassword });
const real = suiteWith(commands, 'groups of a directory');
let slapd: Slapd;
real.before(async () => {
  if (commands) slapd = await startSlapd(commands, { ldif });
});
real.after(async () => {
  await slapd?.stop();
});

async function worldWith(port: number, server = '127.0.0.1'): Promise<ServerWorld> {
  const directory = ldapProvider({ secretOf, limits: { operationMs: 1000, loginMs: 2000 } });
  const world = await startWorld(treeWith([], { 'sso.yaml': documents(port, server) }), { directory });
  await put(world.store, 'root', { admin: true });
  const type = world.store.read().named('TeamType', 'starter')?.id ?? '';
  const times = { generation: 1, createdAt: '2026-11-21T10:00:00.000Z', updatedAt: '2026-11-21T10:00:00.000Z' };
  const team = { kind: 'Team', id: 'crew', name: 'crew', spec: { displayName: 'Crew', type }, ...times } as const;
  const spec = { team: 'crew', user: 'root', role: 'owner', ssoManaged: false } as const;
  const member = { kind: 'Membership', id: 'crew-root', name: 'crew-root', spec, ...times } as const;
  await world.store.commit(() => ({ changes: [created(team), created(member)] }), { id: 'crew' });
  return world;
}

const places = ({ store }: ServerWorld, user: string) =>
  [...store.read().all('Membership')]
    .filter(({ spec }) => spec.user === user)
    .map(({ spec }) => `${spec.team}:${spec.role}${spec.ssoManaged ? '*' : ''}`);

real('become the highest role that they name, once stripped', async () => {
  const world = await worldWith(slapd.port);
  const { status, body, text } = await login(world, 'ann-lee', 'pw-ann-lee');
  assert.is(status, 200, text);
  assert.equal(
    [body.username, body.name, body.admin, places(world, body.id)],
    ['ann-lee', 'Ann Lee', false, ['core:owner*']],
  );
  const [session] = world.store.read().all('Session');
  assert.equal([session?.spec.expiresAt, session?.spec.idleHours], ['2026-11-21T18:00:00.000Z', 1]);
  await world.close();
});

real('give the admin flag, and take people out of teams that they do not name', async () => {
  const world = await worldWith(slapd.port);
  await put(world.store, 'bob', { email: 'bob@example.com' });
  const member = { team: 'crew', user: 'bob', role: 'viewer', ssoManaged: false } as const;
  const times = { generation: 1, createdAt: '2026-11-21T10:00:00.000Z', updatedAt: '2026-11-21T10:00:00.000Z' };
  await world.store.commit(
    () => ({ changes: [created({ kind: 'Membership', id: 'crew-bob', name: 'crew-bob', spec: member, ...times })] }),
    { id: 'bob' },
  );
  const { body } = await login(world, 'bob@example.com', 'pw-bob');
  assert.equal([body.id, body.admin, places(world, 'bob')], ['bob', true, ['core:member*']]);
  await world.close();
});

real('are no roles before they are stripped, nor of teams that there are not', async () => {
  const world = await worldWith(slapd.port);
  const { body } = await login(world, 'eve@example.com', 'pw-eve');
  assert.equal([body.username, places(world, body.id)], ['eve-2', []], 'the name was somebody else’s');
  const { reason } = (await world.ask('GET', '/api/v1/admin/audit-log?event=sign-in.succeeded')).body.auditEntries[0];
  assert.match(
    reason,
    /"weir_svc-ghost-owner_x" is ignored, because no team has the slug "ghost"; 1 group is of another form$/,
  );
  await world.close();
});

real('are asked of nobody with a wrong password, and of no directory that is not there', async () => {
  const world = await worldWith(slapd.port);
  assert.is((await login(world, 'ann-lee', 'wrong')).status, 401);
  assert.is((await login(world, 'nobody', 'pw-ann-lee')).status, 401);
  await world.close();
  const gone = await worldWith(2);
  const { position } = gone.store.read();
  assert.is((await login(gone, 'ann-lee', 'pw-ann-lee')).status, 503);
  assert.equal([gone.store.read().position, (await login(gone, 'root')).status], [position, 200]);
  await gone.close();
});

real.run();
