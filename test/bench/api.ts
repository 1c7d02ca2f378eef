// What requests cost: reads and durable writes at three sizes, each beside bare Fastify with the same bytes.
import { execFileSync } from 'node:child_process';
import { closeSync, fdatasyncSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';
import { against, median, type Row, told } from './measure.ts';
import { fillWithPeople, type People } from './people.ts';
import { main, type Server, startScript, startServer } from './served.ts';

const bareScript = new URL('./bare-server.ts', import.meta.url).pathname;

/** A tree with the type of the teams. */
export const tree = {
  'weir.yaml': 'kind: Platform\nmetadata: {name: platform}\n',
  'types.yaml': 'kind: TeamType\nmetadata: {name: starter}\n',
};

/** The reads that are promised, by name. The admin who asks is in ten teams. */
const reads = {
  'GET user/teams': '/api/v1/user/teams',
  'GET teams/:id': '/api/v1/teams/team-1',
  'GET admin/stats': '/api/v1/admin/stats',
} as const;

/** What the bare server has of the first page of somebody in very many teams. */
const firstPage = '/first-page';

const write = { method: 'PUT', url: '/api/v1/teams/team-1' } as const;

type Read = keyof typeof reads;

/** What was measured at one size. `cpu`: milliseconds a request, of Weir and of bare Fastify. */
interface Measured {
  readonly teams: number;
  readonly cpu: Readonly<Record<Read, { readonly weir: number; readonly bare: number }>>;
  readonly puts: number;
  readonly barePuts: number;
  readonly firstPage?: { readonly weir: number; readonly bare: number };
}

/** Measures at 10, 10 000 and 100 000 teams; takes four minutes. */
export async function benchApi({ sizes = [10, 10_000, 100_000], rounds = 5, amount = 700 } = {}): Promise<Row[]> {
  const measured: Measured[] = [];
  for (const teams of sizes) measured.push(await measureAt(teams, { rounds, amount }));
  const [small, large] = [measured[0], measured.at(-1)];
  return [
    ...measured.flatMap(readRows),
    ...(small && large ? growthRows(small, large) : []),
    { name: 'api: fdatasync on this disk', value: fdatasyncRate(), unit: '/s' },
    ...measured.flatMap(putRows),
    ...(small && large ? [putGrowth(small, large)] : []),
    ...measured.flatMap(pageRows),
  ];
}

function readRows({ teams, cpu }: Measured): Row[] {
  return Object.entries(cpu).flatMap(([name, { weir, bare }]) => [
    {
      name: `api: ${name}, ${told(teams)} teams`,
      value: weir * 1000,
      unit: 'µs CPU',
      ...(name === 'GET teams/:id' ? { growth: { of: 'API read', size: teams } } : {}),
    },
    against(`api: ${name} ÷ bare Fastify, ${told(teams)} teams`, weir, bare, { atMost: 3 }),
  ]);
}

function growthRows(small: Measured, large: Measured): Row[] {
  return (Object.keys(reads) as Read[]).map((name) => ({
    name: `api: ${name}, at ${told(large.teams)} ÷ at ${told(small.teams)} teams`,
    value: large.cpu[name].weir / small.cpu[name].weir,
    unit: '×',
    atMost: 1.3,
  }));
}

function putRows({ teams, puts, barePuts }: Measured): Row[] {
  const at = `${told(teams)} teams`;
  return [
    { name: `api: PUT teams/:id, bare Fastify with one sync a group, ${at}`, value: barePuts, unit: '/s' },
    {
      name: `api: PUT teams/:id durable, 32 writers, ${at}`,
      value: puts,
      unit: '/s',
      growth: { of: 'API write', size: teams },
    },
    against(`api: PUT teams/:id ÷ bare Fastify with one sync a group, ${at}`, puts, barePuts, { atLeast: 0.25 }),
  ];
}

function putGrowth(small: Measured, large: Measured): Row {
  const name = `api: PUT teams/:id durable, at ${told(large.teams)} ÷ at ${told(small.teams)} teams`;
  return { name, value: large.puts / small.puts, unit: '×', atLeast: 0.7 };
}

function pageRows({ teams, firstPage: page }: Measured): Row[] {
  if (page === undefined) return [];
  const name = 'api: first page of 10 000 own teams';
  const at = `${told(teams)} teams`;
  return [
    { name: `${name}, ${at}`, value: page.weir, unit: 'ms CPU' },
    against(`${name} ÷ bare Fastify, ${at}`, page.weir, page.bare, { atMost: 10 }),
  ];
}

async function measureAt(teams: number, load: { readonly rounds: number; readonly amount: number }): Promise<Measured> {
  const world = await startWorld(teams, Math.min(teams, 10_000));
  try {
    const cpu = {} as Record<Read, { weir: number; bare: number }>;
    for (const [name, path] of Object.entries(reads) as [Read, string][])
      cpu[name] = await sideBySide(world, path, load);
    const page = teams < 10_000 ? {} : { firstPage: await cpuOfFirstPage(world) };
    const rates = await writeRates(world, teams, load);
    return { teams, cpu, ...rates, ...page };
  } finally {
    await world.stop();
  }
}

interface World {
  readonly weir: Server;
  readonly bare: Server;
  readonly people: People;
  readonly stop: () => Promise<void>;
}

async function startWorld(teams: number, joined: number): Promise<World> {
  const folder = temporaryFolder();
  await writeFiles(join(folder.path, 'tree'), tree);
  const [platform, store] = [join(folder.path, 'tree'), join(folder.path, 'store')];
  execFileSync(process.execPath, [main, 'apply', platform, '--store', store], { stdio: 'ignore' });
  const people = await fillWithPeople(store, teams, joined);
  const weir = await startServer(platform, store);
  const headers = { authorization: `Bearer ${people.admin}` };
  const bodies = await Promise.all(
    Object.values(reads).map(async (url) => {
      const answer = await fetch(`${weir.url}${url}`, { headers });
      return { method: 'GET', url, headers: sentHeaders(answer), body: await answer.text() } as const;
    }),
  );
  const page = await fetch(`${weir.url}${reads['GET user/teams']}`, {
    headers: { authorization: `Bearer ${people.joiner}` },
  });
  const first = { method: 'GET', url: firstPage, headers: sentHeaders(page), body: await page.text() } as const;
  const team = bodies.find(({ url }) => url === reads['GET teams/:id']);
  const file = join(folder.path, 'bare.json');
  writeFileSync(file, JSON.stringify([...bodies, first, { ...team, method: write.method, url: '/api/v1/teams/:id' }]));
  const bare = await startScript(bareScript, [file]);
  const stop = async () => {
    await Promise.all([weir.stop(), bare.stop()]);
    await folder.remove();
  };
  return { weir, bare, people, stop };
}

/** The headers of an answer that are not the connection's. */
function sentHeaders({ headers }: Response): Record<string, string> {
  const own = new Set(['connection', 'content-length', 'date', 'keep-alive']);
  return Object.fromEntries([...headers].filter(([name]) => !own.has(name)));
}

type Load = { readonly rounds: number; readonly amount: number };

/** Requests a second of both, so that the same is asked of both: who answers faster than it is asked would share the cost of each wake-up. */
const readsPerSecond = 2000;

/** CPU milliseconds a request of both servers: the middle of some rounds, in turns, after one to warm up. */
async function sideBySide({ weir, bare, people }: World, path: string, { rounds, amount }: Load) {
  const figures: { weir: number; bare: number }[] = [];
  for (let round = 0; round <= rounds; round += 1)
    figures.push({
      weir: await cpuPerRead(weir, path, people.admin, amount),
      bare: await cpuPerRead(bare, path, people.admin, amount),
    });
  const warm = figures.slice(1);
  return { weir: median(warm.map((one) => one.weir)), bare: median(warm.map((one) => one.bare)) };
}

async function cpuPerRead(server: Server, path: string, token: string, amount: number): Promise<number> {
  await server.read();
  const headers = { authorization: `Bearer ${token}` };
  const result = await autocannon({
    url: `${server.url}${path}`,
    connections: 10,
    amount,
    overallRate: readsPerSecond,
    headers,
  });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${path}: ${result.non2xx} answers were no success`);
  return (await server.read()).cpu / amount;
}

async function cpuOfFirstPage({ weir, bare, people }: World) {
  return {
    weir: await cpuPerRead(weir, reads['GET user/teams'], people.joiner, 50),
    bare: await cpuPerRead(bare, firstPage, people.joiner, 50),
  };
}

async function writeRates({ weir, bare, people }: World, teams: number, { rounds }: Load) {
  const rates: { puts: number; barePuts: number }[] = [];
  for (const server of [weir, bare]) await putRate(server, people, teams, warmUpSeconds);
  for (let round = 0; round <= rounds; round += 1)
    rates.push({ puts: await putRate(weir, people, teams), barePuts: await putRate(bare, people, teams) });
  return { puts: median(rates.map((one) => one.puts)), barePuts: median(rates.map((one) => one.barePuts)) };
}

/** How long a server that has just begun takes until its code is compiled: one that runs for days is measured. */
const warmUpSeconds = 8;

/** Answered writes a second of 32 clients that each change a team again and again. */
export async function putRate(server: Server, { admin }: People, teams: number, seconds = 1): Promise<number> {
  let turn = 0;
  const headers = { authorization: `Bearer ${admin}`, 'content-type': 'application/json' };
  const request = {
    method: write.method,
    setupRequest: (given: autocannon.Request) => {
      turn += 1;
      const path = `/api/v1/teams/team-${(turn * 7919) % teams}`;
      return { ...given, path, body: JSON.stringify({ name: `Team as of ${turn}` }) };
    },
  } as const;
  const result = await autocannon({
    url: server.url,
    connections: 32,
    duration: seconds,
    headers,
    requests: [request],
  });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`PUT: ${result.non2xx} answers were no success`);
  return (result['2xx'] / result.duration) | 0;
}

/** How often a second a small write can be made durable here, one after another. */
function fdatasyncRate(): number {
  const folder = temporaryFolder();
  const file = openSync(join(folder.path, 'sync'), 'w');
  const line = Buffer.alloc(512, 'x');
  const started = performance.now();
  let count = 0;
  for (; performance.now() - started < 1000; count += 1) {
    writeSync(file, line);
    fdatasyncSync(file);
  }
  closeSync(file);
  void folder.remove();
  return count;
}
