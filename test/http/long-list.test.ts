// Pages of long lists: what they hold, whatever comes and goes between them.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Placed, pageOfLong } from '../../src/http/long-list.ts';
import type { Page } from '../../src/http/paging.ts';

const second = (at: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, at)).toISOString();
const item = (id: string, at = 0): Placed => ({ id, createdAt: second(at) });
const ids = ({ items }: Page<Placed>) => items.map(({ id }) => id).join('');
const page = (items: readonly Placed[], cursor?: string, limit = 2) =>
  pageOfLong(items, items.length, { limit, ...(cursor === undefined ? {} : { cursor }) });

const longLists = suite('long lists');

longLists('end with the page, and say where the next one begins', () => {
  const items = [item('a', 1), item('b', 2), item('c', 3)];
  const first = page(items);
  assert.is(ids(first), 'ab');
  assert.is(first.count, 3);
  const second = page(items, first.next);
  assert.is(ids(second), 'c');
  assert.not('next' in second);
  assert.not('next' in page(items, undefined, 3));
});

longLists('take no more than the page and one item', () => {
  let taken = 0;
  function* endless() {
    for (;;) yield item(`i${taken}`, taken++);
  }
  pageOfLong(endless(), 7, { limit: 3 });
  assert.is(taken, 4);
});

longLists('go on where they were when the item that ended a page is gone', () => {
  const items = [item('a', 1), item('b', 2), item('c', 3), item('d', 4)];
  const { next } = page(items);
  const without = (...gone: string[]) => items.filter(({ id }) => !gone.includes(id));
  assert.is(ids(page(without('b'), next)), 'cd');
  assert.is(ids(page(without('a', 'b', 'c'), next)), 'd');
});

longLists('go on where they were in one moment, too', () => {
  const items = [...'abcdef'].map((id) => item(id));
  const { next } = page(page(items).items.concat(items.slice(2)), page(items).next);
  const without = (...gone: string[]) => items.filter(({ id }) => !gone.includes(id));
  assert.is(ids(page(items, next)), 'ef');
  assert.is(ids(page(without('d'), next)), 'ef');
  assert.is(ids(page(without('c', 'd'), next)), 'ef');
  assert.is(ids(page(without('a', 'b', 'c', 'd'), next)), 'ef');
});

longLists('are as they should be where the clock was set back', () => {
  const items = [item('a', 9), item('b', 8), item('c', 1), item('d', 2)];
  assert.is(ids(page(items, page(items).next)), 'cd');
});

longLists('show what stays exactly once, whatever comes and goes between the pages', () => {
  const step = fc.record({ gone: fc.array(fc.nat(30), { maxLength: 4 }), come: fc.nat(2), tick: fc.nat(1) });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 4 }),
      fc.array(step),
      (many, limit, steps) => {
        let items = Array.from({ length: many }, (_, at) => item(`first-${at}`, at >> 2));
        const always = new Set(items);
        const seen: string[] = [];
        let [cursor, now, made]: [string | undefined, number, number] = [undefined, many, 0];
        for (const { gone, come, tick } of [...steps, ...Array(40).fill({ gone: [], come: 0, tick: 0 })]) {
          const shown = page(items, cursor, limit);
          seen.push(...shown.items.map(({ id }) => id));
          cursor = shown.next;
          if (cursor === undefined) break;
          const lost = items.filter((_, at) => gone.includes(at));
          for (const one of lost) always.delete(one);
          now += tick;
          const fresh = Array.from({ length: come }, () => item(`new-${made++}`, now));
          items = [...items.filter((one) => !lost.includes(one)), ...fresh];
        }
        assert.is(new Set(seen).size, seen.length);
        for (const { id } of always) assert.ok(seen.includes(id), id);
      },
    ),
  );
});

longLists('can be sorted, either way, with the same pages as a list that is sorted first', () => {
  const some = fc.uniqueArray(fc.record({ id: fc.string({ maxLength: 3 }), at: fc.nat(5) }), {
    selector: ({ id }) => id,
  });
  fc.assert(
    fc.property(some, fc.integer({ min: 1, max: 5 }), fc.boolean(), (made, limit, turned) => {
      const items = made.map(({ id, at }) => item(id, at));
      const sort = turned ? '-at' : 'at';
      const pages: Placed[] = [];
      let cursor: string | undefined;
      do {
        const shown: Page<Placed> = pageOfLong(items, items.length, {
          limit,
          cursor,
          sort,
          keyOf: (one) => one.createdAt,
        });
        assert.is(shown.count, items.length);
        pages.push(...shown.items);
        cursor = shown.next;
      } while (cursor !== undefined);
      const wanted = [...items].sort((a, b) => (a.createdAt + a.id < b.createdAt + b.id ? -1 : 1));
      assert.equal(pages, turned ? wanted.reverse() : wanted);
    }),
  );
});

longLists('count what matches', () => {
  const items = [item('a', 1), item('b', 2), item('aa', 3)];
  const shown = pageOfLong(items, 3, { limit: 1, matches: ({ id }) => id.includes('a') });
  assert.is(shown.count, 2);
  assert.is(ids(shown), 'a');
  const next = pageOfLong(items, 3, { limit: 1, cursor: shown.next, matches: ({ id }) => id.includes('a') });
  assert.is(ids(next), 'aa');
});

longLists('refuse a cursor of another list', () => {
  const items = [item('a', 1), item('b', 2)];
  const { next } = pageOfLong(items, 2, { limit: 1, sort: 'name' });
  assert.ok(next);
  for (const cursor of [next, 'garbage', Buffer.from('["","x","y"]').toString('base64url')])
    assert.throws(() => page(items, cursor), /The cursor is not one of this list/);
});

longLists.run();
