// The audit log and the history are damaged while the server is down: it tells so, goes on serving, and is well once the bytes are put back.
import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { weir } from '../../support/weir.ts';
import type { Dice } from '../dice.ts';
import { listed } from '../verify.ts';
import { type World, waitFor } from '../world.ts';
import { type Fault, revive, type Stage, stopInOrder } from './fault.ts';
import { conditionOf, metricOf } from './told.ts';

export const damagedLog: Fault = {
  name: 'a damaged log',
  isLong: true,
  inject: async (stage) => {
    const { world, load, dice } = stage;
    await untilWorthASnapshot(stage);
    await stopInOrder(stage, 'before the log is damaged');
    await load.pause();
    const records = join(world.store, 'records');
    const sealed = readdirSync(records).filter((name) => name.endsWith('.jsonl'));
    if (sealed.length === 0) {
      world.blame('nothing of the log was sealed when the server stopped');
      return revive(stage, 'with nothing to damage');
    }
    const path = join(records, dice.of(sealed));
    const bytes = readFileSync(path);
    const what = damage(path, bytes, dice);
    stage.note(what);
    try {
      await isTold(stage, what);
      await stopInOrder(stage, what);
      await load.pause();
    } finally {
      writeFileSync(path, bytes);
    }
    await checks(world, 0, `${what}, repaired`);
    const took = await revive(stage, `${what}, repaired`);
    await readAll(world);
    const found = await conditionOf(world, 'AuditIntact');
    if (found?.status !== 'True') world.blame(`${what}, repaired: AuditIntact is ${JSON.stringify(found)}`);
    return took;
  },
};

/** Waits until so much was written since the last snapshot that a stop takes one, which seals the log so far. */
export async function untilWorthASnapshot({ world }: Pick<Stage, 'world'>): Promise<void> {
  const grown = async () => (await metricOf(world, 'weir_store_journal_bytes')) > 1.25 * (1 << 20);
  // A snapshot that was due meanwhile begins the count anew.
  if ((await waitFor(grown, 120_000)) === undefined) world.blame('too little was written for a snapshot');
}

/** Flips a bit, or cuts off the end; answers what it did. */
function damage(path: string, bytes: Buffer, dice: Dice): string {
  const at = dice.below(bytes.length);
  if (dice.percent(50)) {
    truncateSync(path, at);
    return `${path} cut off at ${at} of ${bytes.length} bytes`;
  }
  const flipped = Buffer.from(bytes);
  flipped[at] = (bytes[at] ?? 0) ^ (1 << dice.below(8));
  writeFileSync(path, flipped);
  return `${path} with a bit flipped at byte ${at} of ${bytes.length}`;
}

/** All that tells has to: the command with and without a server, the condition and the metric. The server takes writes meanwhile. */
async function isTold(stage: Stage, what: string): Promise<void> {
  const { world, oracle } = stage;
  await checks(world, 5, what);
  await revive(stage, what);
  await readAll(world);
  const told = await waitFor(async () => (await conditionOf(world, 'AuditIntact'))?.status === 'False');
  if (told === undefined) world.blame(`${what}: AuditIntact was not False within a minute after all was read`);
  const places = await metricOf(world, 'weir_store_records_damage');
  if (!(places > 0)) world.blame(`${what}: weir_store_records_damage is ${places}`);
  await checks(world, 5, `${what}, beside the server`);
  const before = oracle.tally.acknowledged;
  if ((await waitFor(() => oracle.tally.acknowledged > before)) === undefined)
    world.blame(`${what}: no write was taken for a minute`);
}

async function checks(world: World, wanted: number, what: string): Promise<void> {
  const { code, stdout, stderr } = await weir(world.folder, ['store', 'check', world.store]);
  if (code !== wanted)
    world.blame(`${what}: weir store check ended with ${code}, and not with ${wanted}: ${stdout}${stderr}`);
}

/** Reads all of the audit log and the history. */
async function readAll(world: World): Promise<void> {
  await listed(world, '/api/v1/admin/audit-log', 'auditEntries');
  await listed(world, '/api/v1/admin/config/history', 'history');
}
