// How long a server's event loop is held while it reloads a large tree and answers the API at the same time.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { writeTree } from '../support/synthetic-tree.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { against, median, type Row, spread, told } from './measure.ts';
import type { LoopDelay } from './monitor.ts';
import { main, type Server, startServer } from './served.ts';
import { fetchJson, type Latencies, startTraffic, type Traffic } from './traffic.ts';
import { parseAll } from './tree.ts';

/** Reloads of one changed document, and of all of them, under traffic on ten connections. */
export async function benchReload(size = 10_000, rounds = 3): Promise<Row[]> {
  const tree = temporaryFolder();
  const store = temporaryFolder();
  const files = writeTree(tree.path, { documents: size, onePerFile: true }).map((file) => join(tree.path, file));
  const bootstrap = execFileSync(process.execPath, [main, 'bootstrap', '--store', store.path], { encoding: 'utf8' });
  const server = await startServer(tree.path, store.path);
  const { token } = JSON.parse(bootstrap) as { readonly token: string };
  const traffic = startTraffic(server.url, token, '/api/v1/stacks/stack-0');
  const seen = { server, token, traffic };
  try {
    await settled(server, token, 'nothing');
    const idle = await repeat(rounds, () => trafficAlone(seen));
    const one = await repeat(rounds, (round) => reloadAfter(seen, () => relabel(files.slice(1, 2), `one-${round}`)));
    const all = await repeat(rounds, (round) => reloadAfter(seen, () => relabel(files.slice(1), `all-${round}`)));
    const started = performance.now();
    parseAll(tree.path);
    const parsing = performance.now() - started;
    return [
      { name: `yaml of all ${size} documents, in a process that does nothing else`, value: parsing, unit: 'ms' },
      {
        name: 'event loop held, traffic alone: 99th percentile',
        value: median(idle.map(({ p99 }) => p99)),
        unit: 'ms',
      },
      ...rowsOf(`one document of ${size} changed`, one, parsing, 0.025),
      ...rowsOf(`all ${size} documents changed`, all, parsing, 0.1),
      ...latencyRows({ idle, one, all }, size),
    ];
  } finally {
    await traffic.stop();
    await server.stop();
    await Promise.all([tree.remove(), store.remove()]);
  }
}

/** What clients wait for an answer: alone, and while the tree is read again. */
function latencyRows(
  { idle, one, all }: Readonly<Record<'idle' | 'one' | 'all', readonly Seen[]>>,
  size: number,
): Row[] {
  const slowest = (seen: readonly Seen[]) => spread(seen.map(({ waited }) => waited));
  const rows = (what: string, seen: readonly Seen[]): Row[] => [
    { name: `latency of a read, ${what}: median`, ...spread(seen.map(({ p50 }) => p50)), unit: 'ms' },
    { name: `latency of a read, ${what}: 99th percentile`, ...slowest(seen), unit: 'ms' },
  ];
  const changed = `all ${told(size)} documents changed`;
  return [
    ...rows('traffic alone', idle),
    ...rows(`one document of ${told(size)} changed`, one),
    ...rows(changed, all),
    against(
      `latency of a read, ${changed}: 99th percentile ÷ that of traffic alone`,
      slowest(all).value,
      slowest(idle).value,
      {
        atMost: 8,
      },
    ),
  ];
}

/** `parsing`: what parsing the tree with `yaml` takes, of which the longest hold is promised to be a `share` at most. */
function rowsOf(name: string, delays: readonly LoopDelay[], parsing: number, share: number): Row[] {
  const worst = Math.max(...delays.map((one) => one.longest));
  const [p99, longest] = [median(delays.map((one) => one.p99)), median(delays.map((one) => one.longest))];
  return [
    { name: `event loop held, ${name}: 99th percentile`, value: p99, unit: 'ms' },
    against(`event loop held, ${name}: 99th percentile ÷ yaml of all`, p99, parsing, { atMost: 0.01 }),
    { name: `event loop held, ${name}: longest`, value: longest, unit: 'ms' },
    against(`event loop held, ${name}: longest ÷ yaml of all`, longest, parsing, { atMost: share }),
    { name: `event loop held, ${name}: longest of all rounds`, value: worst, unit: 'ms' },
  ];
}

/** A server, and the traffic on it. */
interface Watched {
  readonly server: Server;
  readonly token: string;
  readonly traffic: Traffic;
}

/** How the event loop was held, and how long clients waited: half of them at most `p50`, 99 of 100 at most `waited`. */
interface Seen extends LoopDelay {
  readonly p50: number;
  readonly waited: number;
}

function seenOf(held: LoopDelay, { p50, p99 }: Latencies): Seen {
  return { ...held, p50, waited: p99 };
}

async function repeat<T>(rounds: number, work: (round: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let round = 0; round < rounds; round++) results.push(await work(round));
  return results;
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

async function reloadAfter({ server, token, traffic }: Watched, edit: () => void): Promise<Seen> {
  const before = await settled(server, token, 'nothing');
  // Files that were written within the last two seconds are looked at more often.
  await delay(2_200);
  await server.read();
  traffic.latencies();
  edit();
  await settled(server, token, before);
  return seenOf(await server.read(), traffic.latencies());
}

/** What the machine and the requests cost by themselves: to read the other figures by. */
async function trafficAlone({ server, traffic }: Watched): Promise<Seen> {
  await server.read();
  traffic.latencies();
  await delay(1_500);
  return seenOf(await server.read(), traffic.latencies());
}

/** Gives the label that every synthetic document has another value. */
function relabel(files: readonly string[], label: string): void {
  for (const file of files)
    writeFileSync(file, readFileSync(file, 'utf8').replace(/tier: "[^"]*"/, `tier: "${label}"`));
}
