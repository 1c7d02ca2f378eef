// The process that kill.test.ts kills: 16 writers on a store, each telling on stdout what it began and what was acknowledged.
import { writeSync } from 'node:fs';
import { openStore } from '../../src/store/json-file.ts';
import { historyRecord, labelling } from './samples.ts';

const [folder = '', round = '0'] = process.argv.slice(2);
const store = await openStore(folder, { create: true, snapshotBytes: 100_000, log: () => {} });
// Not by process.stdout, which keeps what a busy reader has not taken yet: that would die with this process.
const tell = (line: string) => writeSync(1, `${line}\n`);

tell(`open ${store.read().position}`);

for (let writer = 0; writer < 16; writer += 1) void write(writer);

async function write(writer: number): Promise<never> {
  for (let count = 0; ; count += 1) {
    const label = `${round}.${count}`;
    const name = `w${writer}-${count % 20}`;
    const id = `${writer}.${label}`;
    const { position } = await store.commit(labelling(name, label, [historyRecord(id)]), { id });
    tell(`${position} ${name} ${label} ${id}`);
  }
}
