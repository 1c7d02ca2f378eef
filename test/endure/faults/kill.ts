// The server is killed: at any moment, in the midst of its start, or asked to stop.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Fault, revive, stopInOrder } from './fault.ts';

export const killed: Fault = {
  name: 'kill -9',
  inject: async (stage) => {
    await stage.world.end('SIGKILL');
    return revive(stage, 'after kill -9');
  },
};

export const killedAtStart: Fault = {
  name: 'kill -9 at start, several times',
  inject: async (stage) => {
    const { world, dice, load } = stage;
    await world.end('SIGKILL');
    await load.pause();
    for (let times = 1 + dice.below(3); times > 0; times -= 1) {
      const { child, ended } = world.attempt();
      await sleep(200 + dice.below(800));
      child.kill('SIGKILL');
      await ended;
    }
    return revive(stage, 'after kills at start');
  },
};

export const stopped: Fault = {
  name: 'SIGTERM',
  inject: async (stage) => {
    await stopInOrder(stage, 'under load');
    return revive(stage, 'after SIGTERM');
  },
};
