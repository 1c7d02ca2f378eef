// What the commands cost on a tree, beside ajv-cli and yaml-lint on the same files, which check far less.
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { loadTree } from '../../src/control/tree.ts';
import type { Facts } from '../../src/core/rules/facts.ts';
import { writeTree } from '../support/synthetic-tree.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { cpuOf, median, type Row, spread, told } from './measure.ts';
import { main } from './served.ts';

const schema = resolve(import.meta.dirname, '../../schemas/document.schema.json');
const counter = resolve(import.meta.dirname, 'own-cpu.cjs');
const facts: Facts = { drivers: new Map([['local', { provides: new Set() }]]), certificateProblem: () => undefined };

/** Programs that are no dependencies: npx brings them at these versions. */
const others = { ajv: 'ajv-cli@5.0.0', yamllint: 'yaml-lint@1.7.0' } as const;

/** Whole processes at three sizes, with their start, and the same work in this process. */
export async function benchCommands(sizes: readonly number[] = [100, 1_000, 10_000], rounds = 3): Promise<Row[]> {
  const rows: Row[] = [];
  for (const size of sizes) {
    const folder = temporaryFolder();
    try {
      writeTree(folder.path, { documents: size, onePerFile: true });
      // What takes long is seldom far off.
      const times = size >= 10_000 ? Math.min(2, rounds) : rounds;
      rows.push(...wholeProcesses(folder.path, size, times), ...(await inProcess(folder.path, size, times)));
    } finally {
      await folder.remove();
    }
  }
  return rows;
}

type Program = 'validate' | 'plan' | 'apply' | 'ajv' | 'yamllint';

function wholeProcesses(root: string, size: number, rounds: number): Row[] {
  const store = temporaryFolder();
  const { ajv, yamllint } = { ajv: scriptOf('ajv'), yamllint: scriptOf('yamllint') };
  const lines: Readonly<Record<Program, (round: number) => readonly string[]>> = {
    validate: () => [main, 'validate', root],
    plan: () => [main, 'plan', root, '--store', join(store.path, 'none')],
    apply: (round) => [main, 'apply', root, '--store', join(store.path, String(round))],
    ajv: () => [ajv, 'validate', '--spec=draft7', '--strict=false', '--all-errors', '-s', schema, '-d', '**/*.yaml'],
    yamllint: () => [yamllint, '**/*.yaml'],
  };
  const figures: Record<Program, number[]> = { validate: [], plan: [], apply: [], ajv: [], yamllint: [] };
  // In turns, so that what else the machine does hurts all of them.
  for (let round = 0; round < rounds; round += 1)
    for (const program of Object.keys(lines) as Program[])
      figures[program].push(cpuOfProcess(lines[program](round), root, join(store.path, 'cpu')));
  const at = `${told(size)} documents`;
  const ratio = (program: Program) => median(figures.validate) / median(figures[program]);
  return [
    ...(['validate', 'plan', 'apply'] as const).map((verb) => ({
      name: `weir ${verb}, ${at}`,
      ...spread(figures[verb]),
      unit: 'ms CPU',
      growth: { of: verb, size },
    })),
    { name: `ajv-cli, ${at}`, ...spread(figures.ajv), unit: 'ms CPU' },
    { name: `yaml-lint, ${at}`, ...spread(figures.yamllint), unit: 'ms CPU' },
    {
      name: `weir validate ÷ ajv-cli, ${at}`,
      value: ratio('ajv'),
      unit: '×',
      ...(size === 1_000 ? { atMost: 2 } : {}),
    },
    { name: `weir validate ÷ yaml-lint, ${at}`, value: ratio('yamllint'), unit: '×' },
  ];
}

/** CPU milliseconds of a program from its start to its end, all threads. */
function cpuOfProcess([script = '', ...args]: readonly string[], cwd: string, file: string): number {
  const { status, stderr } = spawnSync(process.execPath, ['--require', counter, script, ...args], {
    cwd,
    env: { ...process.env, OWN_CPU_FILE: file, NO_COLOR: '1' },
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(`${script} ${args.join(' ')} ended with ${status}: ${stderr.slice(-2_000)}`);
  return Number(readFileSync(file, 'utf8'));
}

/** The script of a program that npx brings. */
function scriptOf(command: keyof typeof others): string {
  const args = ['--yes', `--package=${others[command]}`, '-c', `command -v ${command}`];
  return realpathSync(execFileSync('npx', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim());
}

async function inProcess(root: string, size: number, rounds: number): Promise<Row[]> {
  const check = new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile(
    JSON.parse(readFileSync(schema, 'utf8')),
  );
  const figures = { weir: [] as number[], ajv: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    figures.weir.push((await cpuOf(() => loadTree(root, { facts }))).ms);
    figures.ajv.push((await cpuOf(() => parseAndCheck(root, check))).ms);
  }
  const at = `${told(size)} documents, without the start`;
  return [
    { name: `weir validate, ${at}`, ...spread(figures.weir), unit: 'ms CPU' },
    { name: `yaml and ajv, ${at}`, ...spread(figures.ajv), unit: 'ms CPU' },
    { name: `weir validate ÷ yaml and ajv, ${at}`, value: median(figures.weir) / median(figures.ajv), unit: '×' },
  ];
}

function parseAndCheck(root: string, check: (document: unknown) => boolean): void {
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.yaml')) continue;
    const document = parse(readFileSync(join(entry.parentPath, entry.name), 'utf8'));
    if (!check(document)) throw new Error(`${entry.name} does not fit the schema`);
  }
}
