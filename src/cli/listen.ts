// Opens the port of the server, or says why that cannot be.
import { createServer } from 'node:net';
import { Unavailable } from './failure.ts';

/** Where to listen. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** What listens: a server of Fastify. */
interface Listener {
  readonly server: { maxConnections: number };
  listen(address: Address): Promise<string>;
}

/** Lets a server listen, to as many connections as leave descriptors for its own files. Throws `Unavailable` with what to do. */
export async function listen(app: Listener, address: Address): Promise<void> {
  try {
    app.server.maxConnections = mostConnections(openFilesLimit());
    await app.listen(address);
  } catch (error) {
    throw asUnavailable(error, address);
  }
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

/** A port that nobody listens on at the moment. Throws `Unavailable`. */
export async function freePort(host: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const probe = createServer();
  probe.once('error', (error) => reject(asUnavailable(error, { host, port: 0 })));
  probe.listen(0, host, () => {
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
  return message === undefined ? error : new Unavailable('port_unavailable', message);
}
