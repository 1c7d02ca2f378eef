// The mails that Weir sends: what they say, where they lead, and that no name in them does harm.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { escapeHtml, harmless } from '../../src/mail/harmless.ts';
import type { Mail } from '../../src/mail/mail.ts';
import {
  emailChangeAsked,
  emailChanged,
  invitation,
  passwordChanged,
  resetPassword,
  verifyEmail,
} from '../../src/mail/messages.ts';
import { closeAll, deskWith, secret, settingsFor, startPeer } from './desk.ts';

const about = { baseUrl: 'https://weir.example.com', to: 'ann@example.com' };
const expiresAt = '2026-11-28T09:05:00.000Z';
const invite = { ...about, inviter: 'Bob', team: 'Nord', role: 'member', known: true, token: secret, expiresAt };

const messages = suite('the mails');
messages.after.each(closeAll);

messages('lead to their page below the base URL, with their token', () => {
  const account = { ...about, username: 'ann', token: secret, expiresAt };
  assert.equal(linksOf(verifyEmail(account)), [`https://weir.example.com/account/login?verify=${secret}`]);
  assert.equal(linksOf(resetPassword(account)), [`https://weir.example.com/account/reset-password?token=${secret}`]);
  assert.equal(linksOf(invitation(invite)), [`https://weir.example.com/account/invitations/${secret}`]);
  const at = '2026-11-21T14:36:12.000Z';
  const changed = emailChanged({ ...about, username: 'ann', newEmail: 'new@example.org', at });
  assert.equal(linksOf(changed), ['https://weir.example.com/account/login']);
  assert.equal(linksOf(passwordChanged({ ...about, username: 'ann', at })), ['https://weir.example.com/account/login']);
  const asked = emailChangeAsked({ ...about, username: 'ann', newEmail: 'new@example.org', at });
  assert.equal(linksOf(asked), ['https://weir.example.com/account/login']);
  assert.match(asked.text, /14:36 UTC the address "new @ example\. org" was given for the account "ann"/);
});

messages('keep a base URL with a path or a slash at its end', () => {
  for (const baseUrl of ['https://example.com/weir', 'https://example.com/weir/'])
    assert.equal(linksOf(invitation({ ...invite, baseUrl })), [
      `https://example.com/weir/account/invitations/${secret}`,
    ]);
});

messages('encode whatever a token holds', () => {
  const token = 'a/b?c#d&e"f<g';
  assert.equal(linksOf(invitation({ ...invite, token })), [
    'https://weir.example.com/account/invitations/a%2Fb%3Fc%23d%26e%22f%3Cg',
  ]);
});

messages('say who asks for what, and until when', () => {
  const mail = invitation(invite);
  assert.is(mail.subject, 'Invitation to the team "Nord"');
  assert.is(
    mail.text,
    `"Bob" invites you to the team "Nord", with the role "member".

Sign in with the account that you have to accept.

See the invitation:
https://weir.example.com/account/invitations/${secret}

The invitation ends on 28 November 2026, 09:05 UTC.

If you do not know the sender or do not want to join, do nothing.

-- 
Sent by Weir, https://weir.example.com
`,
  );
  assert.match(invitation({ ...invite, known: false }).text, /register with this address to accept/);
  const at = '2026-11-21T14:36:12.000Z';
  const changed = emailChanged({ ...about, username: 'ann', newEmail: 'new@example.org', at });
  assert.match(
    changed.text,
    /On 21 November 2026, 14:36 UTC .* "ann" was changed from this one to "new @ example\. org"/,
  );
  assert.match(
    passwordChanged({ ...about, username: 'ann', at }).text,
    /the password of the account "ann" was changed/,
  );
});

messages('say the same in HTML, with one button', () => {
  const { html = '' } = invitation({ ...invite, team: '<b>&"x' });
  assert.is(html.match(/<a /g)?.length, 1);
  assert.not.match(html, /<(script|img|b|link|iframe|form)\b/);
  assert.match(html, /&#60;b&#62;&#38;&#39;x/);
});

messages('arrive as they were written', async () => {
  const server = await startPeer();
  const { mailer } = deskWith({ settings: () => settingsFor(server) });
  const mail = invitation({ ...invite, team: 'Größe 東京 🎉', inviter: "Zoë O'Hara" });
  mailer.send(mail);
  const [received] = await server.received(1);
  assert.is(received?.header('subject'), 'Invitation to the team "Größe 東京 🎉"');
  assert.is(received?.text.trim(), mail.text.trim());
  assert.is(received?.html.trim(), mail.html?.trim());
});

messages.run();

const names = suite('a name in a mail');

const examples: Readonly<Record<string, string>> = {
  'Team Nord': 'Team Nord',
  'Acme Inc. – Team 2.0': 'Acme Inc. – Team 2.0',
  'http://evil.example': 'http: //evil. example',
  'www.evil.example/x?y': 'www. evil. example/x?y',
  'evil.example': 'evil. example',
  'e\u200bvil\u2060.example': 'evil. example',
  'evil．example': 'evil. example',
  'evil。example': 'evil。 example',
  '💩.la': '💩. la',
  'http://127.0.0.1/': 'http: //127.0.0.1/',
  'mailto:eve@evil.example': 'mailto: eve @ evil. example',
  'javascript:alert(1)': 'javascript: alert(1)',
  '\\\\evil\\share': '\\ \\evil\\share',
  'a\r\nb\tc\u2028d\u0000e': 'a b c de',
  'A\u202eB': 'AB',
  'say "hi"': "say 'hi'",
  '  ': '',
};

names('stays readable, and is nothing that a mail program makes a link of', () => {
  for (const [name, shown] of Object.entries(examples)) assert.is(harmless(name), shown, name);
});

names('is one line of at most 100 characters', () => {
  assert.is([...harmless('🎉'.repeat(500))].length, 100);
  assert.ok(harmless('x'.repeat(500)).endsWith('x…'));
});

names('holds no link, whatever it is made of', () => {
  const pieces = fc.constantFrom(
    'http',
    'https',
    'www',
    ':',
    '//',
    '.',
    '@',
    'evil',
    'example',
    'com',
    ' ',
    '\n',
    '\u200b',
    '\u2060',
    '．',
    '"',
    '<',
    'é',
    '\\',
  );
  const text = fc.oneof(
    fc.array(pieces, { maxLength: 15 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary' }),
  );
  const property = fc.property(text, (name) => {
    const shown = harmless(name);
    assert.not.match(shown, /\S:\S|\S[.。]\p{L}|\S@|@\S|\\\\|[\p{Cc}\p{Cf}\u2028\u2029"]/u, JSON.stringify(shown));
    assert.is(harmless(shown), shown);
    assert.not.match(escapeHtml(shown), /[<>"']/);
  });
  fc.assert(property, { numRuns: 3000 });
});

names.run();

/** Every address in a mail, which must be the same in both texts; the footer's is its base URL. */
function linksOf({ text, html = '' }: Mail): readonly string[] {
  const inHtml = [...html.matchAll(/href="([^"]*)"/g)].map(([, address = '']) =>
    address.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))),
  );
  const [body = ''] = text.split('\n-- \n');
  assert.equal(body.match(/https?:\S+/g), inHtml);
  return inHtml;
}
