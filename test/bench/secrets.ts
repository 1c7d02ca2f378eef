// What encrypting the secrets of a store costs: the same commits, snapshots and starts with and without them.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { created, updated } from '../../src/core/model/change.ts';
import type { Resource } from '../../src/core/model/resource.ts';
import { openStore } from '../../src/store/json-file.ts';
import { rekey } from '../../src/store/rekey.ts';
import { sealKeyOf, sealRow } from '../../src/store/seal.ts';
import type { Store } from '../../src/store/store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { cpuOf, median, type Row, spread, told } from './measure.ts';

const size = 10_000;
const at = '2026-01-01T00:00:00.000Z';

/** Measures; takes about half a minute. */
export async function benchSecrets(): Promise<Row[]> {
  const rounds = { with: [] as Measured[], without: [] as Measured[] };
  for (let round = 0; round < 3; round += 1)
    for (const kind of ['with', 'without'] as const) rounds[kind].push(await measure(kind === 'with'));
  const ratio = (pick: (one: Measured) => number) =>
    Math.round((100 * median(rounds.with.map(pick))) / median(rounds.without.map(pick))) / 100;
  const figures = (pick: (one: Measured) => number) => spread(rounds.with.map(pick));
  const devices = `${told(size)} devices`;
  return [
    { name: 'secrets: a device copied, and its secret encrypted', ...spread([seal(), seal(), seal()]), unit: 'µs' },
    { name: 'secrets: CPU of a durable write, with one ÷ without', value: ratio(({ write }) => write), unit: '×' },
    {
      name: `secrets: CPU of one commit of ${devices}, with ÷ without`,
      value: ratio(({ commit }) => commit),
      unit: '×',
    },
    { name: `secrets: event loop held by it, longest, with`, ...figures(({ held }) => held), unit: 'ms' },
    {
      name: `secrets: event loop held by it, longest, without`,
      ...spread(rounds.without.map(({ held }) => held)),
      unit: 'ms',
    },
    { name: `secrets: CPU of a start with ${devices}, with ÷ without`, value: ratio(({ start }) => start), unit: '×' },
    { name: `secrets: another key for ${devices}`, ...figures(({ rekeyed }) => rekeyed), unit: 'ms' },
  ];
}

interface Measured {
  readonly write: number;
  readonly commit: number;
  readonly held: number;
  readonly start: number;
  readonly rekeyed: number;
}

async function measure(hasSecrets: boolean): Promise<Measured> {
  const folder = temporaryFolder();
  const open = () => openStore(folder.path, { create: true, log: () => {} });
  const filling = await open();
  const holding = longestHold();
  const { ms: commit } = await cpuOf(() => fill(filling, hasSecrets));
  const held = await holding();
  const { ms: write } = await cpuOf(() => writes(filling, hasSecrets));
  await filling.close();
  const { ms: start, answer: store } = await cpuOf(open);
  await store.close();
  const { ms: rekeyed } = await cpuOf(() => rekey(folder.path));
  await folder.remove();
  return { write, commit, held, start, rekeyed };
}

function fill(store: Store, hasSecrets: boolean) {
  const all = Array.from({ length: size }, (_, index) => device(index, hasSecrets));
  return store.commit(
    function* () {
      yield;
      return { changes: all.map((one) => created(one)) };
    },
    { id: 'fill' },
  );
}

async function writes(store: Store, hasSecrets: boolean): Promise<void> {
  for (let turn = 0; turn < 2_000; turn += 1)
    await store.commit(
      (view) => {
        const before = view.get('Device', `id-${turn}`);
        const after = { ...device(turn, hasSecrets), generation: 2 };
        return { changes: [before ? updated(before, after) : created(after)] };
      },
      { id: `write-${turn}` },
    );
}

/** The longest time between two turns of the event loop from now on, in milliseconds. */
function longestHold(): () => Promise<number> {
  let [longest, isOver, last] = [0, false, performance.now()];
  const turning = (async () => {
    while (!isOver) {
      await nextTurn();
      const now = performance.now();
      longest = Math.max(longest, now - last);
      last = now;
    }
  })();
  return async () => {
    isOver = true;
    await turning;
    return longest;
  };
}

/** What it takes to copy one device and to encrypt its secret, in microseconds. */
function seal(): number {
  const key = sealKeyOf(Buffer.alloc(32, 1));
  const started = performance.now();
  for (let turn = 0; turn < size; turn += 1) sealRow(device(turn, true), key);
  return ((performance.now() - started) * 1000) / size;
}

function device(number: number, hasSecret: boolean): Resource {
  const spec = {
    ...{ team: 'id-team', type: 'sensor', mode: 'auto', environment: [{ name: 'HALL', value: `${number}` }] },
    ...(hasSecret ? { credentialSecret: 'ffwUfVhBpPqoKVnS1hnVwCPnMQGQ5B3uQqZxvO8zE7s' } : {}),
  };
  const row = {
    kind: 'Device',
    id: `id-${number}`,
    name: `d-${number}`,
    spec,
    generation: 1,
    createdAt: at,
    updatedAt: at,
  };
  return row as unknown as Resource;
}
