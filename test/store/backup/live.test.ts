// timeout: 600
// Backups of a store that another process writes to as fast as it can, and that turns its files over all the time.
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { restore } from '../../../src/store/backup/restore.ts';
import { backUp } from '../../../src/store/backup/write.ts';
import { openStore } from '../../../src/store/json-file.ts';
import { startCommand } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';

const live = suite('a backup of a store in use');

live('holds all that was acknowledged before it began, and nothing that never was', async () => {
  const folder = temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  const script = join(import.meta.dirname, '../killed-writer.ts');
  const writer = startCommand(process.execPath, [script, at('store'), '1'], { timeoutMs: 250_000 });
  const acked = () => linesIn(writer.output().stdout);
  await until(() => (acked().length > 50 ? true : undefined));
  try {
    for (let round = 0; round < 6; round += 1) {
      const before = acked();
      const out = at(`backup-${round}.tar.gz`);
      const { heading } = await backUp(at('store'), { out, at: new Date().toISOString(), madeBy: '0.1.0' });
      await restore(out, at(`restored-${round}`), { keys: { file: at('store/secret.key') } });
      await agrees(at(`restored-${round}`), at('store/secret.key'), before, heading.position);
      // Until the writer has turned its files over.
      const wanted = acked().length + 1500;
      await until(() => (acked().length > wanted ? true : undefined));
    }
  } finally {
    writer.child.kill('SIGKILL');
    await writer.ended;
  }
  const last = linesIn(writer.output().stdout);
  for (let round = 0; round < 6; round += 1) await isPrefix(at(`restored-${round}`), at('store/secret.key'), last);
});

live.run();

interface Acked {
  readonly position: number;
  readonly name: string;
  readonly label: string;
  readonly id: string;
}

/** What the writer was told: `POSITION NAME LABEL ID`. */
function linesIn(stdout: string): Acked[] {
  return stdout.split('\n').flatMap((line) => {
    const [position = '', name, label, id] = line.split(' ');
    return id === undefined || name === undefined || label === undefined
      ? []
      : [{ position: Number(position), name, label, id }];
  });
}

/** Everything acknowledged before the backup is in it, and every record, once. */
async function agrees(folder: string, file: string, before: readonly Acked[], position: number): Promise<void> {
  const store = await openStore(folder, { create: false, keys: { file }, log: () => {} });
  assert.is(Number(store.read().position), position);
  assert.ok(before.every((line) => line.position <= position));
  const ids = (await store.records({ stream: 'history', limit: 1_000_000 })).map(({ id }) => id);
  assert.is(new Set(ids).size, ids.length);
  // Each commit had one record; the oldest of more than 10 000 may be gone.
  assert.ok(ids.length >= Math.min(position, 10_000), `${ids.length} records of ${position} commits`);
  const kept = new Set(ids);
  for (const line of before) if (line.position > position - 10_000) assert.ok(kept.has(line.id), line.id);
  await store.close();
}

/** The state is that after exactly its first commits. */
async function isPrefix(folder: string, file: string, lines: readonly Acked[]): Promise<void> {
  const store = await openStore(folder, { create: false, readOnly: true, keys: { file }, log: () => {} });
  const position = Number(store.read().position);
  const wanted = new Map<string, string>();
  for (const line of lines.toSorted((a, b) => a.position - b.position))
    if (line.position <= position) wanted.set(line.name, line.label);
  assert.equal(new Map([...store.read().all('Stack')].map(({ name, spec }) => [name, spec.label] as const)), wanted);
  await store.close();
}
