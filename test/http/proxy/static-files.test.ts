// timeout: 300
// The static files of instances, at their door.
import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { until } from '../../support/until.ts';
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
      ['image/svg+xml', '6', 'nosniff', 'bytes', 'no-cache'],
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

served('are let go of when the client has gone before their end', async () => {
  const world = await worldWith(['staticAssets']);
  const { files } = world;
  const sources: Readable[] = [];
  const open = files.open;
  files.open = async (...about) => {
    const file = await open(...about);
    // Longer than what stands in the buffers between it and a client that reads nothing.
    const read = () => {
      const source = Readable.from(pieces());
      sources.push(source);
      return source;
    };
    return file && { ...file, size: 64 << 20, read };
  };
  function* pieces() {
    for (let count = 0; count < 1024; count += 1) yield Buffer.alloc(65_536);
  }
  try {
    const socket = connect(world.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.once('readable', () => socket.destroy());
    socket.write('GET /i/A/static/img/logo.svg HTTP/1.1\r\nHost: weir.example\r\n\r\n');
    await until('the file is let go of', () => sources.length === 1 && sources[0]?.destroyed === true);
    assert.not(sources[0]?.readableEnded);
  } finally {
    files.open = open;
    await world.close();
  }
});

served('are answered in parts to who asks for them, as long as they are what they were', async () => {
  const world = await worldWith(['staticAssets']);
  try {
    await world.files.put('A', 'long.bin', Buffer.from('0123456789'), () => {});
    const path = '/i/A/static/long.bin';
    const { headers } = await world.get(path);
    const etag = String(headers.etag);
    const modified = String(headers['last-modified']);
    for (const [range, status, text, said, condition] of [
      ['bytes=0-3', 206, '0123', 'bytes 0-3/10', undefined],
      ['bytes=4-', 206, '456789', 'bytes 4-9/10', undefined],
      ['bytes=-3', 206, '789', 'bytes 7-9/10', undefined],
      ['bytes=-30', 206, '0123456789', 'bytes 0-9/10', undefined],
      ['bytes=8-99', 206, '89', 'bytes 8-9/10', undefined],
      ['BYTES=9-9', 206, '9', 'bytes 9-9/10', etag],
      ['bytes=1-2', 206, '12', 'bytes 1-2/10', modified],
      ['bytes=1-2', 200, '0123456789', undefined, '"other"'],
      ['bytes=1-2', 200, '0123456789', undefined, `W/${etag}`],
      ['bytes=10-', 416, '', 'bytes */10', undefined],
      ['bytes=-0', 416, '', 'bytes */10', undefined],
      ['bytes=3-1', 200, '0123456789', undefined, undefined],
      ['bytes=0-1,3-4', 200, '0123456789', undefined, undefined],
      ['lines=0-1', 200, '0123456789', undefined, undefined],
      ['bytes=-', 200, '0123456789', undefined, undefined],
    ] as const) {
      const answer = await world.get(path, { headers: { range, ...(condition ? { 'if-range': condition } : {}) } });
      const where = `${range} ${condition}`;
      assert.equal([answer.status, answer.text, answer.headers['content-range']], [status, text, said], where);
      assert.is(answer.headers['content-length'], String(text.length), where);
    }
    assert.is((await world.get(path, { headers: { range: 'bytes=0-1', 'if-none-match': etag } })).status, 304);
    assert.is((await world.get(path, { method: 'HEAD', headers: { range: 'bytes=0-1' } })).status, 200);
    assert.is((await world.get('/i/A/static/empty.txt', { headers: { range: 'bytes=0-' } })).status, 416);
  } finally {
    await world.close();
  }
});

served('of a folder are its index, at the path that ends with a slash', async () => {
  const world = await worldWith(['staticAssets']);
  try {
    await world.files.put('A', 'docs/index.html', Buffer.from('the docs'), () => {});
    const { status, text, headers } = await world.get('/i/A/static/docs/');
    assert.equal([status, text, headers['content-type']], [200, 'the docs', 'text/html; charset=utf-8']);
    const moved = await world.get('/i/A/static/docs?q=1');
    assert.equal([moved.status, moved.headers.location], [301, './docs/?q=1']);
    assert.is(new URL('./docs/?q=1', 'http://x/i/A/static/docs?q=1').pathname, '/i/A/static/docs/');
    for (const none of ['img/', 'img', '', 'docs/index.html/']) {
      const answer = await world.get(`/i/A/static/${none}`);
      assert.is(answer.status, 404, none);
      assert.not.match(answer.text, /logo/);
    }
    await world.files.put('A', 'index.html', Buffer.from('the start'), () => {});
    assert.is((await world.get('/i/A/static/')).text, 'the start');
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
    // Nothing follows on the connection: a client would take it for the rest of the file.
    const ask = (path: string, more = '') => `GET /i/A/static/${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
    for (const [path, more] of [
      ['img/logo.svg', ''],
      ['img/logo.svg', 'Range: bytes=1-\r\n'],
    ] as const) {
      const text = await world.raw(ask(path, more) + ask('broken', 'Connection: close\r\n')).catch(String);
      assert.ok((text.match(/HTTP\/1\.1/g)?.length ?? 0) <= 1, text);
    }
    Object.assign(world.files, {
      open: async (id: string, path: string) => {
        const file = await open(id, path);
        const failing = () =>
          Readable.from(
            (async function* () {
              yield Buffer.from('<svg');
              throw new Error('EIO');
            })(),
          );
        return file && (path === 'img/logo.svg' ? { ...file, read: failing } : file);
      },
    });
    const failed = await world.raw(ask('img/logo.svg') + ask('empty.txt', 'Connection: close\r\n')).catch(String);
    assert.ok((failed.match(/HTTP\/1\.1/g)?.length ?? 0) <= 1, failed);
    Object.assign(world.files, {
      open: async (_id: string, path: string) => {
        if (path === 'broken') throw new Error('EIO');
        return undefined;
      },
    });
    assert.is((await world.get('/i/A/static/broken')).status, 503);
  } finally {
    await world.close();
  }
});

served.run();
