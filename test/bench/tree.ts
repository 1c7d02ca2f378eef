// What reading, checking and planning a tree costs, beside parsing the same files with `yaml`.
import { appendFileSync, readdirSync, readFileSync, statSync } from 'node:fs';
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
import { against, cpuOf, median, type Row } from './measure.ts';

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
      const { rows: planned, parsing } = await validateAndPlan(folder.path, size);
      rows.push(...planned, ...(await oneChange(folder.path, size, parsing)));
    } finally {
      await folder.remove();
    }
  }
  return rows;
}

/** `parsing`: what `yaml` takes for the same files, in milliseconds of CPU. */
async function validateAndPlan(
  root: string,
  size: number,
): Promise<{ readonly rows: Row[]; readonly parsing: number }> {
  const parsing: number[] = [];
  const planning: number[] = [];
  for (let round = 0; round < rounds; round++) {
    parsing.push((await cpuOf(() => parseAll(root))).ms);
    planning.push((await cpuOf(() => planAll(root))).ms);
  }
  const label = `${size} one-document files`;
  const rows = [
    { name: `yaml alone, ${label}`, value: median(parsing), unit: 'ms of CPU' },
    { name: `validate and plan, ${label}`, value: median(planning), unit: 'ms of CPU' },
    against(`validate and plan ÷ yaml, ${label}`, median(planning), median(parsing), { atMost: 1.5 }),
  ];
  return { rows, parsing: median(parsing) };
}

/** Parses every document file of a tree with `yaml`, and does nothing else. */
export function parseAll(root: string): void {
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true }))
    if (entry.isFile() && entry.name.endsWith('.yaml')) parse(readFileSync(join(entry.parentPath, entry.name), 'utf8'));
}

/** Asks of every file of a tree how old and long it is, and does nothing else. */
function statAll(root: string): void {
  for (const { name, parentPath } of readdirSync(root, { recursive: true, withFileTypes: true }))
    statSync(join(parentPath, name));
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
async function oneChange(root: string, size: number, parsing: number): Promise<Row[]> {
  const folder = temporaryFolder();
  const store = await engines['json-file'](folder.path, { create: true });
  try {
    return await changes(root, { size, parsing }, benchOf(store));
  } finally {
    await store.close();
    await folder.remove();
  }
}

async function changes(
  root: string,
  { size, parsing }: { readonly size: number; readonly parsing: number },
  bench: Workbench,
): Promise<Row[]> {
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
  const stats: number[] = [];
  const scans: number[] = [];
  const commits: number[] = [];
  for (let round = 0; round < rounds; round++) {
    stats.push((await cpuOf(() => statAll(root))).ms);
    scans.push((await cpuOf(() => scan(reading))).ms);
    editOne(root, round);
    const settled = await readTree(root, { previous: reading });
    const { ms } = await cpuOf(() => take(settled));
    commits.push(ms);
    await delay(youngMs);
    reading = await reload(reading);
  }
  return [
    { name: `a stat of ${size} files alone`, value: median(stats), unit: 'ms of CPU' },
    { name: `a scan of ${size} files`, value: median(scans), unit: 'ms of CPU' },
    against(`a scan ÷ a stat, ${size} files`, median(scans), median(stats), { atMost: 1.5 }),
    {
      name: `one changed file of ${size}, settled to durable`,
      value: median(commits),
      unit: 'ms of CPU',
      growth: { of: 'one changed file', size },
    },
    against(
      `one changed file ÷ yaml of all, ${size} one-document files`,
      median(commits),
      parsing,
      size === 10_000 ? { atMost: 0.06 } : {},
    ),
  ];
}

/** Adds a stack to the root manifest. */
function editOne(root: string, round: number): void {
  const path = join(root, 'weir.yaml');
  appendFileSync(path, `\n---\nkind: Stack\nmetadata: {name: bench-${round}}\nspec: {runtime: "bench-${round}"}\n`);
}
