// Real peers from Debian: tests that need commands which npm cannot bring ask for them here.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { type Context, suite, type Test } from 'uvu';

/** Command → where it is. */
export type Commands<C extends string> = Readonly<Record<C, string>>;

/**
 * Finds commands, by default on the PATH and where Debian keeps those of root. Where one is missing: where CI is set, as root, with apt-get, the
 * packages are installed (which takes minutes: the file needs a `// timeout: 1200` on top); elsewhere it answers nothing, and says on stderr
 * what to install. Wrap the suite in `suiteWith`, so that its tests count as skipped.
 */
export function debian<C extends string>(packages: readonly string[], commands: readonly C[]): Commands<C> | undefined {
  const found = find(commands);
  if (found) return found;
  const line = `apt-get install -y --no-install-recommends ${packages.join(' ')}`;
  const missing = commands.filter((command) => !pathOf(command)).join(', ');
  const failure = process.env.CI ? install(packages, commands) : 'CI is not set, so nothing is installed';
  const installed = find(commands);
  if (!installed)
    process.stderr.write(
      `\nSKIPPED: ${missing} is missing (${failure ?? 'the packages do not bring it'}). Run: ${line}\n\n`,
    );
  return installed;
}

/** A suite that runs where its commands were found; elsewhere its tests are skipped, and its hooks never run. */
export function suiteWith<T = Context>(commands: Commands<string> | undefined, name: string, context?: T): Test<T> {
  const tests = suite<T>(name, context);
  if (commands) return tests;
  const hook = Object.assign(() => {}, { each: () => {} });
  return Object.assign(tests.skip.bind(tests), tests, { only: tests.skip, before: hook, after: hook });
}

function find<C extends string>(commands: readonly C[]): Commands<C> | undefined {
  const entries = commands.map((command) => [command, pathOf(command)] as const);
  return entries.every(([, path]) => path !== undefined) ? (Object.fromEntries(entries) as Commands<C>) : undefined;
}

function pathOf(command: string): string | undefined {
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter).filter(Boolean),
    '/usr/local/sbin',
    '/usr/sbin',
    '/sbin',
  ];
  // Packages without a command of their own are known by a program that they bring.
  if (isAbsolute(command)) return isExecutable(command) ? command : undefined;
  return folders.map((folder) => join(folder, command)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Answers why it could not be done. */
function install(packages: readonly string[], commands: readonly string[]): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can install packages';
  if (!pathOf('apt-get') || !pathOf('flock')) return 'this system has no apt-get';
  const started = performance.now();
  process.stderr.write(`installing ${packages.join(' ')} …\n`);
  // In a session of its own and without our pipes: a test that is ended for taking too long must not leave dpkg in the middle of its work.
  const limits = ['--wait', 'timeout', '--kill-after=60', String(longestSeconds)];
  const { status } = spawnSync(
    'setsid',
    [...limits, 'flock', lock, 'sh', '-c', script, log, commands.join(' '), ...packages],
    {
      stdio: 'ignore',
      // apt drops its powers for some of its work, and would not come by a folder that is a test's own.
      env: { ...process.env, TMPDIR: '/tmp', DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' },
    },
  );
  const took = `${((performance.now() - started) / 1000).toFixed(0)} s`;
  process.stderr.write(`installing ${packages.join(' ')} took ${took}\n`);
  return status === 0 ? undefined : `apt-get ended with ${status} after ${took}:\n${lastLines(log)}\n`;
}

function lastLines(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim().split('\n').slice(-15).join('\n');
  } catch {
    return 'it printed nothing';
  }
}

/** Only root writes here, and apt has made it. One file at a time installs; the next finds the commands there, or installs its own. */
const lock = '/var/cache/apt/weir-tests.lock';

const log = '/var/cache/apt/weir-tests.log';

const longestSeconds = 900;

/**
 * While packages are installed no service may start: policy-rc.d forbids it (invoke-rc.d(8)). One that is there already stays as it is.
 * The lists are fetched only when the packages cannot be had without.
 */
const script = `
exec >"$0" 2>&1 </dev/null
missing=
for command in $1; do command -v "$command" >/dev/null || missing=1; done
[ -n "$missing" ] || exit 0
shift
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ] || grep -q '^# by the tests of weir$' "$policy"; then
  trap 'rm -f "$policy"' EXIT
  trap 'exit 143' HUP INT TERM
  printf '#!/bin/sh\\n# by the tests of weir\\nexit 101\\n' >"$policy"
  chmod 755 "$policy"
fi
install() {
  apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=600 -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold "$@"
}
install "$@" || { apt-get update && install "$@"; }
`;
