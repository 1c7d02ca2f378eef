// A place in a stream of records, from which reading goes on: it outlives the process, and the files that records move to.

/** Behind the first `nth` records that a commit has of the stream; `count` is how many of the stream stand before it. */
export interface OnwardPlace {
  readonly seq: number;
  readonly nth: number;
  readonly count: number;
}

/** As whoever keeps it has it. */
export function placeText({ seq, nth, count }: OnwardPlace): string {
  return `${seq}.${nth}.${count}`;
}

/** Throws `RangeError` for what is no place of a store that stands at a commit. */
export function placeOf(text: string, position: number): OnwardPlace {
  const [, seq, nth, count] = /^(\d{1,15})\.(\d{1,15})\.(\d{1,15})$/.exec(text) ?? [];
  const place = { seq: Number(seq), nth: Number(nth), count: Number(count) };
  if (seq === undefined || place.seq > position + 1)
    throw new RangeError(`"${text}" is no place in the records of this store, which stands at ${position}`);
  return place;
}

/** The place before all records of a commit. */
export function before(seq: number, count: number): OnwardPlace {
  return { seq, nth: 0, count };
}

/** The place behind the next record, which is one of the commit `seq`. */
export function behind(place: OnwardPlace, seq: number): OnwardPlace {
  return { seq, nth: seq === place.seq ? place.nth + 1 : 1, count: place.count + 1 };
}
