// A server for tests: the real one over the real loop, a store in memory, a tree in a folder, and one user of each kind.
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { createPasswords } from '../../src/auth/password.ts';
import { mintSecret } from '../../src/auth/secret.ts';
import { hashToken, mintToken } from '../../src/auth/token.ts';
import { createContents } from '../../src/control/contents.ts';
import { createInventory } from '../../src/control/inventory.ts';
import { type Loop, startLoop } from '../../src/control/loop.ts';
import { kinds } from '../../src/core/kinds/index.ts';
import type { Role } from '../../src/core/kinds/roles.ts';
import { created } from '../../src/core/model/change.ts';
import type { Resource } from '../../src/core/model/resource.ts';
import { singleton } from '../../src/core/model/view.ts';
import type { Facts } from '../../src/core/rules/facts.ts';
import { buildServer, createMetrics, type ServerOptions } from '../../src/http/server.ts';
import { newId } from '../../src/lib/id.ts';
import type { Mail, Mailer } from '../../src/mail/mail.ts';
import { exportSteps } from '../../src/manifests/export.ts';
import { openMemoryStore } from '../../src/store/memory.ts';
import type { Store } from '../../src/store/store.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';

/** The kinds of credential that there are. */
export const credentials = [
  'none',
  'garbage',
  'revoked',
  'expired',
  'suspended',
  'planOfUser',
  'plan',
  'statistics',
  'device',
  'provisioning',
  'user',
  'owner',
  'member',
  'viewer',
  'dashboard',
  'otherOwner',
  'admin',
] as const;
export type Credential = (typeof credentials)[number];

export interface ServerWorld {
  readonly app: FastifyInstance;
  readonly store: Store;
  readonly loop: Loop;
  readonly root: string;
  /** What the server logged. */
  readonly logged: string[];
  /** What of it were warnings. */
  readonly warned: string[];
  /** The letters that the server sent. */
  readonly mails: Mail[];
  readonly tokens: Readonly<Record<Credential, string | undefined>>;
  /** Makes the device `gateway` of the team `core`, and the provisioning token, whose credentials are `device` and `provisioning`. */
  putDevices(): Promise<void>;
  /** Signs a user in (by their id), past any password; answers the headers that a browser then sends from our pages. */
  signedIn(user: string): Promise<Readonly<Record<string, string>>>;
  /** Sets the clock of the server. */
  setNow(now: string): void;
  /** Asks the server; as an admin where nothing else is said. Answers the parsed body too. */
  ask(method: Method, url: string, options?: Asking): Promise<Asked>;
  close(): Promise<void>;
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD' | 'PATCH' | 'OPTIONS' | 'QUERY';

interface Asking {
  readonly as?: Credential;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Asked {
  readonly status: number;
  readonly headers: LightMyRequestResponse['headers'];
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  readonly body: any;
}

/** The tree that the server follows, unless a test has another. */
export const tree: Readonly<Record<string, string>> = {
  'weir.yaml':
    'kind: Platform\nmetadata: {name: platform}\nspec:\n  licence: enterprise\n  reconcile: {settleMs: 50, pollSeconds: 3600}\n',
  'stacks.yaml': 'kind: Stack\nmetadata: {name: nr-4}\nspec:\n  label: Node-RED 4\n  runtime: "4.1"\n',
  'types.yaml':
    'kind: InstanceType\nmetadata: {name: small}\nspec: {stacks: [nr-4], defaultStack: nr-4}\n---\nkind: TeamType\nmetadata: {name: starter}\nspec:\n  features: {teamLibrary: true, customHostnames: true}\n  instanceTypes: [{name: small, limit: 2}]\n',
  'sso.yaml':
    'kind: SsoConfig\nmetadata: {name: corp}\nspec: {emailDomain: Example.com, provider: saml}\n---\nkind: SsoConfig\nmetadata: {name: folk}\nspec:\n  emailDomain: example.org\n  provider: ldap\n  ldap: {server: "ldap:389", password: {fromEnv: WEIR_SECRET_NOT_THERE}}\n',
};

/** The time at which the world begins. */
export const start = '2026-11-21T10:00:00.000Z';

const facts: Facts = {
  drivers: new Map([['local', { provides: new Set(['teamLibrary'] as const) }]]),
  certificateProblem: () => undefined,
  secretProblem: (secret) => ('value' in secret ? undefined : `${Object.values(secret)[0]} is not set`),
};

/** What a test may want otherwise: the server's passwords, directory and address, and the drivers, of which the local one runs nothing by itself. */
interface Wishes
  extends Partial<
    Pick<
      ServerOptions,
      | 'passwords'
      | 'baseUrl'
      | 'directory'
      | 'instanceLogs'
      | 'instanceUsage'
      | 'instancePast'
      | 'installed'
      | 'instanceFiles'
      | 'pressure'
      | 'exportDocuments'
      | 'maxWaitMs'
      | 'instanceDoor'
      | 'wayIn'
      | 'maxSockets'
    >
  > {
  readonly drivers?: Facts['drivers'];
  /** What plans and reconciles wait for before they go on. */
  readonly slowed?: () => Promise<void>;
}

/** A directory that does not answer. */
export const deaf: ServerOptions['directory'] = {
  authenticate: async () => ({ outcome: 'unavailable', reason: 'nothing listens there' }),
};

/** Starts a world. */
export async function startWorld(
  files = tree,
  {
    passwords = createPasswords(),
    baseUrl = 'http://weir.example',
    drivers = facts.drivers,
    directory = deaf,
    // A machine that is busy with other tests is no subject of this one.
    pressure = { delayMs: Number.POSITIVE_INFINITY, seconds: 1 },
    slowed,
    ...more
  }: Wishes = {},
): Promise<ServerWorld> {
  const known = { ...facts, drivers };
  const folder = temporaryFolder();
  await writeFiles(folder.path, files);
  const metrics = createMetrics({ version: '0.0.0' });
  const store = metrics.measured(openMemoryStore({ rehearse: true }));
  const logged: string[] = [];
  const warned: string[] = [];
  let now = start;
  const fingerprint = (secret: string) => `print-${secret.length}`;
  const inventoryOf = createInventory();
  const elapsed = () => performance.now();
  const bench = { store, facts: () => known, now: () => now, newId, elapsed, inventoryOf, fingerprint };
  const { loop, failure } = await startLoop({
    ...bench,
    root: folder.path,
    log: (_level, message) => logged.push(message),
    onTurn: metrics.reconciled,
  });
  if (failure) throw failure;
  const tokens = await putUsers(store);
  const mails: Mail[] = [];
  const app = buildServer({
    door: { store, facts: () => known },
    reconciler: slowed ? slow(loop, slowed) : loop,
    exportDocuments: exportSteps,
    fingerprint,
    baseUrl,
    version: '1.2.3',
    passwords,
    directory,
    pressure,
    mailer: mailerInto(mails, () => singleton(store.read(), 'Platform').spec.email !== undefined),
    metrics,
    contents: createContents({ store, drivers }),
    clock: () => now,
    newId,
    log: (message) => logged.push(message),
    warn: (message) => {
      logged.push(message);
      warned.push(message);
    },
    ...more,
  });
  await app.ready();
  return {
    app,
    store,
    loop,
    root: folder.path,
    logged,
    warned,
    mails,
    tokens,
    putDevices: () => putDevices(store, tokens),
    signedIn: (user) => signIn(store, user, now),
    setNow: (time) => {
      now = time;
    },
    ask: (method, url, options = {}) => ask(app, tokens, method, url, options),
    close: async () => {
      await app.close();
      await loop.close();
      await store.close();
      await folder.remove();
    },
  };
}

/** A reconciler of which plans and reconciles take as long as somebody wants. */
function slow(loop: Loop, until: () => Promise<void>): ServerOptions['reconciler'] {
  return {
    ...loop,
    plan: () => until().then(() => loop.plan()),
    planDocuments: (posted) => until().then(() => loop.planDocuments(posted)),
    reconcile: (request) => until().then(() => loop.reconcile(request)),
  };
}

async function ask(
  app: FastifyInstance,
  tokens: ServerWorld['tokens'],
  method: Method,
  url: string,
  { as = 'admin', body, headers = {} }: Asking,
): Promise<Asked> {
  const token = tokens[as];
  const response = await app.inject({
    method,
    url,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const isJson = String(response.headers['content-type']).includes('json');
  return {
    status: response.statusCode,
    headers: response.headers,
    text: response.body,
    body: isJson && response.body !== '' ? JSON.parse(response.body) : undefined,
  };
}

async function putUsers(store: Store): Promise<ServerWorld['tokens']> {
  const starter = store.read().named('TeamType', 'starter')?.id ?? '';
  const resources: Resource[] = [
    user('ann', { admin: true }),
    user('bob', {}),
    user('eve', { admin: true, suspended: true }),
    ...['olga', 'max', 'vera', 'dora', 'otto'].map((name) => user(name, {})),
    team('core', starter),
    team('other', starter),
    member('core', 'olga', 'owner'),
    member('core', 'max', 'member'),
    member('core', 'vera', 'viewer'),
    member('core', 'dora', 'dashboard'),
    member('other', 'otto', 'owner'),
  ];
  const give = (owner: string, more: object = {}): string => {
    const { token: text, hash } = mintToken();
    resources.push(
      token(`${owner}-${resources.length}`, {
        user: owner,
        hash,
        scope: 'full',
        expiresAt: null,
        lastUsedAt: null,
        ...more,
      }),
    );
    return text;
  };
  const tokens = {
    none: undefined,
    garbage: 'garbage',
    revoked: mintToken().token,
    expired: give('ann', { expiresAt: '2026-11-21T09:59:59.000Z' }),
    suspended: give('eve'),
    planOfUser: give('bob', { scope: 'plan' }),
    plan: give('ann', { scope: 'plan' }),
    statistics: statisticsToken(resources),
    device: mintToken('device').token,
    provisioning: mintToken('provisioning').token,
    user: give('bob'),
    owner: give('olga'),
    member: give('max'),
    viewer: give('vera'),
    dashboard: give('dora'),
    otherOwner: give('otto'),
    admin: give('ann'),
  };
  await store.commit(() => ({ changes: resources.map(created) }), { id: newId() });
  return tokens;
}

const times = { generation: 1, createdAt: start, updatedAt: start } as const;

function user(name: string, more: { readonly admin?: boolean; readonly suspended?: boolean }): Resource<'User'> {
  const spec = {
    email: `${name}@example.net`,
    emailVerified: true,
    displayName: '',
    admin: false,
    suspended: false,
    lastSignInAt: null,
    failedSignIns: 0,
    lockedUntil: null,
    ...more,
  };
  return { kind: 'User', id: name, name, spec, ...times };
}

function team(name: string, type: string): Resource<'Team'> {
  return { kind: 'Team', id: name, name, spec: { displayName: `The ${name} team`, type }, ...times };
}

function member(inTeam: string, who: string, role: Role): Resource<'Membership'> {
  const id = `${inTeam}-${who}`;
  return { kind: 'Membership', id, name: id, spec: { team: inTeam, user: who, role, ssoManaged: false }, ...times };
}

function statisticsToken(into: Resource[]): string {
  const { token: text, hash } = mintToken();
  into.push({
    kind: 'StatisticsToken',
    id: 'statistics',
    name: 'statistics',
    spec: { hash, lastUsedAt: null },
    ...times,
  });
  return text;
}

async function signIn(store: Store, who: string, now: string): Promise<Readonly<Record<string, string>>> {
  const { secret, hash } = mintSecret();
  const id = newId();
  const expiresAt = new Date(Date.parse(now) + 168 * 3_600_000).toISOString();
  const spec = { user: who, hash, expiresAt, idleHours: 32, lastSeenAt: now, address: '127.0.0.1', agent: 'test' };
  const session: Resource<'Session'> = {
    kind: 'Session',
    id,
    name: id,
    spec,
    generation: 1,
    createdAt: now,
    updatedAt: now,
  };
  await store.commit(() => ({ changes: [created(session)] }), { id: newId() });
  return { cookie: `weir_session=${secret}`, origin: 'http://weir.example' };
}

async function putDevices(store: Store, { device, provisioning }: ServerWorld['tokens']): Promise<void> {
  const later = '2026-11-28T10:00:00.000Z';
  const made = { team: 'core', hash: hashToken(device ?? ''), credentialSecret: 'quiet' };
  const token = { team: 'core', hash: hashToken(provisioning ?? ''), expiresAt: later };
  const resources: Resource[] = [
    { kind: 'Device', id: 'gateway', name: 'Gateway', spec: kinds.Device.spec.parse(made), ...times },
    {
      kind: 'ProvisioningToken',
      id: 'hall',
      name: 'hall',
      spec: kinds.ProvisioningToken.spec.parse(token),
      ...times,
    },
    {
      kind: 'DeviceGroup',
      id: 'gateways',
      name: 'Gateways',
      spec: kinds.DeviceGroup.spec.parse({ team: 'core' }),
      ...times,
    },
  ];
  await store.commit(() => ({ changes: resources.map(created) }), { id: newId() });
}

/** Keeps letters instead of sending them; how they are sent is tested with a real server. */
function mailerInto(mails: Mail[], configured: () => boolean): Mailer {
  return { send: (mail) => mails.push(mail), configured, waiting: () => 0, close: async () => {} };
}

function token(id: string, spec: Resource<'Token'>['spec']): Resource<'Token'> {
  return { kind: 'Token', id, name: id, spec, ...times };
}
