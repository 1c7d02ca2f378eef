// timeout: 600
// The SAML routes: what browsers are given and asked for, what is taken once, and what is never told.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { kinds } from '../../src/core/kinds/index.ts';
import { created } from '../../src/core/model/change.ts';
import type { Resource } from '../../src/core/model/resource.ts';
import { noConsents } from '../../src/core/rules/rule.ts';
import { expireJob } from '../../src/jobs/expire.ts';
import { newId } from '../../src/lib/id.ts';
import {
  audience,
  authentication,
  conditions,
  confirmation,
  idp,
  type Parts,
  posted,
  written,
} from '../sso/saml/signer.ts';
import { type Asked, credentials, type ServerWorld, startWorld } from './world.ts';

const now = '2026-11-21T12:00:00.000Z';
const base = 'https://weir.example';
const acs = '/sso/saml/good/acs';

const sso = (name: string, domain: string, more = '') => `---
kind: SsoConfig
metadata: {name: ${name}}
spec:
  emailDomain: ${domain}
  provider: saml
${more}`;

const values = (active = true) => `  active: ${active}
  saml:
    signOnUrl: https://idp.example/sso
    issuer: https://idp.example/metadata
    certificate: |
      ${idp.certificate.trim().replaceAll('\n', '\n      ')}
`;

const tree = {
  'weir.yaml':
    'kind: Platform\nmetadata: {name: platform}\nspec:\n  licence: enterprise\n  reconcile: {settleMs: 50, pollSeconds: 3600}\n  api: {rateLimit: {signInPerMinute: 0}}\n',
  'types.yaml': 'kind: TeamType\nmetadata: {name: starter}\n',
  'sso.yaml': [
    sso('good', 'good.example', `${values()}  provisionNewUsers: true\n  sessions: {expiryHours: 10, idleHours: 2}\n`),
    sso('twin', 'twin.example', values()),
    sso('closed', 'closed.example', values()),
    sso('draft', 'draft.example', values(false)),
    sso('empty', 'empty.example'),
    '---\nkind: SsoConfig\nmetadata: {name: folk}\nspec: {emailDomain: folk.example, provider: ldap}\n',
  ].join(''),
};

/** A world at noon. It is closed after its test. */
async function noon(baseUrl = base): Promise<ServerWorld> {
  const world = await startWorld(tree, { baseUrl });
  world.setNow(now);
  open.push(world);
  return world;
}

const open: ServerWorld[] = [];

async function closeAll(): Promise<void> {
  for (const world of open.splice(0)) await world.close();
}

/** A login that a browser has begun: the cookie that it holds, and the id that the provider answers. */
interface Begun {
  readonly cookie: string;
  readonly line: string;
  readonly request: string;
}

async function begin(world: ServerWorld, name = 'good', query = '', cookie = ''): Promise<Begun> {
  const headers = cookie === '' ? {} : { cookie };
  const { status, headers: answered } = await world.ask('GET', `/sso/saml/${name}/login${query}`, {
    as: 'none',
    headers,
  });
  assert.is(status, 302);
  const line = String(answered['set-cookie']);
  return { line, cookie: line.split(';')[0] ?? '', request: requestIn(String(answered.location)) };
}

function requestIn(location: string): string {
  const deflated = new URL(location).searchParams.get('SAMLRequest') ?? '';
  const xml = inflateRawSync(Buffer.from(deflated, 'base64')).toString();
  return / ID="([^"]+)"/.exec(xml)?.[1] ?? '';
}

/** The field `SAMLResponse` of a genuine answer to a request, with what is different in it. */
function answerTo(request: string, changes: Partial<Parts> = {}): string {
  const data = { InResponseTo: request, NotOnOrAfter: '2026-11-21T12:05:00Z', Recipient: base + acs };
  const inside = audience(`${base}/sso/saml/good/metadata`);
  const parts = { inResponseTo: request, confirmation: confirmation({ data }), conditions: conditions({ inside }) };
  return posted(written({ ...parts, ...changes }));
}

interface Posting {
  readonly cookie?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly to?: string;
}

/** Posts a form as a page of the provider has a browser do it. */
async function post(
  world: ServerWorld,
  fields: Readonly<Record<string, string>> | string,
  { cookie, headers = {}, to = acs }: Posting = {},
): Promise<Asked> {
  const body = typeof fields === 'string' ? fields : new URLSearchParams(fields).toString();
  const sent = { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://idp.example', ...headers };
  const asking = { as: 'none', body, headers: cookie === undefined ? sent : { ...sent, cookie } } as const;
  return world.ask('POST', to, asking);
}

const cookiesOf = ({ headers }: Asked): readonly string[] => [headers['set-cookie'] ?? []].flat();
const sessionOf = (asked: Asked) => cookiesOf(asked).find((line) => line.startsWith('weir_session='));

function isRefused(asked: Asked, why = ''): void {
  assert.is(asked.status, 403, why);
  assert.is(sessionOf(asked), undefined, why);
  assert.match(String(asked.headers['content-type']), /^text\/html/);
}

const login = suite('the login link');

login('sends the browser to the provider with an unguessable request, and gives it the proof of it', async () => {
  const world = await noon();
  const [first, second] = [await begin(world), await begin(world)];
  assert.match(first.request, /^_[0-9a-f]{64}$/);
  assert.is.not(first.request, second.request);
  assert.match(
    first.line,
    /^weir_sso_0=[\w.-]+; Path=\/sso\/saml\/good; Expires=Sat, 21 Nov 2026 12:10:00 GMT; HttpOnly; Secure; SameSite=None$/,
  );
});

login('goes to the normal form of the address, whatever signs were written, with its query as it was', async () => {
  const world = await noon();
  for (const [written, leads] of [
    ['HTTPS://IdP.Example:443/日本?app=a%20b&x', 'https://idp.example/%E6%97%A5%E6%9C%AC?app=a%20b&x&SAMLRequest='],
    ['https://idp.example', 'https://idp.example/?SAMLRequest='],
  ] as const) {
    const { body } = await world.ask('GET', '/api/v1/sso-configs/good');
    const spec = { ...body.spec, emailDomain: 'normal.example', saml: { ...body.spec.saml, signOnUrl: written } };
    const name = `normal-${leads.length}`;
    const made = await world.ask('POST', '/api/v1/sso-configs', { body: { name, spec } });
    assert.is(made.status, 201, made.text);
    const { status, headers } = await world.ask('GET', `/sso/saml/${name}/login`, { as: 'none' });
    assert.is(status, 302);
    assert.ok(String(headers.location).startsWith(leads), String(headers.location));
    assert.is((await world.ask('DELETE', `/api/v1/sso-configs/${name}`)).status, 204);
  }
});

login('sets a cookie that plain http can have, below the path of the platform', async () => {
  const world = await noon('http://weir.example/platform');
  const { line } = await begin(world);
  assert.match(line, /; Path=\/platform\/sso\/saml\/good; .*; HttpOnly; SameSite=Lax$/);
});

login('writes nothing, however often it is asked for', async () => {
  const world = await noon();
  const { position } = world.store.read();
  for (let count = 0; count < 200; count++) await begin(world, 'good', '?next=/x');
  assert.is(world.store.read().position, position);
});

login('holds four logins of a browser, and then gives up the oldest', async () => {
  const world = await noon();
  const jar = new Map<string, string>();
  const names: string[] = [];
  for (let count = 0; count < 6; count++) {
    world.setNow(new Date(Date.parse(now) + count * 1000).toISOString());
    const cookie = [...jar].map((pair) => pair.join('=')).join('; ');
    const [name = '', value = ''] = (await begin(world, 'good', `?next=/${'x'.repeat(900)}`, cookie)).cookie.split('=');
    jar.set(name, value);
    names.push(name);
  }
  assert.equal(names, ['weir_sso_0', 'weir_sso_1', 'weir_sso_2', 'weir_sso_3', 'weir_sso_0', 'weir_sso_1']);
  assert.ok([...jar].join('; ').length < 8000);
});

login('is no address where nobody can sign in, whatever the reason, and says the same of all', async () => {
  const world = await noon();
  const seen = new Set<string>();
  for (const name of ['draft', 'empty', 'folk', 'nothing', 'Good', 'x'.repeat(63), '%00', '..%2fgood'])
    for (const ask of [
      await world.ask('GET', `/sso/saml/${name}/login`, { as: 'none' }),
      await post(world, { SAMLResponse: 'x' }, { to: `/sso/saml/${name}/acs` }),
    ]) {
      assert.is(ask.status, 404, name);
      assert.equal(cookiesOf(ask), []);
      seen.add(ask.text.replace(/<code>.*<\/code>/, ''));
    }
  assert.is(seen.size, 2, 'one page for the link, and one for what is posted');
  assert.equal(
    world.logged.filter((line) => line.includes('sign-in')),
    [],
  );
});

login('is open to everybody, as are the metadata, with whatever credential', async () => {
  const world = await noon();
  for (const as of credentials) {
    assert.is((await world.ask('GET', '/sso/saml/good/login', { as })).status, 302, as);
    assert.is((await world.ask('GET', '/sso/saml/good/metadata', { as })).status, 200, as);
  }
});

login('leaves no page with anything that runs', async () => {
  const world = await noon();
  for (const asked of [
    await world.ask('GET', '/sso/saml/nothing/login', { as: 'none' }),
    await post(world, {}, { headers: { 'x-request-id': 'a:b.c-d' } }),
  ]) {
    assert.match(
      String(asked.headers['content-security-policy']),
      /^default-src 'none'; script-src 'none'; style-src 'sha256-/,
    );
    assert.not.match(asked.text, /<script|javascript:| on[a-z]+=/i);
  }
  assert.match((await post(world, {}, { headers: { 'x-request-id': 'a:b.c-d' } })).text, /<code>a:b\.c-d<\/code>/);
});

login.after.each(closeAll);
login.run();

const metadata = suite('the metadata');

metadata('is there from the draft on, and for SAML alone', async () => {
  const world = await noon();
  for (const name of ['good', 'draft', 'empty']) {
    const { status, headers, text } = await world.ask('GET', `/sso/saml/${name}/metadata`, { as: 'none' });
    assert.equal([status, headers['content-type']], [200, 'application/samlmetadata+xml']);
    assert.match(text, new RegExp(` entityID="${base}/sso/saml/${name}/metadata"`));
    assert.match(text, new RegExp(` Location="${base}/sso/saml/${name}/acs"`));
    assert.match(text, /WantAssertionsSigned="true"/);
    assert.match(text, />urn:oasis:names:tc:SAML:1\.1:nameid-format:emailAddress</);
  }
  for (const name of ['folk', 'nothing'])
    assert.is((await world.ask('GET', `/sso/saml/${name}/metadata`, { as: 'none' })).body.code, 'not_found');
});

metadata.after.each(closeAll);
metadata.run();

const answers = suite('a response');

answers('signs in by a session that ends at the earliest of all its ends', async () => {
  const world = await noon();
  const ends: string[] = [];
  for (const data of [
    {},
    { SessionNotOnOrAfter: '2026-11-21T15:00:00Z' },
    { SessionNotOnOrAfter: '2026-11-23T00:00:00Z' },
  ]) {
    const { cookie, request } = await begin(world);
    const authnStatement = authentication({ AuthnInstant: '2026-11-21T12:00:00Z', ...data });
    const asked = await post(
      world,
      { SAMLResponse: answerTo(request, { authentication: authnStatement, assertionId: `_${ends.length}` }) },
      { cookie },
    );
    assert.equal([asked.status, asked.headers.location], [303, `${base}/account/settings`]);
    ends.push(/Expires=([^;]+)/.exec(sessionOf(asked) ?? '')?.[1] ?? '');
    assert.match(sessionOf(asked) ?? '', /; HttpOnly; Secure; SameSite=Lax$/);
    assert.match(
      cookiesOf(asked).join('\n'),
      /weir_sso_0=; (Max-Age=0; )?Path=\/sso\/saml\/good; Expires=Thu, 01 Jan 1970/,
    );
  }
  assert.equal(ends, [
    'Sat, 21 Nov 2026 22:00:00 GMT',
    'Sat, 21 Nov 2026 15:00:00 GMT',
    'Sat, 21 Nov 2026 22:00:00 GMT',
  ]);
  const [user] = [...world.store.read().having('User', 'email=ann@good.example')];
  assert.is([...world.store.read().all('Session')].filter(({ spec }) => spec.user === user?.id).length, 3);
});

answers('is taken once, of many that come at the same time', async () => {
  const world = await noon();
  const { cookie, request } = await begin(world);
  const form = { SAMLResponse: answerTo(request) };
  const all = await Promise.all(Array.from({ length: 8 }, () => post(world, form, { cookie })));
  assert.equal(all.map(({ status }) => status).sort(), [303, 403, 403, 403, 403, 403, 403, 403]);
  assert.is(world.store.read().count('Session'), 1);
  assert.is(world.store.read().count('SpentLogin'), 1);
  assert.is(world.logged.filter((line) => line.endsWith('replay: this login was answered before')).length, 7);
});

answers('opens nothing with a request or an assertion that was used before, alone', async () => {
  const world = await noon();
  const [one, two] = [await begin(world), await begin(world)];
  assert.is((await post(world, { SAMLResponse: answerTo(one.request) }, { cookie: one.cookie })).status, 303);
  const sameRequest = answerTo(one.request, { assertionId: '_other', responseId: '_other-response' });
  isRefused(await post(world, { SAMLResponse: sameRequest }, { cookie: one.cookie }), 'the same request');
  isRefused(await post(world, { SAMLResponse: answerTo(two.request) }, { cookie: two.cookie }), 'the same assertion');
  assert.is(world.logged.filter((line) => line.includes('replay')).length, 2);
});

answers('is not forgotten before it is too old to be taken', async () => {
  const world = await noon();
  const { cookie, request } = await begin(world);
  const form = { SAMLResponse: answerTo(request) };
  assert.is((await post(world, form, { cookie })).status, 303);
  const remembered: boolean[] = [];
  for (let seconds = 0; seconds <= 15 * 60; seconds += 30) {
    const clock = () => new Date(Date.parse(now) + seconds * 1000).toISOString();
    world.setNow(clock());
    const door = { store: world.store, facts: () => ({ drivers: new Map(), certificateProblem: () => undefined }) };
    await expireJob.run({ door, clock, newId }, new AbortController().signal);
    isRefused(await post(world, form, { cookie }), `after ${seconds} s`);
    remembered.push(world.store.read().count('SpentLogin') > 0);
  }
  assert.equal([remembered[0], remembered.at(-1)], [true, false]);
});

answers('is worth nothing in another browser, to another configuration, or too late', async () => {
  const world = await noon();
  const { cookie, request } = await begin(world);
  const other = await begin(world);
  const twin = await begin(world, 'twin');
  const form = { SAMLResponse: answerTo(request) };
  isRefused(await post(world, form), 'no cookie');
  isRefused(await post(world, form, { cookie: other.cookie }), 'the cookie of another login');
  isRefused(await post(world, form, { cookie: `${cookie}x` }), 'a cookie that was altered');
  isRefused(await post(world, form, { cookie, to: '/sso/saml/twin/acs' }), 'another configuration');
  const foreign = { SAMLResponse: answerTo(twin.request) };
  isRefused(await post(world, foreign, { cookie: twin.cookie }), 'a login of another configuration');
  const late = { responseIssued: '2026-11-21T12:10:00Z', assertionIssued: '2026-11-21T12:10:00Z' };
  world.setNow('2026-11-21T12:10:00.000Z');
  const data = { InResponseTo: request, NotOnOrAfter: '2026-11-21T12:15:00Z', Recipient: base + acs };
  const window = { NotBefore: '2026-11-21T12:09:30Z', NotOnOrAfter: '2026-11-21T12:15:00Z' };
  const inside = audience(`${base}/sso/saml/good/metadata`);
  const parts = { ...late, confirmation: confirmation({ data }), conditions: conditions({ window, inside }) };
  isRefused(await post(world, { SAMLResponse: answerTo(request, parts) }, { cookie }), 'ten minutes later');
  world.setNow('2026-11-21T12:09:59.999Z');
  assert.is((await post(world, { SAMLResponse: answerTo(request, parts) }, { cookie })).status, 303);
});

answers('ends the session that the browser had, where it comes along', async () => {
  const world = await noon();
  const { cookie: old } = await world.signedIn('bob');
  const { cookie, request } = await begin(world);
  const asked = await post(world, { SAMLResponse: answerTo(request) }, { cookie: `${old}; ${cookie}` });
  assert.is(asked.status, 303);
  assert.is((await world.ask('GET', '/api/v1/user', { as: 'none', headers: { cookie: old ?? '' } })).status, 401);
});

answers('for somebody who may not in is answered like a wrong one, and used up', async () => {
  const world = await noon();
  await put(world, user('sue', 'sue@good.example', { suspended: true }));
  const { cookie, request } = await begin(world);
  const form = { SAMLResponse: answerTo(request, { nameId: named('sue@good.example') }) };
  const [denied, wrong] = [await post(world, form, { cookie }), await post(world, { SAMLResponse: 'AAAA' })];
  isRefused(denied);
  const anonymous = ({ text }: Asked) => text.replace(/<code>.*<\/code>/, '');
  assert.is(anonymous(denied), anonymous(wrong));
  assert.match(
    world.warned.at(-2) ?? '',
    /^SsoConfig\/good refused a sign-in \(request [\w-]+\): .*User\/sue is suspended/,
  );
  isRefused(await post(world, form, { cookie }));
  assert.match(world.logged.at(-1) ?? '', /replay/);
  const { body } = await world.ask('GET', '/api/v1/admin/audit-log?event=sign-in.failed');
  assert.equal(
    body.auditEntries.map(({ actor, target }: Readonly<Record<string, object>>) => [actor, target]),
    ['sue@good.example', 'good', 'sue@good.example'].map((name) => [
      { kind: 'sso', id: idOf(world, 'good'), name: 'good' },
      name === 'good' ? { kind: 'SsoConfig', id: idOf(world, 'good'), name } : { kind: 'User', name },
    ]),
  );
  const reasons = body.auditEntries.map(({ reason }: { readonly reason: string }) => reason);
  assert.match(reasons[0], /^through SsoConfig\/good: replay: /);
  assert.match(reasons[2], /^through SsoConfig\/good: User\/sue is suspended$/);
});

answers(
  'of one who is not known is refused where nobody is provisioned, and leads who is to where they wanted',
  async () => {
    const world = await noon();
    const respond = async (query = '') => {
      const { cookie, request } = await begin(world, 'closed', query);
      const place = `${base}/sso/saml/closed`;
      const data = { InResponseTo: request, NotOnOrAfter: '2026-11-21T12:05:00Z', Recipient: `${place}/acs` };
      const parts = {
        destination: `${place}/acs`,
        confirmation: confirmation({ data }),
        conditions: conditions({ inside: audience(`${place}/metadata`) }),
        nameId: named('Rob@Closed.example'),
        assertionId: request,
      };
      return post(world, { SAMLResponse: answerTo(request, parts) }, { cookie, to: '/sso/saml/closed/acs' });
    };
    isRefused(await respond());
    assert.match(world.logged.at(-1) ?? '', /no user has the address rob@closed\.example/);
    await put(world, user('rob', 'rob@closed.example'));
    assert.is((await respond('?next=%2Fapi%2Fv1%2Fuser%3Fa%3Db')).headers.location, `${base}/api/v1/user?a=b`);
    assert.is((await respond(`?next=${'/x'.repeat(600)}`)).headers.location, `${base}/account/settings`);
    assert.is((await respond('?next=https%3A%2F%2Felsewhere.example')).headers.location, `${base}/account/settings`);
  },
);

answers('whatever it is, and with whatever credential, is never an error of ours and never a session', async () => {
  const world = await noon();
  const { cookie, request } = await begin(world);
  const genuine = answerTo(request);
  const xml = Buffer.from(genuine, 'base64').toString();
  const bodies = fc.oneof(
    fc.string({ maxLength: 200 }),
    fc.string({ unit: 'binary', maxLength: 200 }).map((text) => `SAMLResponse=${encodeURIComponent(text)}`),
    fc.base64String({ maxLength: 400 }).map((text) => `SAMLResponse=${encodeURIComponent(text)}`),
    fc.tuple(fc.nat(xml.length), fc.string({ maxLength: 3 }), fc.nat(40)).map(([at, put, cut]) => {
      const altered = xml.slice(0, at) + put + xml.slice(at + cut);
      return altered === xml ? '' : `SAMLResponse=${encodeURIComponent(posted(altered))}`;
    }),
    fc.constant(`SAMLResponse=${encodeURIComponent(genuine)}&SAMLResponse=${encodeURIComponent(genuine)}`),
    fc.constant(`samlresponse=${encodeURIComponent(genuine)}`),
    fc.constant(encodeURIComponent(`SAMLResponse=${genuine}`)),
  );
  await fc.assert(
    fc.asyncProperty(bodies, fc.constantFrom(...credentials), async (body, as) => {
      const token = world.tokens[as];
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const asked = await post(world, body, { cookie, headers });
      assert.ok([400, 403].includes(asked.status), `${as}: ${asked.status} ${asked.text.slice(-300)}`);
      assert.is(sessionOf(asked), undefined);
    }),
    { numRuns: 150 },
  );
  assert.is(world.store.read().count('Session'), 0);
  assert.is((await post(world, { SAMLResponse: genuine }, { cookie })).status, 303);
});

answers('is a form of a bearable size, and forms are taken nowhere else', async () => {
  const world = await noon();
  const asked = async (body: string, type: string, to = acs) =>
    (await post(world, body, { to, headers: { 'content-type': type } })).status;
  const form = 'application/x-www-form-urlencoded';
  assert.is(await asked('{}', 'application/json'), 415);
  assert.is(await asked('<x/>', 'text/xml'), 415);
  assert.is(await asked('SAMLResponse=x', `${form}; charset=UTF-8`), 403);
  const large = await post(world, `SAMLResponse=${'a'.repeat(512 * 1024)}`);
  assert.is(large.status, 413);
  assert.match(large.text, /Signing in with your organisation did not work/);
  assert.match(world.logged.at(-1) ?? '', /acs \(request [\w-]+\) was answered 413: The body is larger/);
  assert.is(await asked('a=&'.repeat(1000), form), 400);
  assert.is(
    (
      await world.ask('POST', '/account/login', {
        as: 'none',
        body: 'username=a&password=b',
        headers: { 'content-type': form },
      })
    ).status,
    415,
  );
  assert.is((await world.ask('GET', acs, { as: 'none' })).status, 405);
});

answers('goes to the addresses that the provider was given, whatever the configuration is called now', async () => {
  const world = await noon();
  const { cookie, request } = await begin(world);
  const renamed = tree['sso.yaml'].replace('metadata: {name: good}', 'metadata: {name: better, previousNames: [good]}');
  await writeFile(join(world.root, 'sso.yaml'), renamed);
  await world.loop.reconcile({ consents: noConsents, actor: { kind: 'job' } });
  assert.ok(world.store.read().named('SsoConfig', 'better'));
  assert.is((await world.ask('GET', '/sso/saml/better/login', { as: 'none' })).status, 404);
  const { body } = await world.ask('GET', '/api/v1/sso-configs/better');
  assert.equal([body.status.acsUrl, body.status.entityId], [base + acs, `${base}/sso/saml/good/metadata`]);
  assert.is(
    (await world.ask('GET', '/account/sso?email=a@good.example', { as: 'none' })).body.redirect,
    `${base}/sso/saml/good/login`,
  );
  assert.is((await post(world, { SAMLResponse: answerTo(request) }, { cookie })).status, 303);
});

answers.after.each(closeAll);
answers.run();

const named = (email: string) =>
  `<saml:NameID Format="urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress">${email}</saml:NameID>`;

const idOf = (world: ServerWorld, name: string) => world.store.read().named('SsoConfig', name)?.id;

function user(name: string, email: string, more: object = {}): Resource<'User'> {
  const spec = kinds.User.spec.parse({ email, emailVerified: true, ...more });
  return { kind: 'User', id: name, name, spec, generation: 1, createdAt: now, updatedAt: now };
}

async function put(world: ServerWorld, resource: Resource): Promise<void> {
  await world.store.commit(() => ({ changes: [created(resource)] }), { id: resource.id });
}
