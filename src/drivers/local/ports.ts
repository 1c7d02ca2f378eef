// Loopback ports: one that an instance keeps, below those that the system hands out by itself.
import { createHash } from 'node:crypto';
import { createServer } from 'node:net';

/** The address at which runtimes listen. */
export const loopback = '127.0.0.1';

const first = 20_000;
const amount = 10_000;

/** A free port for an instance, past those that others keep: the same one where nothing is in the way. Nothing where all are taken. */
export async function freePort(id: string, kept: ReadonlySet<number>): Promise<number | undefined> {
  const start = createHash('sha256').update(id).digest().readUInt32BE() % amount;
  for (let step = 0; step < amount; step++) {
    const port = first + ((start + step) % amount);
    if (!kept.has(port) && (await isFree(port))) return port;
  }
  return undefined;
}

/** Whether nobody listens there. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: loopback, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
