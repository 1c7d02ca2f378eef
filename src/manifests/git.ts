// Which git commit a tree stands at, where it stands in git: for the history of what was applied.
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';

/** `dirty`: below the tree's folder something differs from the commit, untracked files included. */
export interface Commit {
  readonly commit: string;
  readonly dirty: boolean;
}

/**
 * The commit of the work tree that holds a folder; nothing where there is no git, no repository, no commit yet, or no answer within two
 * seconds. Only reads: it takes no lock and runs no hook of the repository.
 */
export async function commitOf(root: string): Promise<Commit | undefined> {
  const folder = resolve(root);
  const end = AbortSignal.timeout(TIMEOUT_MS);
  try {
    // The folder's own state first: a commit that is made in between then shows as dirty, not as clean.
    const status = await git(
      folder,
      ['status', '--porcelain=v1', '--untracked-files=normal', '--ignore-submodules=all', '--', '.'],
      end,
    );
    const commit = (await git(folder, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'], end)).trim();
    return /^[0-9a-f]{40,64}$/.test(commit) ? { commit, dirty: status.trim() !== '' } : undefined;
  } catch {
    return undefined;
  }
}

const TIMEOUT_MS = 2_000;

/** What a git command that only reads answers. Throws what it says where it fails. */
export function git(
  folder: string,
  args: readonly string[],
  signal: AbortSignal = AbortSignal.timeout(TIMEOUT_MS),
): Promise<string> {
  // A mounted repository often belongs to another user; a monitor or a hook that it configures must not run.
  const config = ['-c', `safe.directory=*`, '-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];
  const options = {
    cwd: folder,
    env: cleanEnvironment(),
    signal,
    killSignal: 'SIGKILL',
    maxBuffer: 16 * 1024 * 1024,
    windowsHide: true,
  } as const;
  return new Promise((done, fail) => {
    execFile('git', ['--no-optional-locks', ...config, ...args], options, (error, stdout) =>
      error ? fail(error) : done(stdout),
    );
  });
}

/** Without what a hook or a caller's git left behind, which would point at another repository. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  return { ...Object.fromEntries(kept), GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' };
}
