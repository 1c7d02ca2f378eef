// The edges of HTTP: every error is a problem document, every answer has its headers, nothing internal leaves.
import { request as httpRequest } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { codes, Problem, problemBody, problemOf } from '../../src/http/errors.ts';
import { problemView } from '../../src/http/views/finding.ts';
import { NotKept, OutcomeUnknown } from '../../src/store/store.ts';
import { type Asked, startWorld } from './world.ts';

const world = await startWorld();
const { ask } = world;

function isProblem(asked: Asked, status: number, code: keyof typeof codes): void {
  assert.is(asked.status, status, asked.text);
  assert.match(String(asked.headers['content-type']), /^application\/problem\+json/);
  assert.is(problemView.safeParse(asked.body).error, undefined);
  assert.equal([asked.body.status, asked.body.code], [status, code]);
  assert.not.match(asked.text, /node_modules|\.ts:\d|\\n +at /);
}

const errors = suite('errors');

errors('404: what is nowhere, with or without a token', async () => {
  for (const as of ['none', 'admin'] as const) {
    isProblem(await ask('GET', '/nowhere', { as }), 404, 'not_found');
    isProblem(await ask('GET', '/api/v1/stacks/a/b', { as }), 404, 'not_found');
  }
  isProblem(await ask('GET', '/api/v1/stacks/nr-9'), 404, 'not_found');
  isProblem(await ask('GET', '/api/v1/stacks/NR-4'), 404, 'not_found');
  isProblem(await ask('GET', `/api/v1/stacks/${'x'.repeat(300)}`), 404, 'not_found');
  isProblem(await ask('PUT', '/api/v1/stacks/nr-9', { body: { spec: { runtime: '4' } } }), 404, 'not_found');
  isProblem(await ask('DELETE', '/api/v1/stacks/nr-9'), 404, 'not_found');
});

errors('405: says which methods there are', async () => {
  const asked = await ask('PATCH', '/api/v1/stacks/nr-4', { body: {} });
  isProblem(asked, 405, 'method_not_allowed');
  assert.is(asked.headers.allow, 'DELETE, GET, HEAD, PUT');
  isProblem(await ask('DELETE', '/api/v1/stacks'), 405, 'method_not_allowed');
  isProblem(await ask('OPTIONS', '/api/'), 405, 'method_not_allowed');
  isProblem(await ask('QUERY', '/api/'), 405, 'method_not_allowed');
});

errors('404, 405: before the body is looked at', async () => {
  for (const headers of [{ 'content-type': 'text/plain' }, { 'content-type': 'application/json' }]) {
    isProblem(await ask('PATCH', '/api/v1/stacks', { body: '{', headers }), 405, 'method_not_allowed');
    isProblem(await ask('POST', '/nowhere', { body: '{', headers }), 404, 'not_found');
  }
});

errors('400: a query with what is no text, or with a parameter twice', async () => {
  for (const query of ['q=%ff', 'q=%ED%A0%80', 'q=%zz', 'q=a%', 'limit=%C3'])
    isProblem(await ask('GET', `/api/v1/stacks?${query}`), 400, 'invalid_request');
  assert.is((await ask('GET', '/api/v1/stacks?q=%C3%A9%20%25')).status, 200);
  const { body } = await ask('GET', '/api/v1/stacks?limit=1&limit=2&sort=name&sort=name');
  assert.equal(
    body.violations.map(({ message }: { message: string }) => message),
    ['limit cannot be given 2 times: give it once', 'sort cannot be given 2 times: give it once'],
  );
});

errors('415: a body that is not JSON', async () => {
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/merge-patch+json',
    'multipart/form-data; boundary=x',
    'nonsense',
  ])
    isProblem(
      await ask('POST', '/api/v1/stacks', { body: '{}', headers: { 'content-type': type } }),
      415,
      'unsupported_media_type',
    );
});

errors('400: a body that is not well-formed, is missing, poisons, or has unknown fields', async () => {
  for (const body of [
    '{',
    '[1,',
    '"',
    '\u0000',
    '{"__proto__": {"x": 1}, "name": "a", "spec": {}}',
    '{"name":"x","constructor":{"prototype":{}}}',
  ])
    isProblem(await ask('POST', '/api/v1/stacks', { body }), 400, 'invalid_request');
  isProblem(await ask('POST', '/api/v1/stacks'), 400, 'invalid_request');
  const asked = await ask('POST', '/api/v1/stacks', {
    body: { name: 'Bad Name', spec: { runtime: 7, label: 'x'.repeat(1001) }, status: {}, labels: { a: 1 } },
  });
  isProblem(asked, 400, 'invalid_request');
  assert.equal(
    asked.body.violations.map((one: { path: string }) => one.path),
    ['/name', '/labels/a', '/status'],
  );
});

errors('400: says where a body is not JSON, and nothing of what stands there', async () => {
  const detail = async (body: string) => (await ask('POST', '/api/v1/stacks', { body })).body.detail;
  assert.is(await detail('{"name":\n  "hush",}'), 'The body is not JSON: look at line 2, column 10.');
  assert.is(await detail('hush'), 'The body is not JSON.');
  assert.is(await detail('{"__proto__": {}}'), 'The body has a key that none may have, such as __proto__.');
});

errors('400, 409: tell how many problems there are, and what may have been meant', async () => {
  const several = await ask('POST', '/api/v1/stacks', { body: { name: 'a', specs: {}, x: 1 } });
  assert.match(several.body.detail, /^spec .*\. There are 2 more problems, in "violations"\.$/);
  const meant = await ask('POST', '/api/v1/instance-types', { body: { name: 'a', spec: { stacks: ['nr4'] } } });
  assert.match(
    meant.body.detail,
    /which nothing declares: name what there is, or declare it first\. Did you mean nr-4\?$/,
  );
  const { body } = await ask('GET', '/api/v1/stacks?colour=red');
  assert.is(body.detail, 'there is no parameter "colour" here.');
});

errors('403: says who may', async () => {
  const detail = async (as: 'user' | 'viewer', method: 'POST' | 'PUT', url: string) =>
    (await ask(method, url, { as, body: {} })).body.detail;
  assert.match(await detail('user', 'POST', '/api/v1/stacks'), /^You may not .*: that is for admins\.$/);
  assert.match(await detail('user', 'POST', '/api/v1/teams'), /: the administration settings leave that to admins\.$/);
  assert.match(await detail('viewer', 'PUT', '/api/v1/teams/core'), /: that takes the role owner\.$/);
});

errors('400: says what is wrong with a spec in the words that its document would get', async () => {
  const spec = { runtime: 7, label: 'x'.repeat(1001), colour: 'red', resources: { memoryMb: 0.5 } };
  const asked = await ask('POST', '/api/v1/stacks', { body: { name: 'mine', spec } });
  isProblem(asked, 400, 'invalid_request');
  const told = asked.body.violations.map((one: { message: string }) => one.message.replace(/x+…/, 'x…'));
  assert.equal(told.toSorted(), [
    'Stack/mine: label cannot be "x…, because it is longer than 1000 characters',
    'Stack/mine: resources.memoryMb must be a whole number, not 0.5',
    'Stack/mine: runtime must be text, not a number',
    'Stack/mine: spec has no field "colour" (it has label, active, runtime, resources, replaces)',
  ]);
  const twice = { body: { name: 't', spec: { stacks: ['nr-4', 'nr-4', 5], defaultStack: 'nr-4' } } };
  const { violations } = (await ask('POST', '/api/v1/instance-types', twice)).body;
  assert.equal(violations.map(({ path }: { path: string }) => path).toSorted(), ['/spec/stacks/1', '/spec/stacks/2']);
});

errors('400: tells a hundred problems, and counts the others', async () => {
  const body = { name: 'big', spec: { stacks: Array.from({ length: 20_000 }, () => 1) } };
  const asked = await ask('POST', '/api/v1/instance-types', { body });
  isProblem(asked, 400, 'invalid_request');
  assert.is(asked.body.violations.length, 100);
  assert.match(asked.body.detail, /There are 19999 more problems/);
});

errors('400: a text that could not be kept as it is', async () => {
  const detail = async (label: string) =>
    (await ask('POST', '/api/v1/stacks', { body: `{"name":"s","spec":{"runtime":"4","label":"${label}"}}` })).body
      .detail;
  const refused = 'The body has a text with NUL, or with half of a surrogate pair.';
  for (const label of ['\\u0000', 'a\\ud800', '\\uDC00b']) assert.is(await detail(label), refused, label);
  const kept = await ask('POST', '/api/v1/stacks?dryRun=true', {
    body: '{"name":"s","spec":{"runtime":"4","label":"\\ud83d\\ude00 \\\\ud800"}}',
  });
  assert.is(kept.status, 200, JSON.stringify(kept.body));
});

errors('400: unknown or senseless parameters', async () => {
  for (const query of [
    'colour=red',
    'limit=0',
    'limit=1001',
    'limit=ten',
    'limit=1e2',
    'limit=',
    'cursor=',
    'cursor=AAAA',
    'sort=colour',
    'limit=1&limit=2',
    'dryRun=true',
  ])
    isProblem(await ask('GET', `/api/v1/stacks?${query}`), 400, 'invalid_request');
  isProblem(await ask('DELETE', '/api/v1/stacks/nr-4?dryRun=yes'), 400, 'invalid_request');
  isProblem(await ask('GET', '/api/v1/stacks/%zz'), 400, 'invalid_request');
});

errors('413: a body that is too large, of any token that may send one', async () => {
  const body = JSON.stringify({ name: 'x', spec: { label: 'x'.repeat(1_100_000) } });
  isProblem(await ask('POST', '/api/v1/stacks', { body }), 413, 'payload_too_large');
  isProblem(await ask('POST', '/api/v1/stacks', { body, as: 'user' }), 403, 'forbidden');
  isProblem(await ask('POST', '/api/v1/stacks', { body, as: 'none' }), 401, 'unauthorized');
});

errors('500: an error that nobody foresaw is logged with the request id, and shown without a word of it', async () => {
  const status = world.loop.status;
  Object.assign(world.loop, { status: () => Promise.reject(new Error('the secret inside')) });
  const asked = await ask('GET', '/api/v1/admin/config', { headers: { 'x-request-id': 'trace-7' } });
  Object.assign(world.loop, { status });
  isProblem(asked, 500, 'internal');
  assert.not.match(asked.text, /secret inside/);
  assert.ok(world.logged.some((line) => line.includes('trace-7') && line.includes('the secret inside')));
});

errors('503: what could not be kept', () => {
  assert.is(problemOf(new NotKept('disk /var/weir')).code, 'unavailable');
  assert.not.match(problemOf(new NotKept('disk /var/weir')).message, /disk/);
  assert.is(problemOf(new OutcomeUnknown('disk')).code, 'unavailable');
});

errors('each row of the table makes a problem document', () => {
  for (const code of Object.keys(codes) as (keyof typeof codes)[])
    assert.is(problemView.safeParse(problemBody(new Problem(code))).error, undefined, code);
});

errors.run();

const answers = suite('answers');

answers('carry the id of their request: a sane one that was sent, or a fresh one', async () => {
  const idFor = async (sent: string) =>
    (await ask('GET', '/healthz', { headers: { 'x-request-id': sent } })).headers['x-request-id'];
  assert.is(await idFor('abc-1.2:3_4'), 'abc-1.2:3_4');
  for (const bad of ['a b', 'a\tb', 'x'.repeat(65), '"quoted"', ''])
    assert.match(String(await idFor(bad)), /^[0-9A-Za-z]{10}-[0-9a-z]+$/);
});

answers('keep browsers from guessing and caches from keeping, also when they are errors', async () => {
  for (const url of ['/api/v1/stacks', '/nowhere', '/healthz']) {
    const { headers } = await ask('GET', url);
    assert.is(headers['cache-control'], 'no-store', url);
    assert.is(headers['x-content-type-options'], 'nosniff', url);
    assert.match(String(headers['content-security-policy']), /default-src 'none'/, url);
    assert.ok(headers['x-request-id'], url);
  }
});

answers('have an ETag on every GET, and are not sent again to who has them', async () => {
  for (const url of [
    '/api/',
    '/api/v1/stacks',
    '/api/v1/stacks/nr-4',
    '/api/v1/admin-settings',
    '/api/v1/platform',
    '/api/v1/admin/config/export',
  ]) {
    const { etag } = (await ask('GET', url)).headers;
    assert.match(String(etag), /^"[^"]+"$/, url);
    for (const tag of [String(etag), `W/${etag}`, `"x", ${etag}`, '*']) {
      const again = await ask('GET', url, { headers: { 'if-none-match': tag } });
      assert.equal([again.status, again.text, again.headers.etag], [304, '', etag], url);
      const head = await ask('HEAD', url, { headers: { 'if-none-match': tag } });
      assert.equal([head.status, head.text, head.headers.etag], [304, '', etag], `HEAD ${url}`);
    }
    assert.is((await ask('GET', url, { headers: { 'if-none-match': '"another"' } })).status, 200, url);
  }
});

answers('know HEAD: the same headers, no body', async () => {
  const [got, head] = [await ask('GET', '/api/v1/stacks'), await ask('HEAD', '/api/v1/stacks')];
  assert.equal(
    [head.status, head.text, head.headers.etag, head.headers['content-type']],
    [200, '', got.headers.etag, got.headers['content-type']],
  );
  assert.is((await ask('HEAD', '/api/v1/stacks', { as: 'none' })).status, 401);
});

answers('are the same at /api and at /api/', async () => {
  assert.is((await ask('GET', '/api')).text, (await ask('GET', '/api/')).text);
});

answers.run();

const listening = suite('a server that listens');

/** What the server says to bytes that were sent as they are. */
function saidTo(address: URL, sent: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(address.port), address.hostname, () => socket.write(sent));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('end', () => resolve(text));
    socket.on('error', reject);
  });
}

listening('answers what is not HTTP, or too long, as a problem too, and hangs up', async () => {
  const address = new URL(await world.app.listen({ host: '127.0.0.1', port: 0 }));
  for (const [sent, status] of [
    ['NONSENSE\r\n\r\n', 400],
    [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ] as const) {
    const said = await saidTo(address, sent);
    assert.ok(said.startsWith(`HTTP/1.1 ${status} `), said);
    const problem = problemView.parse(JSON.parse(said.slice(said.indexOf('{'))));
    assert.is(problem.status, status);
  }
});

listening('does not take a client that leaves amid its body for a failure of its own', async () => {
  const { port, hostname } = new URL(`http://127.0.0.1:${(world.app.server.address() as AddressInfo).port}`);
  const before = world.logged.length;
  const closed = new Promise<void>((resolve) => {
    world.app.server.once('connection', (socket) => socket.once('close', () => resolve()));
  });
  const headers = `Authorization: Bearer ${world.tokens.admin}\r\nContent-Type: application/json\r\nContent-Length: 100`;
  const socket = connect(Number(port), hostname, () => {
    socket.write(`POST /api/v1/stacks HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n{`, () => socket.resetAndDestroy());
  });
  await closed;
  await sleep(50);
  assert.equal(world.logged.slice(before), []);
});

listening('has time-outs for slow and silent clients', () => {
  const { server } = world.app;
  assert.ok(
    server.requestTimeout > 0 && server.timeout > 0 && server.keepAliveTimeout > 0 && server.headersTimeout > 0,
  );
});

listening('finishes what is under way when it closes, and is not ready meanwhile', async () => {
  const other = await startWorld();
  const url = new URL(await other.app.listen({ host: '127.0.0.1', port: 0 }));
  const { status } = other.loop;
  const entered = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  Object.assign(other.loop, {
    status: async () => {
      entered.resolve();
      await held.promise;
      return status();
    },
  });
  const answered = new Promise<number | undefined>((resolve, reject) => {
    const headers = { authorization: `Bearer ${other.tokens.admin}` };
    httpRequest({ host: url.hostname, port: url.port, path: '/api/v1/admin/config', headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    })
      .on('error', reject)
      .end();
  });
  await entered.promise;
  const closed = other.app.close();
  held.resolve();
  assert.is(await answered, 200);
  await closed;
  await other.close();
});

listening.after(world.close);
listening.run();

const ready = suite('readiness');

ready('is not there before the first reconcile has ended', async () => {
  const other = await startWorld();
  Object.assign(other.loop, { settled: () => false });
  isProblem(await other.ask('GET', '/readyz'), 503, 'unavailable');
  assert.is((await other.ask('GET', '/healthz')).status, 200);
  Object.assign(other.loop, { settled: () => true });
  assert.equal((await other.ask('GET', '/readyz')).body, { status: 'ready' });
  await other.close();
});

ready('is not there on a store that is read-only or closed', async () => {
  const other = await startWorld();
  await other.store.close();
  isProblem(await other.ask('GET', '/readyz'), 503, 'unavailable');
  isProblem(
    await other.ask('POST', '/api/v1/stacks', { body: { name: 'mine', spec: { runtime: '4' } } }),
    503,
    'unavailable',
  );
  await other.close();
});

ready.run();
