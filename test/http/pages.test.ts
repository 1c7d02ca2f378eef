// timeout: 1200
// The pages that people land on: what is sent, and what people do with them in a real Chromium.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { debian, suiteWith } from '../support/debian.ts';
import { eventually, until } from '../support/until.ts';
import { atAccount, openAccount, openAccountSignedOut, startBrowser, type Visitor, visit } from './browser.ts';
import { password, type Site, startSite } from './site.ts';
import { startWorld, tree } from './world.ts';

const pages = [
  '/account/login',
  '/account/register',
  '/account/reset-password',
  '/account/invitations/some-token',
  '/account/settings',
];

const sent = suite('a page as it is sent');
const world = await startWorld();
sent.after(world.close);

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const between = (html: string, tag: string) =>
  [...html.matchAll(new RegExp(`<${tag}[^>]*>([^]*?)</${tag}>`, 'g'))].map(([, text = '']) => text);

sent('/ leads people to their account', async () => {
  const { status, headers } = await world.ask('GET', '/', { as: 'none' });
  assert.equal([status, headers['location']], [303, 'http://weir.example/account/settings']);
});

for (const url of pages) {
  sent(`${url} has a policy that lets its own script and style run, and nothing else`, async () => {
    const { status, headers, text } = await world.ask('GET', url, { as: 'none' });
    assert.is(status, 200);
    assert.is(headers['content-type'], 'text/html; charset=utf-8');
    const [scripts, styles] = [between(text, 'script'), between(text, 'style')];
    assert.is(scripts.length, 1);
    assert.is(styles.length, 1);
    assert.is(
      headers['content-security-policy'],
      [
        "default-src 'none'",
        `script-src ${scripts.map(hashOf)}`,
        `style-src ${styles.map(hashOf)}`,
        "connect-src 'self'",
        'img-src data:',
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
      ].join('; '),
    );
    const html = text.replace(/<(script|style)[\s\S]*?<\/\1>/g, '');
    assert.not.match(html, / (src|style|on\w+)=/);
    for (const [, target] of html.matchAll(/ href="([^"]*)"/g))
      assert.match(target ?? '', /^(data:,|(\.\.\/)?[a-z-]+)$/);
    assert.not.match(between(text, 'script')[0] ?? '', /^(import|export) |innerHTML|eval|https?:/m);
  });

  sent(`${url} is kept by nobody, framed by nobody, and tells nobody where it was`, async () => {
    const { headers } = await world.ask('GET', url, { as: 'none' });
    assert.is(headers['cache-control'], 'no-store');
    assert.is(headers['x-frame-options'], 'DENY');
    assert.is(headers['x-content-type-options'], 'nosniff');
    assert.is(headers['referrer-policy'], 'no-referrer');
    assert.is(headers['cross-origin-resource-policy'], 'same-origin');
    assert.is(headers['cross-origin-opener-policy'], 'same-origin');
    assert.is(headers['set-cookie'], undefined);
  });

  sent(`${url} answers HEAD like GET, and 304 where nothing changed`, async () => {
    const got = await world.ask('GET', url, { as: 'none' });
    const head = await world.ask('HEAD', url, { as: 'none' });
    assert.is(head.status, 200);
    assert.is(head.text, '');
    for (const name of ['content-security-policy', 'etag', 'content-type', 'content-length'])
      assert.is(head.headers[name], got.headers[name], name);
    const again = await world.ask('GET', url, { as: 'none', headers: { 'if-none-match': String(got.headers.etag) } });
    assert.is(again.status, 304);
    assert.is(again.text, '');
    assert.is(again.headers['content-security-policy'], got.headers['content-security-policy']);
  });
}

for (const url of ['/', ...pages])
  sent(`${url} opens whatever others add to its address`, async () => {
    const { status } = await world.ask('GET', `${url}?utm_source=mail&fbclid=x&utm_source=again`, { as: 'none' });
    assert.is(status, url === '/' ? 303 : 200);
  });

const browsing = { as: 'none', headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } } as const;

for (const [url, code] of [
  ['/account/nothing', 404],
  ['/nothing', 404],
  ['/account/login?next=a&next=b', 400],
  [`/account/invitations/${'x'.repeat(300)}`, 404],
] as const)
  sent(`tells a browser in a page, and programs as ever, that ${url.slice(0, 40)} is ${code}`, async () => {
    const page = await world.ask('GET', url, browsing);
    assert.equal([page.status, page.headers['content-type']], [code, 'text/html; charset=utf-8']);
    assert.match(String(page.headers['content-security-policy']), "default-src 'none'; script-src 'none'");
    assert.match(page.text, `<code>${page.headers['x-request-id']}</code>`);
    for (const accept of ['*/*', 'application/json', undefined]) {
      const { status, headers } = await world.ask('GET', url, { as: 'none', headers: accept ? { accept } : {} });
      assert.equal([status, headers['content-type']], [code, 'application/problem+json; charset=utf-8']);
    }
  });

/** Where the links of a page lead, for somebody who sees it at an address. */
const linksOn = (html: string, address: string) =>
  [...html.matchAll(/<a href="([^"]*)">([^<]*)<\/a>/g)].map(([, href = '', text]) => [
    text,
    new URL(href, address).href,
  ]);

for (const path of ['/nothing', '/nothing/', '/a/b/c', '/a/b/c/?d=/e/f', '/i//x', '/account/login?next=a&next=b'])
  sent(`leads from a page at ${path} home, and to where people sign in, whatever stands before its paths`, async () => {
    const { text } = await world.ask('GET', path, browsing);
    for (const base of ['https://weir.example', 'https://example.com/weir'])
      assert.equal(linksOn(text, `${base}${path}`), [
        ['Home', `${base}/`],
        ['Sign in', `${base}/account/login`],
      ]);
    for (const found of ['/', '/account/login'])
      assert.ok((await world.ask('GET', found, browsing)).status < 400, `there is something at ${found}`);
  });

sent('tells a browser in a page that it asks too often, or that the server fails; the API stays as it is', async () => {
  const weir = String(tree['weir.yaml']).replace('spec:\n', 'spec:\n  api: {rateLimit: {requestsPerMinute: 2}}\n');
  const other = await startWorld({ ...tree, 'weir.yaml': weir });
  for (let times = 0; times < 3; times++) await other.ask('GET', '/account/login', browsing);
  const limited = await other.ask('GET', '/account/login', browsing);
  assert.equal([limited.status, limited.headers['content-type']], [429, 'text/html; charset=utf-8'], limited.text);
  assert.match(String(limited.headers['retry-after']), /^\d+$/);
  const api = await other.ask('GET', '/api/v1/user', browsing);
  assert.equal([api.status, api.headers['content-type']], [429, 'application/problem+json; charset=utf-8']);
  await other.close();
});

sent('answers the API with problem documents, also to a browser', async () => {
  for (const url of ['/api/v1/nothing', '/api/nothing', '/api/v1/user', '/account/invitation?token=x']) {
    const { status, headers } = await world.ask('GET', url, browsing);
    assert.ok(status >= 400, url);
    assert.is(headers['content-type'], 'application/problem+json; charset=utf-8', url);
  }
});

sent('holds nothing of the request, whatever its address says', async () => {
  const attack = encodeURIComponent('"><script>alert(1)</script>');
  const plain = await world.ask('GET', '/account/login', { as: 'none' });
  const attacked = await world.ask('GET', `/account/login?next=${attack}&verify=${attack}`, { as: 'none' });
  assert.is(attacked.text, plain.text);
  const invitation = await world.ask('GET', `/account/invitations/${attack}`, { as: 'none' });
  assert.is(invitation.text, (await world.ask('GET', '/account/invitations/x', { as: 'none' })).text);
});

sent('has text and lines that stand out from their ground, light and dark (WCAG 2.2, 1.4.3 and 1.4.11)', () => {
  const css = readFileSync(resolve(import.meta.dirname, '../../src/http/pages/style.css'), 'utf8');
  const palettes = [...css.matchAll(/:root \{([^}]*)\}/g)].map(
    ([, block = '']) =>
      new Map([...block.matchAll(/--(\w+): (#\w{6});/g)].map(([, name = '', hex = '']) => [name, hex])),
  );
  assert.is(palettes.length, 2);
  for (const colours of palettes) {
    const ground = luminanceOf(colours.get('ground') ?? '');
    for (const [name, least] of Object.entries({ text: 7, soft: 4.5, accent: 4.5, bad: 4.5, good: 4.5, line: 3 })) {
      const other = luminanceOf(colours.get(name) ?? '');
      const ratio = (Math.max(ground, other) + 0.05) / (Math.min(ground, other) + 0.05);
      assert.ok(ratio >= least, `${name} ${colours.get(name)}: ${ratio}`);
    }
  }
  assert.equal([...css.replaceAll(/:root \{[^}]*\}/g, '').matchAll(/#\w{3,8}|rgb/g)], [], 'no colour stands elsewhere');
});

/** Relative luminance, as WCAG defines it, of `#rrggbb`. */
function luminanceOf(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

sent.run();

const commands = debian(['chromium'], ['chromium']);
let browser: Browser;
let site: Site;
let visitor: Visitor;

const people = suiteWith(commands, 'people with a browser');

people.before(async () => {
  [browser, site] = await Promise.all([startBrowser(commands?.chromium ?? ''), startSite()]);
});
people.before.each(async () => {
  visitor = await visit(browser, site.base);
});
people.after.each(async () => {
  assert.equal(visitor.complaints, []);
  await visitor.context.close();
});
people.after(async () => {
  await browser?.close();
  await site?.close();
});

/** Signs in, and waits for the page of the account. */
async function signIn({ page }: Visitor, username: string, secret = password): Promise<void> {
  await page.goto('/account/login');
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await atAccount(page);
}

people('who sign out once the page of their account is there are led nowhere else by what it asked for', async () => {
  const { page } = visitor;
  await signIn(visitor, 'admin');
  const asked: string[] = [];
  await page.route('**/api/v1/user/*?limit=*', async (route) => {
    await sleep(300);
    const answer = await route.fetch();
    asked.push(`${new URL(answer.url()).pathname} ${answer.status()}`);
    await route.fulfill({ response: answer });
  });
  await openAccount(page);
  const lists = ['invitations', 'sessions', 'tokens'].map((list) => `/api/v1/user/${list} 200`);
  assert.equal(asked.sort(), lists, 'nothing is under way');
  await page.evaluate(`fetch('/account/logout', { method: 'POST' })`);
  assert.is((await page.goto('/account/register'))?.status(), 200);
  assert.equal(asked, lists);
});

people('sign in by keyboard alone', async () => {
  const { page, focuses } = visitor;
  await page.goto('/account/login');
  await focuses('username');
  await page.keyboard.type('admin');
  await page.keyboard.press('Tab');
  await page.keyboard.type(password);
  await page.keyboard.press('Tab');
  await focuses('Sign in');
  await page.keyboard.press('Space');
  await atAccount(page);
  await eventually(async () => assert.is(await page.getByLabel('Username').inputValue(), 'admin'));
});

people('hear that a password is wrong, and stay where they were', async () => {
  const { page, told, focuses, isAccessible } = visitor;
  await page.goto('/account/login');
  const alert = page.locator('form [role=alert]');
  assert.is(await alert.textContent(), '');
  await focuses('username');
  await page.keyboard.type('admin');
  await page.keyboard.press('Tab');
  await page.keyboard.type('wrong password');
  await page.keyboard.press('Enter');
  await told('alert', /do not fit.* tell your administrator this number: [\w.:-]+\./);
  await focuses('password');
  await isAccessible();
  const gate = Promise.withResolvers<void>();
  await page.route('**/account/login', async (route) => {
    await gate.promise;
    await route.continue();
  });
  await page.keyboard.press('Enter');
  await eventually(async () => assert.is(await alert.textContent(), '', 'it is said again when it is true again'));
  gate.resolve();
  await told('alert', /do not fit/);
});

people('register, choose the type of their team, open the link in the mail, and sign in', async () => {
  const { page, told, focuses, isAccessible } = visitor;
  await page.goto('/account/login');
  await page.getByRole('link', { name: 'Register' }).click();
  const type = page.getByLabel('Type of your own team');
  await type.waitFor();
  await eventually(async () =>
    assert.equal(await type.locator('option').allTextContents(), ['starter: <b>Small</b>', 'pro']),
  );
  await isAccessible();
  await page.getByLabel('Email').fill('Nora@Example.net');
  await page.getByLabel('Username').fill('-nora');
  await page.getByLabel('Name (may').fill('<script>document.title = "no"</script>');
  await page.getByLabel('Password').fill('password123');
  await type.selectOption('pro');
  await page.getByRole('button', { name: 'Register' }).click();
  await page.locator('.error').first().waitFor();
  await focuses('username');
  await eventually(async () => assert.is(await page.getByLabel('Username').getAttribute('aria-invalid'), 'true'));
  await eventually(async () =>
    assert.is(await page.getByLabel('Username').getAttribute('aria-describedby'), 'username-error username-hint'),
  );
  await isAccessible();
  await page.getByLabel('Username').fill('nora');
  await page.getByRole('button', { name: 'Register' }).click();
  await page.locator('#password-error', { hasText: 'many people use' }).waitFor();
  await eventually(async () =>
    assert.is(await page.getByLabel('Username').getAttribute('aria-describedby'), 'username-hint'),
  );
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Register' }).dblclick();
  await told('status', /A mail is on its way to Nora@Example.net/);
  await focuses('Sign in');
  await isAccessible();
  await page.goto(await site.link('nora@example.net'));
  await told('status', /Sign in to the account that this address was given for, to confirm it/);
  await eventually(() => assert.is(new URL(page.url()).search, '', 'the token is gone from the address'));
  await focuses('username');
  await isAccessible();
  // By keyboard: a wrong password confirms nothing, and the right one confirms the address and signs in.
  await page.keyboard.type('nora');
  await page.keyboard.press('Tab');
  await page.keyboard.type('not this one');
  await page.keyboard.press('Enter');
  await told('alert', /the password of the account is another/);
  await isAccessible();
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await atAccount(page);
  await eventually(async () =>
    assert.is(await page.getByLabel('Name', { exact: true }).inputValue(), '<script>document.title = "no"</script>'),
  );
  await eventually(async () => assert.is(await page.title(), 'Your account · Weir'));
  const { teams } = await site.api('GET', '/api/v1/teams?q=nora');
  const own = (await site.api('GET', '/api/v1/teams')).teams.filter(({ name }: { name: string }) =>
    name.includes('<script>'),
  );
  assert.ok(teams);
  assert.is(own.length, 1, 'pressed twice, done once');
  assert.is(own[0].type.name, 'pro');
});

people('are told where a link has been used, and are not asked to choose what they cannot', async () => {
  const { page, told, focuses, isAccessible } = visitor;
  await page.goto('/account/login?verify=no-such-token');
  await told('alert', /./);
  await isAccessible();
  await page.goto('/account/reset-password?token=no-such-token');
  await told('alert', /opens nothing/);
  assert.not(await page.getByLabel('New password').isVisible(), 'nobody thinks of a password for nothing');
  await focuses('email');
  await isAccessible();
  await page.goto('/account/invitations/no-such-token?utm_source=mail');
  await told('alert', /opens nothing/);
  await isAccessible();
  await page.goto('/account/register?invitation=no-such-token');
  await told('alert', /opens nothing/);
});

people('see a page where there is nothing', async () => {
  const { page, isAccessible } = visitor;
  const answer = await page.goto('/account/nothing');
  assert.is(answer?.status(), 404);
  await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
  await isAccessible();
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
});

people('forget their password, and set another by the link in the mail', async () => {
  const { page, told, focuses, isAccessible } = visitor;
  await site.user('fred');
  await page.goto('/account/login');
  await page.getByRole('link', { name: 'Forgot' }).click();
  await page.getByLabel('Email').waitFor();
  await focuses('email');
  await isAccessible();
  await page.getByLabel('Email').fill('fred@example.net');
  await page.keyboard.press('Enter');
  await told('status', /30 minutes/);
  await page.goto(await site.link('fred@example.net'));
  await page.getByLabel('New password').waitFor();
  await eventually(() => assert.is(new URL(page.url()).search, '', 'the token is gone from the address'));
  await focuses('password');
  await isAccessible();
  await page.keyboard.type('a wholly new password');
  await page.keyboard.press('Enter');
  await told('status', /is changed/);
  await focuses('Sign in');
  await page.keyboard.press('Enter');
  await page.waitForURL('/account/login');
  await signIn(visitor, 'fred', 'a wholly new password');
});

people('are invited, register with the invitation, and are in the team', async () => {
  const { page, told, isAccessible } = visitor;
  const name = '<img src=x onerror=alert(1)> & Co';
  const team = await site.api('POST', '/api/v1/teams', { name, type: 'starter' });
  await site.api('POST', `/api/v1/teams/${team.id}/invitations`, { user: 'ivy@example.net', role: 'viewer' });
  await page.goto(await site.link('ivy@example.net'));
  await page.getByText(`to the team ${name}, as viewer`).waitFor();
  await isAccessible();
  await page.getByRole('link', { name: 'Register' }).click();
  await told('status', /You are invited to the team <img/);
  await eventually(async () => assert.is(await page.getByLabel('Email').inputValue(), 'ivy@example.net'));
  await isAccessible();
  await page.getByLabel('Username').fill('ivy');
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await told('status', /in the team/);
  await eventually(() => assert.is(new URL(page.url()).search, '', 'the token is gone from the address'));
  await signIn(visitor, 'ivy');
  const { members } = await site.api('GET', `/api/v1/teams/${team.id}/members`);
  assert.equal(
    members.map(({ user, role }: { user: { username: string }; role: string }) => [user.username, role]),
    [
      ['admin', 'owner'],
      ['ivy', 'viewer'],
    ],
  );
});

people('who have an account come to an invitation by signing in, and join', async () => {
  const { page, told, focuses, isAccessible } = visitor;
  await site.user('karl');
  const team = await site.api('POST', '/api/v1/teams', { name: 'Guests', type: 'starter' });
  await site.api('POST', `/api/v1/teams/${team.id}/invitations`, { user: 'karl', role: 'member' });
  const link = await site.link('karl@example.net');
  await page.goto(link);
  await page.getByRole('link', { name: 'Sign in', exact: true }).click();
  await told('status', /Sign in to go on/);
  await page.getByLabel('Username').fill('admin');
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await page.waitForURL(link);
  await page.getByText('You are signed in as admin').waitFor();
  await isAccessible();
  await page.getByRole('button', { name: 'Join' }).click();
  await told('alert', /somebody else/);
  await page.getByRole('link', { name: 'Sign in as somebody else' }).click();
  await page.getByLabel('Username').fill('karl');
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  await page.waitForURL(link);
  await page.getByRole('button', { name: 'Join' }).click();
  await told('status', /You are in the team Guests now/);
  await focuses('Your account');
  assert.not.match(page.url(), link);
  await isAccessible();
});

people('find the invitations to them on the page of their account', async () => {
  const { page, told, focuses, isAccessible } = visitor;
  await site.user('lena');
  for (const name of ['One <b>', 'Two']) {
    const team = await site.api('POST', '/api/v1/teams', { name, type: 'starter' });
    await site.api('POST', `/api/v1/teams/${team.id}/invitations`, { user: 'lena', role: 'member' });
    await site.link('lena@example.net');
  }
  await signIn(visitor, 'lena');
  await page.getByRole('button', { name: 'Join the team One <b>' }).click();
  await told('status', /You are in the team One <b> now/);
  await focuses('invitations-title');
  await isAccessible();
  await page.getByRole('button', { name: 'Decline the invitation to the team Two' }).click();
  await told('status', /Two is declined/);
  await page.getByText('Nobody has invited you').waitFor();
});

people('change their name, and their address by a link to the new one', async () => {
  const { page, told, focuses, isAccessible } = visitor;
  await site.user('rosa');
  await signIn(visitor, 'rosa');
  await page.getByLabel('Name', { exact: true }).fill('Rosa <i>');
  await page.keyboard.press('Enter');
  await told('status', /^Saved\.$/);
  await page.getByLabel('Username').fill('ADMIN');
  await page.keyboard.press('Enter');
  await page
    .locator('#username-error', { hasText: /^Username cannot be ADMIN, because another user has it\.$/ })
    .waitFor();
  await focuses('username');
  await isAccessible();
  await page.getByLabel('Username').fill('rosa');
  const profile = page.getByRole('region', { name: 'Profile' });
  assert.not(await profile.getByLabel('Current password').isVisible(), 'only a new address needs it');
  await page.getByLabel('Email').fill('rosa@example.org');
  await page.keyboard.press('Tab');
  await focuses('currentPassword');
  await page.keyboard.type('not this one');
  await page.keyboard.press('Enter');
  await told('alert', /the current password is another/);
  await isAccessible();
  await profile.getByLabel('Current password').fill(password);
  await page.keyboard.press('Enter');
  await told('status', /mail is on its way to rosa@example.org/);
  await eventually(async () => assert.is(await page.getByLabel('Email').inputValue(), 'rosa@example.net'));
  await page.getByText('It becomes rosa@example.org').waitFor();
  await isAccessible();
  await page.goto(await newLink('rosa'));
  await told('status', /rosa@example.org is verified/);
  await openAccount(page);
  await eventually(async () => assert.is(await page.getByLabel('Email').inputValue(), 'rosa@example.org'));
  await eventually(async () => assert.is(await page.getByLabel('Name', { exact: true }).inputValue(), 'Rosa <i>'));
  await takesBack('rosa@example.net');
});

/** The old address is taken back by the link that went there: by a press, and nobody is signed in any more. */
async function takesBack(old: string): Promise<void> {
  const { page, told, focuses, isAccessible } = visitor;
  const link = await site.link(old);
  assert.match(link, '/account/restore-email?token=');
  await page.goto(link);
  await eventually(() => assert.is(new URL(page.url()).search, '', 'the token is gone from the address'));
  await isAccessible();
  const press = page.getByRole('button', { name: 'Take this address back' });
  await press.waitFor();
  await press.focus();
  await focuses('Take this address back');
  await page.keyboard.press('Enter');
  await told('status', /./);
  await isAccessible();
  assert.not(await press.isVisible(), 'it works once');
  await page.goto(link);
  await press.click();
  await told('alert', /opens nothing/);
  await isAccessible();
  await openAccountSignedOut(page);
}

/** A new address gets a link, and the old one is told: in any order. */
async function newLink(username: string): Promise<string> {
  const mails = await site.mailbox.received(site.mailbox.mails.length);
  await until(() => site.mailbox.mails.some(({ to }) => to[0] === `${username}@example.org`));
  return /^http\S+verify\S+$/m.exec(mails.find(({ to }) => to[0] === `${username}@example.org`)?.text ?? '')?.[0] ?? '';
}

people('change their password, which ends their other sessions', async () => {
  const { page, told, isAccessible } = visitor;
  await site.user('paul');
  const other = await visit(browser, site.base);
  await signIn(other, 'paul');
  await signIn(visitor, 'paul');
  const form = page.getByRole('region', { name: 'Password' });
  await form.getByLabel('Current password').fill('not this one');
  await form.getByLabel('New password').fill('a wholly new password');
  await page.keyboard.press('Enter');
  await told('alert', /the current password is another/);
  await form.getByLabel('Current password').fill(password);
  await form.getByLabel('New password').fill('password123');
  await page.keyboard.press('Enter');
  await page.locator('#new-error', { hasText: 'many people use' }).waitFor();
  await isAccessible();
  await form.getByLabel('New password').fill('a wholly new password');
  await page.keyboard.press('Enter');
  await told('status', /is changed/);
  await eventually(async () => assert.is(await form.getByLabel('Current password').inputValue(), ''));
  await eventually(async () => assert.is(await page.locator('#sessions li').count(), 1));
  // The other one learns of it when it does something, and comes back by signing in.
  await other.page.getByRole('button', { name: 'Save' }).click();
  await other.page.waitForURL('/account/login?next=%2Faccount%2Fsettings');
  await other.told('status', /Sign in to go on/);
  await other.page.getByLabel('Username').fill('paul');
  await other.page.getByLabel('Password').fill('a wholly new password');
  await other.page.keyboard.press('Enter');
  await atAccount(other.page);
  assert.equal(other.complaints, []);
  await other.context.close();
});

people('make a token, which is shown once and works, and revoke it', async () => {
  const { page, told, focuses, isAccessible } = visitor;
  await site.user('tina');
  await signIn(visitor, 'tina');
  const name = '<script>alert(1)</script>'.repeat(3);
  await page.getByLabel('Name of a new token').fill(name);
  await page.getByLabel('Ends').fill('2001-01-01T00:00');
  await page.getByRole('button', { name: 'Make a token' }).click();
  await page.locator('#token-expires-error', { hasText: 'past' }).waitFor();
  await focuses('token-expires');
  await page.getByLabel('Ends').fill('2101-01-01T00:00');
  await page.getByRole('button', { name: 'Make a token' }).dblclick();
  const shown = page.getByLabel('Your new token');
  await shown.waitFor();
  const token = await shown.inputValue();
  assert.match(token, /^weirp_\w{46}$/);
  await focuses('token');
  await eventually(async () =>
    assert.is(await page.evaluate('String(getSelection())'), token, 'it is selected, to be copied'),
  );
  await page.getByRole('button', { name: `Revoke the token ${name}` }).waitFor();
  await eventually(async () => assert.is(await page.locator('#tokens li').count(), 1, 'pressed twice, made once'));
  await isAccessible();
  const withToken = () => fetch(`${site.base}/api/v1/user`, { headers: { authorization: `Bearer ${token}` } });
  assert.is((await withToken()).status, 200);
  await page.reload();
  await page.getByText(/ends 1 Jan 2101, 00:00 [A-Z]+/).waitFor();
  assert.not.match(await page.content(), token);
  await eventually(async () => assert.not.ok(await shown.isVisible()));
  page.once('dialog', (dialog) => dialog.dismiss());
  await page.getByRole('button', { name: 'Revoke' }).click();
  page.once('dialog', (dialog) => dialog.accept());
  await page.getByRole('button', { name: 'Revoke' }).press('Enter');
  await told('status', /is revoked/);
  await focuses('tokens-title');
  await page.getByText('You have no tokens').waitFor();
  assert.is((await withToken()).status, 401);
});

people('see where they are signed in, end that, and sign out', async () => {
  const { page, told, context } = visitor;
  await site.user('sam');
  const other = await visit(browser, site.base);
  await signIn(other, 'sam');
  await signIn(visitor, 'sam');
  const sessions = page.locator('#sessions li');
  await sessions.nth(1).waitFor();
  await eventually(async () => assert.is(await sessions.filter({ hasText: 'Chrome on Linux (this one)' }).count(), 1));
  await sessions
    .filter({ hasNotText: '(this one)' })
    .getByRole('button', { name: /^End the session of Chrome/ })
    .click();
  await told('status', /ended/);
  await eventually(async () => assert.is(await sessions.count(), 1));
  await other.page.reload();
  await other.page.waitForURL('/account/login?next=%2Faccount%2Fsettings');
  await other.context.close();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL('/account/login');
  assert.equal(await context.cookies(), []);
  await page.goBack();
  await page.waitForURL('/account/login?next=%2Faccount%2Fsettings');
});

people('whose domain signs in elsewhere are shown the way, without a password', async () => {
  const { page, context, isAccessible } = visitor;
  // From here on it is the business of the provider, which is none of ours.
  const left = { contentType: 'text/html', body: 'on the way to the provider' };
  await context.route('**/sso/saml/corp/login', (route) => route.fulfill(left));
  await page.goto('/account/login');
  await page.getByLabel('Username').fill('Zoe@corp.example');
  await page.keyboard.press('Tab');
  const link = page.getByRole('link', { name: 'Sign in with your organisation' });
  await link.waitFor();
  await eventually(async () => assert.is(await link.getAttribute('href'), `${site.base}/sso/saml/corp/login`));
  await isAccessible();
  await Promise.all([page.waitForURL('/sso/saml/corp/login'), page.keyboard.press('Enter')]);
  await page.goto('/account/login');
  await page.getByLabel('Username').fill('zoe@corp.example');
  await page.getByLabel('Password').fill(password);
  await Promise.all([page.waitForURL('/sso/saml/corp/login'), page.keyboard.press('Enter')]);
});

people('are led nowhere else by an address that says so', async () => {
  const { page } = visitor;
  const elsewhere = [
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/..//evil.example',
    '/.//evil.example/%2e%2e',
    'https://evil.example',
    'javascript:alert(1)',
    ' //evil.example',
  ];
  for (const next of elsewhere) {
    await page.goto(`/account/login?next=${encodeURIComponent(next)}`);
    await page.getByLabel('Username').fill('admin');
    await page.getByLabel('Password').fill(password);
    const left = page.waitForURL((url) => url.pathname !== '/account/login');
    await Promise.all([left, page.keyboard.press('Enter')]);
    assert.is(new URL(page.url()).origin, site.base, next);
  }
});

people.run();
