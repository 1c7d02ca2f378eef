// What the way in costs: a flow of a real runtime, asked directly on its port, through a splice of connections and through Weir, in turns.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import autocannon from 'autocannon';
import { startPlatform } from '../http/proxy/platform.ts';
import { until } from '../support/until.ts';
import { against, median, type Row, spread } from './measure.ts';
import { startScript } from './served.ts';

const spliceScript = new URL('./splice.ts', import.meta.url).pathname;

/** Answers of so many bytes, by their path. */
const sizes = { small: 1024, large: 1024 * 1024 } as const;

/** How long each way is asked before anything counts, in seconds: until the code that answers is compiled, an answer costs twice as much. */
const warmUp = 4;

/** Measures with a real runtime; takes a minute. */
export async function benchProxy({ rounds = 3, seconds = 2 } = {}): Promise<Row[]> {
  const platform = await startPlatform();
  try {
    const { server, id, token, folder } = platform;
    const headers = { authorization: `Bearer ${token}` };
    const through = `${server.url}/i/${id}`;
    const { port } = JSON.parse(readFileSync(join(folder, '.weir/instances', id, 'run.json'), 'utf8'));
    const direct = `http://127.0.0.1:${port}/i/${id}`;
    const splice = await startScript(spliceScript, [String(port)]);
    const spliced = `${splice.url}/i/${id}`;
    await fetch(`${through}/flows`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(flows()),
    });
    await until(async () => (await fetch(`${through}/large`, { headers })).ok);
    const rates: Record<string, number[]> = {};
    const costs: Record<string, number[]> = {};
    const scrape = { headers: { ...headers, accept: 'application/openmetrics-text' } };
    const weirCpu = async () => cpuSeconds(await (await fetch(`${server.url}/api/v1/admin/stats`, scrape)).text());
    const ask = (url: string, duration: number) => autocannon({ url, connections: 10, duration, headers });
    for (const size of Object.keys(sizes)) await ask(`${through}/${size}`, warmUp);
    for (let round = 0; round < rounds; round++)
      for (const size of Object.keys(sizes))
        for (const [way, base] of Object.entries({ direct, spliced, through })) {
          const before = await weirCpu();
          await splice.read();
          const { requests } = await ask(`${base}/${size}`, seconds);
          const name = `${size} ${way}`;
          rates[name] = [...(rates[name] ?? []), requests.average];
          const used = way === 'spliced' ? (await splice.read()).cpu / 1e3 : (await weirCpu()) - before;
          costs[name] = [...(costs[name] ?? []), (used * 1e6) / requests.total];
        }
    await splice.stop();
    return [...rowsOf(rates, costs, 'small', '1 KB'), ...rowsOf(rates, costs, 'large', '1 MB')];
  } finally {
    await platform.close();
  }
}

/** The most that an answer may cost the server, in what it costs a splice. */
const promised = { small: 5, large: 2 } as const;

type Figures = Readonly<Record<string, number[]>>;

/** Rates depend on who shares the processors; what an answer costs is the least of the rounds, which nothing disturbed. */
function rowsOf(rates: Figures, costs: Figures, size: keyof typeof sizes, told: string): Row[] {
  const [direct, through] = [median(rates[`${size} direct`] ?? []), median(rates[`${size} through`] ?? [])];
  const [splice, cost] = [spread(costs[`${size} spliced`] ?? []), spread(costs[`${size} through`] ?? [])];
  return [
    { name: `way in: answers of ${told}, direct`, value: direct, unit: '/s' },
    { name: `way in: answers of ${told}, through Weir`, value: through, unit: '/s' },
    { name: `way in: answers of ${told}, through Weir ÷ direct`, value: through / direct, unit: '×' },
    { name: `way in: CPU of a splice an answer of ${told}`, ...splice, value: splice.range[0], unit: 'µs' },
    { name: `way in: CPU of Weir an answer of ${told}`, ...cost, value: cost.range[0], unit: 'µs' },
    against(`way in: CPU of Weir ÷ of a splice, ${told}`, cost.range[0], splice.range[0], { atMost: promised[size] }),
  ];
}

/** What the metrics of the server say that it has used. */
function cpuSeconds(metrics: string): number {
  return Number(/^process_cpu_seconds_total (\S+)$/m.exec(metrics)?.[1]);
}

function flows(): readonly object[] {
  return [
    { id: 'tab', type: 'tab', label: 'bench' },
    ...Object.entries(sizes).flatMap(([size, bytes]) => [
      { id: `in-${size}`, type: 'http in', z: 'tab', url: `/${size}`, method: 'get', wires: [[`make-${size}`]] },
      {
        id: `make-${size}`,
        type: 'function',
        z: 'tab',
        initialize: `context.set('body', Buffer.alloc(${bytes}, 'x'));`,
        func: `msg.payload = context.get('body'); return msg;`,
        outputs: 1,
        wires: [[`out-${size}`]],
      },
      { id: `out-${size}`, type: 'http response', z: 'tab', wires: [] },
    ]),
  ];
}
