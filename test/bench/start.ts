// What a start takes, and how much memory a server has: with what ships, and by how much it holds.
import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';
import { putRate, tree } from './api.ts';
import { against, median, type Row, spread, told } from './measure.ts';
import { fillWithPeople, type People } from './people.ts';
import { main, type Server, startScript, startServer } from './served.ts';

const bareScript = new URL('./bare-start.ts', import.meta.url).pathname;

const shipped = resolve(import.meta.dirname, '../../config');

/** Teams that come to about so many records, with their users and members. */
const sizes: readonly (readonly [records: number, teams: number])[] = [
  [10, 3],
  [10_000, 4_760],
  [100_000, 47_600],
];

/** What is promised with 100 000 records: a start beside one that only reads the same files, and MB. */
const promised = { start: 3, megabytes: 600, shippedMegabytes: 200 } as const;

/** Starts servers at three sizes and has them work; takes a minute. */
export async function benchStart(rounds = 2): Promise<Row[]> {
  const rows: Row[] = [await shippedRow(rounds)];
  for (const [records, teams] of sizes) rows.push(...(await rowsAt(records, teams, rounds)));
  return rows;
}

/** Of the tree that ships, when nobody asks anything. */
async function shippedRow(rounds: number): Promise<Row> {
  const figures: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const folder = temporaryFolder();
    const server = await startServer(shipped, join(folder.path, 'store'));
    await sleep(1_000);
    figures.push(server.memory() ?? Number.NaN);
    await server.stop();
    await folder.remove();
  }
  return { name: 'memory: with config/, at rest', ...spread(figures), unit: 'MB', atMost: promised.shippedMegabytes };
}

async function rowsAt(records: number, teams: number, rounds: number): Promise<Row[]> {
  const folder = temporaryFolder();
  const [platform, store] = [join(folder.path, 'tree'), join(folder.path, 'store')];
  await writeFiles(platform, tree);
  execFileSync(process.execPath, [main, 'apply', platform, '--store', store], { stdio: 'ignore' });
  const people = await fillWithPeople(store, teams, 0);
  const bare: number[] = [];
  const seconds: number[] = [];
  const rested: number[] = [];
  const worked: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    bare.push(await bareStart(store));
    const { took, rest, work } = await oneLife(platform, store, people, teams);
    seconds.push(took);
    rested.push(rest);
    worked.push(work);
  }
  await folder.remove();
  const isLarge = records >= 100_000;
  const at = `${told(records)} records`;
  return [
    {
      name: `start: to the first 200, ${at}`,
      ...spread(seconds),
      unit: 's',
      growth: { of: 'start', size: records },
    },
    { name: `start: of Fastify that reads the same files, ${at}`, ...spread(bare), unit: 's' },
    against(
      `start: ÷ Fastify that reads the same files, ${at}`,
      median(seconds),
      median(bare),
      isLarge ? { atMost: promised.start } : {},
    ),
    { name: `memory: at rest, ${at}`, ...spread(rested), unit: 'MB', growth: { of: 'memory', size: records } },
    {
      name: `memory: while 32 clients write, ${at}`,
      ...spread(worked),
      unit: 'MB',
      ...(isLarge ? { atMost: promised.megabytes } : {}),
    },
  ];
}

/** From the start of the process to the first answer of a read; then megabytes at rest, and the most while it writes. */
async function oneLife(platform: string, store: string, people: People, teams: number) {
  const started = performance.now();
  const server = await startServer(platform, store);
  await firstAnswer(server, people.admin);
  const took = (performance.now() - started) / 1_000;
  await sleep(500);
  const rest = server.memory() ?? Number.NaN;
  let work = rest;
  const timer = setInterval(() => {
    work = Math.max(work, server.memory() ?? Number.NaN);
  }, 200);
  await putRate(server, people, teams, 1.5);
  clearInterval(timer);
  await server.stop();
  return { took, rest, work };
}

/** Seconds from the start of the process to the first answer, of a server that only reads the same files. */
async function bareStart(store: string): Promise<number> {
  const started = performance.now();
  const server = await startScript(bareScript, [store]);
  await firstAnswer(server, '');
  const took = (performance.now() - started) / 1_000;
  await server.stop();
  return took;
}

async function firstAnswer({ url }: Server, token: string): Promise<void> {
  const { status } = await fetch(`${url}/api/v1/user`, { headers: { authorization: `Bearer ${token}` } });
  if (status !== 200) throw new Error(`the first answer was ${status}`);
}
