// timeout: 600
// A protected instance with a real runtime behind the way in: no door of its administration opens, and its flows stay as they are.
import { globSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { helloFlow } from '../../support/runtime-flows.ts';
import { runtimes, stacksWith } from '../../support/stacks.ts';
import { until } from '../../support/until.ts';
import { startPlatform } from './platform.ts';

/** What the runtime's own source says that its administration answers, with something in the place of each name. */
function doorsIn(stack: string): [method: string, path: string][] {
  const lib = join(stack, 'node_modules/@node-red/editor-api/lib');
  const texts = globSync('{admin,editor,auth}/*.js', { cwd: lib }).map((file) => readFileSync(join(lib, file), 'utf8'));
  const found = [...texts, readFileSync(join(lib, 'index.js'), 'utf8')]
    .join('\n')
    .matchAll(/(?:admin|editor)App\.(get|post|put|delete)\(["'](\/[^"']*)["']/g);
  return Array.from(found, ([, method = '', path = '']) => [
    method.toUpperCase(),
    path.replace(/:scope\((\w+).*?\)/, '$1').replaceAll(/:\w+/g, 'x'),
  ]);
}

/** Those that are written there as expressions, those that nodes add, and other ways to write a path. */
const more: readonly [method: string, path: string][] = [
  ['POST', '/library/local/flows/x'],
  ['GET', '/library/local/flows'],
  ['GET', '/nodes/node-red'],
  ['PUT', '/nodes/node-red'],
  ['DELETE', '/nodes/node-red'],
  ['PUT', '/nodes/node-red/inject'],
  ['POST', '/inject/x'],
  ['POST', '/debug/x/enable'],
  ['GET', '/debug/view/view.html'],
  ['PUT', '/settings/user/keys'],
  ['GET', '/comms'],
  ['POST', '/flows/'],
  ['POST', '/FLOWS'],
  ['POST', '/%66lows'],
  ['POST', '/./flows'],
  ['POST', '//flows'],
  ['POST', '/flows?x=/hello'],
  ['PATCH', '/flows'],
];

const shut = suite('a protected instance with a real runtime');

shut('opens no door of its administration to anybody, and keeps its flows', async () => {
  const doors = [...doorsIn(join(await stacksWith(runtimes.four), runtimes.four)), ...more];
  for (const door of ['POST /flows', 'PUT /flow/x', 'POST /nodes', 'GET /settings', 'POST /auth/token'])
    assert.ok(
      doors.some((one) => one.join(' ') === door),
      `${door} is among the doors that were found`,
    );
  const platform = await startPlatform();
  try {
    const { server, api, id, token } = platform;
    const at = (path: string) => `${server.url}/i/${id}${path}`;
    const authorization = `Bearer ${token}`;
    const json = { 'content-type': 'application/json' };
    const body = JSON.stringify(helloFlow('hello'));
    assert.is((await fetch(at('/flows'), { method: 'POST', headers: { ...json, authorization }, body })).status, 204);
    await until(async () => (await fetch(at('/hello'), { headers: { authorization } })).status === 200);
    const file = join(platform.folder, '.weir/instances', id, 'home/flows.json');
    const before = readFileSync(file, 'utf8');
    await api('PUT', `/instances/${id}`, { protected: true });
    const credentials: readonly Record<string, string>[] = [
      { authorization },
      { authorization, 'x-http-method-override': 'POST', 'x-weir-editor': 'write.d2Vpcg.x' },
      {},
    ];
    for (const headers of credentials)
      for (const [method, path] of doors) {
        const status = await statusOf(at(path), method, { ...json, ...headers });
        assert.ok([400, 401, 403, 404].includes(status), `${method} ${path}: ${status}, ${Object.keys(headers)}`);
      }
    const upgrade = { authorization, connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
    const key = { 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' };
    for (const path of ['/comms', '/comms?x', '/COMMS', '//comms'])
      assert.is.not(await statusOf(at(path), 'GET', { ...upgrade, ...key }), 101, path);
    assert.is(readFileSync(file, 'utf8'), before);
    assert.is(await (await fetch(at('/hello'), { headers: { authorization } })).text(), 'hello main');
    await api('PUT', `/instances/${id}`, { protected: false });
    assert.is((await fetch(at('/flows'), { headers: { authorization } })).status, 200);
  } finally {
    await platform.close();
  }
});

shut.run();

/** The status of an answer; the path goes as it is written, which `fetch` would mend. */
function statusOf(url: string, method: string, headers: Record<string, string>): Promise<number> {
  const { hostname, port, origin } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const asked = request({ hostname, port, path: url.slice(origin.length), method, headers, agent: false });
  const over = (status = 0) => {
    resolve(status);
    asked.destroy();
  };
  asked.on('response', ({ statusCode }) => over(statusCode)).on('upgrade', () => over(101));
  asked.on('error', reject).end(method === 'GET' ? undefined : JSON.stringify([{ id: 't', type: 'tab', label: 'x' }]));
  return promise;
}
