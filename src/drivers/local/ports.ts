// Loopback ports: one that an instance keeps, below those that the system hands out by itself.
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** The address at which runtimes listen. */
export const loopback = '127.0.0.1';

const first = 20_000;
const amount = 10_000;

/** A free port past those that are kept. Nothing where all are taken. By chance, so that two who look at once hardly ever find the same. */
export async function freePort(kept: ReadonlySet<number>): Promise<number | undefined> {
  const start = randomInt(amount);
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
