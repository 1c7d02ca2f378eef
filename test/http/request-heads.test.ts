// Heads and bodies that two readers could take differently are refused as problems, with the headers of every answer: whoever answers, Weir or Node.
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { problemView } from '../../src/http/views/finding.ts';
import { startWorld } from './world.ts';

const world = await startWorld();
const { ask, tokens } = world;
const address = new URL(await world.app.listen({ host: '127.0.0.1', port: 0 }));

/** What is answered to bytes that are sent as they are; the connection has to end then. */
function said(sent: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(address.port), address.hostname, () => socket.write(sent));
    let text = '';
    socket.setTimeout(5000, () => socket.destroy(new Error(`still open after: ${text}`)));
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('end', () => resolve(text));
    socket.on('error', reject);
  });
}

function isProblem(text: string, status: number, code: string): void {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  assert.ok(head.startsWith(`HTTP/1.1 ${status} `), text);
  for (const header of [
    /^content-type: application\/problem\+json/im,
    /^content-security-policy: default-src 'none'/im,
    /^x-content-type-options: nosniff/im,
    /^x-frame-options: deny/im,
    /^cache-control: no-store/im,
    /^referrer-policy: no-referrer/im,
    /^connection: close/im,
  ])
    assert.match(head, header);
  const problem = problemView.parse(JSON.parse(body));
  assert.equal([problem.status, problem.code], [status, code]);
}

const heads = suite('the head of a request');

const bearer = `Authorization: Bearer ${tokens.admin}\r\n`;
const unknownId = 'AAAAAAAAAAAAAAAAAAAAAA';

for (const path of ['/api/v1/stacks', '/healthz', '/nowhere', `/i/${unknownId}/`]) {
  heads(`has one Host that names a host: ${path}`, async () => {
    for (const hosts of [
      '',
      'Host: a\r\nHost: a\r\n',
      'Host: a\r\nhOST: b\r\n',
      'Host: a b\r\n',
      'Host: a@b\r\n',
      'Host:\r\n',
    ])
      isProblem(await said(`GET ${path} HTTP/1.1\r\n${hosts}${bearer}\r\n`), 400, 'invalid_request');
  });
  heads(`has one Authorization at most: ${path}`, async () =>
    isProblem(await said(`GET ${path} HTTP/1.1\r\nHost: a\r\n${bearer}${bearer}\r\n`), 400, 'invalid_request'),
  );
  heads(`expects nothing but 100-continue: ${path}`, async () => {
    for (const expect of ['200-ok', 'x'])
      isProblem(
        await said(`GET ${path} HTTP/1.1\r\nHost: a\r\n${bearer}Expect: ${expect}\r\n\r\n`),
        417,
        'expectation_failed',
      );
  });
}

heads('may be of HTTP/1.0, without a Host and with what that knows nothing of', async () => {
  const text = await said(`GET /healthz HTTP/1.0\r\nExpect: x\r\n\r\n`);
  assert.ok(text.startsWith('HTTP/1.1 200 '), text);
});

heads('may expect 100-continue', async () => {
  const text = await said(
    `POST /api/v1/stacks?dryRun=true HTTP/1.1\r\nHost: a\r\n${bearer}Content-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\nExpect: 100-Continue\r\n\r\n{}`,
  );
  assert.match(text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400 /);
});

heads('is refused with the headers of every answer where it is no HTTP', async () => {
  isProblem(await said('NONSENSE\r\n\r\n'), 400, 'invalid_request');
  isProblem(await said(`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`), 431, 'invalid_request');
});

heads('is refused with them where the address cannot be read, or is too long', async () => {
  for (const [url, status] of [
    ['/api/v1/stacks/%zz', 400],
    [`/api/v1/stacks/${'x'.repeat(300)}`, 404],
  ] as const) {
    const { headers, ...asked } = await ask('GET', url);
    assert.is(asked.status, status);
    for (const name of ['content-security-policy', 'x-content-type-options', 'x-frame-options', 'cache-control'])
      assert.ok(headers[name], `${name} at ${url}`);
  }
});

heads.run();

const bodies = suite('the form of a body');

bodies('is not compressed', async () => {
  for (const coding of ['gzip', 'br', 'deflate', 'gzip, identity', 'x'])
    for (const [url, type] of [
      ['/api/v1/stacks', 'application/json'],
      ['/sso/saml/corp/acs', 'application/x-www-form-urlencoded'],
    ] as const) {
      const headers = { 'content-encoding': coding, 'content-type': type };
      const asked = await ask('POST', url, { body: '{}', headers });
      assert.is(asked.status, 415, `${url} ${coding}: ${asked.text}`);
      assert.is(asked.headers['accept-encoding'], 'identity');
    }
});

bodies('is UTF-8', async () => {
  const statusOf = async (type: string) =>
    (await ask('POST', '/api/v1/stacks?dryRun=true', { body: '{}', headers: { 'content-type': type } })).status;
  for (const charset of ['latin1', 'ISO-8859-1', '"utf-16"', 'utf-16le', '', 'utf-7'])
    assert.is(await statusOf(`application/json; charset=${charset}`), 415, charset);
  for (const charset of ['utf-8', 'UTF-8', '"utf-8"', 'utf8'])
    assert.is(await statusOf(`application/json; charset=${charset}`), 400, charset);
});

bodies('says each thing once: 400 with the way to what stands there twice', async () => {
  for (const [body, path] of [
    ['{"name":"a","name":"b","spec":{"runtime":"4"}}', '/name'],
    ['{"name":"a","spec":{"runtime":"4","resources":{"memoryMb":1,"memoryMb":2}}}', '/spec/resources/memoryMb'],
    ['{"name":"a","spec":{"runtime":"4","runtim\\u0065":"5"}}', '/spec/runtime'],
  ] as const) {
    const asked = await ask('POST', '/api/v1/stacks', { body });
    assert.is(asked.status, 400, asked.text);
    assert.equal(
      asked.body.violations.map((one: { path: string }) => one.path),
      [path],
    );
  }
  assert.is(
    (await ask('POST', '/api/v1/stacks', { body: '{"name":"a","spec":{"runtime":"4","runtime":"5"}}' })).body.detail,
    'spec.runtime stands there twice: write it once.',
  );
});

bodies('names nothing that cannot be seen, or shows as another name', async () => {
  const words =
    'it must hold something that can be seen, and no characters that control lines or the direction of text';
  for (const name of ['\u2800\u3164', 'a\u202eb', 'a\u0085']) {
    for (const [method, url, body] of [
      ['PUT', '/api/v1/user', { name }],
      ['POST', '/api/v1/teams', { name, slug: 'seen', type: 'starter' }],
      ['POST', '/api/v1/stacks', { name: 'mine', spec: { runtime: '4', label: name } }],
    ] as const) {
      const asked = await ask(method, url, { body });
      assert.is(asked.status, 400, `${url}: ${asked.text}`);
      assert.ok(asked.text.includes(words), `${url}: ${asked.text}`);
    }
  }
});

bodies.after(world.close);
bodies.run();
