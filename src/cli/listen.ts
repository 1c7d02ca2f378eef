// Opens the port of the server, or says why that cannot be.
import { randomInt } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { createServer, type Server } from 'node:net';
import { Unavailable } from './failure.ts';

/** Where to listen. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** What listens: a server of Fastify. */
interface Listener {
  readonly server: Pick<Server, 'emit'>;
  addHook(name: 'preClose', work: () => Promise<void>): unknown;
  listen(address: Address): Promise<string>;
}

/** Lets a server listen. Throws `Unavailable` with what to do. */
export async function listen(app: Listener, { host, port }: Address): Promise<void> {
  try {
    const [first = host, ...others] = host === 'localhost' ? await addressesOf(host) : [host];
    const more = others.map(() => createServer(shared, (socket) => app.server.emit('connection', socket)));
    app.addHook('preClose', async () => {
      for (const server of more) server.close();
    });
    await app.listen({ host: first, port });
    await Promise.all(more.map((server, at) => tryToListen(server, { host: others[at] ?? '', port })));
  } catch (error) {
    throw asUnavailable(error, { host, port });
  }
}

/** As the connections of an HTTP server are made. */
const shared = { allowHalfOpen: true, noDelay: true } as const;

/** The addresses of this machine for itself; the name where nobody can say. */
async function addressesOf(host: string): Promise<string[]> {
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.length > 0 ? found.map(({ address }) => address) : [host];
}

/** A further address of the same name. Its connections are handed to the one server, so that all count and none has other time-outs; it may be missing. */
function tryToListen(server: Server, address: Address): Promise<void> {
  return new Promise((done) => {
    server.once('error', () => done()).listen(address, done);
  });
}

/** How many sockets may be open: as many as leave descriptors for the files of the server itself. */
export function maxSockets(): number {
  return mostConnections(openFilesLimit());
}

/** How many connections are taken where so many files may be open: whoever holds them all must not keep the journal or the tree from being opened. */
export function mostConnections(openFiles: number): number {
  return Math.max(1, openFiles - Math.min(256, Math.ceil(openFiles / 2)));
}

/** How many files and connections this process may have open; what the system tells nobody counts as without limit. */
function openFilesLimit(): number {
  // Without the network, whose names would be looked up for the report.
  const report: object = Object.assign(process.report, { excludeNetwork: true }).getReport();
  const { userLimits }: { readonly userLimits?: unknown } = report;
  const soft: unknown = Object(Object(userLimits).open_files).soft;
  return typeof soft === 'number' ? soft : Number.MAX_SAFE_INTEGER;
}

/**
 * Does what needs a port: the one that is wanted, or, for 0, any that is free. Where somebody else takes that before it is listened on, there
 * is another. Passes on what `work` throws.
 */
export async function withPort<T>({ host, port }: Address, work: (port: number) => Promise<T>): Promise<T> {
  for (let more = 20; ; more--) {
    try {
      return await work(port === 0 ? await freePort(host) : port);
    } catch (error) {
      if (port !== 0 || more === 0 || !isTaken(error)) throw error;
    }
  }
}

function isTaken(error: unknown): boolean {
  const cause: unknown = error instanceof Unavailable ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
}

/** Below the ports that Linux hands out by itself, to anybody who connects anywhere, and beside those of instances. */
const firstPort = 30_000;
const amountOfPorts = 2_700;

/**
 * A port that nobody listens on at the moment, by chance among those that the system gives to nobody by itself: one of those may be
 * somebody's before we listen. Throws `Unavailable`.
 */
async function freePort(host: string): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = firstPort + randomInt(amountOfPorts);
    if ((await listenedOn(host, port)) !== undefined) return port;
  }
  return (await listenedOn(host, 0)) ?? 0;
}

/** The port on which somebody could listen just now; nothing where it is taken, or not for us. */
function listenedOn(host: string, port: number): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const probe = createServer();
  probe.once('error', (error: NodeJS.ErrnoException) => {
    const isTaken = port !== 0 && (error.code === 'EADDRINUSE' || error.code === 'EACCES');
    if (isTaken) resolve(undefined);
    else reject(asUnavailable(error, { host, port }));
  });
  probe.listen({ port, host, exclusive: true }, () => {
    const address = probe.address();
    probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
  });
  return promise;
}

/** The address that people on this machine reach the server under. */
export function baseUrlOf(host: string, port: number): string {
  const name = ['0.0.0.0', '::'].includes(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

function asUnavailable(error: unknown, { host, port }: Address): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const words: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} on ${host} is taken by another process: stop that one, or name another port with --port`,
    EACCES: `port ${port} on ${host} cannot be opened without more rights: name one from 1024 on with --port`,
    EADDRNOTAVAIL: `the server cannot listen on ${host}, because this machine has no such address: name another with --host`,
    ENOTFOUND: `the server cannot listen on ${host}, because there is no host of that name: name another with --host`,
  };
  const message = words[code];
  return message === undefined ? error : new Unavailable('port_unavailable', message, { cause: error });
}
