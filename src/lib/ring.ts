// A ring of records in a part of a file: each has its place by its time, so that the file never grows, and what was half written is no record.
import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

/** A ring. `start` is where it begins in the file, in bytes; `step` is the seconds between two records, `slots` how many are kept. */
export interface Ring {
  readonly start: number;
  readonly step: number;
  readonly slots: number;
  /** How many numbers a record holds. */
  readonly columns: number;
}

/** What is kept of one time (seconds since 1970). Numbers are kept as 32-bit floats; NaN is nothing known. */
export interface RingRecord {
  readonly at: number;
  readonly values: readonly number[];
}

/** How long a ring is, in bytes. */
export function ringBytes(ring: Ring): number {
  return ring.slots * widthOf(ring);
}

/** Writes records, each over what was kept a turn of the ring ago. */
export async function writeRing(file: FileHandle, ring: Ring, records: readonly RingRecord[]): Promise<void> {
  for (const run of neighbours(ring, records)) {
    const bytes = Buffer.concat(run.map((record) => encoded(ring, record)));
    await file.write(bytes, 0, bytes.length, placeOf(ring, run[0]?.at ?? 0));
  }
}

/** The records whose time is in [from, to), oldest first. */
export async function readRing(file: FileHandle, ring: Ring, from: number, to: number): Promise<RingRecord[]> {
  const found: RingRecord[] = [];
  for (const { slot, count } of partsOf(ring, from, to)) {
    const bytes = Buffer.alloc(count * widthOf(ring));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, ring.start + slot * widthOf(ring));
    for (const record of decoded(ring, bytes.subarray(0, bytesRead)))
      if (record.at >= from && record.at < to) found.push(record);
  }
  return found.sort((a, b) => a.at - b.at);
}

/** The places of a stretch of time: one part, or two where it goes round the end. */
function partsOf(ring: Ring, from: number, to: number): { readonly slot: number; readonly count: number }[] {
  const first = Math.floor(from / ring.step);
  const count = Math.min(ring.slots, Math.ceil(to / ring.step) - first);
  if (count <= 0) return [];
  const slot = slotOf(ring, first);
  const straight = Math.min(count, ring.slots - slot);
  return [{ slot, count: straight }, ...(straight < count ? [{ slot: 0, count: count - straight }] : [])];
}

/** Records that lie beside each other in the file, so that they are written at once. */
function neighbours(ring: Ring, records: readonly RingRecord[]): RingRecord[][] {
  const runs: RingRecord[][] = [];
  for (const record of records) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    if (run && last && placeOf(ring, record.at) === placeOf(ring, last.at) + widthOf(ring)) run.push(record);
    else runs.push([record]);
  }
  return runs;
}

function placeOf(ring: Ring, at: number): number {
  return ring.start + slotOf(ring, Math.floor(at / ring.step)) * widthOf(ring);
}

function slotOf({ slots }: Ring, nth: number): number {
  return ((nth % slots) + slots) % slots;
}

/** Time, numbers, and a check sum over both. */
function widthOf({ columns }: Ring): number {
  return 4 + columns * 4 + 4;
}

function encoded(ring: Ring, { at, values }: RingRecord): Buffer {
  const width = widthOf(ring);
  const bytes = Buffer.alloc(width);
  bytes.writeUInt32LE(at, 0);
  for (let column = 0; column < ring.columns; column++)
    bytes.writeFloatLE(values[column] ?? Number.NaN, 4 + column * 4);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, width - 4)), width - 4);
  return bytes;
}

function* decoded(ring: Ring, bytes: Buffer): Iterable<RingRecord> {
  const width = widthOf(ring);
  for (let place = 0; place + width <= bytes.length; place += width) {
    const at = bytes.readUInt32LE(place);
    if (at === 0 || bytes.readUInt32LE(place + width - 4) !== crc32(bytes.subarray(place, place + width - 4))) continue;
    const values = Array.from({ length: ring.columns }, (_, column) => bytes.readFloatLE(place + 4 + column * 4));
    yield { at, values };
  }
}
