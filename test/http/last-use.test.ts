// When credentials were last used: kept by and by, whatever number of them there is.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { created } from '../../src/core/model/change.ts';
import type { Resource } from '../../src/core/model/resource.ts';
import { createLastUse, type LastUse } from '../../src/http/last-use.ts';
import { newId } from '../../src/lib/id.ts';
import { openMemoryStore } from '../../src/store/memory.ts';
import type { Store } from '../../src/store/store.ts';
import { type ServerWorld, start, startWorld } from './world.ts';

const times = { generation: 1, createdAt: start, updatedAt: start } as const;
const used = '2026-11-21T11:00:00.000Z';

/** So many tokens of ann, in a store of a world. */
async function putTokens(store: Store, count: number): Promise<string[]> {
  const tokens = Array.from({ length: count }, (_, index): Resource<'Token'> => {
    const spec = { user: 'ann', hash: String(index).padStart(64, '0'), scope: 'full', expiresAt: null } as const;
    return { kind: 'Token', id: `token-${index}`, name: 'ci', spec: { ...spec, lastUsedAt: null }, ...times };
  });
  await store.commit(() => ({ changes: tokens.map(created) }), { id: newId() });
  return tokens.map(({ id }) => id);
}

const facts = () => ({ drivers: new Map(), certificateProblem: () => undefined });

function lastUseOver(store: Store, logged: string[]): LastUse {
  const rest: unknown = {
    door: { store, facts },
    clock: () => used,
    newId,
    log: (message: string) => logged.push(message),
  };
  return createLastUse(rest as Parameters<typeof createLastUse>[0]);
}

const lastUse = suite<{ world: ServerWorld }>('the last use of credentials');
lastUse.before.each(async (context) => {
  context.world = await startWorld();
});
lastUse.after.each(({ world }) => world.close());

lastUse('is kept in small steps, so that nobody waits for those of many', async ({ world: { store } }) => {
  const ids = await putTokens(store, 1000);
  const logged: string[] = [];
  const { touch, flush, of } = lastUseOver(store, logged);
  const sizes: number[] = [];
  const end = store.subscribe((entry) => {
    if (entry !== 'reset') sizes.push(entry.changes.length);
  });
  for (const id of ids) touch('Token', id, used);
  await Promise.all([flush(), flush()]);
  end();
  assert.ok(Math.max(...sizes) <= 100, `${Math.max(...sizes)} in one commit`);
  assert.is(
    sizes.reduce((sum, size) => sum + size, 0),
    1000,
  );
  assert.is(
    ids.every((id) => store.read().get('Token', id)?.spec.lastUsedAt === used && of(id) === undefined),
    true,
  );
  assert.equal(logged, []);
});

lastUse('is remembered while the store takes none', async () => {
  const store = openMemoryStore();
  const logged: string[] = [];
  const { touch, flush, of } = lastUseOver(store, logged);
  touch('Token', 'gone', used);
  await store.close();
  await flush();
  assert.is(of('gone'), used);
  assert.equal(logged, []);
});

lastUse.run();
