// The bytes of a group of commits: a line each, with the chain of records where it has moved on.
import { createSlicer } from '../lib/slice.ts';
import { advance, type Heads, movedHeads } from './chain.ts';
import { frameLine } from './lines.ts';
import type { Log } from './log.ts';

/** The lines of what waits; those with records tell the chain after them. Answers that after the last, too. Others have their turn meanwhile. */
export async function frame({ waiting, heads: before }: Pick<Log, 'waiting' | 'heads'>): Promise<Framed> {
  const slicer = createSlicer();
  const from = `"from":${waiting[0]?.seq},`;
  let heads = before;
  const parts: Uint8Array[] = [];
  for (const { seq, records, body } of waiting) {
    for (let at = 0; at < records.length; at += sliceLength) {
      heads = advance(heads, seq, records.slice(at, at + sliceLength));
      if (slicer.spent()) await slicer.breathe();
    }
    const chain = records.length === 0 ? '' : `"chain":${JSON.stringify(movedHeads(heads, records))},`;
    parts.push(...frameLine(from + chain, body));
  }
  return { bytes: Buffer.concat(parts), heads };
}

/** A group as it is written, and the chain after it. */
interface Framed {
  readonly bytes: Uint8Array;
  readonly heads: Heads;
}

const sliceLength = 64;
