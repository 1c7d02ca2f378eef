// What the index knows of some terms: in which segments records have all of them, how many, and where.
import type { RecordSegment } from '../record-segments.ts';
import type { Block, Covered } from './encode.ts';
import { common } from './offsets.ts';
import type { Posting, Run } from './run.ts';
import { keyOf } from './terms.ts';

/** The runs as they are at one time: none of them is closed before it is let go. */
export interface Consulted {
  /** Whether all terms of a segment are known. */
  covers(segment: RecordSegment): boolean;
  /** The blocks of a segment that is covered, oldest first. */
  blocks(segment: RecordSegment): readonly Block[];
  /** Looks for terms. Rejects with `DamagedRun`. */
  look(terms: readonly string[]): Promise<Look>;
  letGo(): void;
}

/** What was found; segments that are not covered have nothing. Both reject with `DamagedRun`. */
export interface Look {
  /** How many records of a segment have all of the terms. */
  count(segment: RecordSegment): Promise<number>;
  /** Where they are, newest first. */
  offsets(segment: RecordSegment): Promise<readonly number[]>;
}

/** Whether a segment is the one that was read. */
export function isOf(segment: RecordSegment, { name, bytes, hash }: Covered): boolean {
  return segment.name === name && segment.bytes === bytes && segment.hash === hash;
}

/** Where a segment is in a run. */
interface Where {
  readonly run: Run;
  readonly index: number;
}

/** Consults runs about segments. */
export function consult(runs: readonly Run[], segments: readonly RecordSegment[]): Consulted {
  const byName = new Map(segments.map((segment) => [segment.name, segment]));
  const covered = new Map<string, Where>();
  for (const run of runs)
    for (const [index, one] of run.covered.entries()) {
      const segment = byName.get(one.name);
      if (segment && isOf(segment, one) && !covered.has(one.name)) covered.set(one.name, { run, index });
    }
  const used = new Set([...covered.values()].map(({ run }) => run));
  const holds = [...used].map((run) => run.hold());
  return {
    covers: ({ name }) => covered.has(name),
    blocks: ({ name }) => {
      const { run, index } = covered.get(name) ?? {};
      return (index === undefined ? undefined : run?.covered[index]?.blocks) ?? [];
    },
    look: async (terms) => {
      const keys = [...new Set(terms)].map(keyOf);
      const found = new Map<Run, readonly ReadonlyMap<number, Posting>[]>();
      for (const run of used) {
        const postings = [];
        for (const key of keys) postings.push(new Map((await run.find(key)).map((one) => [one.segment, one])));
        found.set(run, postings);
      }
      return lookAt(({ name }) => {
        const where = covered.get(name);
        return where && found.get(where.run)?.map((postings) => postings.get(where.index));
      });
    },
    letGo: () => {
      for (const release of holds.splice(0)) release();
    },
  };
}

function lookAt(postingsOf: (segment: RecordSegment) => readonly (Posting | undefined)[] | undefined): Look {
  const inAll = (segment: RecordSegment) => {
    const postings = postingsOf(segment) ?? [];
    return postings.every((posting) => posting !== undefined) ? postings : [];
  };
  const offsets = async (segment: RecordSegment) => {
    // The rarest first: what it is not in need not be looked for in the others.
    const [first, ...others] = inAll(segment).toSorted((a, b) => a.count - b.count);
    let both = (await first?.offsets()) ?? [];
    for (const other of others) both = common(both, await other.offsets());
    return both;
  };
  return {
    offsets,
    count: async (segment) => {
      const [only, ...others] = inAll(segment);
      return others.length === 0 ? (only?.count ?? 0) : (await offsets(segment)).length;
    },
  };
}
