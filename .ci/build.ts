// Builds dist/ for the packed package: JavaScript from src/*.ts, and everything else of src/ as it is.
import { spawnSync } from 'node:child_process';
import { cpSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const [source, target] = [join(root, 'src'), join(root, 'dist')];

rmSync(target, { recursive: true, force: true });
const compiler = join(root, 'node_modules/typescript/bin/tsc');
const { status } = spawnSync(process.execPath, [compiler, '-p', join(root, '.ci/tsconfig.build.json')], {
  stdio: 'inherit',
});
if (status === 0) {
  const isKept = (path: string) => statSync(path).isDirectory() || !path.endsWith('.ts');
  // Nothing may take the place of what was compiled: a script beside a module of its name would.
  cpSync(source, target, { recursive: true, filter: isKept, force: false, errorOnExist: true });
}
process.exitCode = status ?? 1;
