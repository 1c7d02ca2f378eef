// What anybody may send: little, wherever nobody has to say who they are, and nothing of it holds up anybody else.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { policy } from '../../src/core/access/policy.ts';
import { bodyLimitOf, type Route } from '../../src/http/route.ts';
import { routes } from '../../src/http/routes/index.ts';
import { cpuTime } from '../support/cpu-time.ts';
import { startWorld, tree } from './world.ts';

const world = await startWorld({
  ...tree,
  'weir.yaml':
    'kind: Platform\nmetadata: {name: platform}\nspec:\n  reconcile: {settleMs: 50, pollSeconds: 3600}\n  api: {rateLimit: {signInPerMinute: 0}}\n',
});

const kibibyte = 1024;
const open = routes.filter(({ action }) => policy[action].who === 'anyone');
const takingJson = open.filter(({ method, takesForm }) => method !== 'GET' && !takesForm);

const send = ({ method, url }: Pick<Route, 'method' | 'url'>, payload: string, type = 'application/json') =>
  world.app.inject({ method, url: url.replace(/:\w+/g, 'a'), headers: { 'content-type': type }, payload });

const bodies = suite('a body that anybody may send');

bodies('has 64 KiB at most, and the form with a SAML response 384 KiB', () => {
  assert.ok(takingJson.length >= 6);
  for (const route of open)
    assert.ok(bodyLimitOf(route) <= (route.takesForm ? 384 : 64) * kibibyte, `${route.method} ${route.url}`);
  assert.equal(
    open.filter(({ takesForm }) => takesForm).map(({ url }) => url),
    ['/sso/saml/:name/acs'],
  );
});

for (const route of takingJson)
  bodies(`is refused as a problem where it is larger: ${route.method} ${route.url}`, async () => {
    const body = (size: number) => JSON.stringify({ unknown: 'x'.repeat(size - 14) });
    const answer = await send(route, body(64 * kibibyte + 1));
    assert.equal([answer.statusCode, answer.json().code], [413, 'payload_too_large']);
    assert.match(String(answer.headers['content-type']), /^application\/problem\+json/);
    assert.is((await send(route, body(64 * kibibyte))).statusCode, 400);
  });

bodies('is refused as a page where it is larger than a response of SAML', async () => {
  const acs = { method: 'POST', url: '/sso/saml/:name/acs' } as const;
  const answer = await send(acs, `SAMLResponse=${'A'.repeat(384 * kibibyte)}`, 'application/x-www-form-urlencoded');
  assert.is(answer.statusCode, 413);
});

bodies('is refused where there is no route, before any of it is read', async () => {
  const nowhere = { method: 'POST', url: '/account/nowhere' } as const;
  assert.is((await send(nowhere, JSON.stringify('x'.repeat(2 * kibibyte * kibibyte)))).statusCode, 404);
});

/** As many of something as 64 KiB hold, between two ends. */
function filled(from: string, item: (index: number) => string, to: string): string {
  let text = from + item(0);
  for (let index = 1; ; index += 1) {
    const more = `${text},${item(index)}`;
    if (more.length + to.length > 64 * kibibyte) return text + to;
    text = more;
  }
}

const hostile: Readonly<Record<string, string>> = {
  'empty lists': filled('{"username":[', () => '[]', ']}'),
  'empty objects': filled('{"email":[', () => '{}', ']}'),
  'unknown fields': filled('{', (index) => `"${index.toString(36)}":0`, '}'),
  'numbers alone': filled('[', () => '1', ']'),
  'halves of characters': `{"username":"${'\\ud83d'.repeat(10_900)}"}`,
  'lists in lists': `${'['.repeat(32_000)}${']'.repeat(32_000)}`,
  'one long name': `{"username":"${'-'.repeat(65_000)}","password":"a long one, too"}`,
  'one long address': `{"email":"${'a@'.repeat(32_000)}","username":"ann","password":"a long one, too"}`,
  'one long token': `{"token":"${' '.repeat(65_000)}!","password":"a long one, too"}`,
  'one long password': `{"username":"ann","email":"ann@example.net","token":"x","password":"${'1'.repeat(65_000)}"}`,
};

for (const [says, payload] of Object.entries(hostile))
  bodies(`costs no more than a moment, wherever it is sent: ${says}`, async () => {
    assert.ok(payload.length > 60 * kibibyte && payload.length <= 64 * kibibyte, `${payload.length}`);
    for (const route of takingJson) {
      assert.is((await send(route, payload)).statusCode, 400, `${route.method} ${route.url}`);
      const spent = await cpuTime(() => send(route, payload));
      // It is about five; with a megabyte it would be many times that.
      assert.ok(spent < 100, `${route.method} ${route.url}: ${spent} ms`);
    }
  });

bodies.after(() => world.close());
bodies.run();
