// The benchmark of the audit log: a page of a few entries among a million, as a server reads it.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { auditFilter } from '../../src/control/audit.ts';
import type { AuditEntry } from '../../src/core/audit/entry.ts';
import type { AuditFilter } from '../../src/core/audit/filter.ts';
import { createRecordTurns, recordPage } from '../../src/http/record-page.ts';
import type { Services } from '../../src/http/services.ts';
import { openStore } from '../../src/store/json-file.ts';
import type { Store } from '../../src/store/store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { cpuOf, type Row, spread, told } from './measure.ts';

/** Measures; takes about a minute and a half. The page of a team takes at most 5 ms of CPU, and at a million entries not much more than at a tenth of it. */
export async function benchAudit(entries = 1_000_000): Promise<Row[]> {
  const { path, remove } = temporaryFolder();
  const filling = await openStore(path, { create: true, snapshotBytes: 4 << 20, log: () => {} });
  const indexing = { bytes: 0, ms: 0 };
  const tenth = entries / 10;
  await fill(filling, 0, tenth);
  const small = await pages(filling, path, { team: true });
  const { ms } = await cpuOf(() => fill(filling, tenth, entries));
  const large = await pages(filling, path, { team: true });
  const two = await pages(filling, path, { team: true, event: 'instance' });
  const dense = await pages(filling, path, { event: 'instance', actor: 'user' });
  await filling.close();
  indexing.bytes = bytesIn(join(path, 'index')) / bytesIn(join(path, 'records'));
  await remove();
  const of = `among ${told(entries)} entries`;
  return [
    { name: `audit: first page of a team, with its count, ${of}`, ...spread(large), unit: 'ms', atMost: 5 },
    { name: `audit: the same of a team and an event, ${of}`, ...spread(two), unit: 'ms' },
    { name: `audit: the same of what half of all entries are, ${of}`, ...spread(dense), unit: 'ms' },
    {
      name: `audit: page ${of} / among ${told(tenth)}`,
      value: spread(large).value / spread(small).value,
      unit: '×',
      atMost: 4,
    },
    { name: `audit: to keep and index an entry, ${of}`, value: (ms / (entries - tenth)) * 1000, unit: 'µs' },
    { name: 'audit: the index / the entries', value: indexing.bytes, unit: '×' },
  ];
}

const teams = 2_999;

function entryOf(nth: number): AuditEntry {
  const team = `0198c0de-0000-7000-8000-${String((nth * 7919) % teams).padStart(12, '0')}`;
  const isInstance = nth % 2 === 0;
  return {
    id: `0198c0de-1111-7000-8000-${String(nth).padStart(12, '0')}`,
    at: new Date(Date.UTC(2026, 0, 1) + nth * 30_000).toISOString(),
    event: isInstance ? 'instance.updated' : 'member.added',
    actor:
      nth % 3 === 0
        ? { kind: 'token', id: `token-${nth % 50}` }
        : { kind: 'user', id: `user-${nth % 900}`, name: `user${nth % 900}` },
    target: {
      kind: isInstance ? 'Instance' : 'Membership',
      id: `target-${nth % 20_000}`,
      name: `thing-${nth % 20_000}`,
    },
    changes: [{ path: '/spec/label', before: `label ${nth - 1}`, after: `label ${nth}` }],
    requestId: `0198c0de-2222-7000-8000-${String(nth).padStart(12, '0')}`,
    address: '192.0.2.10',
    team,
  };
}

async function fill(store: Store, from: number, to: number): Promise<void> {
  for (let first = from; first < to; first += 500) {
    const records = Array.from({ length: Math.min(500, to - first) }, (_, more) => {
      const body = entryOf(first + more);
      return { stream: 'audit' as const, id: body.id, at: body.at, body };
    });
    await store.commit(() => ({ changes: [], records }), { id: `fill-${first}` });
    // Snapshots, and with them the segments of records, have their time, as they have on a server.
    await sleep(5);
  }
}

/** What first pages cost, in milliseconds of CPU each, once the index is made and what was read is verified. */
async function pages(
  store: Store,
  path: string,
  { team, ...filter }: Omit<AuditFilter, 'team'> & { readonly team?: true },
): Promise<number[]> {
  const services = { door: { store }, recordTurns: createRecordTurns() } as unknown as Services;
  const page = async (nth: number) => {
    const asked = { ...filter, ...(team && { team: entryOf(nth * 37).team }) };
    const { items, count } = await recordPage(services, auditFilter(asked), { limit: 50, ...asked });
    if (items.length === 0 || count < items.length) throw new Error(`${count} entries of ${JSON.stringify(asked)}`);
  };
  await quiet(path);
  for (let nth = 0; nth < 30; nth += 1) await page(nth);
  await quiet(path);
  const costs: number[] = [];
  for (let round = 0; round < 9; round += 1) {
    const { ms } = await cpuOf(async () => {
      for (let nth = 0; nth < 10; nth += 1) await page(nth);
    });
    costs.push(ms / 10);
  }
  return costs;
}

/** Resolves when this process has done next to nothing for a while, and nothing is being written. */
async function quiet(path: string): Promise<void> {
  for (let still = 0; still < 4; ) {
    const { ms } = await cpuOf(() => sleep(100));
    const isWriting = readdirSync(join(path, 'index')).some((name) => name.endsWith('.tmp'));
    still = ms < 10 && !isWriting ? still + 1 : 0;
  }
}

function bytesIn(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}
