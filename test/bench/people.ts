// A store full of people and teams, as a platform has them.
import { mintToken } from '../../src/auth/token.ts';
import { type KindName, kindOf, type SpecOf } from '../../src/core/kinds/index.ts';
import { created } from '../../src/core/model/change.ts';
import type { Resource } from '../../src/core/model/resource.ts';
import { openStore } from '../../src/store/json-file.ts';

/** Who asks: an admin in ten teams, and somebody in very many. */
export interface People {
  readonly admin: string;
  readonly joiner: string;
  readonly records: number;
}

/** Ten teams a user, each of them its owner; besides an admin in the first ten, and a user in the first `joined`. */
export async function fillWithPeople(folder: string, teams: number, joined: number): Promise<People> {
  const store = await openStore(folder, { create: true, log: () => {} });
  const type = store.read().named('TeamType', 'starter')?.id ?? '';
  const [admin, joiner] = [mintToken(), mintToken()];
  let records = 0;
  let batch: Resource[] = [];
  const put = async (...resources: readonly Resource[]) => {
    batch.push(...resources);
    records += resources.length;
    if (batch.length < 5_000) return;
    const changes = batch.map(created);
    batch = [];
    await store.commit(() => ({ changes }), { id: `fill-${records}` });
  };
  await put(
    made('User', 'root', { email: 'root@example.com', admin: true }),
    made('Token', 'root-token', { user: 'root', hash: admin.hash }),
  );
  await put(
    made('User', 'joiner', { email: 'joiner@example.com' }),
    made('Token', 'joiner-token', { user: 'joiner', hash: joiner.hash }),
  );
  for (let index = 0; index < teams; index += 1) {
    const user = `user-${Math.floor(index / 10)}`;
    if (index % 10 === 0) await put(made('User', user, { email: `${user}@example.com` }));
    await put(made('Team', `team-${index}`, { displayName: `Team ${index}`, type }), membership(index, user, 'owner'));
    if (index < 10) await put(membership(index, 'root', 'member'));
    if (index < joined) await put(membership(index, 'joiner', 'viewer'));
  }
  const changes = batch.map(created);
  await store.commit(() => ({ changes }), { id: 'fill-last' });
  await store.close();
  return { admin: admin.token, joiner: joiner.token, records };
}

function membership(team: number, user: string, role: string): Resource {
  return made('Membership', `team-${team}-${user}`, { team: `team-${team}`, user, role });
}

function made<K extends KindName>(kind: K, name: string, spec: object): Resource<K> {
  const at = '2026-01-01T00:00:00.000Z';
  const parsed = kindOf(kind).spec.parse(spec) as SpecOf<K>;
  return { kind, id: name, name, spec: parsed, generation: 1, createdAt: at, updatedAt: at };
}
