// The last look, when the server has stopped: every rule holds over the whole store, and the commands agree with it.
import { join } from 'node:path';
import { openStore } from '../../src/store/json-file.ts';
import { weir } from '../support/weir.ts';
import { wrongIn } from '../support/whole-state.ts';
import type { World } from './world.ts';

/** Blames what is wrong with the store on the disk. */
export async function lookAtStore(world: World): Promise<void> {
  const { folder, tree, store } = world;
  const opened = await openStore(store, { create: false, readOnly: true, log: (line) => world.blame(line) });
  const facts = { drivers: new Map(), certificateProblem: () => undefined };
  for (const problem of wrongIn(opened.read(), facts)) world.blame(`in the whole state: ${problem}`);
  await opened.close();
  const exported = join(folder, 'exported');
  await mustEnd(world, ['export', '--store', store, '--out', exported]);
  await mustEnd(world, ['validate', exported]);
  // Planned against the same state, an export and the tree change nothing: 2 would mean pending changes.
  await mustEnd(world, ['plan', exported, '--store', store, '--detailed-exitcode']);
  await mustEnd(world, ['plan', tree, '--store', store, '--detailed-exitcode']);
}

async function mustEnd(world: World, args: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await weir(world.folder, args);
  if (code !== 0) world.blame(`weir ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`);
}
