// What happens to processes: another wants the same store, or this one is held for a while.
import { setTimeout as sleep } from 'node:timers/promises';
import { weir } from '../../support/weir.ts';
import { isReady, waitFor } from '../world.ts';
import { type Fault, lookAround } from './fault.ts';

export const secondProcess: Fault = {
  name: 'a second process for the store',
  isGentle: true,
  inject: async (stage) => {
    const { world, dice } = stage;
    const verb = dice.of([['serve', world.tree, '--port', '0'], ['apply', world.tree], ['bootstrap']]);
    const begun = performance.now();
    const { code, stderr } = await weir(world.folder, [...verb, '--store', world.store]);
    if (code !== 5 || !stderr.includes(`process ${world.life().pid} `))
      world.blame(`a second process (${verb[0]}) ended with ${code}, and not with 5 and who is first: ${stderr}`);
    return performance.now() - begun;
  },
};

export const held: Fault = {
  name: 'SIGSTOP and SIGCONT',
  isGentle: true,
  inject: async (stage) => {
    const { world, dice } = stage;
    const { command, url } = world.life();
    command.child.kill('SIGSTOP');
    await sleep(500 + dice.below(3_000));
    command.child.kill('SIGCONT');
    const took = await waitFor(() => isReady(url));
    if (took === undefined) world.blame('it does not answer after SIGCONT');
    await lookAround(stage, 'after SIGCONT');
    return took ?? Number.POSITIVE_INFINITY;
  },
};
