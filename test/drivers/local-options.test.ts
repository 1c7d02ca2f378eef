// timeout: 1200
// What options do in real runtimes, of both versions: editor, nodes, modules, callers, credentials.
import { readFileSync } from 'node:fs';
import { WebSocket } from 'undici';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Notice } from '../../src/drivers/driver.ts';
import { fakeRegistry } from '../support/fake-registry.ts';
import { helloFlow, runtimeAdmin } from '../support/runtime-flows.ts';
import { runtimes, stacksWith } from '../support/stacks.ts';
import { until as patiently, until } from '../support/until.ts';
import { localWorld, never, reasonOf, runOf } from './local-world.ts';

const stacks = await stacksWith(runtimes.four, runtimes.five);
const nodeFile = `module.exports = (RED) => RED.nodes.registerType('lamp', function (config) { RED.nodes.createNode(this, config); }, { credentials: { password: { type: 'password' } } });`;
const registry = await fakeRegistry({
  'node-red-contrib-lamp': {
    '1.2.3': {
      'package.json': JSON.stringify({ keywords: ['node-red'], 'node-red': { nodes: { lamp: 'lamp.js' } } }),
      'lamp.js': nodeFile,
      'lamp.html': "<script>RED.nodes.registerType('lamp', {category: 'x', defaults: {}})</script>",
    },
  },
});

const options = {
  editorPath: '/edit',
  excludedNodes: '90-exec.js,10-file.js',
  paletteModules: [{ name: 'node-red-contrib-lamp', version: '^1.0.0' }],
  npmrc: { value: `registry=${registry.url}/\n` },
  apiMaxLength: '20kb',
  debugMaxLength: 25,
  catalogues: ['https://nodes.example.com/catalogue.json'],
  httpAuth: { username: 'caller', password: { value: 'pässword:1' } },
  httpCors: { origins: ['https://a.example'], methods: ['GET' as const] },
  pageTitle: 'Packing',
  timeZone: 'Asia/Tokyo',
};

/** A node with a credential. */
const lamp = { id: 'lamp', type: 'lamp', z: 'tab', credentials: { password: 'sesame' }, wires: [] };

const real = suite('the options of an instance');

for (const version of [runtimes.four, runtimes.five])
  real(`act in Node-RED ${version}`, async () => {
    const world = await localWorld({ stacks: () => stacks, patience: { startMs: 60_000, answerMs: 5000 } });
    try {
      const { runner } = world.driver;
      const run = runOf('a', version, options);
      const { url = '' } = await runner.start(run, never);
      const place = () => runtimeAdmin(world.instances, 'a', url, '/edit/');
      const nodes = await place().nodes();
      assert.equal(
        ['exec', 'file', 'inject', 'lamp'].map((name) => nodes.includes(name)),
        [false, false, true, true],
      );
      await place().deploy([...helloFlow('hi'), lamp]);
      assert.is((await fetch(`${url}hello`)).status, 401);
      assert.is((await fetch(`${url}hello`, { headers: basic('caller', 'wrong') })).status, 401);
      assert.is((await fetch(`${url}hello`, { headers: basic('', '') })).status, 401);
      assert.is((await fetch(`${url}hello`, { headers: { authorization: 'Basic' } })).status, 401);
      const right = { ...basic('caller', 'pässword:1'), origin: 'https://a.example' };
      // The answer to a deployment comes before its flows have started.
      await until(async () => (await fetch(`${url}hello`, { headers: right })).ok);
      const called = await fetch(`${url}hello`, { headers: right });
      assert.equal([called.status, called.headers.get('access-control-allow-origin')], [200, 'https://a.example']);
      const body = JSON.stringify([{ id: 'x', type: 'tab', info: 'y'.repeat(30_000) }]);
      const headers = { 'content-type': 'application/json' };
      assert.is((await place().admin('flows', { method: 'POST', headers, body })).status, 413);
      assert.is((await fetch(`${url}edit/`)).status, 401);
      assert.match(await (await place().admin('')).text(), /<title>Packing<\/title>/);
      const { editorTheme } = JSON.parse(await (await place().admin('settings')).text());
      assert.equal(editorTheme.palette.catalogues, options.catalogues);
      await place().deploy([...debugFlow('z'.repeat(1000)), lamp]);
      assert.is(
        await debugged(world.at('a', 'admin-token'), `${url}edit/comms`, `${url}talk`, right),
        `${'z'.repeat(25)}...`,
      );
      assert.equal(await world.driver.inventory.read('a', version), {
        runtime: { name: 'node-red', version },
        modules: [{ name: 'node-red-contrib-lamp', wanted: '^1.2.3', version: '1.2.3' }],
      });
      const flows = readFileSync(world.at('a', 'home/flows_cred.json'), 'utf8');
      assert.not.match(flows, 'sesame');
      const asked = registry.asked.length;
      await runner.stop('a');
      await runner.start(run, never);
      const kept = JSON.parse(await (await place().admin('credentials/lamp/lamp')).text());
      assert.equal(kept, { has_password: true }, 'credentials are read again after a restart');
      assert.is(registry.asked.length, asked, 'modules are installed once');
    } finally {
      await world.close();
    }
  });

real('switch the editor off, and leave its flows running and closed', async () => {
  const world = await localWorld({ stacks: () => stacks, patience: { startMs: 60_000, answerMs: 5000 } });
  try {
    const { url = '' } = await world.driver.runner.start(runOf('a', runtimes.five, { disableEditor: true }), never);
    assert.equal([(await fetch(url)).status, (await fetch(`${url}flows`)).status], [404, 404]);
    await runtimeAdmin(world.instances, 'a', url).deploy(helloFlow('hi'));
    await until(async () => (await fetch(`${url}hello`)).ok);
  } finally {
    await world.close();
  }
});

real('stop flows that need a node which they exclude, and say so until those are mended', async () => {
  const world = await localWorld({ stacks: () => stacks, patience: { startMs: 60_000, answerMs: 5000 } });
  try {
    const { runner } = world.driver;
    const noticed: Notice[] = [];
    runner.onNotice?.((_id, notice) => noticed.push(notice));
    const run = runOf('a', runtimes.five, { healthCheckIntervalMs: 200 });
    const { url = '', notice } = await runner.start(run, never);
    assert.is(notice, undefined);
    const heapBytes = await patiently(
      'it says how large its heap is',
      async () => (await world.driver.meter.read()).get('a')?.heapBytes,
    );
    assert.ok(heapBytes > 1e6 && heapBytes < 1e9);
    const tab = { id: 'tab', type: 'tab', label: 'x' };
    const shell = { id: 'shell', type: 'exec', z: 'tab', wires: [] };
    await runtimeAdmin(world.instances, 'a', url).deploy([tab, shell]);
    const excluding = { ...run, options: { ...run.options, excludedNodes: '90-exec.js' } };
    const again = await runner.start(excluding, never);
    assert.equal([again.notice?.type, again.notice?.why?.reason], ['FlowsStopped', 'FlowsIncomplete']);
    await runtimeAdmin(world.instances, 'a', url).deploy([tab]);
    await until(() => noticed.some(({ type, why }) => type === 'FlowsStopped' && why === undefined));
  } finally {
    await world.close();
  }
});

real('run their editor and not their flows in safe mode, until somebody deploys', async () => {
  const world = await localWorld({ stacks: () => stacks, patience: { startMs: 60_000, answerMs: 5000 } });
  try {
    const { runner } = world.driver;
    const noticed: Notice[] = [];
    runner.onNotice?.((_id, notice) => noticed.push(notice));
    const run = runOf('a', runtimes.five, { healthCheckIntervalMs: 200 });
    const { url = '' } = await runner.start(run, never);
    await runtimeAdmin(world.instances, 'a', url).deploy(helloFlow('hi'));
    await until('the flow answers', async () => (await fetch(`${url}hello`)).ok);
    const pid = world.pidOf('a');
    const { notice } = await runner.start({ ...run, safe: true }, never);
    assert.equal([notice, world.pidOf('a') === pid], [undefined, false]);
    assert.is((await fetch(`${url}hello`)).status, 404);
    const admin = runtimeAdmin(world.instances, 'a', url);
    assert.equal((await (await admin.admin('flows')).json()).length, helloFlow('hi').length);
    assert.equal(noticed, []);
    await admin.deploy(helloFlow('mended'));
    await until('the flow answers', async () => (await fetch(`${url}hello`)).ok);
    await until('it is told of', () => noticed.some(({ type, why }) => type === 'SafeMode' && why === undefined));
  } finally {
    await world.close();
  }
});

for (const version of [runtimes.four, runtimes.five])
  real(
    `keep function nodes of Node-RED ${version} from modules unless they say otherwise, and nodes out for good`,
    async () => {
      const world = await localWorld({ stacks: () => stacks, patience: { startMs: 60_000, answerMs: 5000 } });
      try {
        const { runner } = world.driver;
        const { npmrc, paletteModules } = options;
        const excluding = { npmrc, paletteModules, excludedNodes: '90-exec.js,node-red-contrib-lamp' };
        const flow = helloFlow('hi').map((node) =>
          'func' in node
            ? { ...node, libs: [{ var: 'os', module: 'os' }], func: 'msg.payload = os.EOL; return msg;' }
            : node,
        );
        const answers = async (more: object) => {
          const { url = '' } = await runner.start(runOf('a', version, { ...excluding, ...more }), never);
          const place = runtimeAdmin(world.instances, 'a', url);
          await place.deploy(flow);
          const nodes = await place.nodes();
          assert.equal(
            [nodes.includes('exec'), nodes.includes('lamp'), nodes.includes('inject')],
            [false, false, true],
          );
          for (const path of [
            'nodes/node-red/exec',
            'nodes/node-red-contrib-lamp',
            'nodes/node-red-contrib-lamp/lamp',
          ]) {
            const headers = { 'content-type': 'application/json' };
            const { status } = await place.admin(path, { method: 'PUT', headers, body: '{"enabled":true}' });
            assert.ok(status >= 400, `${path}: ${status}`);
          }
          return fetch(`${url}hello`, { signal: AbortSignal.timeout(3000) }).then(
            (got) => got.ok,
            () => false,
          );
        };
        assert.is(await answers({}), false);
        assert.is(await until(() => answers({ functionExternalModules: true })), true);
      } finally {
        await world.close();
      }
    },
  );

for (const version of [runtimes.four, runtimes.five])
  real(
    `keep the context of flows of Node-RED ${version} in files where that is wanted, and else in memory`,
    async () => {
      const world = await localWorld({
        stacks: () => stacks,
        patience: { startMs: 60_000, answerMs: 5000, stopMs: 20_000 },
      });
      try {
        const { runner } = world.driver;
        const counting = helloFlow('hi').map((node) =>
          'func' in node
            ? {
                ...node,
                func: "flow.set('n', (flow.get('n') ?? 0) + 1); msg.payload = String(flow.get('n')); return msg;",
              }
            : node,
        );
        const count = (url: string) =>
          until('the flow counts', async () => {
            const answer = await fetch(`${url}hello`);
            return answer.ok ? Number(await answer.text()) : undefined;
          });
        for (const [contextStorage, next] of [
          ['file', 2],
          ['memory', 1],
        ] as const) {
          const run = runOf(contextStorage, version, { contextStorage });
          const { url = '' } = await runner.start(run, never);
          await runtimeAdmin(world.instances, contextStorage, url).deploy(counting);
          assert.is(await count(url), 1);
          await runner.stop(contextStorage);
          const { url: again = '' } = await runner.start(run, never);
          assert.is(await count(again), next);
        }
      } finally {
        await world.close();
      }
    },
  );

real('name the module that cannot be installed', async () => {
  const world = await localWorld({ stacks: () => stacks });
  try {
    const paletteModules = [{ name: 'node-red-contrib-nowhere', version: '*' }];
    const { npmrc } = options;
    const why = await reasonOf(world.driver.runner.start(runOf('a', runtimes.five, { npmrc, paletteModules }), never));
    assert.is(why.reason, 'ModulesMissing');
    assert.match(why.message, 'node-red-contrib-nowhere');
  } finally {
    await world.close();
  }
});

real.after(() => registry.close());

real.run();

/** A flow whose GET /talk shows a text in the debug sidebar. */
function debugFlow(text: string): readonly object[] {
  const at = { z: 'tab' };
  const shown = { active: true, tosidebar: true, complete: 'payload', targetType: 'msg' };
  const func = `msg.payload = ${JSON.stringify(text)}; return msg;`;
  return [
    { id: 'tab', type: 'tab', label: 'debug' },
    { id: 'in', type: 'http in', ...at, url: '/talk', method: 'get', wires: [['make']] },
    { id: 'make', type: 'function', ...at, func, outputs: 1, wires: [['out', 'show']] },
    { id: 'show', type: 'debug', ...at, ...shown, wires: [] },
    { id: 'out', type: 'http response', ...at, wires: [] },
  ];
}

/** What the debug sidebar shows of a text, when a flow is called. */
async function debugged(tokenFile: string, comms: string, flow: string, headers: HeadersInit): Promise<unknown> {
  const authorization = `Bearer ${readFileSync(tokenFile, 'utf8').trim()}`;
  const socket = new WebSocket(comms.replace('http', 'ws'), { headers: { authorization } });
  const shown: unknown[] = [];
  let isIn = false;
  socket.addEventListener('message', ({ data }) => {
    const messages: unknown = JSON.parse(String(data));
    for (const { topic, data: told } of Array.isArray(messages) ? messages : [])
      if (topic === 'debug') shown.push(told.msg);
  });
  socket.addEventListener('open', () => {
    isIn = true;
  });
  try {
    await patiently('the runtime lets us in', () => isIn);
    socket.send(JSON.stringify({ subscribe: 'debug' }));
    // Neither that the flow has started nor that we are subscribed is told: so it is called until something is shown.
    return await patiently('something is shown', async () => {
      await fetch(flow, { headers });
      return shown[0];
    });
  } finally {
    socket.close();
  }
}

function basic(username: string, password: string): { readonly authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}
