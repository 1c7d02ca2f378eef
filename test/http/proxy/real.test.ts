// timeout: 1200
// A real runtime behind the way in: its editor in a real browser, as a member and as a viewer, below a path and by a host name; flows, WebSockets, upgrades of none.
import type { Browser, Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { debian, suiteWith } from '../../support/debian.ts';
import { helloFlow } from '../../support/runtime-flows.ts';
import { until } from '../../support/until.ts';
import { openAccount, startBrowser } from '../browser.ts';
import { password, startPlatform } from './platform.ts';

/** A flow with a WebSocket that sends back what it hears. */
const echoFlow = [
  { id: 'wstab', type: 'tab', label: 'ws' },
  { id: 'listener', type: 'websocket-listener', path: '/echo', wholemsg: 'false' },
  { id: 'wsin', type: 'websocket in', z: 'wstab', server: 'listener', client: '', wires: [['wsout']] },
  { id: 'wsout', type: 'websocket out', z: 'wstab', server: 'listener', client: '', wires: [] },
];

const commands = debian(['chromium'], ['chromium']);

type Platform = Awaited<ReturnType<typeof startPlatform>>;

interface World {
  browser: Browser;
  path: Platform;
  host: Platform;
}

const real = suiteWith<World>(commands, 'a real runtime, by a real browser');

real.before(async (world) => {
  world.path = await startPlatform();
  world.host = await startPlatform('flows.localhost');
  world.browser = await startBrowser(commands?.chromium ?? '');
  for (const { api: _, token, server, id } of [world.path, world.host]) {
    const answer = await fetch(`${server.url}/i/${id}/flows`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify([...helloFlow('hello'), ...echoFlow]),
    });
    assert.is(answer.status, 204, await answer.text());
    await until(
      async () =>
        (await fetch(`${server.url}/i/${id}/hello`, { headers: { authorization: `Bearer ${token}` } })).status === 200,
    );
  }
});
real.after(async ({ path, host, browser }) => {
  await browser?.close();
  await path?.close();
  await host?.close();
});

/** Opens an address in a browser of its own, and signs in where that is asked for. */
async function openAs(
  browser: Browser,
  username: string,
  url: string,
): Promise<{ page: Page; close(): Promise<void> }> {
  const context = await browser.newContext();
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForURL(/\/account\/login/);
  await page.fill('#username', username);
  await page.fill('#password', password);
  await page.click('#sign-in button');
  await page.waitForURL((at) => !at.pathname.startsWith('/account/'));
  return { page, close: () => context.close() };
}

for (const way of ['path', 'host'] as const) {
  real(`by ${way}: a member signs in, and deploys in the editor`, async ({ browser, [way]: platform }) => {
    const { page, close } = await openAs(browser, 'max', platform.url);
    assert.is(page.url().split('#')[0], platform.url);
    await page.locator('#red-ui-header-button-deploy').waitFor();
    // The connection of the editor with its runtime stands: what is lost is told at once.
    await page.waitForFunction('RED.comms && RED.nodes.workspace("tab")');
    await page.evaluate(`RED.nodes.workspace('tab').label = 'by a member'; RED.nodes.dirty(true)`);
    const deployed = page.waitForResponse(
      (response) => response.url().endsWith('/flows') && response.request().method() === 'POST',
    );
    await page.click('#red-ui-header-button-deploy');
    assert.ok((await deployed).ok());
    const cookies = await page.context().cookies();
    assert.equal(
      cookies.map(({ name, domain }) => `${name} ${domain}`).sort(),
      way === 'path'
        ? ['weir_session localhost']
        : [`weir_instance ${new URL(platform.url).hostname}`, 'weir_session localhost'],
    );
    await close();
  });

  real(
    `by ${way}: a flow talks over a WebSocket with a page, and scripts of the page stay where they are`,
    async ({ browser, [way]: platform }) => {
      const { page, close } = await openAs(browser, 'dora', `${platform.url}hello`);
      assert.is(await page.locator('body').textContent(), 'hello main');
      const heard = await page.evaluate(`new Promise((resolve, reject) => {
      const socket = new WebSocket(new URL('echo', location.href).href.replace('http', 'ws'));
      socket.onopen = () => socket.send('over the wire');
      socket.onmessage = ({ data }) => resolve(data);
      socket.onerror = () => reject(new Error('no WebSocket'));
    })`);
      assert.is(heard, 'over the wire');
      const api = `${platform.server.url}/api/v1/user`;
      const asked = await page.evaluate(
        `fetch(${JSON.stringify(api)}, { credentials: 'include', referrerPolicy: 'no-referrer' }).then(({ status }) => status, () => 'refused')`,
      );
      assert.is(asked, 'refused');
      await close();
    },
  );

  real(
    `by ${way}: who is not in the team sees nothing, and the dashboard role no editor`,
    async ({ browser, [way]: platform }) => {
      for (const [who, place] of [
        ['otto', 'hello'],
        ['dora', ''],
      ] as const) {
        const { page, close } = await openAs(browser, who, platform.url + place);
        assert.match((await page.locator('h1').textContent()) ?? '', /Not found/);
        await close();
      }
    },
  );
}

real('a viewer looks at the editor, and cannot deploy', async ({ browser, path }) => {
  const { page, close } = await openAs(browser, 'vera', path.url);
  await page.locator('#red-ui-header-button-deploy').waitFor();
  assert.is(
    await page.evaluate(
      `fetch('flows', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '[]' }).then(({ status }) => status)`,
    ),
    404,
  );
  await close();
});

real('a protected instance has no editor, and goes on with its flows', async ({ browser, path }) => {
  await path.api('PUT', `/instances/${path.id}`, { protected: true });
  const { page, close } = await openAs(browser, 'max', path.url);
  assert.match((await page.locator('main').textContent()) ?? '', /This instance is protected/);
  assert.is((await page.goto(`${path.url}hello`))?.status(), 200);
  await path.api('PUT', `/instances/${path.id}`, { protected: false });
  await close();
});

real('endpoints that are open answer anybody', async ({ path }) => {
  assert.is((await fetch(`${path.url}hello`)).status, 401);
  await path.api('PUT', `/instances/${path.id}`, { endpointAccess: 'open' });
  assert.is(await (await fetch(`${path.url}hello`)).text(), 'hello main');
  assert.is((await fetch(path.url)).status, 401);
  await path.api('PUT', `/instances/${path.id}`, { endpointAccess: null });
});

real('who signs out is out at the host of the instance, too', async ({ browser, host }) => {
  const { page, close } = await openAs(browser, 'dora', `${host.url}hello`);
  await openAccount(page, host.server.url);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL(`${host.server.url}/account/login`);
  await page.goto(`${host.url}hello`);
  await page.waitForURL(/\/account\/login/);
  await close();
});

real.run();
