// timeout: 600
// What comes in on the wire that no honest client sends: the right error, nothing for another instance, and nothing that acts on Weir.
import type { RequestListener } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startProxyWorld } from './stand-in.ts';

const seen: string[] = [];
const runtime =
  (name: string): RequestListener =>
  (request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      seen.push(`${name} ${request.method} ${request.url} ${body}`);
      response.setHeader('Content-Type', 'text/plain').end(`${name}:${request.url}:${body}`);
    });
  };

const world = await startProxyWorld();
await world.instance('A', runtime('A'));
await world.instance('B', runtime('B'));

const attacks = suite('on the wire');
attacks.before.each(() => {
  seen.length = 0;
});
attacks.after(world.close);

const host = 'Host: weir.example\r\n';
const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
const get = (target: string, more = '') =>
  world.raw(`GET ${target} HTTP/1.1\r\n${host}${more}Connection: close\r\n\r\n`);

for (const path of [
  '/i/A/../B/x',
  '/i/A/..',
  '/i/A/./x',
  '/i/A/%2e%2e/B/x',
  '/i/A/.%2E/B/x',
  '/i/A/..%2fB/x',
  '/i/A/x%2f..%2f..%2fB',
  '/i/A/..%5cB/x',
  '/i/A/..\\B/x',
  '/i/A/x\\y',
  '/i/A/x%00',
  '/i/A/%zz',
  '/i/A/%c0%ae%c0%ae/B',
])
  attacks(`refuses the path ${path}`, async () => {
    const answer = await get(path);
    assert.is(statusOf(answer), 400, answer);
    assert.equal(seen, []);
  });

for (const [path, status] of [
  ['//i/A/x', 404],
  ['/I/A/x', 404],
  ['/i//A/x', 404],
  ['/%69/A/x', 404],
  ['/i/%41/x', 401],
  ['/i/A%2f..%2fB/x', 401],
  ['/i/A;B/x', 401],
  ['/i/a/x', 401],
  ['http://weir.example/i/A/x', 404],
  ['http://elsewhere.example/i/A/x', 404],
] as const)
  attacks(`knows no instance at ${path}`, async () => {
    const answer = await get(path);
    assert.is(statusOf(answer), status, answer);
    assert.equal(seen, []);
  });

attacks('passes on what a flow may mean: encoded slashes, double slashes, dots in names, odd queries', async () => {
  for (const rest of ['/a%2Fb', '//x', '/a..b', '/...', '/.hidden', '/x?a=../..&b=%00', '/%252e%252e/']) {
    const answer = await get(`/i/A${rest}`);
    assert.match(answer, `A:/i/A${rest}:`);
  }
});

const post = (headers: string, body: string) =>
  world.raw(`POST /i/A/x HTTP/1.1\r\n${host}Connection: close\r\n${headers}\r\n${body}`);

for (const [what, headers, body] of [
  ['two lengths', 'Content-Length: 3\r\nContent-Length: 5\r\n', 'abcde'],
  ['the same length twice', 'Content-Length: 3\r\nContent-Length: 3\r\n', 'abc'],
  ['lengths in a list', 'Content-Length: 3, 3\r\n', 'abc'],
  [
    'a length and chunks',
    'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n',
    '0\r\n\r\nGET /i/B/x HTTP/1.1\r\n\r\n',
  ],
  [
    'chunks and a length',
    'Transfer-Encoding: chunked\r\nContent-Length: 4\r\n',
    '0\r\n\r\nGET /i/B/x HTTP/1.1\r\n\r\n',
  ],
  ['a signed length', 'Content-Length: +3\r\n', 'abc'],
  ['a hexadecimal length', 'Content-Length: 0x3\r\n', 'abc'],
  ['a coding that hides chunks', 'Transfer-Encoding: xchunked\r\n', 'abc'],
  ['a coding before chunks', 'Transfer-Encoding: gzip, chunked\r\n', '0\r\n\r\n'],
  ['chunks that are not last', 'Transfer-Encoding: chunked, identity\r\n', '0\r\n\r\n'],
  ['a coding twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n', '0\r\n\r\n'],
  ['a space before the colon', 'Content-Length : 3\r\n', 'abc'],
  ['a folded header', 'X-A: b\r\n c\r\nContent-Length: 3\r\n', 'abc'],
  ['a bare line feed', 'X-A: b\nContent-Length: 3\r\n', 'abc'],
  ['a bare carriage return', 'X-A: b\rX-C: d\r\nContent-Length: 3\r\n', 'abc'],
  ['a NUL', 'X-A: b\u0000c\r\nContent-Length: 3\r\n', 'abc'],
  ['a chunk of no size', 'Transfer-Encoding: chunked\r\n', 'zz\r\nabc\r\n0\r\n\r\n'],
  ['two hosts', 'Host: b.example\r\nContent-Length: 0\r\n', ''],
] as const)
  attacks(`refuses ${what}, and passes nothing to anybody`, async () => {
    const answer = await post(headers, body);
    assert.is(statusOf(answer), 400, answer);
    assert.not.match(answer, /HTTP\/1\.1 2/);
    assert.not(
      seen.some((request) => request.startsWith('B')),
      seen.join('\n'),
    );
    assert.not(
      seen.some((request) => request.endsWith('abc')),
      seen.join('\n'),
    );
  });

attacks('refuses an address and headers past all bounds', async () => {
  assert.is(statusOf(await get(`/i/A/${'x'.repeat(20_000)}`)), 431);
  assert.is(statusOf(await get('/i/A/x', `X-A: ${'x'.repeat(20_000)}\r\n`)), 431);
});

attacks('refuses a missing, empty or impossible host', async () => {
  assert.is(statusOf(await world.raw('GET /i/A/x HTTP/1.1\r\nConnection: close\r\n\r\n')), 400);
  for (const name of ['', 'a b', 'a/b', 'a@b', "a'b", 'a,b'])
    assert.is(
      statusOf(await world.raw(`GET /i/A/x HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`)),
      400,
      name,
    );
  assert.equal(seen, []);
});

attacks('takes one request after another on a connection, each for its own instance', async () => {
  const request = (id: string, last = '') => `POST /i/${id}/x HTTP/1.1\r\n${host}Content-Length: 1\r\n${last}\r\n${id}`;
  const answer = await world.raw(request('A') + request('B') + request('A', 'Connection: close\r\n'));
  assert.equal(seen, ['A POST /i/A/x A', 'B POST /i/B/x B', 'A POST /i/A/x A']);
  assert.equal(answer.match(/[AB]:\/i\/[AB]\/x:[AB]/g), ['A:/i/A/x:A', 'B:/i/B/x:B', 'A:/i/A/x:A']);
});

attacks('answers 100 itself, and sends no Expect on', async () => {
  const answer = await world.raw(
    `POST /i/A/x HTTP/1.1\r\n${host}Expect: 100-continue\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc`,
  );
  assert.match(answer, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/);
  assert.match(answer, /A:\/i\/A\/x:abc/);
});

const heads = suite('the heads of requests and answers');
let told: Record<string, unknown> = {};
let answer: readonly (readonly [string, string | string[]])[] = [];
let status = 200;
const echo: RequestListener = (request, response) => {
  told = request.headers;
  for (const [name, value] of answer) response.setHeader(name, value);
  response.writeHead(status).end('x');
};
const mirror = await startProxyWorld();
await mirror.instance('A', echo);
heads.after(mirror.close);

heads('says who asked, whatever they say themselves', async () => {
  await mirror.get('/i/A/x', {
    headers: {
      'x-forwarded-for': '6.6.6.6',
      'X-Forwarded-Host': 'evil.example',
      Via: '1.0 elsewhere',
      'x-forwarded-proto': 'https',
      'x-forwarded-port': '1',
      forwarded: 'for=6.6.6.6',
      'x-real-ip': '6.6.6.6',
      'x-weir-anything': 'x',
    },
  });
  assert.equal(told, {
    host: 'weir.example',
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-proto': 'http',
    'x-forwarded-host': 'weir.example',
    'x-forwarded-prefix': '/i/A',
    via: '1.0 elsewhere, 1.1 weir',
    'x-weir-principal': 'none',
    connection: 'keep-alive',
  });
});

heads('leaves out what is for one hop, and what Connection names, but never what tells the length', async () => {
  await mirror.get('/i/A/x', {
    method: 'POST',
    body: 'abc',
    headers: {
      connection: 'close, X-Hop, Content-Length',
      'x-hop': '1',
      'keep-alive': 'timeout=1',
      te: 'trailers',
      'proxy-authorization': 'x',
      'content-length': '3',
      'x-kept': '1',
    },
  });
  for (const name of ['x-hop', 'keep-alive', 'te', 'proxy-authorization']) assert.is(told[name], undefined, name);
  assert.equal([told['x-kept'], told['content-length'], told['connection']], ['1', '3', 'keep-alive']);
});

heads('lets no cookie of a runtime be one of Weir’s, nor reach past its path', async () => {
  answer = [
    [
      'Set-Cookie',
      [
        'a=1; Path=/; HttpOnly',
        'b=2; Domain=example; Max-Age=5',
        'weir_session=x; Path=/',
        'Weir_Other=x',
        '__Host-weir_session=x',
        ' weir_session =x',
        '=weir_session=x',
        'weir_session',
        'c=3;path=/i/B/;SameSite=Lax',
      ],
    ],
  ];
  const { headers } = await mirror.get('/i/A/x');
  assert.equal(headers['set-cookie'], [
    'a=1; HttpOnly; Path=/i/A/',
    'b=2; Max-Age=5; Path=/i/A/',
    'c=3;SameSite=Lax; Path=/i/A/',
  ]);
});

heads('passes nothing on that acts on the origin, and adds a policy for pages', async () => {
  const acting = [
    'Clear-Site-Data',
    'Strict-Transport-Security',
    'Service-Worker-Allowed',
    'Cross-Origin-Opener-Policy',
    'Alt-Svc',
    'NEL',
    'Report-To',
    'Keep-Alive',
    'X-Hop',
    'X-Weir-Own',
  ];
  answer = [
    ...acting.map((name) => [name, 'x'] as const),
    ['Connection', 'X-Hop'],
    ['X-Kept', 'é'],
    ['Content-Security-Policy', "script-src 'self'"],
  ];
  const { headers } = await mirror.get('/i/A/x');
  for (const name of acting) if (name !== 'Keep-Alive') assert.is(headers[name.toLowerCase()], undefined, name);
  assert.is(headers['x-kept'], 'é');
  assert.is(
    headers['content-security-policy'],
    "script-src 'self', connect-src http://weir.example/i/A/ ws://weir.example/i/A/ https://weir.example/i/A/ wss://weir.example/i/A/ https://catalogue.nodered.org data: blob:",
  );
});

for (const [location, wanted] of [
  ['/i/A/other', 307],
  ['other', 307],
  ['https://elsewhere.example/x', 307],
  ['/api/v1/user/tokens', 502],
  ['../../api/v1/user', 502],
  ['//weir.example/api', 502],
  ['/i/B/x', 502],
  ['/i/A/../B/x', 502],
  ['\\\\weir.example\\api', 502],
  ['http://WEIR.example/account/login', 502],
] as const)
  heads(`a redirect to ${location} is ${wanted === 307 ? 'passed on' : 'not passed on'}`, async () => {
    answer = [['Location', location]];
    status = 307;
    assert.is((await mirror.get('/i/A/x')).status, wanted);
    status = 200;
  });

heads('a redirect to two places, of which one is not passed on, is not', async () => {
  answer = [
    ['Location', '/i/A/x'],
    ['Location', '/api/v1'],
  ];
  status = 307;
  assert.is((await mirror.get('/i/A/x')).status, 502);
  status = 200;
});

attacks.run();
heads.run();
