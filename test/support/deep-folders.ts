// Folders in folders, to a path that the system takes no more: made as a flow makes them, a step at a time.
import { execFileSync } from 'node:child_process';

/** Makes them below a folder, and a file of so many bytes in the last. */
export function makeDeep(folder: string, fileBytes = 0, depth = 25): void {
  const name = 'n'.repeat(200);
  const step = `i=0; while [ $i -lt ${depth} ]; do mkdir ${name} && cd -P ${name} || exit 1; i=$((i+1)); done`;
  execFileSync('/bin/sh', ['-c', `${step}; head -c ${fileBytes} /dev/zero >last`], { cwd: folder });
}
