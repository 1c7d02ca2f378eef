// What every store engine must do, whatever lies below it. An engine's test file calls `conformance` with the way to open it.
import { type Context, suite, type Test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Change, created } from '../../src/core/model/change.ts';
import {
  type Entry,
  NotKept,
  type PositionedView,
  type Receipt,
  Refused,
  type Store,
  type Transaction,
} from '../../src/store/store.ts';
import { blobPromises } from './blob-promises.ts';
import {
  auditRecord,
  contentOf,
  counting,
  creating,
  deleting,
  historyRecord,
  labelling,
  stackNamed,
} from './samples.ts';

/** How a test opens an engine's empty store; what it opens, it closes. */
export type Opening = () => Promise<Store>;

/** The suite of one engine; the caller runs it. Engines over a network fit: nothing is asked of time, or of how often a transaction runs. */
export function conformance(name: string, open: Opening): Test<Context> {
  const store = suite(name);
  const test = (sentence: string, body: (opened: Store) => Promise<void>) =>
    store(sentence, async () => {
      const opened = await open();
      try {
        await body(opened);
      } finally {
        await opened.close();
      }
    });
  commits(test);
  longOnes(test);
  refusals(test);
  twice(test);
  followers(test);
  positions(test);
  records(test);
  blobPromises(test);
  ending(test);
  return store;
}

type Tests = (sentence: string, body: (opened: Store) => Promise<void>) => void;

function commits(test: Tests): void {
  test('begins empty, ready, and at a position', async (store) => {
    assert.equal(contentOf(store.read()), []);
    assert.is(store.health().state, 'ready');
    assert.type(store.health().position, 'string');
    assert.is(store.read().position, store.health().position);
  });

  test('shows a commit when it resolves, and not a moment before', async (store) => {
    const before = store.read().position;
    const promise = store.commit(creating('a', 'b'), { id: '1' });
    assert.equal(contentOf(store.read()), []);
    assert.is(store.read().position, before);
    const receipt = await promise;
    assert.equal(contentOf(store.read()), ['a=a', 'b=b']);
    assert.is(store.read().position, receipt.position);
    assert.is.not(receipt.position, before);
    assert.equal(
      receipt.changes.map(({ kind, id, after }) => [kind, id, after?.name]),
      [
        ['Stack', 'id-a', 'a'],
        ['Stack', 'id-b', 'b'],
      ],
    );
  });

  test('shows a transaction what was committed before it, durable or not', async (store) => {
    const all = Array.from({ length: 20 }, (_, index) => store.commit(counting('n'), { id: `c${index}` }));
    await Promise.all(all);
    assert.equal(contentOf(store.read()), ['n=20']);
  });

  test('lets many commit at once and loses none of their writes', async (store) => {
    const writer = async (writer: number) => {
      for (let round = 0; round < 20; round += 1) {
        await store.commit(counting('shared'), { id: `${writer}-${round}` });
        await store.commit(labelling(`own-${writer}`, String(round)), { id: `own-${writer}-${round}` });
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, index) => writer(index)));
    assert.is(store.read().named('Stack', 'shared')?.spec.label, '160');
    assert.is(store.read().count('Stack'), 9);
    for (let index = 0; index < 8; index += 1) assert.is(store.read().named('Stack', `own-${index}`)?.spec.label, '19');
  });

  test('refuses to commit from within a transaction, and keeps what that one wants', async (store) => {
    let inner: Promise<unknown> | undefined;
    await store.commit(
      (view) => {
        inner ??= store.commit(creating('inner'), { id: 'inner' });
        inner.catch(() => {});
        return creating('outer')(view);
      },
      { id: 'outer' },
    );
    assert.match(String(await inner?.then(String, String)), 'it has to be pure');
    assert.equal(contentOf(store.read()), ['outer=outer']);
    await store.commit(creating('inner'), { id: 'inner' });
    assert.equal(contentOf(store.read()), ['outer=outer', 'inner=inner']);
  });

  test('keeps a transaction whole: what it makes, alters and deletes appears at one moment', async (store) => {
    await store.commit(creating('old', 'kept'), { id: '1' });
    const swap: Transaction = (view) => ({
      changes: [
        ...deleting('old')(view).changes,
        ...labelling('kept', 'new')(view).changes,
        created(stackNamed('fresh')),
      ],
    });
    const seen = new Set<string>();
    store.subscribe(() => seen.add(contentOf(store.read()).join()));
    await store.commit(swap, { id: '2' });
    assert.equal([...seen], ['kept=new,fresh=fresh']);
    assert.is(store.read().get('Stack', 'id-old'), undefined);
    assert.is(store.read().count('Stack'), 2);
  });

  test('lists resources in the order in which they were made', async (store) => {
    await store.commit(creating('c', 'a'), { id: '1' });
    await store.commit(creating('b'), { id: '2' });
    await store.commit(labelling('c', 'x'), { id: '3' });
    await store.commit(deleting('a'), { id: '4' });
    await store.commit(creating('a'), { id: '5' });
    assert.equal(contentOf(store.read()), ['c=x', 'b=b', 'a=a']);
  });

  test('shows one state from one await to the next', async (store) => {
    const writing = (async () => {
      for (let index = 0; index < 50; index += 1) await store.commit(counting('n'), { id: `n${index}` });
    })();
    let done = false;
    const reading = (async () => {
      while (!done) {
        const view = store.read();
        assert.is(contentOf(view).length, view.count('Stack'));
        assert.is(view.named('Stack', 'n')?.spec.label, store.read().named('Stack', 'n')?.spec.label);
        assert.is(view.position, store.read().position);
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    await writing;
    done = true;
    await reading;
  });
}

/** Makes stacks in as many steps. */
function stepwise(names: readonly string[], seen: string[] = []) {
  return function* (view: PositionedView) {
    const changes: Change[] = [];
    for (const name of names) {
      seen.push(contentOf(view).join(' '));
      yield;
      changes.push(created(stackNamed(name)));
    }
    return { changes, records: [historyRecord('h')], result: names.length };
  };
}

function longOnes(test: Tests): void {
  test('evaluates a transaction in steps between which others have their turn', async (store) => {
    await store.commit(creating('first'), { id: '0' });
    let turns = 0;
    const counter = setInterval(() => turns++, 0);
    const names = Array.from({ length: 2000 }, (_, index) => `n${index}`);
    const seen: string[] = [];
    const receipt = await store.commit(stepwise(names, seen), { id: '1' });
    clearInterval(counter);
    assert.is(receipt.result, 2000);
    assert.equal(receipt.records, [historyRecord('h')]);
    assert.is(store.read().count('Stack'), 2001);
    assert.equal(new Set(seen), new Set(['first=first']));
    assert.ok(turns > 0, 'the event loop had its turn');
  });

  test('evaluates no other transaction meanwhile, and each of them afterwards, in order', async (store) => {
    const seen: string[] = [];
    const early = store.commit(counting('n'), { id: 'early' });
    const long = store.commit(stepwise(['a', 'b', 'c'], seen), { id: 'long' });
    const late = ['1', '2', '3'].map((id) => store.commit(counting('n'), { id }));
    const again = store.commit(stepwise(['d']), { id: 'again' });
    const receipts = await Promise.all([early, long, ...late, again]);
    const positions = receipts.map(({ position }) => position);
    assert.equal(
      positions,
      positions.toSorted((a, b) => Number(a) - Number(b)),
    );
    assert.equal(new Set(seen), new Set(['n=1']));
    assert.equal(contentOf(store.read()), ['n=4', 'a=a', 'b=b', 'c=c', 'd=d']);
  });

  test('keeps nothing of a long transaction that throws, and goes on', async (store) => {
    const failing = function* (): Generator<void, { changes: Change[] }, void> {
      yield;
      throw new Refused([]);
    };
    const outcomes = await Promise.allSettled([
      store.commit(failing, { id: '1' }),
      store.commit(counting('n'), { id: '2' }),
    ]);
    assert.equal(
      outcomes.map(({ status }) => status),
      ['rejected', 'fulfilled'],
    );
    assert.equal(contentOf(store.read()), ['n=1']);
  });

  test('keeps a long transaction once for each id', async (store) => {
    const both = [store.commit(stepwise(['a']), { id: 'same' }), store.commit(stepwise(['a']), { id: 'same' })];
    const [first, second] = await Promise.all(both);
    assert.is(first?.position, second?.position);
    assert.equal(second?.repeated, true);
    assert.equal(contentOf(store.read()), ['a=a']);
  });

  test('refuses to commit from within a long transaction', async (store) => {
    let inner: Promise<unknown> | undefined;
    const outer = function* () {
      yield;
      inner ??= store.commit(counting('n'), { id: 'inner' });
      inner.catch(() => {});
      return { changes: [] };
    };
    await store.commit(outer, { id: 'outer' });
    assert.match(String(await inner?.then(String, String)), 'it has to be pure');
  });

  test('ends a long transaction that is under way before it closes', async (store) => {
    const long = store.commit(stepwise(['a', 'b']), { id: '1' });
    const outcome = long.then(
      () => 'kept',
      (error) => (error instanceof NotKept ? 'not kept' : String(error)),
    );
    await store.close();
    assert.is(await outcome, 'not kept');
  });
}

function refusals(test: Tests): void {
  const violation = { rule: 'stack-in-use', severity: 'error', message: 'Stack/a: cannot be, because' } as const;

  test('keeps nothing of a transaction that refuses, and passes the refusal on', async (store) => {
    await store.commit(creating('a'), { id: '1' });
    const { position } = store.read();
    const error = await rejection(
      store.commit(
        () => {
          throw new Refused([violation]);
        },
        { id: '2' },
      ),
    );
    assert.instance(error, Refused);
    assert.equal(error instanceof Refused && error.violations, [violation]);
    assert.is(store.read().position, position);
    await store.commit(labelling('a', 'mended'), { id: '2' });
    assert.equal(contentOf(store.read()), ['a=mended']);
  });

  test('lets the commits beside a refused one through', async (store) => {
    const failing: Transaction = () => {
      throw new Refused([violation]);
    };
    const outcomes = await Promise.allSettled([
      store.commit(counting('n'), { id: '1' }),
      store.commit(failing, { id: '2' }),
      store.commit(counting('n'), { id: '3' }),
    ]);
    assert.equal(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.equal(contentOf(store.read()), ['n=2']);
  });

  test('rejects only the commit that cannot be written down', async (store) => {
    const endless: Record<string, unknown> = {};
    endless.self = endless;
    const outcomes = await Promise.allSettled([
      store.commit(labelling('n', '1'), { id: '1' }),
      store.commit(labelling('n', 'lost', [historyRecord('h', endless)]), { id: '2' }),
      store.commit(labelling('m', '3'), { id: '3' }),
    ]);
    assert.equal(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.equal(contentOf(store.read()), ['n=1', 'm=3']);
    assert.is(store.health().state, 'ready');
  });

  test('keeps nothing, and stays where it is, when nothing changes', async (store) => {
    const { position } = await store.commit(creating('a'), { id: '1' });
    const receipt = await store.commit(() => ({ changes: [] }), { id: '2' });
    assert.equal([receipt.position, receipt.changes], [position, []]);
    assert.is(store.read().position, position);
  });
}

function twice(test: Tests): void {
  test('writes one id once, also while the first is under way', async (store) => {
    const receipts = await Promise.all([
      store.commit(counting('n'), { id: 'same' }),
      store.commit(counting('n'), { id: 'same' }),
    ]);
    const third = await store.commit(counting('n'), { id: 'same' });
    assert.equal(contentOf(store.read()), ['n=1']);
    assert.is(new Set([...receipts, third].map(({ position }) => position)).size, 1);
    assert.equal(
      [...receipts, third].map(({ repeated }) => repeated ?? false),
      [false, true, true],
    );
    assert.equal(
      third.changes.map(({ after }) => after?.name),
      ['n'],
    );
  });

  test('may evaluate a transaction more than once, and applies it once', async (store) => {
    let runs = 0;
    const receipt = await store.commit(
      (view) => {
        runs += 1;
        return counting('n')(view);
      },
      { id: '1' },
    );
    assert.ok(runs >= 1);
    assert.is(receipt.changes.length, 1);
    assert.equal(contentOf(store.read()), ['n=1']);
  });
}

function followers(test: Tests): void {
  test('tells each subscriber every entry once, in order, with what it holds', async (store) => {
    const heard: Entry[] = [];
    const end = store.subscribe((entry) => entry !== 'reset' && heard.push(entry));
    const ids = Array.from({ length: 30 }, (_, index) => `id-${index}`);
    const receipts = await Promise.all(
      ids.map((id) => store.commit(labelling('a', id, [historyRecord(`h-${id}`)]), { id })),
    );
    end();
    await store.commit(counting('silent'), { id: 'last' });
    assert.equal(
      heard.map(({ id }) => id),
      ids,
    );
    assert.equal(
      heard.map(({ position }) => position),
      receipts.map(({ position }) => position),
    );
    assert.equal(
      heard.map(({ records }) => records.map(({ id }) => id)),
      ids.map((id) => [`h-${id}`]),
    );
  });

  test('tells an entry when it can be read', async (store) => {
    let seen = '';
    store.subscribe((entry) => {
      if (entry !== 'reset') seen = contentOf(store.read()).join();
    });
    await store.commit(creating('a'), { id: '1' });
    assert.is(seen, 'a=a');
  });

  test('goes on when a subscriber fails, and lets one commit', async (store) => {
    const heard: string[] = [];
    let inner: Promise<Receipt> | undefined;
    store.subscribe(() => {
      throw new Error('a fault of the subscriber');
    });
    store.subscribe((entry) => {
      if (entry !== 'reset') heard.push(entry.id);
      inner ??= store.commit(counting('n'), { id: 'inner' });
    });
    await store.commit(counting('n'), { id: 'outer' });
    await inner;
    assert.equal(heard, ['outer', 'inner']);
    assert.equal(contentOf(store.read()), ['n=2']);
  });

  test('leads, until it is closed', async (store) => {
    const led = new Promise<AbortSignal>((resolve) => store.lead('reconciler', resolve));
    const signal = await led;
    assert.is(signal.aborted, false);
    await store.close();
    assert.is(signal.aborted, true);
  });
}

function positions(test: Tests): void {
  test('reaches the head: everything committed so far can be read', async (store) => {
    const first = store.commit(creating('a'), { id: '1' });
    const view = await store.reach('head');
    assert.equal(contentOf(view), ['a=a']);
    await first;
  });

  test('reaches a position that was given out before', async (store) => {
    const { position } = await store.commit(creating('a'), { id: '1' });
    await store.commit(creating('b'), { id: '2' });
    const view = await store.reach(position);
    assert.ok(view.get('Stack', 'id-a'));
    assert.is(view.position, store.read().position);
  });

  test('refuses a position that is none of its own', async (store) => {
    assert.instance(await rejection(store.reach('nonsense')), RangeError);
  });
}

function records(test: Tests): void {
  const idsOf = async (store: Store, query: Parameters<Store['records']>[0]) =>
    (await store.records(query)).map(({ id }) => id);

  test('pages records of one stream, newest first', async (store) => {
    for (let index = 0; index < 10; index += 1)
      await store.commit(
        () => ({
          changes: [],
          records: [historyRecord(`h${index}`), auditRecord(`a${index}`), historyRecord(`i${index}`)],
        }),
        { id: String(index) },
      );
    assert.equal(await idsOf(store, { stream: 'history', limit: 3 }), ['i9', 'h9', 'i8']);
    assert.equal(await idsOf(store, { stream: 'history', limit: 3, before: 'i8' }), ['h8', 'i7', 'h7']);
    assert.equal(await idsOf(store, { stream: 'audit', limit: 100, before: 'a2' }), ['a1', 'a0']);
    assert.equal(await idsOf(store, { stream: 'audit', limit: 100, before: 'a0' }), []);
    assert.equal(await idsOf(store, { stream: 'audit', limit: 100, before: 'nobody' }), []);
    assert.equal(await idsOf(store, { stream: 'audit', limit: 0 }), []);
    const where = ({ id }: { id: string }) => id.endsWith('3') || id.endsWith('5');
    assert.equal(await idsOf(store, { stream: 'history', limit: 3, where }), ['i5', 'h5', 'i3']);
    assert.equal(await idsOf(store, { stream: 'history', limit: 3, where, before: 'i3' }), ['h3']);
  });

  test('reads the records of a stream onward from a place, oldest first, each once', async (store) => {
    const { place: start, records: none } = await store.recordsAfter({ stream: 'audit', limit: 5 });
    assert.equal(none, []);
    for (let index = 1; index <= 12; index += 1)
      await store.commit(
        () => ({
          changes: [],
          records: [auditRecord(`a${index}`), historyRecord(`h${index}`), auditRecord(`b${index}`)],
        }),
        { id: String(index) },
      );
    const found: string[] = [];
    for (let after = start; ; ) {
      const page = await store.recordsAfter({ stream: 'audit', after, limit: 5 });
      found.push(...page.records.map(({ record }) => record.id));
      assert.equal([page.lost, page.waiting], [0, 24 - found.length]);
      if (page.records.length === 0) break;
      const [first] = page.records;
      const again = await store.recordsAfter({ stream: 'audit', after: String(first?.place), limit: 1 });
      assert.is(again.records[0]?.record.id, page.records[1]?.record.id ?? again.records[0]?.record.id);
      after = page.place;
    }
    assert.equal(found, Array.from({ length: 12 }, (_, index) => [`a${index + 1}`, `b${index + 1}`]).flat());
    const { records } = await store.recordsAfter({ stream: 'audit', limit: 5 });
    assert.equal(records, [], 'without a place it begins now');
  });

  test('counts the records of a stream, and those that a filter lets through', async (store) => {
    const day = (number: number) => `2026-01-${String(number).padStart(2, '0')}T00:00:00.000Z`;
    for (let index = 1; index <= 28; index += 1)
      await store.commit(
        () => ({ changes: [], records: [historyRecord(`h${index}`), auditRecord(`a${index}`, day(index))] }),
        { id: String(index) },
      );
    assert.is(await store.countRecords({ stream: 'audit' }), 28);
    assert.is(await store.countRecords({ stream: 'history' }), 28);
    const where = ({ id }: { id: string }) => id.endsWith('3');
    assert.is(await store.countRecords({ stream: 'audit', where }), 3);
    assert.is(await store.countRecords({ stream: 'audit', where, since: day(4) }), 2);
    assert.is(await store.countRecords({ stream: 'audit', since: day(4), until: day(8) }), 4);
    assert.is(await store.countRecords({ stream: 'audit', until: day(1) }), 0);
  });

  test('finds records of a time, and by texts that their JSON holds', async (store) => {
    const at = (index: number) => new Date(Date.UTC(2026, 0, 1, 0, index)).toISOString();
    for (let index = 0; index < 40; index += 1) {
      // Times do not follow the order of commits: clocks are set back.
      const when = at(index % 10 === 0 ? 100 - index : index);
      const body = { event: index % 4 === 0 ? 'a "quoted" é' : 'other' };
      const record = { stream: 'audit', id: `a${index}`, at: when, body } as const;
      await store.commit(() => ({ changes: [], records: [record, historyRecord(`h${index}`)] }), { id: String(index) });
    }
    const audit = { stream: 'audit', limit: 5 } as const;
    assert.equal(await idsOf(store, { ...audit, since: at(37) }), ['a39', 'a38', 'a37', 'a30', 'a20']);
    assert.equal(await idsOf(store, { ...audit, since: at(37), before: 'a20' }), ['a10', 'a0']);
    assert.equal(await idsOf(store, { ...audit, since: at(5), until: at(9) }), ['a8', 'a7', 'a6', 'a5']);
    assert.equal(await idsOf(store, { ...audit, until: at(3), before: 'a30' }), ['a2', 'a1']);
    const event = 'a "quoted" é';
    const where = ({ body }: { body: Readonly<Record<string, unknown>> }) => body.event === event;
    const quoted = { ...audit, where, holding: [JSON.stringify(event)] };
    assert.equal(await idsOf(store, quoted), ['a36', 'a32', 'a28', 'a24', 'a20']);
    assert.equal(await idsOf(store, { ...quoted, before: 'a24' }), ['a20', 'a16', 'a12', 'a8', 'a4']);
    assert.equal(await idsOf(store, { ...quoted, before: 'a23' }), ['a20', 'a16', 'a12', 'a8', 'a4']);
    assert.is(await store.countRecords({ ...quoted, stream: 'audit' }), 10);
  });

  test('keeps the records of a commit when it keeps the commit', async (store) => {
    const promise = store.commit(labelling('a', '1', [historyRecord('h', { outcome: 'applied' })]), { id: '1' });
    assert.equal(await store.records({ stream: 'history', limit: 1 }), []);
    await promise;
    assert.equal(await store.records({ stream: 'history', limit: 1 }), [historyRecord('h', { outcome: 'applied' })]);
  });
}

function ending(test: Tests): void {
  test('finishes on closing what is under way, and keeps nothing after', async (store) => {
    const promise = store.commit(creating('a'), { id: '1' });
    const closing = store.close();
    const late = store.commit(creating('b'), { id: '2' });
    const [first, second] = await Promise.allSettled([promise, late, closing, store.close()]);
    assert.is(first.status, 'fulfilled');
    assert.instance(second.status === 'rejected' && second.reason, NotKept);
    assert.is(store.health().state, 'closed');
    assert.equal(contentOf(store.read()), ['a=a']);
  });
}

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => assert.unreachable('it was not refused'),
    (error) => error,
  );
}
