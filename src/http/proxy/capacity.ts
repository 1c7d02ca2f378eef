// How much may be under way at once: so much for an instance, so much for a client, so much in all, so that one that hangs takes nothing from others.

/** The most requests, or open connections, at once. Asked each time: a change of them holds at once. */
export interface Limits {
  readonly limits: () => { readonly perInstance: number; readonly perClient: number };
  /** Whether the server has room for one more connection. */
  readonly hasRoom: () => boolean;
}

/** Which limit was reached. */
export type ReachedLimit = 'instance' | 'client' | 'all';

/** Counts what is under way. */
export interface Capacity {
  /** Takes a place; answers the function that gives it back, or why there is none. */
  take(instance: string, client: string): (() => void) | ReachedLimit;
  /** How many places are taken. */
  count(): number;
}

export function createCapacity({ limits, hasRoom }: Limits): Capacity {
  const instances = new Map<string, number>();
  const clients = new Map<string, number>();
  let all = 0;
  const give = (counts: Map<string, number>, key: string) => {
    const left = (counts.get(key) ?? 0) - 1;
    if (left > 0) counts.set(key, left);
    else counts.delete(key);
  };
  return {
    count: () => all,
    take: (instance, client) => {
      const { perInstance, perClient } = limits();
      const [ofInstance, ofClient] = [instances.get(instance) ?? 0, clients.get(client) ?? 0];
      if (ofInstance >= perInstance) return 'instance';
      if (ofClient >= perClient) return 'client';
      if (!hasRoom()) return 'all';
      instances.set(instance, ofInstance + 1);
      clients.set(client, ofClient + 1);
      all += 1;
      let isGiven = false;
      return () => {
        if (isGiven) return;
        isGiven = true;
        all -= 1;
        give(instances, instance);
        give(clients, client);
      };
    },
  };
}
