// timeout: 1200
// The agent of examples/device-agent when something fails: at each of its steps once, killed at each, on a full disk, and by what it is given. It always
// asks again, and something that works always runs. The platform and Node-RED are stand-ins, so that there can be many of them.
import { readFileSync, rmSync } from 'node:fs';
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type RunningCommand, startCommand } from './support/run-command.ts';
import { temporaryFolder, writeFiles } from './support/temporary-folder.ts';
import { until } from './support/until.ts';
import { plainEnvironment } from './support/weir.ts';

const agentScript = resolve(import.meta.dirname, '../examples/device-agent/agent.mjs');
const folder = temporaryFolder();
const patienceMs = 240_000;

/** Reads its settings as Node-RED does, says which flows it has, and starts them, unless those say otherwise. */
const standIn = `
const { appendFileSync, readFileSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const at = (flag) => process.argv[process.argv.indexOf(flag) + 1];
require(at('--settings'));
const [flow] = JSON.parse(readFileSync(join(at('--userDir'), 'flows.json'), 'utf8'));
const place = dirname(at('--userDir'));
appendFileSync(join(place, 'started.log'), flow.label + '\\n');
writeFileSync(join(place, 'runs.json'), JSON.stringify({ pid: process.pid, label: flow.label }));
if (flow.label === 'crashes') throw new Error('no way with ' + process.env.PASSWORD);
if (flow.label === 'waits') console.log('Waiting for missing types to be registered:');
else console.log('Started flows');
setInterval(() => {}, 1000);
`;

/** Has the agent's own calls fail: the one with the number FAULT_AT, or (FAULT_AT=full) all that need room on the disk. */
const faults = `
import childProcess from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const { FAULT_AT, FAULT_KIND, FAULT_FOLDER } = process.env;
const { appendFileSync, writeFileSync, existsSync } = fs;
let count = 0;
const isOurs = (path) => String(path).startsWith(FAULT_FOLDER + '/device');
const fault = (name, needsRoom, path) => {
  count += 1;
  const isFull = FAULT_AT === 'full' && needsRoom && !existsSync(path) && !existsSync(FAULT_FOLDER + '/mended');
  if (String(count) !== FAULT_AT && !isFull) return;
  appendFileSync(FAULT_FOLDER + '/fault', name + ' ' + path + '\\n');
  if (FAULT_KIND === 'kill') process.kill(process.pid, 'SIGKILL');
  throw Object.assign(new Error('ENOSPC: no space left on device, ' + name), { code: 'ENOSPC' });
};
const needRoom = ['writeFileSync', 'mkdirSync', 'mkdtempSync'];
for (const name of [...needRoom, 'renameSync', 'rmSync', 'readdirSync', 'readFileSync', 'openSync', 'fsyncSync', 'watch']) {
  const real = fs[name];
  fs[name] = (...args) => {
    if (isOurs(args[0]) || typeof args[0] === 'number') fault(name, needRoom.includes(name), args[0]);
    return real(...args);
  };
}
const { spawn } = childProcess;
childProcess.spawn = (...args) => (fault('spawn', false, args[0]), spawn(...args));
const { fetch } = globalThis;
globalThis.fetch = async (...args) => (fault('fetch', false, args[0]), fetch(...args));
process.on('exit', () => writeFileSync(FAULT_FOLDER + '/count', String(count)));
syncBuiltinESMExports();
`;

interface Wanted {
  readonly settings: string;
  readonly targetSnapshot: string | null;
  readonly environment?: readonly { readonly name: string; readonly value: string }[];
  readonly modules?: unknown;
  readonly flows?: unknown;
}

interface Said {
  readonly state: string;
  readonly error?: string;
  readonly activeSnapshot?: string;
}

/** A platform for one device; what its agent asked and said. */
async function standInPlatform(first: Wanted) {
  const seen = { asked: 0, said: [] as Said[], wanted: first };
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/^\/api\/v1\/device/, '').replace(/\?.*/, '');
    const { settings, targetSnapshot, environment = [], modules = {}, flows } = seen.wanted;
    const etag = JSON.stringify(JSON.stringify(seen.wanted).length + settings + targetSnapshot).replaceAll('\\', '');
    const send = (body: object) => response.end(JSON.stringify(body));
    if (path === '/check-in') {
      let text = '';
      request.on('data', (part) => {
        text += part;
      });
      request.on('end', () => {
        seen.said.push(JSON.parse(text));
        send({});
      });
    } else if (path === '/settings') send({ environment, credentialSecret: 'quiet' });
    else if (path === '/snapshot')
      send({
        id: targetSnapshot,
        name: targetSnapshot,
        flows: flows ?? [{ id: 'a', label: targetSnapshot }],
        modules,
        settings: { environment: [] },
      });
    else {
      seen.asked += 1;
      response.setHeader('etag', etag);
      if (request.headers['if-none-match'] === etag) setTimeout(() => response.writeHead(304).end(), 200);
      else send({ mode: 'autonomous', settings, targetSnapshot, autoSnapshot: false, snapshotRequest: null });
    }
  });
  server.listen(0, '127.0.0.1');
  await until('the stand-in listens', () => server.listening);
  const { port } = server.address() as AddressInfo;
  return {
    seen,
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** A device in a folder of its own, that begins as a copy of another one. */
async function deviceLike(name: string, model: string | undefined, wanted: Wanted) {
  const at = (...names: string[]) => join(folder.path, name, ...names);
  await mkdir(at(), { recursive: true });
  if (model) await cp(join(folder.path, model, 'device'), at('device'), { recursive: true });
  else await writeFiles(at('device'), { token: 'weirdev_x' });
  rmSync(at('device/started.log'), { force: true });
  rmSync(at('device/runs.json'), { force: true });
  const platform = await standInPlatform(wanted);
  let agent: RunningCommand | undefined;
  const text = (...names: string[]) => {
    try {
      return readFileSync(at(...names), 'utf8');
    } catch {
      return '';
    }
  };
  return {
    platform,
    at,
    text,
    starts: () => text('device/started.log').split('\n').filter(Boolean),
    start: (fault: Record<string, string> = {}, runtime = join(folder.path, 'red'), env: NodeJS.ProcessEnv = {}) => {
      const flags = ['--platform', platform.url, '--runtime', runtime, '--dir', at('device'), '--patience', '60'];
      const preload = ['--import', join(folder.path, 'faults.mjs')];
      agent = startCommand(process.execPath, [...preload, agentScript, ...flags], {
        cwd: at(),
        env: { ...plainEnvironment(), FAULT_FOLDER: at(), ...fault, ...env },
      });
      return agent;
    },
    /** The label of what runs now; nothing where nothing does. */
    runs: () => {
      try {
        const { pid, label } = JSON.parse(text('device/runs.json'));
        process.kill(pid, 0);
        return label as string;
      } catch {
        return undefined;
      }
    },
    end: async () => {
      agent?.child.kill('SIGTERM');
      await agent?.ended;
      platform.close();
    },
  };
}

type Device = Awaited<ReturnType<typeof deviceLike>>;

const one: Wanted = { settings: 's1', targetSnapshot: 'one' };
const two: Wanted = { settings: 's2', targetSnapshot: 'two', environment: [{ name: 'A', value: '1' }] };

async function settled(device: Device, label: string, program: RunningCommand): Promise<void> {
  const isIt = () => {
    const said = device.platform.seen.said.at(-1);
    return device.runs() === label && said?.activeSnapshot === label && said.error === undefined;
  };
  await until(`${label} runs, and the platform knows`, isIt, { program, patienceMs });
}

/** Does work for each number up to a limit, some at a time. */
async function forEach(limit: number, work: (number: number) => Promise<void>): Promise<void> {
  let next = 1;
  const worker = async () => {
    while (next <= limit) await work(next++);
  };
  await Promise.all(Array.from({ length: 12 }, worker));
}

const agents = suite('the agent of a device');
let steps = 0;

agents.before(async () => {
  await writeFiles(folder.path, {
    'faults.mjs': faults,
    'red/node_modules/node-red/package.json': '{"version": "4.0.0"}',
    'red/node_modules/node-red/red.js': standIn,
  });
  const model = await deviceLike('model', undefined, one);
  await settled(model, 'one', model.start());
  await model.end();
  const other = await deviceLike('counted', 'model', two);
  await settled(other, 'two', other.start({ FAULT_AT: 'never' }));
  await other.end();
  steps = Number(other.text('count'));
});
agents.after(() => folder.remove());

agents('asks again whichever of its steps fails once, and something works', async () => {
  assert.ok(steps > 40, `${steps} steps`);
  const told = new Set<string>();
  await forEach(steps, async (number) => {
    const device = await deviceLike(`fails-${number}`, 'model', two);
    const program = device.start({ FAULT_AT: String(number) });
    const failed = await until('it fails', () => device.text('fault').trim() || undefined, { program, patienceMs });
    told.add(failed.split(' ')[0] ?? '');
    const { seen } = device.platform;
    const before = seen.asked;
    await until(`it asks again after ${failed}`, () => seen.asked > before + 2, { program, patienceMs });
    await until(`something runs after ${failed}`, () => ['one', 'two'].includes(device.runs() ?? ''), {
      program,
      patienceMs,
    });
    // The next try is seconds away, and some are enough.
    if (number % 8 === 0) await settled(device, 'two', program);
    await device.end();
  });
  for (const name of ['writeFileSync', 'renameSync', 'spawn', 'fetch', 'watch']) assert.ok(told.has(name), name);
});

agents('goes on from wherever it was killed', async () => {
  await forEach(steps, async (number) => {
    const device = await deviceLike(`killed-${number}`, 'model', two);
    const first = device.start({ FAULT_AT: String(number), FAULT_KIND: 'kill' });
    await first.ended;
    const program = device.start();
    await settled(device, 'two', program);
    const left = (await readdir(device.at('device'))).filter((name) => /^(next-|ready|failed)/.test(name));
    assert.equal(left, [], device.text('fault'));
    await device.end();
  });
});

agents('stops nothing on a full disk, says so, and is what it should be when there is room', async () => {
  const device = await deviceLike('full', 'model', two);
  const program = device.start({ FAULT_AT: 'full' });
  const error = () => device.platform.seen.said.at(-1)?.error;
  await until('it says so', () => error()?.includes('no space left'), { program, patienceMs });
  const { asked } = device.platform.seen;
  // Longer than until the first retry.
  await until('it has asked for a while', () => device.platform.seen.asked > asked + 60, { program, patienceMs });
  assert.equal([device.runs(), device.starts()], ['one', ['one']]);
  await writeFile(device.at('mended'), '');
  await settled(device, 'two', program);
  assert.is(error(), undefined);
  await device.end();
});

agents('goes back to what ran when its variables are more than a program can be given', async () => {
  const device = await deviceLike('large', 'model', one);
  const program = device.start();
  await settled(device, 'one', program);
  const value = 'v'.repeat(100_000);
  const environment = Array.from({ length: 30 }, (_, at) => ({ name: `LARGE_${at}`, value: `${at}${value}` }));
  device.platform.seen.wanted = { ...two, environment };
  const said = () => device.platform.seen.said.at(-1);
  await until('it says why', () => said()?.error?.includes('E2BIG'), { program, patienceMs });
  await until('what ran runs', () => device.runs() === 'one' && said()?.activeSnapshot === 'one', {
    program,
    patienceMs,
  });
  device.platform.seen.wanted = { ...two, settings: 's3' };
  await settled(device, 'two', program);
  assert.is(said()?.error, undefined);
  await device.end();
});

agents(
  'goes back to what ran when flows do not come up, and tells the end of what they said, without secrets',
  async () => {
    for (const label of ['crashes', 'waits']) {
      const device = await deviceLike(label, 'model', {
        ...one,
        environment: [{ name: 'PASSWORD', value: 'very secret' }],
      });
      const program = device.start();
      await settled(device, 'one', program);
      device.platform.seen.wanted = {
        ...one,
        targetSnapshot: label,
        environment: [{ name: 'PASSWORD', value: 'very secret' }],
        settings: 's9',
      };
      const said = () => device.platform.seen.said.at(-1);
      await until('it says why', () => said()?.error !== undefined && device.runs() === 'one', { program, patienceMs });
      assert.match(said()?.error ?? '', label === 'crashes' ? /no way with \*\*\*/ : /Waiting for missing types/);
      assert.not.ok(JSON.stringify(device.platform.seen.said).includes('very secret'));
      const { tries, at } = JSON.parse(device.text('device/state.json')).failure;
      assert.equal([tries, typeof at], [1, 'number'], 'it is kept when to try again');
      await until('it tries again, later', () => JSON.parse(device.text('device/state.json')).failure?.tries === 2, {
        program,
        patienceMs,
      });
      await device.end();
    }
  },
);

agents(
  'takes no snapshot that is none, installs nothing without npm, and waits for a Node-RED that is missing',
  async () => {
    const path = `${folder.path}/bare`;
    await mkdir(path);
    for (const more of [
      { flows: 'none' },
      { flows: [1] },
      { modules: [] },
      { modules: { '../up': '1.0.0' } },
      { modules: { probe: 1 } },
      { modules: { probe: '1.0.0' } },
    ]) {
      const name = `odd-${JSON.stringify(more).replace(/\W/g, '-')}`;
      const device = await deviceLike(name, 'model', { ...two, ...more });
      const program = device.start({}, join(folder.path, 'red'), { PATH: path });
      const said = () => device.platform.seen.said.at(-1);
      await until('it says why', () => said()?.error !== undefined && said()?.state === 'running', {
        program,
        patienceMs,
      });
      assert.match(said()?.error ?? '', /snapshot that is none|there is no npm/, name);
      assert.equal([device.runs(), device.starts()], ['one', ['one']]);
      await device.end();
    }
    const device = await deviceLike('without', 'model', two);
    const program = device.start({}, join(folder.path, 'later'));
    const said = () => device.platform.seen.said.at(-1)?.error;
    await until('it says so', () => said()?.includes('there is no Node-RED'), { program, patienceMs });
    await cp(join(folder.path, 'red'), join(folder.path, 'later'), { recursive: true });
    await settled(device, 'two', program);
    await device.end();
  },
);

agents.run();
