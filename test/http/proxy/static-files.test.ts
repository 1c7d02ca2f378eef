// timeout: 300
// The static files of instances, at their door.
import type { RequestListener } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ProxyWorld, startProxyWorld, treeOf } from './stand-in.ts';

const runtime: RequestListener = (request, response) => {
  response.end(`the runtime at ${request.url}`);
};

async function worldWith(switches: readonly string[]): Promise<ProxyWorld> {
  const world = await startProxyWorld(treeOf(switches));
  await world.instance('A', runtime);
  await world.files.put('A', 'img/logo.svg', Buffer.from('<svg/>'), () => {});
  await world.files.put('A', 'empty.txt', Buffer.from(''), () => {});
  await world.files.put('A', 'data.unknown', Buffer.from('data'), () => {});
  return world;
}

const served = suite('static files at the door');

served('are served with what a browser has to know, and not again to who has them', async () => {
  const world = await worldWith(['staticAssets']);
  try {
    const logo = await world.get('/i/A/static/img/logo.svg?v=1', { as: 'none' });
    assert.equal([logo.status, logo.text], [200, '<svg/>']);
    const { headers } = logo;
    assert.equal(
      ['content-type', 'content-length', 'x-content-type-options', 'accept-ranges', 'cache-control'].map(
        (name) => headers[name],
      ),
      ['image/svg+xml', '6', 'nosniff', 'none', 'no-cache'],
    );
    assert.match(String(headers['content-security-policy']), /connect-src .*\/i\/A\//);
    for (const known of [
      { 'if-none-match': String(headers.etag) },
      { 'if-modified-since': String(headers['last-modified']) },
    ]) {
      const again = await world.get('/i/A/static/img/logo.svg', { headers: known });
      assert.equal([again.status, again.text], [304, '']);
    }
    assert.is((await world.get('/i/A/static/img/logo.svg', { headers: { 'if-none-match': '"other"' } })).status, 200);
    const head = await world.get('/i/A/static/img/logo.svg', { method: 'HEAD' });
    assert.equal([head.status, head.text, head.headers['content-length']], [200, '', '6']);
    const empty = await world.get('/i/A/static/empty.txt');
    assert.equal([empty.status, empty.text, empty.headers['content-length']], [200, '', '0']);
    assert.is((await world.get('/i/A/static/data.unknown')).headers['content-type'], 'application/octet-stream');
  } finally {
    await world.close();
  }
});

served('are nowhere else, and what is none does not reach the runtime', async () => {
  const world = await worldWith(['staticAssets']);
  try {
    for (const path of [
      '',
      'none',
      'img',
      'img/',
      '.hidden',
      'img%2Flogo.svg',
      'img//logo.svg',
      '%2e%2e%2fx',
      'img/logo.svg/x',
    ]) {
      const { status, text } = await world.get(`/i/A/static/${path}`);
      assert.ok(status === 404 || status === 400, `${path}: ${status}`);
      assert.not.match(text, /the runtime/, path);
    }
    for (const path of ['../static/img/logo.svg', '%2e%2e/flows.json'])
      assert.match(
        await world.raw(`GET /i/A/static/${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
        /^HTTP\/1.1 400/,
      );
    assert.match((await world.get('/i/A/static')).text, /the runtime at/);
    assert.match((await world.get('/i/A/static/x', { method: 'POST', body: 'x' })).text, /the runtime at/);
    assert.match((await world.get('/i/A/hello')).text, /the runtime at/);
  } finally {
    await world.close();
  }
});

served('are for whoever may use the endpoints', async () => {
  const world = await worldWith(['staticAssets', 'teamEndpointSecurity']);
  try {
    for (const [as, status] of [
      ['owner', 200],
      ['viewer', 200],
      ['dashboard', 200],
      ['admin', 200],
      ['otherOwner', 404],
      ['none', 401],
    ] as const) {
      const { status: got, headers } = await world.get('/i/A/static/img/logo.svg', { as });
      assert.is(got, status, as);
      if (got === 200) assert.is(headers['cache-control'], 'private, no-cache');
    }
  } finally {
    await world.close();
  }
});

served('are the business of the runtime without the feature', async () => {
  const world = await worldWith([]);
  try {
    assert.is((await world.get('/i/A/static/img/logo.svg')).text, 'the runtime at /i/A/static/img/logo.svg');
  } finally {
    await world.close();
  }
});

served('are cut off where they end too early, and 503 where they cannot be read', async () => {
  const world = await worldWith(['staticAssets']);
  try {
    const open = world.files.open;
    Object.assign(world.files, {
      open: async (id: string, path: string) => {
        if (path === 'broken') throw new Error('EIO');
        const file = await open(id, path);
        return file && { ...file, size: file.size + 1 };
      },
    });
    const cut = await world.get('/i/A/static/img/logo.svg').catch((error: NodeJS.ErrnoException) => error);
    assert.instance(cut, Error);
    assert.is((await world.get('/i/A/static/broken')).status, 503);
  } finally {
    await world.close();
  }
});

served.run();
