// A world with something of everything in it, and one team whose words nobody else may ever read.
import { mintSecret } from '../../src/auth/secret.ts';
import { kinds } from '../../src/core/kinds/index.ts';
import { created } from '../../src/core/model/change.ts';
import type { Resource } from '../../src/core/model/resource.ts';
import type { Keeper } from '../../src/drivers/driver.ts';
import { stubDriver } from '../../src/drivers/stub.ts';
import { newId } from '../../src/lib/id.ts';
import { keepContent } from '../support/keep-content.ts';
import type { Words } from './requests.ts';
import { type ServerWorld, start, startWorld, tree } from './world.ts';

/** In every text of the team `hidden` and of what belongs to it. */
export const marker = 'markerzq';

/** In every secret that is kept. */
export const secretMarker = 'hushzq';

const files = {
  ...tree,
  'types.yaml': (tree['types.yaml'] ?? '').replace(
    'features: {',
    'features: {deviceGroups: true, versionHistoryTimeline: true, deviceAutoSnapshot: true, instanceResources: true, staticAssets: true, billOfMaterials: true, ',
  ),
  'weir.yaml': `kind: Platform
metadata: {name: platform}
spec:
  licence: enterprise
  reconcile: {settleMs: 50, pollSeconds: 3600}
  email: {from: weir@example.net, smtp: {host: mail.example.net}}
  api: {rateLimit: {signInPerMinute: 0}}
---
kind: AdminSettings
metadata: {name: default}
spec: {registration: true, passwordReset: true, userTeamCreation: true, externalInvitations: true, statisticsTokenAccess: true}
`,
  'more.yaml': `kind: Template
metadata: {name: plain}
spec: {options: {theme: {value: dark, locked: true}}}
---
kind: TeamType
metadata: {name: large}
spec: {instanceTypes: [{name: small}]}
`,
};

/** It runs nothing, and keeps what instances hold. */
const keeping = (begins: () => Promise<void>): Keeper => ({
  read: async () => {
    await begins();
    return { flows: [], modules: {} };
  },
  write: async (_id, { stored }) => stored,
  onChange: () => () => {},
});

/** Starts it. What is asked of a driver waits for `begins`. */
export async function startPopulated(
  more: Readonly<Record<string, string>> = {},
  begins: () => Promise<void> = async () => {},
): Promise<ServerWorld> {
  const provides = new Set([
    'teamLibrary',
    'instanceResources',
    'billOfMaterials',
    'versionHistoryTimeline',
    'staticAssets',
  ] as const);
  const drivers = new Map([['local', { provides, keeper: keeping(begins) }]]);
  const world = await startWorld(
    { ...files, ...more },
    {
      drivers,
      instanceLogs: (id) => begins().then(() => logOf(id)),
      instancePast: () => begins().then(() => ({ seconds: 60, stretches: [] })),
      installed: () => begins().then(() => ({ modules: [] })),
      instanceFiles: await someFiles(begins),
    },
  );
  const view = world.store.read();
  const id = (kind: 'TeamType' | 'InstanceType' | 'Template' | 'Stack', name: string) =>
    view.named(kind, name)?.id ?? '';
  const ofInstance = {
    instanceType: id('InstanceType', 'small'),
    template: id('Template', 'plain'),
    stack: id('Stack', 'nr-4'),
    desired: 'stopped' as const,
    state: 'stopped' as const,
    conditions: [],
  };
  // The same for all: their blob is that of what holds nothing.
  const empty = await keepContent(world, { format: 1, flows: [], modules: {} });
  const held = (module: string) => ({
    kind: 'manual' as const,
    createdBy: { kind: 'user' as const, id: 'sam', name: 'sam' },
    modules: { [module]: '1.0.0' },
    content: empty.name,
  });
  const resources: Resource[] = [
    user('sam', `${marker} Sam`, `sam@${marker}.example`),
    {
      kind: 'Team',
      id: 'hidden',
      name: `${marker}-team`,
      spec: { displayName: `The ${marker} team`, type: id('TeamType', 'starter') },
      ...times,
    },
    member('hidden', 'sam'),
    instance('hidden-1', `${marker} line`, {
      ...ofInstance,
      team: 'hidden',
      environment: [{ name: 'KEY', value: marker }],
    }),
    instance('core-1', 'line one', { ...ofInstance, team: 'core' }),
    snapshot('hidden-s', `${marker} picture`, { team: 'hidden', instance: 'hidden-1', ...held(marker) }),
    snapshot('core-s', 'first picture', { team: 'core', instance: 'core-1', ...held('node-red-dashboard') }),
    snapshot('core-t', 'second picture', { team: 'core', instance: 'core-1', ...held('node-red-dashboard') }),
    invitation('hidden-asks', { team: 'hidden', role: 'member', inviter: 'sam', email: `guest@${marker}.example` }),
    invitation('core-asks', { team: 'core', role: 'viewer', inviter: 'olga', email: 'guest@example.net' }),
    invitation('core-asks-bob', { team: 'core', role: 'viewer', inviter: 'olga', user: 'bob' }),
    token('sam-token', `${marker} token`, 'sam'),
    token('bob-token', 'laptop', 'bob'),
    device('hidden-device', `${marker} gateway`, { team: 'hidden', group: 'hidden-group' }),
    device('core-device', 'Gateway one', { team: 'core', mode: 'developer' }),
    group('hidden-group', `${marker} gateways`, 'hidden'),
    group('core-group', 'Gateways one', 'core'),
    provisioning('hidden-machine', `${marker} hall`, 'hidden'),
    provisioning('core-machine', 'hall one', 'core'),
    calling('hidden-caller', `${marker} scale`, 'hidden', 'hidden-1'),
    calling('core-caller', 'scale one', 'core', 'core-1'),
  ];
  await world.store.commit(() => ({ changes: resources.map(created) }), { id: newId() });
  await world.putDevices();
  const ofDevices = [
    snapshot('device-s', 'deployed', { team: 'core', device: 'core-device', ...held('node-red-dashboard') }),
    snapshot('gateway-s', 'the target', { team: 'core', device: 'gateway', ...held('node-red-dashboard') }),
  ];
  await world.store.commit(() => ({ changes: ofDevices.map(created) }), { id: newId() });
  await world.ask('PUT', '/api/v1/devices/gateway', { body: { mode: 'developer', targetSnapshot: 'gateway-s' } });
  const sam = await world.signedIn('sam');
  const bySam = { as: 'none', headers: sam } as const;
  await world.ask('PUT', '/api/v1/teams/hidden', { ...bySam, body: { name: `Our ${marker} team` } });
  await world.ask('PUT', '/api/v1/instances/hidden-1', { ...bySam, body: { name: `our ${marker} line` } });
  for (const name of ['line 1', 'line one']) await world.ask('PUT', '/api/v1/instances/core-1', { body: { name } });
  const ldap = { server: 'ldap:389', username: 'cn=x', password: secretMarker, baseDn: 'dc=x' };
  await world.ask('POST', '/api/v1/sso-configs', {
    body: { name: 'kept', spec: { emailDomain: 'kept.example', provider: 'ldap', ldap } },
  });
  await world.ask('POST', '/api/v1/templates', {
    body: { name: 'guarded', spec: { options: { httpAuth: { value: { username: 'x', password: secretMarker } } } } },
  });
  return world;
}

/** Of two instances, those of the hidden one in words that nobody may read. */
async function someFiles(begins: () => Promise<void>) {
  const { files } = stubDriver();
  for (const path of ['logo.png', 'img/press.svg']) await files.put('core-1', path, Buffer.from('a picture'), () => {});
  await files.put('hidden-1', `${marker}.png`, Buffer.from(marker), () => {});
  return { ...files, list: (id: string) => begins().then(() => files.list(id)) };
}

/** What there is in it, by the names of fields. */
export const words: Words = (field) => existing[field] ?? [];

const emails = ['ann@example.net', 'bob@example.net', 'guest@example.net', 'new@example.net', 'OLGA@EXAMPLE.NET'];
const existing: Readonly<Record<string, readonly string[]>> = {
  type: ['starter', 'large', 'nothing'],
  instanceType: ['small', 'nothing'],
  template: ['plain', 'guarded', 'nothing'],
  stack: ['nr-4', 'nothing'],
  stacks: ['nr-4'],
  defaultStack: ['nr-4', 'nothing'],
  user: ['bob', 'max', 'olga', 'new@example.net', 'nobody'],
  username: ['bob', 'ann', 'fresh-one', 'Fresh-Two'],
  email: emails,
  password: ['copper kettle drum', 'password', 'short'],
  currentPassword: ['copper kettle drum'],
  name: ['thing', 'nr-4', 'starter', 'plain', 'A name', '名前'],
  slug: ['core', 'other', 'fresh', 'nothing'],
  teamType: ['starter', 'nothing'],
  q: ['a', 'core', 'BOB'],
  kind: ['Stack', 'TeamType'],
  actor: ['ann', 'bob'],
  targetSnapshot: ['core-s', 'gateway-s', 'hidden-s', 'nothing'],
  group: ['core-group', 'hidden-group', 'nothing'],
  target: ['core', 'hidden', 'ann'],
  runtime: ['4.1', '4.2'],
  emailDomain: ['example.com', 'fresh.example'],
};

const params: Readonly<Record<string, readonly string[]>> = {
  '/files/{path}': ['logo.png', 'img/press.svg', `${marker}.png`, '.hidden', 'a/../b'],
  '/teams/{id}': ['core', 'other', 'hidden', 'nothing'],
  '/instances/{id}': ['core-1', 'hidden-1', 'nothing'],
  '/snapshots/{id}': ['core-s', 'core-t', 'hidden-s', 'nothing'],
  '{snapshotId}': ['core-s', 'core-t', 'hidden-s', 'nothing'],
  '/users/{id}': ['bob', 'ann', 'sam', 'olga', 'eve', 'nothing'],
  '/tokens/{id}': ['sam-token', 'bob-token', 'nothing'],
  '/invitations/{id}': ['hidden-asks', 'core-asks', 'core-asks-bob', 'nothing'],
  '/sessions/{id}': ['nothing'],
  '/devices/{id}': ['core-device', 'gateway', 'hidden-device', 'nothing'],
  '/device-groups/{id}': ['core-group', 'gateways', 'hidden-group', 'nothing'],
  '/http-tokens/{tokenId}': ['core-caller', 'hidden-caller', 'nothing'],
  '{tokenId}': ['core-machine', 'hidden-machine', 'nothing'],
  '{invitationId}': ['hidden-asks', 'core-asks', 'nothing'],
  '{userId}': ['olga', 'max', 'vera', 'sam', 'bob', 'ann', 'nothing'],
  '/slug/{slug}': ['core', 'other', `${marker}-team`, 'nothing'],
  '/stacks/{name}': ['nr-4', 'thing'],
  '/instance-types/{name}': ['small', 'thing'],
  '/team-types/{name}': ['starter', 'large', 'thing'],
  '/templates/{name}': ['plain', 'guarded', 'thing'],
  '/sso-configs/{name}': ['corp', 'folk', 'kept', 'thing'],
};

/** What may stand for a parameter of a path: things that there are, of the kind that the path is about. */
export function inPlaceOf(path: string, name: string): readonly string[] {
  const upTo = path.slice(0, path.indexOf(`{${name}}`) + name.length + 2);
  const found = Object.entries(params).find(([end]) => upTo.endsWith(end));
  return found?.[1] ?? ['nothing'];
}

const times = { generation: 1, createdAt: start, updatedAt: start } as const;
const later = '2026-11-28T10:00:00.000Z';

function user(id: string, displayName: string, email: string): Resource<'User'> {
  const spec = {
    email,
    emailVerified: true,
    displayName,
    admin: false,
    suspended: false,
    lastSignInAt: null,
    failedSignIns: 0,
    lockedUntil: null,
  };
  return { kind: 'User', id, name: id, spec, ...times };
}

function member(inTeam: string, who: string): Resource<'Membership'> {
  const id = `${inTeam}-${who}`;
  return {
    kind: 'Membership',
    id,
    name: id,
    spec: { team: inTeam, user: who, role: 'owner', ssoManaged: false },
    ...times,
  };
}

function instance(id: string, name: string, spec: Resource<'Instance'>['spec']): Resource<'Instance'> {
  return { kind: 'Instance', id, name, spec, ...times };
}

function snapshot(id: string, name: string, spec: Resource<'Snapshot'>['spec']): Resource<'Snapshot'> {
  return { kind: 'Snapshot', id, name, spec, ...times };
}

function invitation(
  id: string,
  spec: Omit<Resource<'Invitation'>['spec'], 'hash' | 'expiresAt'>,
): Resource<'Invitation'> {
  return { kind: 'Invitation', id, name: id, spec: { ...spec, hash: mintSecret().hash, expiresAt: later }, ...times };
}

function token(id: string, name: string, owner: string): Resource<'Token'> {
  const spec = { user: owner, hash: mintSecret().hash, scope: 'full', expiresAt: null, lastUsedAt: null } as const;
  return { kind: 'Token', id, name, spec, ...times };
}

function device(id: string, name: string, more: object): Resource<'Device'> {
  const made = { hash: mintSecret().hash, credentialSecret: secretMarker, ...more };
  return { kind: 'Device', id, name, spec: kinds.Device.spec.parse(made), ...times };
}

function group(id: string, name: string, inTeam: string): Resource<'DeviceGroup'> {
  return { kind: 'DeviceGroup', id, name, spec: { team: inTeam, description: name }, ...times };
}

function provisioning(id: string, name: string, inTeam: string): Resource<'ProvisioningToken'> {
  const spec = { team: inTeam, hash: mintSecret().hash, expiresAt: later };
  return { kind: 'ProvisioningToken', id, name, spec, ...times };
}

function calling(id: string, name: string, team: string, instance: string): Resource<'HttpToken'> {
  const spec = { team, instance, hash: mintSecret().hash, expiresAt: later };
  return { kind: 'HttpToken', id, name, spec, ...times };
}

function logOf(id: string) {
  return {
    lines: [{ at: start, level: 'info', message: id.startsWith('hidden') ? marker : 'Started flows' }],
    count: 1,
  };
}
