// Stand-ins for runtimes, behind the real way in: what a runtime may do wrong, a plain server does here on purpose.
import { request as ask, createServer, type IncomingMessage, type RequestListener, Server } from 'node:http';
import { type AddressInfo, connect, type Server as NetServer, type Socket } from 'node:net';
import { created, updated } from '../../../src/core/model/change.ts';
import type { Resource } from '../../../src/core/model/resource.ts';
import type { Files } from '../../../src/drivers/driver.ts';
import { stubDriver } from '../../../src/drivers/stub.ts';
import type { InstanceDoor, WayInBounds } from '../../../src/http/services.ts';
import { newId } from '../../../src/lib/id.ts';
import { type Credential, type ServerWorld, start, startWorld } from '../world.ts';

export interface ProxyWorld extends ServerWorld {
  /** What instances serve as it is. */
  readonly files: Files;
  readonly port: number;
  /** Makes an instance of the team `core`, which answers as the listener does; without one it does not run. It knows itself below its path, unless `door` says otherwise. */
  instance(
    id: string,
    answers?: RequestListener | NetServer,
    more?: object,
    door?: Partial<Pick<InstanceDoor, 'path' | 'editorPath'>>,
  ): Promise<void>;
  /** Changes what is kept of an instance. */
  change(id: string, more: object): Promise<void>;
  /** Takes the runtime of an instance away. */
  stopInstance(id: string): void;
  /** As if it ran anew: at another door, behind which the same stand-in answers. */
  runAnew(id: string): void;
  /** Sends a request; as whom, by a token. */
  get(path: string, options?: Sending): Promise<Got>;
  /** Sends bytes as they are, and answers all that came back until the connection ended. */
  raw(text: string): Promise<string>;
  /** The headers of a browser that has signed in. */
  browser(user: string): Promise<Record<string, string>>;
}

export interface Sending {
  readonly method?: string;
  readonly as?: Credential;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string;
}

export interface Got {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** What every stand-in of a runtime gets: who sends a request. */
const principalHeader = 'x-weir-principal';

const features = ['teamEndpointSecurity', 'protectedInstances', 'staticAssets'] as const;

/** The tree of these tests; `switches` are the features of the team type. */
export function treeOf(switches: readonly string[] = [], platform = ''): Readonly<Record<string, string>> {
  return {
    'weir.yaml': `kind: Platform\nmetadata: {name: platform}\nspec:\n  reconcile: {settleMs: 50, pollSeconds: 3600}\n${platform}`,
    'types.yaml': `kind: Stack\nmetadata: {name: nr-4}\nspec: {runtime: "4"}\n---\nkind: InstanceType\nmetadata: {name: small}\nspec: {stacks: [nr-4], defaultStack: nr-4}\n---\nkind: Template\nmetadata: {name: standard}\nspec: {}\n---\nkind: TeamType\nmetadata: {name: starter}\nspec:\n  features: {${switches.map((name) => `${name}: true`).join(', ')}}\n  instanceTypes: [{name: small}]\n`,
  };
}

/** Starts a server that listens, with instances that stand-ins answer for. */
export async function startProxyWorld(
  files = treeOf(),
  {
    wayIn = {},
    baseUrl = 'http://weir.example',
    maxSockets = Number.MAX_SAFE_INTEGER,
  }: { readonly wayIn?: WayInBounds; readonly baseUrl?: string; readonly maxSockets?: number } = {},
): Promise<ProxyWorld> {
  const doors = new Map<string, InstanceDoor>();
  const servers: NetServer[] = [];
  const drivers = new Map([['local', { provides: new Set(features), runner: {} }]]);
  const stub = stubDriver();
  const world = await startWorld(files, {
    drivers,
    instanceFiles: stub.files,
    baseUrl,
    wayIn,
    maxSockets,
    instanceDoor: (id) => doors.get(id),
  });
  await world.app.listen({ port: 0, host: '127.0.0.1' });
  const port = portOf(world.app.server);
  const put: ProxyWorld['instance'] = async (id, answers, more = {}, door = {}) => {
    if (answers) {
      const server = typeof answers === 'function' ? createServer(answers) : answers;
      servers.push(server);
      if (!server.listening) await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
      doors.set(id, { ...doorOf(portOf(server), id), ...door });
    }
    await world.store.commit(() => ({ changes: [created(instanceOf(world.store, id, answers !== undefined, more))] }), {
      id: newId(),
    });
  };
  return {
    ...world,
    files: stub.files,
    port,
    instance: put,
    change: async (id, more) => {
      const before = world.store.read().get('Instance', id);
      if (!before) throw new Error('no such instance');
      const after = { ...before, spec: { ...before.spec, ...more }, generation: before.generation + 1 };
      await world.store.commit(() => ({ changes: [updated(before, after)] }), { id: newId() });
    },
    stopInstance: (id) => doors.delete(id),
    runAnew: (id) => {
      const door = doors.get(id);
      if (door) doors.set(id, { ...door });
    },
    get: (path, options) => send(port, world.tokens, path, options),
    raw: (text) => raw(port, text),
    browser: async (user) => ({ ...(await world.signedIn(user)), host: 'weir.example' }),
    close: async () => {
      for (const server of servers) {
        if (server instanceof Server) server.closeAllConnections();
        server.close();
      }
      await world.close();
    },
  };
}

function portOf(server: Pick<NetServer, 'address'>): number {
  return (server.address() as AddressInfo).port;
}

function doorOf(port: number, id: string): InstanceDoor {
  return {
    origin: `http://127.0.0.1:${port}`,
    path: `/i/${id}`,
    editorPath: `/i/${id}`,
    principal: ({ editor }) => [
      principalHeader,
      editor ? `${editor.mayWrite ? 'write' : 'read'}.${editor.name}` : 'none',
    ],
  };
}

function instanceOf(store: ProxyWorld['store'], id: string, isRunning: boolean, more: object): Resource<'Instance'> {
  const condition = {
    type: 'Ready',
    status: 'False',
    reason: 'StartFailed',
    message: 'it fell over',
    lastTransitionTime: start,
  };
  const spec: Resource<'Instance'>['spec'] = {
    team: 'core',
    instanceType: store.read().named('InstanceType', 'small')?.id ?? '',
    template: store.read().named('Template', 'standard')?.id ?? '',
    stack: store.read().named('Stack', 'nr-4')?.id ?? '',
    desired: 'running',
    state: isRunning ? 'running' : 'crashed',
    conditions: isRunning ? [] : [{ ...condition, status: 'False' }],
    ...(isRunning ? { url: 'http://127.0.0.1:1/' } : {}),
    ...more,
  };
  const times = { generation: 1, createdAt: start, updatedAt: start };
  return { kind: 'Instance', id, name: `Line ${id}`, spec, ...times };
}

function send(
  port: number,
  tokens: ServerWorld['tokens'],
  path: string,
  { method = 'GET', as, headers = {}, body }: Sending = {},
) {
  const token = as === undefined ? undefined : tokens[as];
  return new Promise<Got>((resolve, reject) => {
    const request = ask(
      {
        ...{ port, host: '127.0.0.1', method, path, agent: false },
        headers: {
          host: 'weir.example',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...headers,
        },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.once('error', reject);
        response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      },
    );
    request.once('error', reject).end(body);
  });
}

/** All that comes back for bytes that are sent as they are. */
export function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let got = '';
    const socket: Socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'));
    socket.setEncoding('latin1').on('data', (part: string) => {
      got += part;
    });
    socket.on('error', () => {}).once('close', () => resolve(got));
  });
}
