// A repository, and a checkout of it that is kept up as git-sync does: a work tree a commit, a link that is turned, and the old one gone at once.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { writeFiles } from './temporary-folder.ts';

export interface GitSync {
  /** The link that is turned. */
  readonly link: string;
  /** Commits files (nothing: the file goes), and answers the commit. */
  commit(files: Readonly<Record<string, string | undefined>>): Promise<string>;
  /** Brings the checkout to the newest commit. */
  sync(): void;
}

/** Makes a repository with files, and a synced checkout below `folder`. */
export async function gitSync(folder: string, files: Readonly<Record<string, string>>): Promise<GitSync> {
  const [work, root] = [join(folder, 'repository'), join(folder, 'git')];
  for (const path of [work, root]) mkdirSync(path, { recursive: true });
  const link = join(root, 'current');
  git(work, 'init', '-q', '-b', 'main');
  const commit: GitSync['commit'] = async (changes) => {
    for (const [path, content] of Object.entries(changes))
      if (content === undefined) rmSync(join(work, path));
      else await writeFiles(work, { [path]: content });
    git(work, 'add', '-A');
    git(work, 'commit', '-q', '--allow-empty', '-m', 'a change');
    return git(work, 'rev-parse', 'HEAD').trim();
  };
  const sync = () => {
    if (!existsSync(join(root, '.git'))) git(root, 'init', '-q', '-b', 'main');
    git(root, 'fetch', '-q', '--depth=1', work, 'main');
    const sha = git(root, 'rev-parse', 'FETCH_HEAD').trim();
    const old = existsSync(link) ? readlinkSync(link) : undefined;
    const next = join('.worktrees', sha);
    if (old === next) return;
    git(root, 'worktree', 'add', '-q', '--force', '--detach', next, sha);
    symlinkSync(next, join(root, 'tmp-link'));
    renameSync(join(root, 'tmp-link'), link);
    if (old === undefined) return;
    rmSync(join(root, old), { recursive: true, force: true });
    git(root, 'worktree', 'prune');
  };
  await commit(files);
  sync();
  return { link, commit, sync };
}

function git(cwd: string, ...args: string[]): string {
  const who = ['-c', 'user.name=ann', '-c', 'user.email=ann@example.net', '-c', 'commit.gpgsign=false'];
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
  return execFileSync('git', [...who, ...args], { cwd, env, encoding: 'utf8', stdio: 'pipe' });
}
