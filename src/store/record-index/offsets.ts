// Where records stand in a file, in as few bytes as it takes: the newest first, and each of the others by how far it stands before.
import { createGrowing } from './growing.ts';

/** Writes offsets, which come oldest first. */
export function encodeOffsets(offsets: readonly number[]): Uint8Array {
  const bytes = createGrowing(offsets.length * 2 + 4);
  let after = 0;
  for (let index = offsets.length - 1; index >= 0; index -= 1) {
    const offset = offsets[index] ?? 0;
    bytes.varint(index === offsets.length - 1 ? offset : after - offset);
    after = offset;
  }
  return bytes.written();
}

/** Reads them, newest first. There may be a hundred thousand of them: nothing is made for each. */
export function decodeOffsets(bytes: Uint8Array): number[] {
  const offsets: number[] = [];
  let [last, value, scale] = [0, 0, 1];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    value += (byte & 127) * scale;
    scale *= 128;
    if (byte > 127) continue;
    last = offsets.length === 0 ? value : last - value;
    offsets.push(last);
    value = 0;
    scale = 1;
  }
  return offsets;
}

/** Those that are in both; each list newest first. */
export function common(some: readonly number[], others: readonly number[]): number[] {
  const both: number[] = [];
  for (let [one, other] = [0, 0]; one < some.length && other < others.length; ) {
    const [mine, theirs] = [some[one] ?? 0, others[other] ?? 0];
    if (mine === theirs) both.push(mine);
    if (mine >= theirs) one += 1;
    if (mine <= theirs) other += 1;
  }
  return both;
}
