// What a plan of posted documents costs a server, and everybody else who asks it something meanwhile.
import { execFileSync } from 'node:child_process';
import { Agent, get, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { parseAllDocuments } from 'yaml';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';
import { against, median, type Row, spread, told } from './measure.ts';
import { main, type Server, startServer } from './served.ts';

/** Plans of so many documents, which stand in one file, are asked for one after another, and `/healthz` every 10 ms meanwhile. */
export async function benchPosted(size = 20_000, rounds = 3): Promise<Row[]> {
  const tree = temporaryFolder();
  const store = temporaryFolder();
  await writeFiles(tree.path, { 'weir.yaml': platform });
  const bootstrap = execFileSync(process.execPath, [main, 'bootstrap', '--store', store.path], { encoding: 'utf8' });
  const server = await startServer(tree.path, store.path);
  const { token } = JSON.parse(bootstrap) as { readonly token: string };
  const documents = documentsOf(size);
  const body = JSON.stringify({ documents });
  try {
    // The first one also pays for what is compiled then.
    const seen: Seen[] = [];
    for (let round = 0; round < rounds; round++) seen.push(await planUnderProbes(server, token, body));
    const row = (what: string, unit: string, figure: (one: Seen) => number): Row => ({
      name: `a posted plan of ${told(size)} documents: ${what}`,
      ...spread(seen.map(figure)),
      unit,
    });
    const started = performance.now();
    for (const { content } of documents) parseAllDocuments(content);
    const parsing = performance.now() - started;
    return [
      { name: `yaml of ${told(size)} documents, in a process that does nothing else`, value: parsing, unit: 'ms' },
      row('event loop held, longest', 'ms', ({ held }) => held),
      against(
        `a posted plan of ${told(size)} documents: event loop held, longest ÷ yaml of them`,
        median(seen.map(({ held }) => held)),
        parsing,
        { atMost: 0.025 },
      ),
      row('longest answer of /healthz', 'ms', ({ waited }) => waited),
      row('from request to answer', 'ms', ({ took }) => took),
      row('resident memory of the server, peak', 'MB', ({ peak }) => peak),
    ];
  } finally {
    await server.stop();
    await Promise.all([tree.remove(), store.remove()]);
  }
}

const platform = 'kind: Platform\nmetadata: {name: platform}\n';

function documentsOf(size: number): { readonly path: string; readonly content: string }[] {
  const stacks = Array.from(
    { length: size },
    (_, index) =>
      `apiVersion: weir/v1\nkind: Stack\nmetadata:\n  name: stack-${index}\nspec:\n  label: "Stack ${index}"\n  runtime: "4.1"\n`,
  );
  return [
    { path: 'weir.yaml', content: platform },
    { path: 'stacks.yaml', content: stacks.join('---\n') },
  ];
}

/** Milliseconds, and megabytes. */
interface Seen {
  readonly held: number;
  readonly waited: number;
  readonly took: number;
  readonly peak: number;
}

async function planUnderProbes(server: Server, token: string, body: string): Promise<Seen> {
  await delay(500);
  const probes = startProbes(server.url);
  await delay(100);
  await server.read();
  const asked = performance.now();
  await post(`${server.url}/api/v1/admin/config/plan`, token, body);
  const took = performance.now() - asked;
  const { longest } = await server.read();
  return { held: longest, waited: await probes.stop(), took, peak: server.peak() ?? 0 };
}

/** Asks `/healthz` every 10 ms, whether or not the last answer has come. `stop` answers how long the slowest took. */
function startProbes(url: string): { readonly stop: () => Promise<number> } {
  const agent = new Agent({ keepAlive: true, maxSockets: 50 });
  const asked: Promise<number>[] = [];
  const timer = setInterval(() => asked.push(probe(`${url}/healthz`, agent)), 10);
  return {
    stop: async () => {
      clearInterval(timer);
      const waits = await Promise.all(asked);
      agent.destroy();
      return Math.max(...waits);
    },
  };
}

function probe(url: string, agent: Agent): Promise<number> {
  const asked = performance.now();
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      response.resume().once('end', () => resolve(performance.now() - asked));
    }).once('error', reject);
  });
}

/** The answer is read and thrown away. */
function post(url: string, token: string, body: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', headers }, (response) => {
      response.resume().once('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`the plan was answered ${response.statusCode}`));
      });
    });
    sent.once('error', reject);
    sent.end(body);
  });
}
