// timeout: 1200
// SAML in a real browser, with the provider on another site: which cookies come along with the form that it posts, and what people see.
import { request as ask, type RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { pipeline } from 'node:stream';
import type { Browser, Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { atAccount, startBrowser, visit } from '../http/browser.ts';
import { debian, suiteWith } from '../support/debian.ts';
import { rsaPair } from '../support/self-signed.ts';
import { type SimpleSaml, simpleSaml, startSimpleSaml } from '../support/simplesaml.ts';
import { eventually, patienceMs, until } from '../support/until.ts';
import { startWeirServer, type WeirServer } from '../support/weir-server.ts';

const commands = debian([...simpleSaml.packages, 'chromium'], [...simpleSaml.commands, 'chromium']);
const saml = suiteWith(commands, 'SAML in a browser');

const key = rsaPair();
const front = rsaPair();
const people = { 'ann:secret': { mail: ['ann@corp.example'], uid: ['ann'] } };
const tree = {
  'config/weir.yaml': 'kind: Platform\nmetadata: {name: platform}\nspec: {licence: enterprise}\n',
};

let browser: Browser;
let provider: SimpleSaml;

saml.before(async () => {
  [browser, provider] = await Promise.all([
    startBrowser(commands?.chromium ?? ''),
    startSimpleSaml(commands?.php ?? '', people, key),
  ]);
});

saml.after(async () => {
  await browser?.close();
  await provider?.close();
});

saml('goes from the sign-in page to the provider on another site and back, over https', async () => {
  const tls = await startFront();
  const server = await startWeirServer(tree, () => tls.url);
  try {
    tls.serve(server.url);
    await setUp(server);
    const context = await browser.newContext({ baseURL: tls.url, ignoreHTTPSErrors: true });
    context.setDefaultTimeout(patienceMs);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on(
      'console',
      (message) => message.type() === 'error' && complaints.push(`${message.text()} ${message.location().url}`),
    );
    await page.goto('/account/login?next=/account/register%3Finvitation%3Dx');
    await leaveFor(page);
    await atAccount(page);
    assert.is(page.url(), `${tls.url}/account/settings`);
    await eventually(async () => {
      assert.is(await page.inputValue('#email'), 'ann@corp.example');
      assert.not(await page.locator('#email').isEditable());
    });
    const names = (await context.cookies(`${tls.url}/sso/saml/corp/acs`)).map(({ name, sameSite, secure }) => [
      name,
      sameSite,
      secure,
    ]);
    assert.equal(names.sort(), [
      ['__Host-weir_session', 'Lax', true],
      ['weir_session', 'Lax', true],
    ]);
    // Known from now on: to where they wanted to go, without a question.
    await context.clearCookies({ name: /weir_session$/ });
    await page.goto('/account/login?next=/account/register%3Finvitation%3Dx');
    await page.fill('#username', 'ann@corp.example');
    await page.fill('#password', '');
    await page.getByRole('link', { name: 'Sign in with your organisation' }).click();
    await page.waitForURL(`${tls.url}/account/register?invitation=x`);
    const ours = complaints.filter((line) => !line.includes('http://127.0.0.1'));
    assert.equal(ours, []);
  } finally {
    await server.stop();
    await tls.close();
  }
});

saml('tells that it did not work, and the log why, where plain http keeps the cookie back', async () => {
  const server = await startWeirServer(tree, (url) => url.replace('127.0.0.1', 'localhost'));
  try {
    await setUp(server);
    const { page, isAccessible } = await visit(browser, server.url.replace('127.0.0.1', 'localhost'));
    await page.goto('/account/login');
    await leaveFor(page);
    await page.getByRole('heading', { name: 'You are not signed in' }).waitFor();
    await isAccessible();
    const why = /this browser sent no cookie of a login that is under way; over plain http .*https/;
    await until('the log says why', () => why.test(server.log()), { now: server.log });
    await page.getByRole('link', { name: 'sign in another way' }).click();
    await page.waitForURL('**/account/login');
    await page.goto('/sso/saml/nothing/login');
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
    await isAccessible();
  } finally {
    await server.stop();
  }
});

saml.run();

/** From the sign-in page to the provider, and through its form. */
async function leaveFor(page: Page): Promise<void> {
  await page.fill('#username', 'ann@corp.example');
  await page.locator('#username').blur();
  await page.getByRole('link', { name: 'Sign in with your organisation' }).click();
  await page.fill('input[name=username]', 'ann');
  await page.fill('input[name=password]', 'secret');
  await page.click('#submit_button');
}

async function setUp(server: WeirServer): Promise<void> {
  const { signOnUrl, issuer } = provider;
  const saml = { signOnUrl, issuer, certificate: key.certificate };
  const spec = { emailDomain: 'corp.example', provider: 'saml', active: true, provisionNewUsers: true, saml };
  const { status, body } = await server.admin('POST', '/api/v1/sso-configs', { name: 'corp', spec });
  assert.is(status, 201, JSON.stringify(body));
  await provider.meet(await (await fetch(`${server.url}/sso/saml/corp/metadata`)).text());
}

/** What stands before a platform on https: it hands on what comes to `https://localhost`. */
async function startFront() {
  let target = '';
  const hand: RequestListener = (incoming, outgoing) => {
    const { method, url = '', headers } = incoming;
    const onward = ask(target + url, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      pipeline(answer, outgoing, () => {});
    });
    onward.on('error', () => outgoing.destroy());
    pipeline(incoming, onward, () => {});
  };
  const pem = { key: front.privateKey.export({ type: 'pkcs8', format: 'pem' }), cert: front.certificate };
  const tls = createServer(pem, hand);
  await new Promise<void>((listening) => tls.listen(0, '127.0.0.1', listening));
  const { port } = Object(tls.address());
  return {
    url: `https://localhost:${port}`,
    serve: (url: string) => {
      target = url;
    },
    close: () =>
      new Promise<void>((closed) => {
        tls.close(() => closed());
        tls.closeAllConnections();
      }),
  };
}
