// timeout: 600
// Where real runtimes think that they are: at the root with host names, below their path without, and never moved before their next start.
import { readFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { helloFlow } from '../../support/runtime-flows.ts';
import { runtimes } from '../../support/stacks.ts';
import { writeFiles } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { startPlatform } from './platform.ts';

type Platform = Awaited<ReturnType<typeof startPlatform>>;

/** GET /go leads on to /hello, and sets a cookie. */
const leadingFlow = [
  { id: 'gotab', type: 'tab', label: 'go' },
  { id: 'goin', type: 'http in', z: 'gotab', url: '/go', method: 'get', wires: [['lead']] },
  {
    id: 'lead',
    type: 'function',
    z: 'gotab',
    func: `msg.statusCode = 302; msg.headers = { location: '/hello' }; msg.cookies = { seen: { value: '1', path: '/' } }; return msg;`,
    outputs: 1,
    wires: [['goout']],
  },
  { id: 'goout', type: 'http response', z: 'gotab', wires: [] },
];

interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends a request as an admin, by which host name whatsoever. */
function ask({ server, token }: Platform, host: string, path: string, more: object = {}, body = ''): Promise<Got> {
  const { hostname, port } = new URL(server.url);
  const headers = { host, authorization: `Bearer ${token}`, ...more };
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method: body === '' ? 'GET' : 'POST', headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
    });
    sent.on('upgrade', ({ headers: got }, socket) => {
      socket.destroy();
      resolve({ status: 101, headers: got, text: '' });
    });
    sent.on('error', reject).end(body);
  });
}

const upgrade = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

/** The editor, its connection, and an endpoint, as they are at one address. */
async function look(platform: Platform, host: string, prefix: string) {
  const get = (path: string, more: object = {}) => ask(platform, host, `${prefix}${path}`, more);
  const editor = await get('/');
  const [, script = ''] = /<script src="([^"]*red\.min\.js[^"]*)"/.exec(editor.text) ?? [];
  const settings = await get('/settings', { accept: 'application/json' });
  const led = await get('/go');
  const target = new URL(led.headers.location ?? '', `http://${host}${prefix}/go`);
  return {
    editor: editor.status,
    script: (await ask(platform, host, new URL(script, `http://${host}${prefix}/`).pathname)).status,
    comms: (await get('/comms', upgrade)).status,
    location: led.headers.location,
    cookie: led.headers['set-cookie']?.map((line) => /path=([^;]*)/i.exec(line)?.[1]),
    hello: (await ask(platform, host, target.pathname)).text,
    namesPath: [editor.text, settings.text, JSON.stringify(led.headers)].some((text) => text.includes('/i/')),
  };
}

async function deploy(platform: Platform): Promise<void> {
  const json = { 'content-type': 'application/json' };
  const flows = JSON.stringify([...helloFlow('hello'), ...leadingFlow]);
  const { host } = new URL(platform.server.url);
  assert.is((await ask(platform, host, `/i/${platform.id}/flows`, json, flows)).status, 204);
  await started(platform);
}

async function started(platform: Platform): Promise<void> {
  const { host } = new URL(platform.server.url);
  await until('the flow answers', async () => (await ask(platform, host, `/i/${platform.id}/hello`)).status === 200);
}

const pidOf = ({ folder, id }: Platform): number =>
  JSON.parse(readFileSync(join(folder, '.weir/instances', id, 'run.json'), 'utf8')).pid;

const good = { editor: 200, script: 200, comms: 101, hello: 'hello main' };
const real = suite('where a real runtime thinks that it is');

for (const version of [runtimes.four, runtimes.five])
  real(`of Node-RED ${version}: at a host name nothing names a path below Weir`, async () => {
    const platform = await startPlatform('flows.localhost', version);
    try {
      await deploy(platform);
      const { host } = new URL(platform.url);
      const own = `/i/${platform.id}`;
      assert.equal(await look(platform, host, ''), {
        ...good,
        location: '/hello',
        cookie: ['/'],
        namesPath: false,
      });
      // The path of the instance opens it, too, as programs know it.
      assert.equal(await look(platform, new URL(platform.server.url).host, own), {
        ...good,
        location: `${own}/hello`,
        cookie: [`${own}/`],
        namesPath: true,
      });
    } finally {
      await platform.close();
    }
  });

real('stays where it was started when host names come and go, and moves at its next start', async () => {
  const platform = await startPlatform();
  try {
    await deploy(platform);
    const { id, folder, api } = platform;
    const own = `/i/${id}`;
    const { host: ofWeir, port } = new URL(platform.server.url);
    const host = `${id.toLowerCase()}.flows.localhost:${port}`;
    const at = join(folder, 'config/weir.yaml');
    const before = readFileSync(at, 'utf8');
    const without = { ...good, location: '/hello', cookie: ['/'], namesPath: false };
    const pending = async () =>
      (await api('GET', `/instances/${id}`)).conditions.find(
        ({ type }: { type: string }) => type === 'RestartRequired',
      );
    const restart = async () => {
      const pid = pidOf(platform);
      await api('POST', `/instances/${id}/actions/restart`);
      await until(
        'it runs again',
        async () => (await api('GET', `/instances/${id}`)).state === 'running' && pidOf(platform) !== pid,
      );
      await started(platform);
    };
    const pid = pidOf(platform);
    assert.is(await pending(), undefined);
    await writeFiles(join(folder, 'config'), {
      'weir.yaml': `${before}  customHostnames: {domain: flows.localhost}\n`,
    });
    const said = await until('it is told', pending);
    assert.is(said.message, 'it runs with other values than it has now: address; restart it');
    assert.is(pidOf(platform), pid);
    const old = await look(platform, host, '');
    assert.equal([old.editor, old.script, old.comms], [200, 200, 101]);
    await restart();
    assert.is(await pending(), undefined);
    assert.equal(await look(platform, host, ''), without);
    assert.equal((await look(platform, host, own)).hello, 'hello main');
    const led = await ask(platform, host, `${own}/hello?x=1`, { 'sec-fetch-mode': 'navigate' });
    assert.equal([led.status, led.headers.location], [302, `http://${host}/hello?x=1`]);
    await writeFiles(join(folder, 'config'), { 'weir.yaml': before });
    await until('it is told', pending);
    const below = { ...good, location: `${own}/hello`, cookie: [`${own}/`], namesPath: true };
    assert.equal(await look(platform, ofWeir, own), below);
    await restart();
    assert.is(await pending(), undefined);
    assert.is((await look(platform, ofWeir, own)).editor, 200);
  } finally {
    await platform.close();
  }
});

real.run();
