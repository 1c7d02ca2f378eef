// How much may be under way at once: so much for an instance, so much for a client, so much in all, so that one that hangs takes nothing from others.

/** The most requests and open connections at once. */
export interface Most {
  readonly perInstance: number;
  readonly perClient: number;
  /** Of each kind; a function, because it follows from how many files may be open. */
  readonly inAll: () => number;
}

/** Counts what is under way. */
export interface Capacity {
  /** Takes a place; answers the function that gives it back, or why there is none. */
  take(instance: string, client: string): (() => void) | 'instance' | 'client' | 'all';
}

export function createCapacity({ perInstance, perClient, inAll }: Most): Capacity {
  const instances = new Map<string, number>();
  const clients = new Map<string, number>();
  let all = 0;
  const give = (counts: Map<string, number>, key: string) => {
    const left = (counts.get(key) ?? 0) - 1;
    if (left > 0) counts.set(key, left);
    else counts.delete(key);
  };
  return {
    take: (instance, client) => {
      const [ofInstance, ofClient] = [instances.get(instance) ?? 0, clients.get(client) ?? 0];
      if (ofInstance >= perInstance) return 'instance';
      if (ofClient >= perClient) return 'client';
      if (all >= inAll()) return 'all';
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
