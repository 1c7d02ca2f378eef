// Runtimes that know themselves at the root, as those with a host name are started: asked there as they are, and below a path with that taken away and put back.
import { createServer, type RequestListener } from 'node:http';
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startProxyWorld, treeOf } from './stand-in.ts';

const answers: RequestListener = (request, response) => {
  const { url = '', headers } = request;
  const to = new URL(url, 'http://x').searchParams.get('to');
  if (to !== null)
    response.writeHead(url.startsWith('/made') ? 201 : 302, { Location: to, 'Set-Cookie': 'a=1; Path=/' });
  response.end(`${url} ${headers['x-forwarded-prefix'] ?? 'no prefix'}`);
};
const runtime = createServer(answers).on('upgrade', (request, socket) => {
  socket.end(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n${request.url}`);
});

const tree = treeOf(['teamEndpointSecurity', 'staticAssets'], '  customHostnames: {domain: flows.example}\n');
const world = await startProxyWorld(tree, { baseUrl: 'https://weir.example' });
await world.instance('Ab', runtime, { endpointAccess: 'open' }, { path: '', editorPath: '' });
await world.files.put('Ab', 'a.txt', Buffer.from('a file'), () => {});

const root = suite('a runtime at the root');
root.after(world.close);

const at = (host: string, path: string, headers: Readonly<Record<string, string>> = {}) =>
  world.get(path, { headers: { host, ...headers } });
const atHost = (path: string, headers = {}) => at('ab.flows.example', path, headers);
const atPath = (path: string, headers = {}) => at('weir.example', `/i/Ab${path}`, headers);

root('is asked for what people ask for, and told what stood before it', async () => {
  assert.is((await atHost('/x?y=1')).text, '/x?y=1 no prefix');
  assert.is((await atPath('/x?y=1')).text, '/x?y=1 /i/Ab');
  assert.is((await atPath('/')).text, '/ /i/Ab');
});

root('is found at addresses from before it had its host name, and browsers are led on from them', async () => {
  assert.is((await atHost('/i/Ab/x?y=1')).text, '/x?y=1 no prefix');
  assert.is((await atHost('/i/Ab')).text, '/ no prefix');
  assert.is((await atHost('/i/Abc/x')).text, '/i/Abc/x no prefix');
  const navigate = { 'sec-fetch-mode': 'navigate' };
  for (const [old, now] of [
    ['/i/Ab/x?y=1', '/x?y=1'],
    ['/i/Ab', '/'],
    ['/i/Ab?y', '/?y'],
    ['/i/Ab//evil.example/', '//evil.example/'],
  ]) {
    const led = await atHost(old ?? '', navigate);
    assert.equal([led.status, led.headers.location], [302, `https://ab.flows.example${now}`], old);
  }
  assert.is((await atHost('/x', navigate)).status, 200);
});

root('leads on to its own addresses, which are below its path only where it is reached there', async () => {
  const locations = async (to: string) => {
    const query = `/go?to=${encodeURIComponent(to)}`;
    return [(await atHost(query)).headers.location, (await atPath(query)).headers.location];
  };
  for (const [to, below] of [
    ['/next?z=1#end', '/i/Ab/next?z=1#end'],
    ['/', '/i/Ab/'],
    ['next', 'next'],
    ['?z', '?z'],
    ['/i/Ab/next', '/i/Ab/next'],
    ['/a/../next', '/i/Ab/next'],
    ['/api/v1/user', '/i/Ab/api/v1/user'],
    ['/i/Cd/', '/i/Ab/i/Cd/'],
    ['https://weir.example/next', 'https://weir.example/i/Ab/next'],
    ['//weir.example/next', 'https://weir.example/i/Ab/next'],
    ['https://elsewhere.example/next', 'https://elsewhere.example/next'],
  ])
    assert.equal(await locations(to ?? ''), [to, below], to);
  const made = await atPath('/made?to=/things/1');
  assert.equal([made.status, made.headers.location], [201, '/i/Ab/things/1']);
  // What is relative still must not lead out.
  assert.is((await atPath(`/go?to=${encodeURIComponent('../Cd/')}`)).status, 502);
});

root('has cookies for its path where it shares an origin, and as it says where it has its own', async () => {
  assert.equal((await atHost('/go?to=/')).headers['set-cookie'], ['a=1; Path=/']);
  const { headers } = await atPath('/go?to=/');
  assert.equal(headers['set-cookie'], ['a=1; Path=/i/Ab/']);
  assert.match(String(headers['content-security-policy']), 'https://weir.example/i/Ab/ ');
});

root('has its files served, and its editor shut, at both', async () => {
  for (const ask of [atHost, atPath]) {
    assert.is((await ask('/static/a.txt')).text, 'a file');
    assert.is((await ask('/.alive/00')).status, 401);
  }
  assert.is((await atHost('/i/Ab/static/a.txt')).text, 'a file');
});

root('has its WebSockets, and that of the editor for those who have the editor', async () => {
  const upgraded = (host: string, path: string, headers = '') =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(world.port, '127.0.0.1');
      let text = '';
      socket.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      socket.on('error', reject).on('close', () => resolve(text));
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${headers}\r\n`,
      );
    });
  const token = `Authorization: Bearer ${world.tokens.member}\r\n`;
  for (const [host, prefix] of [
    ['ab.flows.example', ''],
    ['ab.flows.example', '/i/Ab'],
    ['weir.example', '/i/Ab'],
  ]) {
    assert.match(await upgraded(host ?? '', `${prefix}/talk`), /^HTTP\/1\.1 101 [\s\S]*\/talk$/);
    assert.match(await upgraded(host ?? '', `${prefix}/comms`), /^HTTP\/1\.1 401 /);
    assert.match(await upgraded(host ?? '', `${prefix}/comms`, token), /^HTTP\/1\.1 101 [\s\S]*\r\n\/comms$/);
  }
});

root.run();
