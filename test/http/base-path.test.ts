// timeout: 300
// The platform below a path of a host that it shares: no page leaves it.
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Identity } from '../../src/core/model/identity.ts';
import { debian, suiteWith } from '../support/debian.ts';
import { atAccount, openAccountSignedOut, startBrowser, type Visitor, visit } from './browser.ts';
import { secret, testDirectory } from './directory-world.ts';
import { password, put, ssoDocuments, treeWith } from './people.ts';
import { startWorld } from './world.ts';

const written = suite('the scripts of pages');

written('have each path of the server go through what knows where it is served', () => {
  const folder = new URL('../../src/http/pages/', import.meta.url);
  const scripts = readdirSync(folder).filter((name) => name.endsWith('.js'));
  assert.ok(scripts.length > 5, String(scripts));
  const found = scripts.flatMap((name) =>
    [...readFileSync(new URL(name, folder), 'utf8').matchAll(/^(.*?)(['"`]\/(?:account|api|i)\/.*)$/gm)].map(
      ([, before = '', path]) => ({ name, before, path }),
    ),
  );
  assert.ok(found.length > 20, `${found.length} paths`);
  const throughIt = /(?:\bat\(|\bask(?:AsUser)?\('[A-Z]+', |\bnextAddress\(|^const url = |const way = .*)$/;
  for (const { name, before, path } of found) assert.match(before, throughIt, `${name}: ${before}${path}`);
});

written.run();

const commands = debian(['chromium'], ['chromium']);
const below = suiteWith(commands, 'people below a path');

const ending: (() => Promise<unknown>)[] = [];
below.after.each(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

const path = '/flows';

/** A proxy that serves the platform below a path, and what else it was asked for. */
async function proxy() {
  const elsewhere: string[] = [];
  let target = 0;
  const server = createServer((asked, answer) => {
    const { url = '/', method, headers } = asked;
    if (!url.startsWith(`${path}/`)) {
      elsewhere.push(url);
      return answer.writeHead(404).end();
    }
    const passed = request(
      { port: target, host: '127.0.0.1', path: url.slice(path.length), method, headers },
      (got) => {
        answer.writeHead(got.statusCode ?? 502, got.headers);
        got.pipe(answer);
      },
    );
    passed.on('error', () => answer.destroy());
    asked.pipe(passed);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    base: `http://127.0.0.1:${port}`,
    elsewhere,
    to: (other: number) => {
      target = other;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

below('sign in for the first time by a directory, out, and in again, and never leave it', async () => {
  const fay: Identity = { email: 'fay@dir.example', username: 'fay', groups: [] };
  const front = await proxy();
  ending.push(async () => front.close());
  const world = await startWorld(treeWith(['registration', 'passwordReset'], { 'sso.yaml': ssoDocuments }), {
    baseUrl: `${front.base}${path}`,
    directory: testDirectory(fay),
  });
  world.setNow(new Date().toISOString());
  await put(world.store, 'bea');
  await world.app.listen({ port: 0, host: '127.0.0.1' });
  front.to((world.app.server.address() as AddressInfo).port);
  const browser = await startBrowser(commands?.chromium ?? '');
  ending.push(
    () => browser.close(),
    () => world.close(),
  );
  const visitor = await visit(browser, front.base);
  const { page } = visitor;
  const comesTo = (to: string) => page.waitForURL((url) => `${url.pathname}${url.search}` === `${path}${to}`);

  await openAccountSignedOut(page, path);
  await page.waitForURL(
    (url) => url.pathname === `${path}/account/login` && url.searchParams.get('next')?.startsWith(path) === true,
  );
  await page.goto(`${path}/account/login`);
  await signIn(visitor, 'fay@dir.example', secret);
  await atAccount(page, path);
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
  await comesTo('/account/login');
  await page.getByRole('link', { name: 'Register' }).click();
  await comesTo('/account/register');
  await page.goBack();
  await comesTo('/account/login');
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await comesTo('/account/reset-password');
  await page.goto(`${path}/account/login`);
  await signIn(visitor, 'bea', password);
  await atAccount(page, path);

  assert.equal(front.elsewhere, []);
  assert.equal(visitor.complaints, []);
});

async function signIn({ page }: Visitor, username: string, word: string): Promise<void> {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(word);
  await page.keyboard.press('Enter');
}

below.run();
