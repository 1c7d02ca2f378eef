// Ten clients that ask a server for an object again and again, and how long they wait for each answer.
import { Agent, get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

export interface Traffic {
  /** The waits since this was last asked, in milliseconds. */
  latencies(): Latencies;
  stop(): Promise<void>;
}

export interface Latencies {
  readonly p50: number;
  readonly p99: number;
}

/** Each client on its own connection; it asks every ten milliseconds or so. */
export function startTraffic(url: string, token: string, path: string): Traffic {
  const agent = new Agent({ keepAlive: true, maxSockets: 10 });
  let going = true;
  let waits: number[] = [];
  const client = async () => {
    while (going) {
      const asked = performance.now();
      await fetchJson(`${url}${path}`, token, agent);
      waits.push(performance.now() - asked);
      await delay(10);
    }
  };
  const clients = Array.from({ length: 10 }, client);
  return {
    latencies: () => {
      const sorted = waits.sort((a, b) => a - b);
      waits = [];
      const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
      return { p50: at(0.5), p99: at(0.99) };
    },
    stop: async () => {
      going = false;
      await Promise.all(clients);
      agent.destroy();
    },
  };
}

/** The body of an answer. */
export function fetchJson(url: string, token: string, agent?: Agent): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const options = { headers: { authorization: `Bearer ${token}` }, ...(agent ? { agent } : {}) };
    get(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString())));
    }).once('error', reject);
  });
}
