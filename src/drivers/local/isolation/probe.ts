// Whether a level works here: something small is really started in it, and tries what it should not be able to.
import { chmod, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reasonOf } from '../../../lib/reason-of.ts';
import { removeTree } from '../deep.ts';
import type { Found } from './level.ts';
import { giveTo } from './users.ts';
import { startedBy, startWrapped, type Tools, wrap } from './wrap.ts';

/** What is tried. */
export interface Probe {
  readonly instances: string;
  readonly node: string;
  readonly level: 'user' | 'bwrap';
  readonly user: number | undefined;
  readonly tools: Tools;
}

/** Writes where it may, and reads where it may not; says which of both is otherwise. */
const script = `
const fs = require('node:fs');
try { fs.writeFileSync('written', 'x'); } catch (error) { process.stderr.write('its home cannot be written (' + error.code + ')'); process.exit(1); }
try { fs.readFileSync('../secret'); } catch { process.exit(0); }
process.stderr.write('it still reads the files of Weir');
process.exit(1);
`;

const mostMs = 20_000;

/** Tries a level. */
export async function probe({ instances, node, level, user, tools }: Probe): Promise<Found> {
  const folder = await mkdtemp(join(instances, '.probe-'));
  try {
    const home = join(folder, 'home');
    await mkdir(home, { mode: 0o700 });
    await writeFile(join(folder, 'secret'), 'x', { mode: 0o600 });
    const kept = user === undefined ? undefined : await giveTo(home, user).catch(reasonOf);
    if (kept !== undefined)
      return { ok: false, why: `its files cannot be given to a user (${kept})`, remedy: giveAway };
    await chmod(folder, level === 'user' ? 0o711 : 0o700);
    const env = { PATH: '/usr/bin:/bin', HOME: home };
    const program = { command: node, args: ['-e', script], env, cwd: home, writable: [home], readable: [] };
    const why = await run(wrap(program, { level, node, user, tools, hidden: [instances], marks: {} }));
    return why === undefined ? { ok: true } : { ok: false, why, remedy: remedyOf(level, why) };
  } finally {
    await removeTree(folder);
  }
}

/** Root may be kept from that, as it often is in containers. */
const giveAway = 'let Weir keep the capability CAP_CHOWN, or run it as a user that is not root';

/** Why it did not work; nothing where it did. */
async function run(wrapped: ReturnType<typeof wrap>): Promise<string | undefined> {
  const late = AbortSignal.timeout(mostMs);
  let said = '';
  try {
    const child = await startWrapped(wrapped, { stdio: ['ignore', 'ignore', 'pipe'], detached: false });
    late.addEventListener('abort', () => child.kill('SIGKILL'));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = `${said}${text}`.slice(0, 2000);
    });
    const closed = Promise.withResolvers<number | null>();
    child.once('close', closed.resolve);
    // The log of a runtime may be looked for only where its first process is found.
    const found = startedBy(child, wrapped).then(
      () => true,
      () => false,
    );
    const code = await closed.promise;
    if (code === 0) return undefined;
    await found;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
  const [line = ''] = said.trim().split('\n');
  return line === '' ? 'what was started in it failed' : line.slice(0, 300);
}

function remedyOf(level: Probe['level'], why: string): string {
  if (level === 'user') return 'install bubblewrap';
  if (/namespace|Operation not permitted|uid map|Permission denied/i.test(why))
    return 'this machine does not let its users make namespaces: allow it (sysctl kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile for bwrap), or run Weir as root';
  return 'see what bwrap says; version 0.8 or newer is needed';
}
