// The files of a store: whatever stands in them, loading says what is wrong, or shows what was acknowledged. Read from either end they hold the same lines.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenFile } from '../../../src/store/file-system.ts';
import { presentFormat } from '../../../src/store/format.ts';
import { readSegment } from '../../../src/store/journal.ts';
import { encodeLine, scanBackwards, scanLines } from '../../../src/store/lines.ts';
import { readSnapshot } from '../../../src/store/snapshot.ts';
import { StoreUnavailable } from '../../../src/store/store.ts';
import { gist, holds, type Target } from '../target.ts';

const fixture = join(import.meta.dirname, '../../store/fixtures/format-1');

export const store: Target = {
  words: [
    ...[
      '{"crc":"00000000",',
      '\n',
      '"from":1,',
      '"seq":2,',
      '"mark":"closed"',
      '"version":2',
      '"weir":"journal"',
      '{}',
      'null',
    ],
    ...[
      { from: 2, mark: 'closed' },
      { seq: 1, from: 1, id: 'a', at: '', ops: [] },
      { seq: 2, from: 2, id: 'b', at: '', ops: [] },
    ].map(encodeLine),
    ...[
      { weir: 'journal', version: 1, first: 1 },
      { weir: 'snapshot', version: 1, position: 1 },
      { lines: 1 },
      { ids: [] },
    ].map(encodeLine),
  ],
  seeds: () => [
    [
      { weir: 'journal', version: 1, first: 1 },
      { from: 1, seq: 1, id: 'a', at: '', ops: [] },
      { from: 2, seq: 2, id: 'b', at: '', ops: [] },
    ]
      .map(encodeLine)
      .join(''),
    [{ weir: 'snapshot', version: 1, position: 1 }, { ids: [{ id: 'a', seq: 1 }] }, { lines: 2 }]
      .map(encodeLine)
      .join(''),
    readFileSync(join(fixture, 'journal-000000000012.jsonl')),
  ],
  mostMs: 2000,
  check: async (input) => {
    const file = fileOf(input);
    const forward: string[] = [];
    await scanLines(file, ({ offset, value }) => forward.push(`${offset} ${JSON.stringify(value)}`));
    const back: string[] = [];
    for await (const { offset, value } of scanBackwards(file, input.length))
      back.unshift(`${offset} ${JSON.stringify(value)}`);
    holds(String(forward) === String(back), 'from its end it holds other lines');
    const outcomes = [];
    for (const until of [undefined, 12])
      outcomes.push(
        await outcome(() => readSegment(file, 'journal', { first: 1, until, format: presentFormat }, () => {})),
      );
    outcomes.push(
      await outcome(() =>
        readSnapshot(
          file,
          'snapshot',
          () => {},
          () => {},
          presentFormat,
        ),
      ),
    );
    return outcomes.join('; ');
  },
};

async function outcome(read: () => Promise<object>): Promise<string> {
  try {
    return gist(JSON.stringify(await read()));
  } catch (error) {
    if (error instanceof StoreUnavailable) return gist(error.message.replace('the store is damaged', ''));
    throw error;
  }
}

function fileOf(bytes: Buffer): OpenFile {
  const none = async () => {
    throw new Error('it is only read');
  };
  return {
    size: async () => bytes.length,
    read: async (into, at) => bytes.copy(into, 0, at, at + into.length),
    write: none,
    truncate: none,
    datasync: none,
    isAt: none,
    close: async () => {},
  };
}
