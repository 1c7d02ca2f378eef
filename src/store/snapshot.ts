// Snapshots: all resources in one file, written in slices while commits go on, and read at the next start.
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { kindNames } from '../core/kinds/index.ts';
import type { Resource } from '../core/model/resource.ts';
import { type FileSystem, type OpenFile, writeFully } from './file-system.ts';
import { snapshotName } from './folder.ts';
import { type Format, sealingKey } from './format.ts';
import { damaged, type Header, readHeader } from './journal.ts';
import { type Ledger, ledgerLines } from './ledger.ts';
import { encodeLine, type Line, scanLines } from './lines.ts';
import type { Log } from './log.ts';
import type { RecordSegment } from './record-segments.ts';
import { sealRow } from './seal.ts';

/** What a snapshot holds besides resources. */
export interface SnapshotIds {
  readonly id: string;
  readonly seq: number;
}

/**
 * Writes the snapshot of `position` and makes it durable; answers its size in bytes. Rows may be newer than `position`, or gone
 * since: whoever reads it replays the journal from there, and rows are whole.
 */
export async function writeSnapshot(
  files: FileSystem,
  folder: string,
  log: Log,
  position: number,
  format: Format,
  ledger: Ledger,
): Promise<number> {
  const path = join(folder, snapshotName(position));
  const file = await files.open(`${path}.tmp`, 'create');
  let size = 0;
  try {
    size = await writeSlices(file, linesOf(log, position, format, ledger));
    await file.datasync();
  } catch (error) {
    await file.close().catch(() => {});
    await files.unlink(`${path}.tmp`).catch(() => {});
    throw error;
  }
  await file.close();
  await files.rename(`${path}.tmp`, path);
  await files.syncFolder(folder);
  return size;
}

/** What a snapshot says of itself and of the segments of records; those before format 3 list none. */
export interface SnapshotRead {
  readonly size: number;
  readonly version: number;
  readonly key: string | undefined;
  readonly ledger: Ledger | undefined;
}

/** Reads a snapshot. Throws `StoreUnavailable` when any of it is missing or damaged. */
export async function readSnapshot(
  file: OpenFile,
  path: string,
  onRow: (row: Resource) => void,
  onIds: (ids: readonly SnapshotIds[]) => void,
  format: Format,
): Promise<SnapshotRead> {
  const seen = { lines: 0, complete: false };
  let header: Header | undefined;
  let ledger: Omit<Ledger, 'segments'> | undefined;
  const segments: RecordSegment[] = [];
  const size = await scanLines(file, (line) => {
    if (header) take(header.upgrade(checked(line, path, seen), 'snapshot'), line.offset);
    else header = readHeader(line, path, 'snapshot', format);
    seen.lines += 1;
  });
  if (!seen.complete || !header) throw damaged(path, size, 'its end is missing');
  return { size, version: header.version, key: header.key, ledger: ledger && { ...ledger, segments } };

  // biome-ignore lint/suspicious/noExplicitAny: JSON whose shape the checksum vouches for
  function take({ row, ids, lines, ledger: told, segments: listed }: any, offset: number): void {
    if (row) onRow(row);
    if (ids) onIds(ids);
    if (told) ledger = told;
    if (listed) segments.push(...listed);
    if (lines === undefined) return;
    seen.complete = true;
    if (lines !== seen.lines) throw damaged(path, offset, `${seen.lines} lines stand before it instead of ${lines}`);
  }
}

function checked({ offset, value }: Line, path: string, { complete }: { readonly complete: boolean }): Line['value'] {
  if (value === undefined) throw damaged(path, offset, 'the line is not what was written');
  if (complete) throw damaged(path, offset, 'something follows its last line');
  return value;
}

/** Longer than this, in milliseconds, a slice keeps nobody waiting. */
const sliceMs = 3;
const sliceLength = 1 << 18;

async function writeSlices(file: OpenFile, lines: Iterable<string>): Promise<number> {
  let size = 0;
  let slice: string[] = [];
  let length = 0;
  let started = performance.now();
  const flush = async () => {
    const bytes = Buffer.from(slice.join(''));
    slice = [];
    length = 0;
    await writeFully(file, bytes, size);
    size += bytes.length;
    await nextTurn();
    started = performance.now();
  };
  for (const line of lines) {
    length += line.length;
    if (slice.push(line) % 16 === 0 && (length > sliceLength || performance.now() - started > sliceMs)) await flush();
  }
  await flush();
  return size;
}

function* linesOf(log: Log, position: number, format: Format, ledger: Ledger): Generator<string> {
  const key = sealingKey(format);
  let lines = 1;
  yield encodeLine({ weir: 'snapshot', version: format.version, position, ...(key && { key: key.id }) });
  for (const kind of kindNames) {
    // Rows that come while this goes on stand behind these: they are in the journal, and must not keep it from ending.
    let left = log.state.count(kind);
    if (left === 0) continue;
    for (const row of log.state.all(kind)) {
      yield encodeLine(sealRow(row, key));
      lines += 1;
      left -= 1;
      if (left === 0) break;
    }
  }
  for (const ids of chunks(log.recent.ids())) {
    yield encodeLine({ ids });
    lines += 1;
  }
  for (const line of ledgerLines(ledger)) {
    yield encodeLine(line);
    lines += 1;
  }
  yield encodeLine({ lines });
}

function* chunks(ids: Iterable<readonly [id: string, seq: number]>): Generator<SnapshotIds[]> {
  let chunk: SnapshotIds[] = [];
  for (const [id, seq] of ids) {
    if (chunk.push({ id, seq }) < 500) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
