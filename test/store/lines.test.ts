// The lines of a store's files, read from their end.
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inOneGo } from '../../src/lib/steps.ts';
import { diskFileSystem } from '../../src/store/file-system.ts';
import { encodeBody, encodeBodySteps, encodeLine, scanBackwards } from '../../src/store/lines.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';

const folder = temporaryFolder();

const bodies = suite('the body of a line');

bodies('is the same whether it is written in one go or in steps', () => {
  for (const count of [0, 1, 63, 64, 65, 1000]) {
    const ops = Array.from({ length: count }, (_, number) => ({ put: { number, text: `"${number}\n\u2028é` } }));
    const head = { seq: 1, id: 'a', at: 'now' };
    const records = [{ stream: 'audit' }];
    const inSteps = inOneGo(
      encodeBodySteps(head, [
        ['ops', ops],
        ['records', records],
      ]),
    );
    assert.equal(Buffer.from(inSteps).toString(), Buffer.from(encodeBody({ ...head, ops, records })).toString());
  }
});

bodies.run();

const backwards = suite('lines from the end of a file');

backwards.after(() => folder.remove());

/** The numbers of the lines that hold a text, as they are found, and of how many bytes each was looked at alone. */
async function found(lines: readonly object[], text: string): Promise<{ numbers: number[]; looks: number }> {
  await writeFiles(folder.path, { 'lines.jsonl': lines.map(encodeLine).join('') });
  const file = await diskFileSystem.open(join(folder.path, 'lines.jsonl'), 'read');
  const piece = Buffer.from(text);
  const numbers: number[] = [];
  let looks = 0;
  const wanted = (bytes: Buffer) => {
    looks += 1;
    return bytes.includes(piece);
  };
  for await (const { value } of scanBackwards(file, await file.size(), wanted)) numbers.push(value.number);
  await file.close();
  return { numbers, looks };
}

backwards(
  'are all found that hold what is looked for, wherever in the file they stand and however long they are',
  async () => {
    // Lengths around those of the pieces in which a file is read, and lines that reach over several of them.
    const lengths = [0, 262_100, 30, 262_144, 700_000, 5, 131_000, 131_000, 262_143, 0, 1_000_000, 12];
    for (const wanted of [[0], [11], [4], [0, 5, 10], [3, 4], [6, 7, 8], [], lengths.map((_, number) => number)]) {
      const mark = (number: number) => (wanted.includes(number) ? 'this one' : 'another');
      const lines = lengths.map((length, number) => ({ number, text: 'x'.repeat(length), mark: mark(number) }));
      const { numbers } = await found(lines, '"this one"');
      assert.equal(numbers, wanted.toReversed());
    }
  },
);

backwards('are not looked at one by one where none of very many holds what is looked for', async () => {
  const lines = Array.from({ length: 20_000 }, (_, number) => ({ number, team: number === 7 ? 'mine' : 'theirs' }));
  const { numbers, looks } = await found(lines, '"mine"');
  assert.equal(numbers, [7]);
  assert.ok(looks < 10_000, `${looks} looks`);
});

backwards.run();
