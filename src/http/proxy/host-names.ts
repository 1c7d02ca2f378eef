// From the host name of an instance to its id: a host name has no case, an id has.
import type { Change } from '../../core/model/change.ts';
import type { Store } from '../../store/store.ts';

/** Answers the id of the instance with a name in lower case. */
export function createHostNames(store: Pick<Store, 'read' | 'subscribe'>): {
  readonly idOf: (name: string) => string | undefined;
  readonly close: () => void;
} {
  // Made when it is first needed: most platforms have no host names.
  let ids: Map<string, string> | undefined;
  const close = store.subscribe((entry) => {
    if (entry === 'reset') ids = undefined;
    else if (ids) for (const change of entry.changes) if (change.kind === 'Instance') follow(ids, change);
  });
  const all = () => new Map([...store.read().all('Instance')].map(({ id }) => [id.toLowerCase(), id]));
  return {
    idOf: (name) => {
      ids ??= all();
      return ids.get(name);
    },
    close,
  };
}

function follow(ids: Map<string, string>, { id, after }: Pick<Change, 'id' | 'after'>): void {
  if (after) ids.set(id.toLowerCase(), id);
  else ids.delete(id.toLowerCase());
}
