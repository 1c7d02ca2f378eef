// Runs the real command as somebody to whom the permissions of files apply.
import { type CommandResult, runCommand } from './run-command.ts';
import { launcher, plainEnvironment } from './weir.ts';

/** Runs `weir LINE` in a folder: root is let past permissions by capabilities, which are taken from it here. */
export function weirBound({ path }: { readonly path: string }, line: string): Promise<CommandResult> {
  const args = [launcher, ...line.split(' ')];
  const env = plainEnvironment();
  if (process.getuid?.() !== 0) return runCommand(process.execPath, args, { cwd: path, env });
  return runCommand('setpriv', ['--inh-caps=-all', '--bounding-set=-all', process.execPath, ...args], {
    cwd: path,
    env,
  });
}
