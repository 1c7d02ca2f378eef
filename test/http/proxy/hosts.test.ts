// timeout: 600
// Instances at host names of their own: which host is whose, and how a session at Weir comes to count there, once, for one browser.
import type { RequestListener } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startProxyWorld, treeOf } from './stand-in.ts';

const runtime: RequestListener = (request, response) => {
  if (request.url?.endsWith('/edit') && request.headers['x-weir-principal'] === 'none')
    response.writeHead(404, { 'X-Weir-Nothing': '1' }).end();
  else
    response
      .setHeader('Set-Cookie', ['a=1; Path=/; Domain=example', 'weir_instance=x'])
      .end(`${request.headers.host} ${request.url} ${request.headers.cookie ?? ''}`);
};

const world = await startProxyWorld(treeOf(['teamEndpointSecurity'], '  customHostnames: {domain: Flows.Example}\n'), {
  baseUrl: 'https://weir.example',
});
await world.instance('Ab', runtime);
await world.instance('Cd', runtime);
await world.instance('Open', runtime, { endpointAccess: 'open' });

const hosts = suite('an instance at a host name');
hosts.after(world.close);

const accept = 'text/html';
const at = (host: string, path: string, headers: Readonly<Record<string, string>> = {}) =>
  world.get(path, { headers: { host, ...headers } });

/** What a cookie of an answer is set to. */
const cookieOf = (name: string, headers: { readonly 'set-cookie'?: string[] | undefined }) =>
  headers['set-cookie']
    ?.map((line) => new RegExp(`^${name}=([^;]*)`).exec(line)?.[1])
    .find((value) => value !== undefined);

/** Goes from an address at a host to Weir and back, as a browser of a user does; answers the last redirect but one. */
async function enter(user: string, host = 'ab.flows.example', path = '/edit?x=1') {
  const led = await at(host, path, { accept });
  const entering = `__Host-weir_entering=${cookieOf('__Host-weir_entering', led.headers)}`;
  const toWeir = new URL(led.headers.location ?? '');
  const { cookie = '' } = await world.signedIn(user);
  const back = await at('weir.example', toWeir.pathname + toWeir.search, { accept, cookie });
  return { led, toWeir, entering, back, location: back.headers.location ?? '' };
}

hosts('answers in any case, with a dot and a port behind it, below its path and without it', async () => {
  for (const host of ['open.flows.example', 'OPEN.Flows.Example', 'open.flows.example.', 'open.flows.example:8443']) {
    assert.is((await at(host, '/x')).text, `${host} /i/Open/x `);
    assert.is((await at(host, '/i/Open/x')).text, `${host} /i/Open/x `);
  }
  assert.is((await at('open.flows.example', '/i/Ab/x')).text, 'open.flows.example /i/Open/i/Ab/x ');
});

hosts('no host below the domain is Weir itself, and no other host an instance', async () => {
  for (const host of ['nothing.flows.example', 'x.open.flows.example', '.flows.example']) {
    assert.is((await at(host, '/healthz')).status, 401, host);
    assert.is((await at(host, '/api/v1/user')).status, 401, host);
  }
  for (const host of ['flows.example', 'weir.example', 'openflows.example', 'open.flows.example.evil'])
    assert.is((await at(host, '/healthz')).status, 200, host);
});

hosts('is the address that people are given, and to which browsers are led', async () => {
  const led = await at('weir.example', '/i/Open/x?y=1', { 'sec-fetch-mode': 'navigate' });
  assert.equal([led.status, led.headers.location], [302, 'https://open.flows.example/x?y=1']);
  assert.is((await at('weir.example', '/i/Open/x')).status, 200);
});

hosts('keeps what is for hosts at the host', async () => {
  const { headers } = await at('open.flows.example', '/x');
  assert.equal(headers['set-cookie'], ['a=1; Path=/']);
  assert.is(headers['content-security-policy'], undefined);
});

hosts('leads who is signed in at Weir there and back, and to where they wanted', async () => {
  const { led, toWeir, entering, location } = await enter('max');
  assert.is(led.status, 302);
  assert.match(led.headers['set-cookie']?.[0] ?? '', /; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=600$/);
  assert.equal(
    [toWeir.origin, toWeir.pathname, toWeir.searchParams.get('to')],
    ['https://weir.example', '/i/Ab/.weir/enter', '/edit?x=1'],
  );
  assert.match(location, /^https:\/\/ab\.flows\.example\/\.weir\/session\?ticket=/);
  const { pathname, search } = new URL(location);
  const arrived = await at('ab.flows.example', pathname + search, { cookie: entering });
  assert.equal([arrived.status, arrived.headers.location], [302, '/edit?x=1']);
  const cookie = `__Host-weir_instance=${cookieOf('__Host-weir_instance', arrived.headers)}`;
  assert.is(
    (await at('ab.flows.example', '/edit', { cookie: `b=2; ${cookie}` })).text,
    'ab.flows.example /i/Ab/edit b=2',
  );
  // What a page of another host sets for the common domain takes nothing away, and is not passed on.
  for (const planted of ['weir_instance=x', 'weir_entering=x; __Host-weir_instance=x'])
    for (const header of [`${planted}; ${cookie}`, `${cookie}; ${planted}`])
      assert.is((await at('ab.flows.example', '/edit', { cookie: header })).text, 'ab.flows.example /i/Ab/edit ');
  // For this host, and for nothing else.
  assert.is((await at('cd.flows.example', '/edit', { cookie })).status, 401);
  assert.is((await at('weir.example', '/i/Ab/edit', { cookie })).status, 401);
  assert.is((await at('weir.example', '/api/v1/user', { cookie })).status, 401);
  // A page of another host may not use it.
  const post = (origin: string) =>
    world.get('/edit', { method: 'POST', headers: { host: 'ab.flows.example', cookie, origin } });
  assert.is((await post('https://ab.flows.example')).status, 200);
  assert.is((await post('https://cd.flows.example')).status, 403);
  assert.is((await post('https://weir.example')).status, 403);
});

hosts('a ticket is good once, at its host, for the browser that was sent for it, and for a minute', async () => {
  const redeem = (location: string, host: string, cookie: string) => {
    const { pathname, search } = new URL(location);
    return at(host, pathname + search, { cookie });
  };
  const one = await enter('max');
  assert.is((await redeem(one.location, 'cd.flows.example', one.entering)).status, 403);
  assert.is((await redeem(one.location, 'ab.flows.example', one.entering)).status, 403);
  const stolen = await enter('max');
  assert.is((await redeem(stolen.location, 'ab.flows.example', '__Host-weir_entering=another')).status, 403);
  const twice = await enter('max');
  assert.is((await redeem(twice.location, 'ab.flows.example', twice.entering)).status, 302);
  assert.is((await redeem(twice.location, 'ab.flows.example', twice.entering)).status, 403);
  const late = await enter('max');
  world.setNow('2026-11-21T10:01:01.000Z');
  assert.is((await redeem(late.location, 'ab.flows.example', late.entering)).status, 403);
  world.setNow('2026-11-21T10:00:00.000Z');
});

hosts('a cookie of the same name that a page of another host has set signs nobody out, also without TLS', async () => {
  const plain = await startProxyWorld(treeOf(['teamEndpointSecurity'], '  customHostnames: {domain: flows.example}\n'));
  try {
    await plain.instance('Ab', runtime);
    const get = (host: string, path: string, headers: Readonly<Record<string, string>>) =>
      plain.get(path, { headers: { host, ...headers } });
    const planted = 'weir_instance=x; weir_entering=x; weir_session=x';
    const led = await get('ab.flows.example', '/edit', { accept });
    const entering = `weir_entering=${cookieOf('weir_entering', led.headers)}`;
    const toWeir = new URL(led.headers.location ?? '');
    const { cookie = '' } = await plain.signedIn('max');
    const asked = { accept, cookie: `${planted}; ${cookie}` };
    const back = await get('weir.example', toWeir.pathname + toWeir.search, asked);
    const { pathname, search } = new URL(back.headers.location ?? '');
    const arrived = await get('ab.flows.example', pathname + search, { cookie: `${planted}; ${entering}` });
    const instance = `weir_instance=${cookieOf('weir_instance', arrived.headers)}`;
    for (const header of [`${planted}; ${instance}`, `${instance}; ${planted}`])
      assert.is((await get('ab.flows.example', '/edit', { cookie: header })).text, 'ab.flows.example /i/Ab/edit ');
    assert.is((await get('weir.example', '/api/v1/user', asked)).status, 200);
  } finally {
    await plain.close();
  }
});

hosts('tells a browser that keeps no cookies, and leads it in no circle', async () => {
  const { location } = await enter('max');
  const { pathname, search } = new URL(location);
  const told = await at('ab.flows.example', pathname + search, { accept });
  assert.is(told.status, 403);
  assert.match(told.text, /keeps no cookies/);
});

hosts('has no ticket for who may not come in, and has others sign in first', async () => {
  assert.is((await enter('otto')).back.status, 404);
  const { toWeir } = await enter('max');
  const asked = await at('weir.example', toWeir.pathname + toWeir.search, { accept });
  assert.is(
    asked.headers.location,
    `https://weir.example/account/login?next=${encodeURIComponent(toWeir.pathname + toWeir.search)}`,
  );
});

hosts('leads nobody elsewhere', async () => {
  for (const to of ['//evil.example', 'https://evil.example', '/\\\\evil.example', '/../x', '']) {
    const { cookie = '' } = await world.signedIn('max');
    const back = await at('weir.example', `/i/Ab/.weir/enter?for=x&to=${encodeURIComponent(to)}`, { cookie });
    assert.is(new URL(back.headers.location ?? '').searchParams.get('to'), '/', to);
  }
});

hosts('an address to come back to that no header can hold ends nothing', async () => {
  const { cookie = '' } = await world.signedIn('max');
  for (const to of ['/?€', '/?a\nb', '/?a\r\nSet-Cookie: x=y', '/?\u007f', '/?\ud800', '/x y', '/?é']) {
    const { entering, location } = await enter('max');
    const { pathname, searchParams } = new URL(location);
    const query = new URLSearchParams({ ticket: searchParams.get('ticket') ?? '', to });
    const arrived = await at('ab.flows.example', `${pathname}?${query}`, { cookie: entering });
    assert.equal([arrived.status, arrived.headers.location], [302, '/'], to);
    const back = await at('weir.example', `/i/Ab/.weir/enter?${new URLSearchParams({ for: 'x', to })}`, { cookie });
    assert.is(new URL(back.headers.location ?? '').searchParams.get('to'), '/', to);
    assert.is((await at('weir.example', '/healthz')).status, 200, to);
  }
});

hosts('passes nothing on that is for Weir', async () => {
  for (const path of ['/.weir/', '/.weir/session', '/.weir/enter', '/.alive/x'])
    assert.ok([403, 401, 404].includes((await at('open.flows.example', path)).status), path);
  assert.is((await at('weir.example', '/i/Open/.weir/session')).status, 404);
});

hosts.run();
