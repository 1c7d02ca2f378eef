// The clock of the server is put forward and back while it works.
import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { debian } from '../../support/debian.ts';
import { write } from '../requests.ts';
import { listed } from '../verify.ts';
import type { World } from '../world.ts';
import { untilWorthASnapshot } from './damaged-log.ts';
import { type Fault, lookAround, revive, stopInOrder } from './fault.ts';

/** How far from the right time; sessions outlive all of them. */
const steps = ['-2h', '+3h', '-1', '+90m', '-10', '+1', '+5h'] as const;

export const clockSteps: Fault = {
  name: 'clock steps',
  missing: cannotFake,
  inject: async (stage) => {
    const { world, dice } = stage;
    const offset = join(world.folder, 'clock');
    writeFileSync(offset, '+0');
    await world.end('SIGKILL');
    await revive(stage, 'with another clock', { env: followed(offset) });
    for (const step of dice.shuffled(steps).slice(0, 3)) {
      writeFileSync(offset, step);
      await sleep(2_000);
      await lookAround(stage, `after a step of the clock (${step})`);
    }
    await world.end('SIGKILL');
    return revive(stage, 'back in time');
  },
};

/** A start with a clock that is far ahead makes everything in the audit log look older than it has to be kept. */
export const clockFarAhead: Fault = {
  name: 'a clock 500 days ahead',
  isLong: true,
  missing: cannotFake,
  inject: async (stage) => {
    const { world, load, oracle, dice } = stage;
    // What is sealed now is let go as a whole once it is too old.
    await untilWorthASnapshot(stage);
    await stopInOrder(stage, 'before a clock 500 days ahead');
    await revive(stage, 'before a clock 500 days ahead');
    await untilWorthASnapshot(stage);
    await load.pause();
    const before = await entriesOf(world);
    const offset = join(world.folder, 'clock');
    writeFileSync(offset, '+500d');
    await world.end('SIGKILL');
    await world.start({ env: followed(offset) });
    const slug = `far-${dice.below(1e9)}`;
    const fields = { name: 'Of another year', type: 'starter' };
    const request = ['POST', '/api/v1/teams', { body: { slug, ...fields } }] as const;
    const { is } = await write(world, oracle.begin(`Team/${slug}`, fields), request);
    if (is !== 'kept') world.blame('500 days ahead a write was not taken');
    // It takes a snapshot, by which it lets go what is too old.
    await stopInOrder(stage, '500 days ahead');
    await world.start();
    // What had ended by that clock may have been deleted.
    await load.signInAgain();
    const after = new Set(await entriesOf(world));
    const lost = before.filter((id) => !after.has(id));
    if (lost.length > 0) world.blame(`back from 500 days ahead ${lost.length} of ${before.length} entries are lost`);
    await lookAround(stage, 'back from 500 days ahead');
    await world.end('SIGKILL');
    return revive(stage, 'some time after 500 days ahead');
  },
};

async function entriesOf(world: World): Promise<string[]> {
  const entries = await listed(world, '/api/v1/admin/audit-log', 'auditEntries');
  return entries.map(({ id }) => id);
}

async function cannotFake(): Promise<string | undefined> {
  debian(['faketime'], ['faketime']);
  return library() === undefined ? 'there is no faketime (Debian: apt-get install faketime)' : undefined;
}

/** Has a process follow the offset in a file. */
function followed(offset: string): Readonly<Record<string, string>> {
  return {
    LD_PRELOAD: library() ?? '',
    FAKETIME_TIMESTAMP_FILE: offset,
    FAKETIME_CACHE_DURATION: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
}

function library(): string | undefined {
  return globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')[0];
}
