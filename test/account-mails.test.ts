// timeout: 400
// What people are mailed of their accounts: the real server, over real connections, with a real mail server; and the link that takes an address back.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { password, type Site, startSite } from './http/site.ts';
import type { ReceivedMail } from './support/smtp.ts';
import { until } from './support/until.ts';

const mails = suite('mails of an account');

const certificate = readFileSync(join(import.meta.dirname, 'support/certificates/authority.pem'), 'utf8');

/** Somebody who is signed in: answers the status and body of what they ask. */
async function signIn({ base }: Site, username: string, secret = password) {
  let cookie = '';
  const ask = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { 'content-type': 'application/json', cookie, origin: base },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    for (const one of response.headers.getSetCookie()) cookie = one.split(';')[0] ?? '';
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  };
  assert.is((await ask('POST', '/account/login', { username, password: secret })).status, 200, username);
  return ask;
}

/** Waits for a mail to an address. */
async function mailTo({ mailbox }: Site, to: string, subject: string): Promise<ReceivedMail> {
  const found = () => mailbox.mails.find((mail) => mail.to.includes(to) && mail.header('subject') === subject);
  await until(`${to} gets "${subject}"`, async () => found() !== undefined);
  return found() as ReceivedMail;
}

const open = (site: Site, path: string, body: object) =>
  fetch(`${site.base}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: site.base },
    body: JSON.stringify(body),
  });

/** The token at the end of a link, the same in both forms of the mail. */
function tokenIn({ text, html }: ReceivedMail, link: string): string {
  const token = text.slice(text.indexOf(link) + link.length).split('\n')[0] ?? '';
  assert.match(token, /^[0-9A-Za-z]{40}$/, text);
  assert.ok(html.includes(token));
  return token;
}

mails('tell of a new token, of a password, of a new admin, and of single sign-on', async () => {
  const site = await startSite();
  try {
    await site.user('bea');
    const bea = await signIn(site, 'bea');
    const made = await bea('POST', '/api/v1/user/tokens', { name: 'ci', scope: 'plan', expiresAt: null });
    assert.is(made.status, 201);
    const told = await mailTo(site, 'bea@example.net', 'A token was made for your account');
    assert.match(told.text, /the token "ci" was made for the account "bea"\. It has the\s+scope "plan" and never ends/);
    assert.ok(told.text.includes(`${site.base}/account/settings`), told.text);
    assert.not.ok(told.text.includes(made.body.token) || told.html.includes(made.body.token), 'never the token');

    const change = { current: password, new: 'seven grey herons' };
    assert.is((await bea('PUT', '/api/v1/user/password', change)).status, 200);
    assert.match(
      (await mailTo(site, 'bea@example.net', 'Your password was changed')).text,
      /account "bea" was changed/,
    );

    const { id } = (await bea('GET', '/api/v1/user')).body;
    const admin = await signIn(site, 'admin');
    assert.is((await admin('PUT', `/api/v1/users/${id}`, { admin: true })).status, 200);
    await mailTo(site, 'bea@example.net', '"bea" is an admin now');
    const { email } = (await admin('GET', '/api/v1/user')).body;
    await mailTo(site, email, '"bea" is an admin now');

    const spec = {
      emailDomain: 'dir.example',
      provider: 'saml',
      active: true,
      saml: { signOnUrl: 'https://idp.dir.example/sso', issuer: 'dir', certificate },
    };
    const sso = await admin('POST', '/api/v1/sso-configs', { name: 'dir', spec });
    assert.is(sso.status, 201, JSON.stringify(sso.body));
    const active = await mailTo(site, email, 'Single sign-on is active for dir. example');
    assert.match(active.text, /"dir" was\s+activated/);
    for (const mail of site.mailbox.mails)
      for (const secret of [password, change.new])
        assert.not.ok(mail.text.includes(secret) || mail.html.includes(secret));
  } finally {
    await site.close();
  }
});

mails('go to both addresses when one takes the place of another, and a link takes the old one back', async () => {
  const site = await startSite();
  try {
    await site.user('bea');
    const bea = await signIn(site, 'bea');
    const elsewhere = await signIn(site, 'bea');
    const change = { email: 'thief@example.org', currentPassword: password };
    assert.is((await bea('PUT', '/api/v1/user', change)).status, 200);
    await mailTo(site, 'bea@example.net', 'A new email address was given for your account');
    const confirm = await mailTo(site, 'thief@example.org', 'Confirm your email address');
    const link = tokenIn(confirm, `${site.base}/account/login?verify=`);
    assert.is(
      (await open(site, '/account/verify-email', { token: link })).status,
      401,
      'a link alone confirms nothing',
    );
    assert.is((await bea('POST', '/account/verify-email', { token: link })).status, 200);
    await mailTo(site, 'thief@example.org', 'This is the email address of your account now');
    assert.is((await elsewhere('GET', '/api/v1/user')).status, 401, 'other sessions end');
    const changed = await mailTo(site, 'bea@example.net', 'The email address of your account was changed');
    const undo = tokenIn(changed, `${site.base}/account/restore-email?token=`);

    const restored = await open(site, '/account/restore-email', { token: undo });
    assert.is(restored.status, 200);
    assert.is((await bea('GET', '/api/v1/user')).status, 401, 'and with it the session of whoever changed it');
    assert.is((await open(site, '/account/restore-email', { token: undo })).status, 400, 'once');
    // Whoever changed it knew the password: it opens nothing, and a link for another one is in the mail.
    const old = await open(site, '/account/login', { username: 'bea', password });
    assert.is(old.status, 401);
    const reset = tokenIn(
      await mailTo(site, 'bea@example.net', 'Set a new password'),
      `${site.base}/account/reset-password?token=`,
    );
    const fresh = 'eight blue otters';
    assert.is((await open(site, '/account/reset-password', { token: reset, password: fresh })).status, 200);
    const again = await signIn(site, 'bea@example.net', fresh);
    assert.is((await again('GET', '/api/v1/user')).body.email, 'bea@example.net');
  } finally {
    await site.close();
  }
});

mails('tell the owner of an address who tried to have it, and nobody else', async () => {
  const site = await startSite();
  try {
    await site.user('bea');
    await site.user('ivo');
    const registered = await open(site, '/account/register', {
      username: 'mal',
      email: 'BEA@example.net',
      password: 'seven grey herons',
      teamType: 'pro',
    });
    assert.is(registered.status, 201);
    const told = await mailTo(site, 'bea@example.net', 'Somebody registered with your address');
    assert.match(told.text, /belongs to the account\s+"bea"/);
    assert.not.match(told.text, /mal|verify=/);
    const bea = await signIn(site, 'bea');
    const given = await bea('PUT', '/api/v1/user', { email: 'ivo@example.net', currentPassword: password });
    assert.equal([given.status, given.body.pendingEmail], [200, 'ivo@example.net']);
    const wanted = await mailTo(site, 'ivo@example.net', 'Somebody gave your address for another account');
    assert.not.match(wanted.text, /bea|verify=/);
    await mailTo(site, 'bea@example.net', 'A new email address was given for your account');
    const subjects = site.mailbox.mails.map((mail) => mail.header('subject'));
    assert.not.ok(subjects.includes('Confirm your email address'), String(subjects));
  } finally {
    await site.close();
  }
});

mails.run();
