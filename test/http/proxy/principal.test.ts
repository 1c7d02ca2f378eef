// timeout: 600
// What of Weir a flow can see of a request, by every way to look at one, and what somebody can do who has seen it: with real runtimes of both versions.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request as ask } from 'node:http';
import { join } from 'node:path';
import { WebSocket } from 'undici';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { doorOf } from '../../../src/drivers/local/door.ts';
import { runtimes } from '../../support/stacks.ts';
import { until } from '../../support/until.ts';
import { password, startPlatform } from './platform.ts';

type Platform = Awaited<ReturnType<typeof startPlatform>>;

/** A node that looks at each request by all that a runtime offers: its server, middleware before flows, the connection itself. It tells of it at /spied. */
const spy = `
const seen = [];
const look = (from, request, more = {}) => seen.push({
  from, url: request.url, headers: { ...request.headers }, raw: [...request.rawHeaders], distinct: { ...request.headersDistinct },
  all: Object.getOwnPropertyNames(request.headers), trailers: { ...request.trailers }, rawTrailers: [...request.rawTrailers], ...more,
});
module.exports = function (RED) {
  RED.server.prependListener('request', (request) => look('server request', request));
  RED.server.prependListener('upgrade', (request) => look('server upgrade', request));
  RED.httpAdmin.use((request, _response, next) => { look('admin', request); next(); });
  RED.httpNode.use((request, _response, next) => { look('middleware', request, { user: request.user }); next(); });
  RED.httpNode.get('/spied', (_request, response) => response.json(seen));
  RED.nodes.registerType('spy', function (config) { RED.nodes.createNode(this, config); });
};
`;

/** What a function finds of a request, whatever it is called there. */
const walk = `
const found = {};
const walk = (value, path, depth) => {
  if (value === null || depth > 4) return;
  if (typeof value === 'string') { found[path] = value; return; }
  if (typeof value !== 'object' || walked.has(value)) return;
  walked.add(value);
  for (const key of Reflect.ownKeys(value)) {
    try { walk(value[key], path + '.' + String(key), depth + 1); } catch (error) {}
  }
};
const walked = new Set();
const { req } = msg;
const names = ['x-weir-editor', 'x-weir-principal', 'X-Weir-Editor', 'X-Weir-Principal', 'authorization'];
walk(req, 'req', 0);
msg.payload = { found, got: names.map((name) => req.get(name) ?? null), headers: req.headers, raw: req.rawHeaders, distinct: req.headersDistinct };
return msg;
`;

const flows = [
  { id: 'tab', type: 'tab', label: 'ways' },
  { id: 'in', type: 'http in', z: 'tab', url: '/ways', method: 'get', wires: [['walk']] },
  { id: 'sent', type: 'http in', z: 'tab', url: '/ways', method: 'post', wires: [['walk']] },
  { id: 'walk', type: 'function', z: 'tab', func: walk, outputs: 1, wires: [['out']] },
  { id: 'out', type: 'http response', z: 'tab', wires: [] },
  { id: 'listener', type: 'websocket-listener', path: '/echo', wholemsg: 'true' },
  { id: 'wsin', type: 'websocket in', z: 'tab', server: 'listener', client: '', wires: [['wsout']] },
  { id: 'wsout', type: 'websocket out', z: 'tab', server: 'listener', client: '', wires: [] },
];

interface Context {
  readonly platform: Platform;
  readonly version: string;
}

for (const version of Object.values(runtimes)) {
  const seen = suite<Context>(`what a flow sees of Weir, in Node-RED ${version}`);
  const sessions: Record<string, string> = {};
  let platform: Platform;
  let port = 0;
  let token = '';

  /** A request to the gateway by the cookie of somebody, as a page of it makes one. */
  const send = async (as: string | undefined, path: string, init: RequestInit = {}) => {
    const headers: Record<string, string> = { origin: platform.server.url };
    if (as !== undefined) headers.cookie = sessions[as] ?? '';
    return fetch(`${platform.server.url}/i/${platform.id}${path}`, {
      ...init,
      headers: { ...headers, ...(init.headers as Record<string, string>) },
    });
  };
  const json = { 'content-type': 'application/json' };
  const deploy = { method: 'POST', headers: json, body: JSON.stringify(flows) };

  /** A request to the port of the runtime itself. */
  const direct = (method: string, path: string, headers: Record<string, string>, body?: string) =>
    new Promise<number>((resolve, reject) => {
      const options = { host: '127.0.0.1', port, method, path: `/i/${platform.id}${path}`, headers, agent: false };
      ask(options, (response) => resolve(response.resume().statusCode ?? 0))
        .once('error', reject)
        .end(body);
    });
  const door = (ahead = 0) =>
    doorOf({ port, path: `/i/${platform.id}`, editorPath: `/i/${platform.id}/`, token }, () => Date.now() + ahead);
  const proof = (method: string, path: string, ahead = 0) => {
    const editor = { name: 'max', mayWrite: true };
    return Object.fromEntries([door(ahead).principal({ method, path: `/i/${platform.id}${path}`, editor })]);
  };

  seen.before(async () => {
    platform = await startPlatform(undefined, version);
    const here = join(platform.folder, '.weir/instances', platform.id);
    mkdirSync(join(here, 'home/nodes'), { recursive: true });
    writeFileSync(join(here, 'home/nodes/spy.js'), spy);
    writeFileSync(
      join(here, 'home/nodes/spy.html'),
      `<script type="text/javascript">RED.nodes.registerType('spy', { category: 'common', defaults: {} });</script>`,
    );
    await platform.api('POST', `/instances/${platform.id}/actions/restart`);
    await until(async () => {
      const answer = await fetch(`${platform.url}spied`, { headers: { authorization: `Bearer ${platform.token}` } });
      return answer.status === 200;
    });
    token = readFileSync(join(here, 'admin-token'), 'utf8').trim();
    ({ port } = JSON.parse(readFileSync(join(here, 'run.json'), 'utf8')));
    for (const username of ['max', 'vera']) {
      const answer = await fetch(`${platform.server.url}/account/login`, {
        method: 'POST',
        headers: { ...json, origin: platform.server.url },
        body: JSON.stringify({ username, password }),
      });
      sessions[username] = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    }
    const answer = await send('max', '/flows', deploy);
    assert.is(answer.status, 204, await answer.text());
    await until(async () => (await send('vera', '/ways')).status === 200);
  });
  seen.after(() => platform.close());

  seen('nothing, by whatever way it looks at a request', async () => {
    const own = { 'x-weir-principal': 'mine', 'x-weir-other': 'mine', 'X-WEIR-EDITOR': 'mine' };
    for (const as of ['max', 'vera', undefined])
      for (const init of [{}, { ...deploy, body: '{}' }]) {
        const answer = await send(as, '/ways', { ...init, headers: { ...json, ...own } });
        if (as === undefined) continue;
        assert.is(answer.status, 200, `${as} ${JSON.stringify(init)}: ${await answer.clone().text()}`);
        assert.not.match(await answer.text(), /x-weir|admin-token/i);
      }
    await new Promise<void>((resolve, reject) => {
      const url = `${platform.url.replace('http', 'ws')}echo`;
      const options = { headers: { cookie: sessions.max ?? '', origin: platform.server.url, ...own } };
      const socket = new WebSocket(url, options);
      socket.addEventListener('open', () => socket.send('{"payload":"x"}'));
      socket.addEventListener('message', ({ data }) => {
        assert.not.match(String(data), /x-weir/i);
        socket.close();
        resolve();
      });
      socket.addEventListener('error', () => reject(new Error('no WebSocket')));
    });
    await send('max', '/nodes', { headers: own });
    const spied = await (await send('max', '/spied')).text();
    const all: { readonly from: string }[] = JSON.parse(spied);
    for (const from of ['server request', 'server upgrade', 'middleware'])
      assert.ok(
        all.some((one) => one.from === from),
        `nothing was seen by ${from}`,
      );
    assert.not.match(spied, /x-weir/i);
    for (const secret of [token, 'mine']) assert.not.match(spied, secret);
  });

  seen('whatever a viewer takes from a flow deploys nothing, nor where the instance is protected', async () => {
    // All that a flow finds, and parts of it, shown as a token.
    const { found } = await (await send('vera', '/ways')).json();
    const texts: string[] = [...new Set(Object.values(found as Record<string, string>))];
    const tries = texts.flatMap((text) => [text, ...text.split('.')]).filter((text) => /^[\x21-\x7e]+$/.test(text));
    assert.ok(tries.length > 10);
    for (const isProtected of [false, true]) {
      await platform.api('PUT', `/instances/${platform.id}`, { protected: isProtected });
      for (const text of tries) {
        const { status } = await send('vera', '/flows', {
          ...deploy,
          headers: { ...json, authorization: `Bearer ${text}` },
        });
        assert.ok(status >= 400, `deployed with ${text}: ${status}`);
      }
    }
    await platform.api('PUT', `/instances/${platform.id}`, { protected: false });
  });

  const asked = [
    ['vera', 'POST', '/flows'],
    ['max', 'POST', '/flows'],
    ['max', 'GET', '/settings'],
    [undefined, 'POST', '/flows'],
    [undefined, 'GET', '/settings'],
  ] as const;
  for (const isProtected of [false, true])
    seen(
      `the token of the administration opens nothing through the gateway${isProtected ? ' of a protected instance' : ''}`,
      async () => {
        await platform.api('PUT', `/instances/${platform.id}`, { protected: isProtected });
        const answers: string[] = [];
        for (const [as, method, path] of isProtected ? asked : asked.filter(([one]) => one !== 'max'))
          for (const authorization of [`Bearer ${token}`, `bearer  ${token}`, token]) {
            const headers = { ...json, authorization };
            const body = method === 'POST' ? { body: deploy.body } : {};
            const { status } = await send(as, path, { method, headers, ...body });
            answers.push(`${as} ${method} ${path}: ${status}`);
          }
        assert.equal(
          answers.filter((line) => !/: 40[134]$/.test(line)),
          [],
        );
        await platform.api('PUT', `/instances/${platform.id}`, { protected: false });
      },
    );

  seen('a connection of the editor takes no token of the administration from a viewer', async () => {
    const said = await new Promise<string>((resolve, reject) => {
      const options = { headers: { cookie: sessions.vera ?? '', origin: platform.server.url } };
      const socket = new WebSocket(`${platform.url.replace('http', 'ws')}comms`, options);
      socket.addEventListener('open', () => socket.send(JSON.stringify({ auth: token })));
      socket.addEventListener('message', ({ data }) => {
        if (String(data).includes('"auth"')) resolve(String(data));
      });
      socket.addEventListener('error', () => reject(new Error('no WebSocket')));
    });
    assert.is(said, '{"auth":"fail"}');
  });

  seen('a proof opens the editor once, for its method and path, and just then', async () => {
    const length = { ...json, 'content-length': String(Buffer.byteLength(deploy.body)) };
    const write = (headers: Record<string, string>) => direct('POST', '/flows', { ...length, ...headers }, deploy.body);
    assert.is(await direct('GET', '/settings', proof('GET', '/settings')), 200);
    const once = proof('POST', '/flows');
    assert.equal([await write(once), await write(once)], [204, 404], 'on the same way twice');
    const refused = {
      'another path': () => direct('GET', '/flows', proof('GET', '/settings')),
      'the same path with a query': () => direct('GET', '/settings?a', proof('GET', '/settings')),
      'another method': () => write(proof('GET', '/flows')),
      later: () => direct('GET', '/settings', proof('GET', '/settings', -31_000)),
      sooner: () => direct('GET', '/settings', proof('GET', '/settings', 6000)),
      changed: () =>
        direct('GET', '/settings', { 'x-weir-principal': `${proof('GET', '/settings')['x-weir-principal']}x` }),
      'a right that was changed': () =>
        write({ 'x-weir-principal': String(proof('POST', '/flows')['x-weir-principal']).replace('write', '*') }),
      'the token beside it': () => write({ 'x-weir-principal': 'none', authorization: `Bearer ${token}` }),
      'the old header': () => direct('GET', '/settings', { 'x-weir-editor': `write.bWF4.${token}` }),
      nothing: () => direct('GET', '/settings', {}),
    };
    for (const [what, work] of Object.entries(refused)) assert.is(await work(), 404, what);
    assert.is(
      await direct('GET', '/settings', { authorization: `Bearer ${token}` }),
      200,
      'by the token, on its own port',
    );
  });

  seen('what proves that a runtime is alive proves nothing else', async () => {
    assert.is(await direct('GET', `/.alive/${'0'.repeat(32)}`, {}), 200);
    for (const challenge of ['0', `${'0'.repeat(32)}x`, 'write.bWF4.1.n GET /'])
      assert.is(await direct('GET', `/.alive/${encodeURIComponent(challenge)}`, {}), 404, challenge);
    assert.is(await direct('GET', `/.alive/${'0'.repeat(32)}`, { 'x-weir-principal': 'none' }), 404);
  });

  seen.run();
}
