// Loopback ports: one that an instance keeps, below those that the system hands out by itself.
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { DriverFailed } from '../driver.ts';
import { type Folder, folderOf, keptText, writePrivate } from './folder.ts';

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

/** The port that an instance keeps, or a new one where it has none, or another program has taken it. */
export async function portFor(id: string, folder: Folder, kept: Map<string, number>): Promise<number> {
  const known = kept.get(id) ?? portIn(await keptText(folder.port));
  const port = known !== undefined && (await isSoonFree(known)) ? known : await freePort(new Set(kept.values()));
  if (port === undefined) throw new DriverFailed('NoPort', 'this machine has no free port left for it');
  kept.set(id, port);
  await writePrivate(folder.port, `${port}\n`);
  return port;
}

/** Somebody may just be leaving it. */
async function isSoonFree(port: number): Promise<boolean> {
  for (let tries = 0; tries < 20; tries++) {
    if (await isFree(port)) return true;
    await sleep(25);
  }
  return false;
}

/** The port that is written in a text; nothing where there is none that a program of no rights can have. */
export function portIn(text: string | undefined): number | undefined {
  const port = text !== undefined && /^\d{4,5}\n?$/.test(text) ? Number(text) : 0;
  return port >= 1024 && port <= 65_535 ? port : undefined;
}

/** The ports that instances keep, by their ids; ports are kept by instances that do not run now, too. */
export async function readPorts(instances: string, ids: readonly string[]): Promise<Map<string, number>> {
  const ports = new Map<string, number>();
  for (const id of ids) {
    const port = portIn(await keptText(folderOf(instances, id).port));
    if (port !== undefined) ports.set(id, port);
  }
  return ports;
}
