// timeout: 600
// A package that is installed in the editor of a real runtime: from a registry with a private authority, through a proxy that wants a password.
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { makeAuthority } from '../support/authority.ts';
import { debian, suiteWith } from '../support/debian.ts';
import { fakeRegistry } from '../support/fake-registry.ts';
import { runtimeAdmin } from '../support/runtime-flows.ts';
import { runtimes, stacksWith } from '../support/stacks.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { localWorld, never, runOf } from './local-world.ts';

const nodeFile = `module.exports = (RED) => RED.nodes.registerType('lamp', function (config) { RED.nodes.createNode(this, config); });`;
const commands = debian(['openssl'], ['openssl']);
const stacks = await stacksWith(runtimes.four);
const behind = await fakeRegistry({
  'node-red-contrib-lamp': {
    '1.2.3': {
      'package.json': JSON.stringify({ keywords: ['node-red'], 'node-red': { nodes: { lamp: 'lamp.js' } } }),
      'lamp.js': nodeFile,
      'lamp.html': "<script>RED.nodes.registerType('lamp', {category: 'x', defaults: {}})</script>",
    },
  },
});
const folder = temporaryFolder();
const password = 'the-password-of-the-proxy';
const name = 'registry.example.test';

/** The registry as it is seen from outside: with TLS, by a name that only the proxy knows. */
async function secured(): Promise<{ readonly server: Server; readonly ca: string; readonly port: number }> {
  const authority = makeAuthority(commands?.openssl ?? '', folder.path);
  const { certificate, key } = authority.issue('registry', { names: `DNS:${name}` });
  const ca = join(folder.path, 'authority.pem');
  const server = createTlsServer(
    { cert: readFileSync(certificate), key: readFileSync(key) },
    async (request, response) => {
      const answer = await fetch(`${behind.url}${request.url}`);
      const body = Buffer.from(await answer.arrayBuffer());
      const isJson = body.subarray(0, 1).toString() === '{';
      const seen = isJson ? body.toString().replaceAll(behind.url, `https://${name}`) : body;
      response.writeHead(answer.status).end(seen);
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, ca, port: (server.address() as AddressInfo).port };
}

/** A proxy that lets pass who knows its password, to the registry alone. */
async function proxyTo(port: number) {
  const passed: string[] = [];
  const server = createServer((_request, response) => response.writeHead(403).end());
  server.on('connect', (request, socket: Socket) => {
    const wanted = `Basic ${Buffer.from(`weir:${password}`).toString('base64')}`;
    socket.on('error', () => {});
    if (request.headers['proxy-authorization'] !== wanted || request.url !== `${name}:443`)
      return socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    passed.push(request.url);
    const inner = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      inner.pipe(socket).pipe(inner);
    });
    return inner.on('error', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, passed, url: `http://weir:${password}@127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const palette = suiteWith(commands, 'the palette of an editor');

palette('installs through the proxy of Weir, with its authority and registry, and shows no password', async () => {
  const front = await secured();
  const proxy = await proxyTo(front.port);
  const plain = Object.entries(process.env).filter(([key]) => !/proxy|^npm_|ca_certs/i.test(key));
  const env = {
    ...Object.fromEntries(plain),
    HTTPS_PROXY: proxy.url,
    NODE_EXTRA_CA_CERTS: front.ca,
    npm_config_registry: `https://${name}/`,
  };
  const world = await localWorld({ stacks: () => stacks, patience: { startMs: 60_000, answerMs: 5000 }, env });
  try {
    const { url = '' } = await world.driver.runner.start(
      runOf('a', runtimes.four, { paletteAllowInstall: true }),
      never,
    );
    const { admin } = runtimeAdmin(world.instances, 'a', url);
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ module: 'node-red-contrib-lamp' });
    const answer = await admin('nodes', { method: 'POST', headers, body });
    const log = readFileSync(world.at('a', 'runtime.log'), 'utf8');
    assert.is(answer.status, 200, `${await answer.text()}\n${log}`);
    assert.ok(existsSync(world.at('a', 'home/node_modules/node-red-contrib-lamp/lamp.js')));
    assert.ok(proxy.passed.length > 0);
    const { pid } = JSON.parse(readFileSync(world.at('a', 'run.json'), 'utf8'));
    const variables = process.platform === 'linux' ? readFileSync(`/proc/${pid}/environ`, 'utf8') : '';
    const settings = await (await admin('settings')).text();
    for (const text of [log, variables, settings]) assert.not.match(text, password);
    assert.is(statSync(world.at('a', 'npmrc')).mode & 0o777, 0o600);
  } finally {
    await world.close();
    for (const { server } of [front, proxy]) {
      server.closeAllConnections();
      server.close();
    }
    await behind.close();
  }
});

palette.run();
