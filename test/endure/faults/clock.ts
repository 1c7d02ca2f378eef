// The clock of the server is put forward and back while it works.
import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { debian } from '../../support/debian.ts';
import { type Fault, lookAround, revive } from './fault.ts';

/** How far from the right time; sessions outlive all of them. */
const steps = ['-2h', '+3h', '-1', '+90m', '-10', '+1', '+5h'] as const;

export const clockSteps: Fault = {
  name: 'clock steps',
  missing: async () => {
    debian(['faketime'], ['faketime']);
    return library() === undefined ? 'there is no faketime (Debian: apt-get install faketime)' : undefined;
  },
  inject: async (stage) => {
    const { world, dice } = stage;
    const offset = join(world.folder, 'clock');
    writeFileSync(offset, '+0');
    await world.end('SIGKILL');
    const env = {
      LD_PRELOAD: library() ?? '',
      FAKETIME_TIMESTAMP_FILE: offset,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
    await revive(stage, 'with another clock', { env });
    for (const step of dice.shuffled(steps).slice(0, 3)) {
      writeFileSync(offset, step);
      await sleep(2_000);
      await lookAround(stage, `after a step of the clock (${step})`);
    }
    await world.end('SIGKILL');
    return revive(stage, 'back in time');
  },
};

function library(): string | undefined {
  return globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')[0];
}
