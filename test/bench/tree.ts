// What reading, checking and planning a tree costs, beside parsing the same files with `yaml`.
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parse } from 'yaml';
import { applyLoaded, planLoaded, type Workbench } from '../../src/control/attempt.ts';
import { createInventory } from '../../src/control/inventory.ts';
import { judgeTree, loadTree, readTree } from '../../src/control/tree.ts';
import type { DecodeCache } from '../../src/core/plan/desired-tree.ts';
import type { Facts } from '../../src/core/rules/facts.ts';
import { scan } from '../../src/manifests/scan.ts';
import { isMissing, type Missing, type Tree } from '../../src/manifests/tree.ts';
import { engines } from '../../src/store/index.ts';
import type { Store } from '../../src/store/store.ts';
import { writeTree } from '../support/synthetic-tree.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { cpuOf, median, type Row } from './measure.ts';

const facts: Facts = { drivers: new Map([['local', { provides: new Set() }]]), certificateProblem: () => undefined };
const rounds = 3;

/** A file's times are trusted once it was read when it was older than two seconds. */
const youngMs = 2_100;

/** Validate and plan against parsing alone, and the cost of one changed file, at several sizes. */
export async function benchTree(sizes: readonly number[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const size of sizes) {
    const folder = temporaryFolder();
    try {
      writeTree(folder.path, { documents: size, onePerFile: true });
      rows.push(...(await validateAndPlan(folder.path, size)), ...(await oneChange(folder.path, size)));
    } finally {
      await folder.remove();
    }
  }
  return rows;
}

async function validateAndPlan(root: string, size: number): Promise<Row[]> {
  const parsing: number[] = [];
  const planning: number[] = [];
  for (let round = 0; round < rounds; round++) {
    parsing.push((await cpuOf(() => parseAll(root))).ms);
    planning.push((await cpuOf(() => planAll(root))).ms);
  }
  const label = `${size} one-document files`;
  return [
    { name: `yaml alone, ${label}`, value: median(parsing), unit: 'ms of CPU' },
    { name: `validate and plan, ${label}`, value: median(planning), unit: 'ms of CPU' },
    { name: `validate and plan ÷ yaml, ${label}`, value: median(planning) / median(parsing), unit: '×', atMost: 1.5 },
  ];
}

function parseAll(root: string): void {
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true }))
    if (entry.isFile() && entry.name.endsWith('.yaml')) parse(readFileSync(join(entry.parentPath, entry.name), 'utf8'));
}

async function planAll(root: string): Promise<void> {
  const loaded = await loadTree(root, { facts });
  const { document } = await planLoaded(benchOf(engines.memory()), loaded, { actor: { kind: 'config' } });
  if (document.summary.blocked > 0 || document.summary.create === 0)
    throw new Error('the synthetic tree cannot be planned');
}

function benchOf(store: Store): Workbench {
  let ids = 0;
  return {
    store,
    facts: () => facts,
    now: () => new Date().toISOString(),
    newId: () => `id-${process.hrtime.bigint()}-${ids++}`,
    elapsed: () => performance.now(),
    inventoryOf: createInventory(),
    fingerprint: (secret) => secret,
  };
}

/** From a settled scan to durable: one file of many was edited. */
async function oneChange(root: string, size: number): Promise<Row[]> {
  const folder = temporaryFolder();
  const store = await engines['json-file'](folder.path, { create: true });
  try {
    return await changes(root, size, benchOf(store));
  } finally {
    await store.close();
    await folder.remove();
  }
}

async function changes(root: string, size: number, bench: Workbench): Promise<Row[]> {
  const memory = { decoded: new WeakMap() satisfies DecodeCache, judged: {} };
  const occasion = { trigger: 'watch', actor: { kind: 'config' } } as const;
  const take = async (reading: Tree | Missing): Promise<Tree> => {
    if (isMissing(reading)) throw new Error(reading.message);
    const loaded = await judgeTree(reading, { facts, ...memory });
    const attempt = await applyLoaded(bench, loaded, occasion);
    if (attempt.failure) throw attempt.failure;
    return reading;
  };
  const reload = async (previous?: Tree) => take(await readTree(root, { previous }));
  let reading = await reload();
  // Files that were written a moment ago are read again each time; from then on their times are trusted.
  await delay(youngMs);
  reading = await reload(reading);
  const scans: number[] = [];
  const commits: number[] = [];
  for (let round = 0; round < rounds; round++) {
    scans.push((await cpuOf(() => scan(reading))).ms);
    editOne(root, round);
    const settled = await readTree(root, { previous: reading });
    const { ms } = await cpuOf(() => take(settled));
    commits.push(ms);
    await delay(youngMs);
    reading = await reload(reading);
  }
  return [
    {
      name: `a scan of ${size} files`,
      value: median(scans),
      unit: 'ms of CPU',
      ...(size === 10_000 ? { atMost: 40 } : {}),
    },
    {
      name: `one changed file of ${size}, settled to durable`,
      value: median(commits),
      unit: 'ms of CPU',
      growth: { of: 'one changed file', size },
      ...(size === 10_000 ? { atMost: 80 } : {}),
    },
  ];
}

/** Adds a stack to the root manifest. */
function editOne(root: string, round: number): void {
  const path = join(root, 'weir.yaml');
  appendFileSync(path, `\n---\nkind: Stack\nmetadata: {name: bench-${round}}\nspec: {runtime: "bench-${round}"}\n`);
}
