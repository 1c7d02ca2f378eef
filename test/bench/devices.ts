// What a thousand devices cost that wait for something to change: the CPU of the whole server, beside that of one that nobody asks.
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mintToken } from '../../src/auth/token.ts';
import { created } from '../../src/core/model/change.ts';
import { openStore } from '../../src/store/json-file.ts';
import { living, made } from '../control/world.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';
import { against, type Row, told } from './measure.ts';
import { type Server, startScript, startServer } from './served.ts';

const bareScript = new URL('./bare-wait.ts', import.meta.url).pathname;

/** Runs for as long as each waits, and a little, so that each asks again once. Agents wait three times as long, and cost a third. */
export async function benchDevices({ many = 1_000, seconds = 21 } = {}): Promise<Row[]> {
  const folder = temporaryFolder();
  await writeFiles(join(folder.path, 'tree'), { 'weir.yaml': 'kind: Platform\nmetadata: {name: platform}\n' });
  const store = join(folder.path, 'store');
  const tokens = await fill(store, many);
  const server = await startServer(join(folder.path, 'tree'), store);
  await sleep(2000);
  const [weir, bare] = [await waitFor(server, tokens, seconds), await bareWait(tokens, seconds)];
  await server.stop();
  await folder.remove();
  const name = `devices: ${told(many)} that wait 20 s each time`;
  return [
    { name: 'devices: the server without any', value: weir.idle, unit: '% of a core' },
    { name: `${name}: what they add`, value: weir.added, unit: '% of a core' },
    { name: `${name}: what they add to bare Fastify`, value: bare.added, unit: '% of a core' },
    against(`${name}: what they add ÷ to bare Fastify`, weir.added, bare.added, { atMost: 5 }),
    { name: `${name}: answers to each`, value: weir.answers / many, unit: '' },
  ];
}

async function bareWait(tokens: readonly string[], seconds: number): Promise<Waited> {
  const server = await startScript(bareScript, []);
  const waited = await waitFor(server, tokens, seconds);
  await server.stop();
  return waited;
}

/** In percent of one core; and how many answers there were. */
interface Waited {
  readonly idle: number;
  readonly added: number;
  readonly answers: number;
}

/** What a server takes when nobody asks it, and what devices add to that which wait. */
async function waitFor(server: Server, tokens: readonly string[], seconds: number): Promise<Waited> {
  const idle = await shareOfCore(server, seconds / 4);
  const agent = new Agent({ keepAlive: true, maxSockets: tokens.length });
  const stop = new AbortController();
  const polls = tokens.map((token) => poll(server.url, { token, agent, stop: stop.signal }));
  await sleep(4_000);
  const busy = await shareOfCore(server, seconds);
  stop.abort();
  const answers = (await Promise.all(polls)).reduce((sum, count) => sum + count, 0);
  agent.destroy();
  return { idle, added: Math.max(0, busy - idle), answers };
}

async function fill(folder: string, many: number): Promise<string[]> {
  const store = await openStore(folder, { create: true, log: () => {} });
  const type = made('TeamType', 'starter');
  const team = living('Team', 'core', { displayName: 'Core', type: type.id });
  const tokens = Array.from({ length: many }, () => mintToken('device'));
  const devices = tokens.map(({ hash }, index) =>
    living('Device', `gate-${index}`, { team: team.id, hash, credentialSecret: 'quiet' }),
  );
  await store.commit(() => ({ changes: [type, team, ...devices].map(created) }), { id: 'fill' });
  await store.close();
  return tokens.map(({ token }) => token);
}

/** The CPU of a server in percent of one core. */
async function shareOfCore(server: Server, seconds: number): Promise<number> {
  await server.read();
  const start = performance.now();
  await sleep(seconds * 1000);
  const { cpu } = await server.read();
  return (100 * cpu) / (performance.now() - start);
}

interface Polling {
  readonly token: string;
  readonly agent: Agent;
  readonly stop: AbortSignal;
}

/** As an agent does: asks again at once, with the tag that it was answered. Answers how often it was answered. */
async function poll(url: string, { token, agent, stop }: Polling): Promise<number> {
  let etag = '';
  for (let count = 0; ; count += 1) {
    try {
      etag = await ask(`${url}/api/v1/device?wait=20`, {
        agent,
        signal: stop,
        headers: { authorization: `Bearer ${token}`, ...(etag === '' ? {} : { 'if-none-match': etag }) },
      });
    } catch (error) {
      if (stop.aborted) return count;
      throw error;
    }
  }
}

function ask(url: string, options: Parameters<typeof request>[1]): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(url, options ?? {}, (answer) => {
      answer.resume().once('end', () => {
        if (answer.statusCode === 200 || answer.statusCode === 304) resolve(answer.headers.etag ?? '');
        else reject(new Error(`${url}: ${answer.statusCode}`));
      });
    });
    sent.once('error', reject).end();
  });
}
