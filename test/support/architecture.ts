// The rules of how src/ is laid out: which room may import which, what core may not touch, and what each file looks like.
import { posix } from 'node:path';
import { importsOf, type ScannedSource, scanSource } from './scan-source.ts';

/** Source files: their path from the root of the repository, with `/` → their text. */
export type SourceTree = ReadonlyMap<string, string>;

/** Everything in the tree that breaks a rule, one sentence each, beginning with the file. */
export function architectureProblems(tree: SourceTree): string[] {
  const files = [...tree].map(([path, text]) => readSource(path, text));
  const problems = files.flatMap((file) => [
    ...file.problems,
    ...lookProblems(file.path, file.text),
    ...file.imports.flatMap((specifier) => importProblem(file.path, specifier) ?? []),
    ...(roomOf(file.path).startsWith('core') ? purityProblems(file.path, file.code) : []),
  ]);
  return [...problems, ...cycles(importsByFile(files))];
}

/** Files of `tree` that nothing reaches from the files `entries`: most often one whose line in a registry was forgotten. */
export function orphansOf(tree: SourceTree, entries: readonly string[]): string[] {
  const imports = importsByFile([...tree].map(([path, text]) => readSource(path, text)));
  const reached = new Set<string>();
  const visit = (path: string): void => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const next of imports.get(path) ?? []) visit(next);
  };
  entries.forEach(visit);
  return [...tree.keys()].filter((path) => !reached.has(path));
}

function importsByFile(files: readonly SourceFile[]): ReadonlyMap<string, readonly string[]> {
  return new Map(files.map((file) => [file.path, localImports(file.path, file.imports)]));
}

/** The rooms that only the commands and what starts them put together. */
const belowHttp = [
  'lib',
  'core',
  'manifests',
  'store',
  'auth',
  'sso',
  'drivers',
  'mail',
  'control',
  'jobs',
  'notify',
  'monitor',
];

/** Room → the rooms that it may import, besides itself. `core` stands for all of core's, `http/server.ts` for that file alone. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  'core/model (leaf)': [],
  'core/kinds': ['core/model (leaf)'],
  'core/model': ['core/model (leaf)', 'core/kinds'],
  'core/instances': ['core/model (leaf)', 'core/kinds', 'core/model'],
  'core/groups': ['core/model (leaf)', 'core/kinds', 'core/model'],
  'core/schemas': ['core/model (leaf)', 'core/kinds', 'core/model'],
  'core/rules': ['core/model (leaf)', 'core/kinds', 'core/model', 'core/groups', 'core/instances'],
  'core/plan': ['core/model (leaf)', 'core/kinds', 'core/model', 'core/groups', 'core/rules'],
  'core/proposals': ['core/model (leaf)', 'core/kinds', 'core/model', 'core/groups', 'core/instances', 'core/rules'],
  'core/access': ['core/model (leaf)', 'core/kinds', 'core/model', 'core/groups', 'core/rules'],
  'core/consequences': ['core/model (leaf)', 'core/kinds', 'core/model', 'core/groups', 'core/rules'],
  'core/audit': ['core/model (leaf)', 'core/kinds', 'core/model', 'core/plan'],
  manifests: ['lib', 'core'],
  store: ['lib', 'core'],
  auth: ['lib', 'core'],
  sso: ['lib', 'core'],
  drivers: ['lib', 'core'],
  mail: ['lib', 'core'],
  control: ['lib', 'core', 'manifests', 'store', 'drivers'],
  http: ['lib', 'core', 'store', 'auth', 'sso', 'mail', 'control'],
  jobs: ['lib', 'core', 'store', 'mail', 'control'],
  notify: ['lib', 'core', 'store', 'control'],
  monitor: ['lib', 'core', 'store', 'drivers', 'mail', 'control'],
  'options.ts': ['lib', 'core'],
  cli: [...belowHttp, 'http/server.ts', 'options.ts'],
  'main.ts': [...belowHttp, 'http', 'cli', 'options.ts'],
  bin: ['main.ts'],
};

/** Types that every room of core may import, because they know nothing but themselves. */
const leaves = ['src/core/model/finding.ts', 'src/core/model/document.ts'];

/** Package → the rooms that may import it. What is not listed may be imported by none. */
const packageRooms: ReadonlyArray<readonly [package_: RegExp, rooms: (room: string) => boolean]> = [
  [/^node:/, (room) => !room.startsWith('core')],
  [/^zod$/, (room) => room !== 'lib' && room !== 'bin'],
  [/^yaml$/, (room) => room === 'manifests' || room === 'cli'],
  [/^chokidar$/, (room) => room === 'manifests'],
  [/^lowdb$/, (room) => room === 'store'],
  [/^prom-client$/, (room) => room === 'http'],
  [/^nodemailer$/, (room) => room === 'mail'],
  [/^node-cron$/, (room) => room === 'jobs'],
  [/^any-ascii$/, (room) => room === 'lib'],
  [/^(samlify|xml-crypto|@xmldom\/xmldom)$/, (room) => room === 'sso'],
  [/^ldapts$/, (room) => room === 'sso'],
  [/^pino$/, (room) => room === 'cli'],
  [/^(fastify|fast-json-stringify|@fastify\/[a-z-]+|helmet)$/, (room) => room === 'http'],
];

/** What would let the world into core: time, chance, waiting, the process and the screen. */
const impurities: ReadonlyArray<readonly [pattern: RegExp, name: string]> = [
  [/(?<![\w$.])Date\s*\.\s*now\b/, 'Date.now'],
  [/(?<![\w$.])new\s+Date\s*(?:\(\s*\)|(?!\s*\())/, 'new Date() without an argument'],
  [/(?<![\w$.])(?<!new\s+)Date\s*\(/, 'Date() as a function'],
  [/(?<![\w$.])Math\s*\.\s*random\b/, 'Math.random'],
  [
    /(?<![\w$.])(?:process|performance|crypto|console|globalThis)\s*(?:\?\.|[.[])/,
    'the process, a clock, randomness or the screen',
  ],
  [/(?<![\w$.])(?:setTimeout|setInterval|setImmediate|queueMicrotask|fetch)\s*\(/, 'a timer or the network'],
  [/(?<![\w$.])(?:await|async)(?![\w$]|\s*[:,=])/, 'await or async'],
];

const maximumLines = 300;

interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly code: string;
  readonly imports: readonly string[];
  readonly problems: readonly string[];
}

function readSource(path: string, text: string): SourceFile {
  let scanned: ScannedSource;
  try {
    scanned = scanSource(text);
  } catch (error) {
    return { path, text, code: '', imports: [], problems: [`${path}: cannot be scanned, because ${String(error)}`] };
  }
  // The launcher chooses between two files, and runs where import statements do not.
  if (roomOf(path) === 'bin') return { path, text, code: scanned.code, imports: [], problems: [] };
  const { specifiers, computed } = importsOf(scanned);
  const problems = computed > 0 ? [`${path}: imports something whose name is computed, so nobody can see what`] : [];
  return { path, text, code: scanned.code, imports: specifiers, problems };
}

function lookProblems(path: string, text: string): string[] {
  const problems: string[] = [];
  if (!/^(#![^\n]*\n)?\/[/*] ?\S/.test(text))
    problems.push(`${path}: must open with a comment that says what it is for`);
  const lines = text.replace(/\n$/, '').split('\n').length;
  if (lines > maximumLines)
    problems.push(`${path}: has ${lines} lines, more than ${maximumLines}: give a part of it its own file`);
  if (mayImport[roomOf(path)] === undefined) problems.push(`${path}: stands in no known room`);
  return problems;
}

function importProblem(path: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return packageProblem(path, specifier);
  const target = posix.join(posix.dirname(path), specifier);
  const [from, to] = [roomOf(path), roomOf(target)];
  if (target === treeReader && from !== 'manifests')
    return `${path}: imports ${target}, but only manifests opens files of a tree: take the text from the tree that was read`;
  if (!target.startsWith('src/')) return `${path}: imports ${specifier}, which is outside src/`;
  if (!/\.(ts|js|json)$/.test(target)) return `${path}: imports ${specifier} without its extension`;
  if (from === to) return undefined;
  const allowed = mayImport[from] ?? [];
  const names = [to, to.split('/')[0], target.slice('src/'.length)];
  if (names.some((name) => name !== undefined && allowed.includes(name))) return undefined;
  return `${path}: imports ${target}, but ${from} may import only ${allowed.join(', ') || 'itself'}`;
}

/** What opens files of a tree: it is given real paths, which only who resolved them knows. */
const treeReader = 'src/manifests/open.ts';

/** What shows findings and plans: they hold all that there is to show. */
const printers = /^src\/cli\/(output\/|log\.ts$|report\.ts$)/;

function packageProblem(path: string, specifier: string): string | undefined {
  const room = roomOf(path);
  if (printers.test(path) && /^node:(fs|child_process)\b/.test(specifier))
    return `${path}: imports ${specifier}, but what prints a report reads no files`;
  const entry = packageRooms.find(([pattern]) => pattern.test(specifier));
  if (entry === undefined) return `${path}: imports ${specifier}, which is not listed for any room`;
  return entry[1](room) ? undefined : `${path}: imports ${specifier}, which ${room} may not`;
}

function purityProblems(path: string, code: string): string[] {
  return impurities
    .filter(([pattern]) => pattern.test(code))
    .map(([, name]) => `${path}: is in core, and uses ${name}`);
}

function localImports(path: string, imports: readonly string[]): string[] {
  return imports.filter((name) => name.startsWith('.')).map((name) => posix.join(posix.dirname(path), name));
}

function roomOf(path: string): string {
  if (leaves.includes(path)) return 'core/model (leaf)';
  const [, first = '', second = '', third] = path.split('/');
  return first === 'core' && third !== undefined ? `core/${second}` : first;
}

/** Each import cycle, told once, from the file where it was entered. */
function cycles(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const found: string[] = [];
  const finished = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    const entered = trail.indexOf(path);
    if (entered >= 0) found.push(`${path}: imports itself: ${[...trail.slice(entered), path].join(' → ')}`);
    if (entered >= 0 || finished.has(path)) return;
    for (const next of imports.get(path) ?? []) visit(next, [...trail, path]);
    finished.add(path);
  };
  for (const path of imports.keys()) visit(path, []);
  return found;
}
