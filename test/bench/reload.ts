// How long a server's event loop is held while it reloads a large tree and answers the API at the same time.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { writeTree } from '../support/synthetic-tree.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { median, type Row } from './measure.ts';
import type { LoopDelay } from './monitor.ts';
import { main, type Server, startServer } from './served.ts';

/** Reloads of one changed document, and of all of them, under traffic on ten connections. */
export async function benchReload(size = 10_000, rounds = 3): Promise<Row[]> {
  const tree = temporaryFolder();
  const store = temporaryFolder();
  const files = writeTree(tree.path, { documents: size, onePerFile: true }).map((file) => join(tree.path, file));
  const bootstrap = execFileSync(process.execPath, [main, 'bootstrap', '--store', store.path], { encoding: 'utf8' });
  const server = await startServer(tree.path, store.path);
  const { token } = JSON.parse(bootstrap) as { readonly token: string };
  const traffic = startTraffic(server.url, token);
  try {
    await settled(server, token, 'nothing');
    const idle = await repeat(rounds, () => trafficAlone(server));
    const one = await repeat(rounds, (round) =>
      reloadAfter(server, token, () => relabel(files.slice(1, 2), `one-${round}`)),
    );
    const all = await repeat(rounds, (round) =>
      reloadAfter(server, token, () => relabel(files.slice(1), `all-${round}`)),
    );
    return [
      {
        name: 'event loop held, traffic alone: 99th percentile',
        value: median(idle.map(({ p99 }) => p99)),
        unit: 'ms',
      },
      ...rowsOf(`one document of ${size} changed`, one, 50),
      ...rowsOf(`all ${size} documents changed`, all, 200),
    ];
  } finally {
    await traffic.stop();
    await server.stop();
    await Promise.all([tree.remove(), store.remove()]);
  }
}

function rowsOf(name: string, delays: readonly LoopDelay[], longest: number): Row[] {
  const worst = Math.max(...delays.map((one) => one.longest));
  return [
    {
      name: `event loop held, ${name}: 99th percentile`,
      value: median(delays.map(({ p99 }) => p99)),
      unit: 'ms',
      atMost: 20,
    },
    {
      name: `event loop held, ${name}: longest`,
      value: median(delays.map((one) => one.longest)),
      unit: 'ms',
      atMost: longest,
    },
    { name: `event loop held, ${name}: longest of all rounds`, value: worst, unit: 'ms' },
  ];
}

async function repeat<T>(rounds: number, work: (round: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let round = 0; round < rounds; round++) results.push(await work(round));
  return results;
}

/** Ten clients, each on its own connection, that ask for an object every ten milliseconds or so. */
function startTraffic(url: string, token: string): { stop: () => Promise<void> } {
  const agent = new Agent({ keepAlive: true, maxSockets: 10 });
  let going = true;
  const client = async () => {
    while (going) {
      await fetchJson(`${url}/api/v1/stacks/stack-0`, token, agent);
      await delay(10);
    }
  };
  const clients = Array.from({ length: 10 }, client);
  return {
    stop: async () => {
      going = false;
      await Promise.all(clients);
      agent.destroy();
    },
  };
}

function fetchJson(url: string, token: string, agent?: Agent): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const options = { headers: { authorization: `Bearer ${token}` }, ...(agent ? { agent } : {}) };
    get(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString())));
    }).once('error', reject);
  });
}

/** Waits until the server has applied another revision than `before`, and answers that one. */
async function settled(server: Server, token: string, before: string): Promise<string> {
  for (const end = performance.now() + 60_000; performance.now() < end; ) {
    const status = (await fetchJson(`${server.url}/api/v1/admin/config`, token)) as {
      revision?: { applied: string | null };
    };
    const applied = status.revision?.applied;
    if (applied && applied !== before) return applied;
    await delay(50);
  }
  throw new Error('the server has not applied the tree within a minute');
}

async function reloadAfter(server: Server, token: string, edit: () => void): Promise<LoopDelay> {
  const before = await settled(server, token, 'nothing');
  // Files that were written within the last two seconds are looked at more often.
  await delay(3_000);
  await server.read();
  edit();
  await settled(server, token, before);
  return server.read();
}

/** What the machine and the requests cost by themselves: to read the other figures by. */
async function trafficAlone(server: Server): Promise<LoopDelay> {
  await server.read();
  await delay(1_500);
  return server.read();
}

/** Gives the label that every synthetic document has another value. */
function relabel(files: readonly string[], label: string): void {
  for (const file of files)
    writeFileSync(file, readFileSync(file, 'utf8').replace(/tier: "[^"]*"/, `tier: "${label}"`));
}
