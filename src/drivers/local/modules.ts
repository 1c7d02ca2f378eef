// The node packages that an instance is started with: installed beside its flows, when they are not there yet.
import { appendFile, lchown, lstat, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sameValue } from '../../core/model/leaves.ts';
import { DriverFailed, type Run } from '../driver.ts';
import { plainText, writeInHome } from './beneath.ts';
import { groupsFor } from './control-group.ts';
import { type Folder, textIn, writePrivate } from './folder.ts';
import { userIn } from './isolation/users.ts';
import { type NpmCall, newMark, npm } from './npm.ts';
import { NpmFailed, secretsIn } from './npm-failure.ts';
import { endTree } from './process-tree.ts';
import { type Secrets, sha256 } from './settings.ts';

/** Installs what is missing. Rejects with `DriverFailed` where a package cannot be had. */
export async function installModules(
  { options: { paletteModules = [] } }: Run,
  folder: Folder,
  { npmrc }: Secrets,
  call: Omit<NpmCall, 'folder' | 'own'>,
): Promise<void> {
  await writeNpmrc(folder, npmrc);
  const wanted = paletteModules.map(({ name, version }) => `${name}@${version}`).sort();
  const digest = npmrc === undefined ? null : sha256(npmrc);
  const state = JSON.stringify({ wanted, npmrc: digest });
  const known = await textIn(folder.modules);
  if (isInstalled(known, wanted, digest) || (known === undefined && wanted.length === 0)) return;
  if (wanted.length > 0 || (known !== undefined && noteIn(known).install)) {
    // Written before npm begins: what is half-way counts as nothing, whatever happens to Weir.
    const mark = newMark();
    await writePrivate(folder.modules, JSON.stringify({ ...modulesToInstall, mark }));
    try {
      await install(folder, wanted, { ...call, mark, secrets: secretsIn(npmrc) });
    } catch (error) {
      if (isUntouched(error)) await putBack(folder, known);
      throw error;
    }
  }
  await writePrivate(folder.modules, state);
}

/** Ends an npm that an earlier Weir left running: two of them in one folder spoil it. */
export async function endInstall(folder: Folder): Promise<void> {
  const { mark } = noteIn((await textIn(folder.modules)) ?? '{}');
  if (mark === undefined) return;
  // Its user runs nothing else now: no runtime is started before its modules are there.
  await endTree({ run: mark, groups: await groupsFor(mark), user: await userIn(folder.path) });
  await writePrivate(folder.modules, JSON.stringify(modulesToInstall));
}

/** What cannot be had is found out before anything is changed. */
function isUntouched(error: unknown): boolean {
  return error instanceof ModulesFailed && ['missing', 'unknown', 'unreachable'].includes(error.why);
}

async function putBack({ modules }: Folder, known: string | undefined): Promise<void> {
  if (known === undefined) await rm(modules, { force: true });
  else await writePrivate(modules, known);
}

/** npm could not install them. */
class ModulesFailed extends DriverFailed {
  readonly why: NpmFailed['why'];
  constructor({ why, message }: NpmFailed) {
    const own = why === 'unreachable' ? ' (of this instance or its template alone: the option npmrc)' : '';
    super('ModulesMissing', `its modules cannot be installed, because ${message}${own}`);
    this.why = why;
  }
}

/** What stands for the modules of an instance whose manifest was put back: they have to be installed before it starts. */
export const modulesToInstall = { install: true } as const;

/** Whether the note says that these modules are installed, with this digest of the npmrc; whatever a newer Weir wrote besides. */
export function isInstalled(note: string | undefined, wanted: readonly string[], npmrc: string | null): boolean {
  try {
    const known = JSON.parse(note ?? 'null');
    return known !== null && sameValue([known.wanted, known.npmrc], [wanted, npmrc]);
  } catch {
    return false;
  }
}

/** What the note says; one that cannot be read is as good as none that is right. */
export function noteIn(text: string): { readonly install: boolean; readonly mark?: string } {
  try {
    const { install, mark } = JSON.parse(text);
    return { install: install === true, ...(typeof mark === 'string' && mark !== '' ? { mark } : {}) };
  } catch {
    return { install: true };
  }
}

/** npm and the runtime's own palette find it here. */
async function writeNpmrc({ home }: Folder, npmrc: string | undefined): Promise<void> {
  const path = join(home, '.npmrc');
  if (npmrc === undefined) await rm(path, { force: true });
  else await writeInHome(home, '.npmrc', npmrc);
}

/** For the user to whom the home belongs. */
async function makeModulesFolder(home: string): Promise<void> {
  const made = await mkdir(join(home, 'node_modules'), { recursive: true });
  const { uid, gid } = await lstat(home);
  if (made !== undefined && process.getuid?.() === 0 && uid !== 0) await lchown(made, uid, gid);
}

/** In bytes. */
const mostManifest = 1024 * 1024;

/** How long npm may take. */
const mostMs = 600_000;

async function install(
  folder: Folder,
  wanted: readonly string[],
  call: Omit<NpmCall, 'folder' | 'own'>,
): Promise<void> {
  const { home } = folder;
  if ((await plainText(home, 'package.json', mostManifest)) === undefined)
    await writeInHome(
      home,
      'package.json',
      `${JSON.stringify({ name: 'instance', private: true, version: '0.0.1' })}\n`,
    );
  await makeModulesFolder(home);
  const late = AbortSignal.timeout(mostMs);
  try {
    await npm(['install', '--save', '--omit=dev', ...wanted], {
      ...call,
      folder: folder.home,
      // Nothing of the registry tokens of whoever runs Weir: the option npmrc says what an instance has.
      own: {
        HOME: home,
        npm_config_userconfig: join(home, '.npmrc'),
        ...(call.cell === undefined || call.cell.level === 'none' ? {} : { npm_config_cache: join(home, '.npm') }),
      },
      signal: AbortSignal.any([...(call.signal ? [call.signal] : []), late]),
    });
  } catch (error) {
    if (late.aborted)
      throw new DriverFailed('ModulesMissing', `its modules were not installed within ${mostMs / 60_000} min`);
    if (call.signal?.aborted) throw new DriverFailed('Aborted', 'its start was given up');
    if (!(error instanceof NpmFailed)) throw error;
    await logged(folder, error);
    if (error.why === 'full') throw new DriverFailed('DiskFull', error.message);
    throw new ModulesFailed(error);
  }
}

/** Where whoever looks after the instance reads on. A log that cannot be written is no reason to say anything else than why npm failed. */
async function logged({ log }: Folder, { said }: NpmFailed): Promise<void> {
  const lines = said.map(
    (line) => `${new Date().toISOString()} error ${line.startsWith('npm') ? '' : 'npm '}${line}\n`,
  );
  await appendFile(log, lines.join(''), { mode: 0o600 }).catch(() => {});
}
