// Mail over SMTP, to a real server on the loopback: delivered, tried again, given up, and never told to anybody else.
import { createServer as createWebServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { EmailSettings, Mail } from '../../src/mail/mail.ts';
import { freePort } from '../support/free-port.ts';
import { until } from '../support/until.ts';
import { closeAll, deskWith, letter, secret, settingsFor, startPeer } from './desk.ts';

const mails = suite('a mail');
mails.after.each(closeAll);

mails('arrives with its texts, its sender and what a mail must have', async () => {
  const server = await startPeer();
  const { mailer, outcomes, log } = deskWith({
    settings: () => settingsFor(server, { from: '"Flows, Inc." <flows@example.com>' }),
  });
  mailer.send({
    ...letter,
    subject: 'Grüße an “Zoë” — bitte lesen, es ist wirklich ein langer Betreff',
    html: '<p>Hällo</p>',
  });
  const [mail] = await server.received(1);
  assert.is(mail?.from, 'flows@example.com');
  assert.equal(mail?.to, ['ann@example.com']);
  assert.is(mail?.header('from'), '"Flows, Inc." <flows@example.com>');
  assert.is(mail?.header('to'), 'ann@example.com');
  assert.is(mail?.header('subject'), 'Grüße an “Zoë” — bitte lesen, es ist wirklich ein langer Betreff');
  assert.is(mail?.header('auto-submitted'), 'auto-generated');
  assert.match(mail?.header('message-id') ?? '', /^<[0-9A-Za-z]{22}@example\.com>$/);
  assert.ok(Math.abs(Date.parse(mail?.header('date') ?? '') - Date.now()) < 600_000);
  assert.not.ok(mail?.headers.has('x-mailer'));
  assert.is(mail?.text.trim(), letter.text.trim());
  assert.is(mail?.html.trim(), '<p>Hällo</p>');
  await until(() => outcomes.length === 1);
  assert.equal(outcomes, ['sent']);
  assert.match(log.join('\n'), /^info mail to ann@example\.com \("Grüße .*"\) was sent$/);
  assert.is(mailer.waiting(), 0);
});

mails('stands in the log with its subject in quotes that do not nest', async () => {
  const server = await startPeer();
  const { mailer, outcomes, log } = deskWith({ settings: () => settingsFor(server) });
  mailer.send({ ...letter, subject: 'Invitation to the team "Plant 1"' });
  await until(() => outcomes.length === 1);
  const [mail] = await server.received(1);
  assert.is(mail?.header('subject'), 'Invitation to the team "Plant 1"');
  assert.is(log.at(-1), `info mail to ann@example.com ("Invitation to the team 'Plant 1'") was sent`);
});

mails('is taken at once, and never throws', async () => {
  const broken = deskWith({
    settings: () => {
      throw new Error('the secret is gone');
    },
  });
  broken.mailer.send(letter);
  assert.not.ok(broken.mailer.configured());
  assert.equal(broken.outcomes, ['dropped']);
  assert.match(broken.log.join(), /was dropped, because email is off/);
  const off = deskWith({ settings: () => undefined });
  off.mailer.send(letter);
  assert.not.ok(off.mailer.configured());
  assert.equal(off.outcomes, ['dropped']);
});

mails('is tried again after a temporary refusal, as the same mail', async () => {
  const ids: string[] = [];
  const server = await startPeer({
    rejectMail: (mail, attempt) => {
      ids.push(`${mail.header('message-id')} ${mail.header('date')}`);
      return attempt < 3 ? [451, '4.3.0 Come back later'] : undefined;
    },
  });
  const { mailer, outcomes, log } = deskWith({ settings: () => settingsFor(server) });
  mailer.send(letter);
  await server.received(1);
  await until(() => outcomes.length === 1);
  assert.equal(outcomes, ['sent']);
  assert.is(ids.length, 3);
  assert.is(new Set(ids).size, 1);
  assert.match(
    log[0] ?? '',
    /^warn .* could not be sent yet, because the mail server answered ".*451 4\.3\.0 Come back later.*"; next try in 0\.01 s$/,
  );
});

mails('is given up when every try met a temporary refusal', async () => {
  const server = await startPeer({ rejectRecipient: () => [450, '4.2.1 Mailbox busy'] });
  const { mailer, outcomes, log } = deskWith({ settings: () => settingsFor(server), retryMs: [1, 2] });
  mailer.send(letter);
  await until(() => outcomes.length === 1);
  assert.equal(outcomes, ['failed']);
  assert.is(server.connections(), 3);
  assert.match(log.at(-1) ?? '', /^error mail to ann@example\.com .* could not be sent, because .*Mailbox busy/);
});

mails('is not tried again after a permanent refusal', async () => {
  for (const options of [
    { rejectRecipient: () => [550, '5.1.1 No such user'] as const },
    { rejectMail: () => [554, '5.7.1 Refused'] as const },
  ]) {
    const server = await startPeer(options);
    const { mailer, outcomes, log } = deskWith({ settings: () => settingsFor(server) });
    mailer.send(letter);
    await until(() => outcomes.length === 1);
    await delay(40);
    assert.equal(outcomes, ['failed']);
    assert.is(server.connections(), 1);
    assert.match(
      log.join('\n'),
      /^error .* because the mail server answered "55[04] 5\.[17]\.1 (No such user|Refused)"$/,
    );
  }
});

mails('waits for a server that is down', async () => {
  const gone = { host: '127.0.0.1', port: await freePort() };
  const { mailer, outcomes, log } = deskWith({ settings: () => settingsFor(gone), retryMs: Array(5000).fill(20) });
  mailer.send(letter);
  await until(() => log.length >= 2);
  assert.match(log[0] ?? '', /because nothing listens at email\.smtp\.host and port; next try/);
  const back = await startPeer({ port: gone.port });
  await back.received(1);
  await until(() => outcomes.length === 1);
  assert.equal(outcomes, ['sent']);
});

mails('goes to the server that the settings name when it is sent', async () => {
  const [first, second] = [await startPeer({ rejectMail: () => [421, '4.3.2 Moving'] }), await startPeer()];
  let settings: EmailSettings | undefined = settingsFor(first);
  const { mailer, outcomes } = deskWith({ settings: () => settings, retryMs: Array(5000).fill(50) });
  mailer.send(letter);
  await until(() => first.connections() > 0);
  settings = settingsFor(second, { from: 'new@example.org' });
  const [mail] = await second.received(1);
  assert.is(mail?.from, 'new@example.org');
  await until(() => outcomes.length === 1);
  settings = undefined;
  assert.not.ok(mailer.configured());
  mailer.send(letter);
  await until(() => outcomes.length === 2);
  assert.equal(outcomes, ['sent', 'dropped']);
});

mails('that waits when email is switched off is given up, and says so', async () => {
  let settings: EmailSettings | undefined;
  const server = await startPeer({
    rejectMail: () => {
      settings = undefined;
      return [451, '4.3.0 Later'];
    },
  });
  settings = settingsFor(server);
  const { mailer, outcomes, log } = deskWith({ settings: () => settings, retryMs: [20, 20] });
  mailer.send(letter);
  await until(() => outcomes.length === 1);
  assert.equal(outcomes, ['failed']);
  assert.match(log.at(-1) ?? '', /because email is off/);
});

mails('finds no end at a server that never answers', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await until(() => silent.listening);
  const { mailer, outcomes, log } = deskWith({
    settings: () => settingsFor({ host: '127.0.0.1', port: portOf(silent) }),
    answerMs: 50,
    retryMs: [],
  });
  mailer.send(letter);
  await until(() => outcomes.length === 1);
  assert.equal(outcomes, ['failed']);
  assert.match(log.join(), /because the mail server did not answer in time/);
  silent.close();
});

mails('beyond the capacity of the queue is dropped, and the log says why', async () => {
  const server = await startPeer({ slowMs: 100 });
  const { mailer, outcomes, log } = deskWith({ settings: () => settingsFor(server), capacity: 6 });
  for (let count = 0; count < 8; count += 1) mailer.send(letter);
  assert.equal(outcomes, ['dropped', 'dropped']);
  assert.is(mailer.waiting(), 6);
  assert.match(log[0] ?? '', /^error .* was dropped, because 6 mails wait already, as many as may/);
  await server.received(6);
  await until(() => outcomes.length === 8);
  mailer.send(letter);
  await server.received(7);
});

mails('goes out with three others at most at the same time', async () => {
  const server = await startPeer({ slowMs: 1000 });
  const { mailer } = deskWith({ settings: () => settingsFor(server) });
  for (let count = 0; count < 10; count += 1) mailer.send(letter);
  await server.received(10);
  assert.is(server.mostAtOnce(), 4);
});

mails.run();

const headers = suite('what stands in a header');
headers.after.each(closeAll);

headers('cannot begin another header, whatever a subject holds', async () => {
  const server = await startPeer();
  const { mailer, log } = deskWith({ settings: () => settingsFor(server) });
  const attacks = ['\r\n', '\n', '\r', '\u0000\r\n', '\u2028', '\r\n\r\n'].map(
    (end) => `Hello${end}Bcc: eve@example.com`,
  );
  for (const subject of attacks) mailer.send({ ...letter, subject });
  for (const mail of await server.received(attacks.length)) {
    assert.equal(mail.to, ['ann@example.com']);
    assert.not.ok(mail.headers.has('bcc'));
    assert.is(mail.header('subject'), 'Hello Bcc: eve@example.com');
    assert.is(mail.text.trim(), letter.text.trim());
  }
  await until(() => log.length === attacks.length);
  for (const line of log) assert.not.match(line, /[\r\n\u2028]/);
});

headers('is never an address that is none', async () => {
  const server = await startPeer();
  const { mailer, outcomes, log } = deskWith({ settings: () => settingsFor(server) });
  const attacks = [
    'ann@example.com\r\nBcc: eve@example.com',
    'ann@example.com>\r\nRCPT TO:<eve@example.com',
    'ann@example.com, eve@example.com',
    'Ann <ann@example.com>',
    'ann@exam\u0000ple.com',
    'ann@example.com\u2028',
    'undisclosed:eve@example.com;',
    'nobody',
    '',
  ];
  for (const to of attacks) mailer.send({ ...letter, to });
  await until(() => outcomes.length === attacks.length);
  assert.equal(new Set(outcomes), new Set(['failed']));
  assert.is(server.connections(), 0);
  for (const line of log)
    assert.match(line, /^error mail to [^\r\n\u2028]* could not be sent, because that is not an email address$/);
});

headers('is never a sender that is none', async () => {
  const server = await startPeer();
  for (const from of [
    'Weir',
    'a@example.com, b@example.com',
    'Weir <weir@example.com>\r\nBcc: eve@example.com',
    '<>',
  ]) {
    const { mailer, outcomes, log } = deskWith({ settings: () => settingsFor(server, { from }), retryMs: [] });
    mailer.send(letter);
    await until(() => outcomes.length === 1);
    assert.equal(outcomes, ['failed'], from);
    assert.match(log.join(), /because email\.from of Platform\/platform is no email address/);
  }
  assert.is(server.connections(), 0);
});

headers('keeps a name of the sender on its line', async () => {
  const server = await startPeer();
  const { mailer } = deskWith({
    settings: () => settingsFor(server, { from: 'Weir\r\nBcc: eve@example.com <weir@example.com>' }),
  });
  mailer.send(letter);
  const [mail] = await server.received(1);
  assert.not.ok(mail?.headers.has('bcc'));
  assert.equal(mail?.to, ['ann@example.com']);
});

headers('and body never come from a file or an address', async () => {
  const server = await startPeer();
  let asked = 0;
  const web = createWebServer((_, answer) => {
    asked += 1;
    answer.end('fetched');
  }).listen(0, '127.0.0.1');
  await until(() => web.listening);
  const { mailer, outcomes } = deskWith({ settings: () => settingsFor(server) });
  for (const body of [{ path: '/etc/passwd' }, { href: `http://127.0.0.1:${portOf(web)}/` }]) {
    const crafted: object = { ...letter, text: body };
    mailer.send(crafted as Mail);
  }
  await until(() => outcomes.length === 2);
  web.close();
  assert.equal(outcomes, ['failed', 'failed']);
  assert.is(server.mails.length, 0);
  assert.is(asked, 0);
  await until(() => server.open() === 0);
});

headers.run();

const closing = suite('closing');
closing.after.each(closeAll);

closing('waits for what is under way, and takes nothing new', async () => {
  const server = await startPeer({ slowMs: 80 });
  const { mailer, outcomes, log } = deskWith({ settings: () => settingsFor(server), closeMs: 60_000 });
  for (let count = 0; count < 6; count += 1) mailer.send(letter);
  const closed = mailer.close();
  mailer.send(letter);
  assert.match(log.join(), /was dropped, because this server stops/);
  await closed;
  assert.is(server.mails.length, 6);
  assert.equal(outcomes, ['dropped', ...Array(6).fill('sent')]);
  assert.is(mailer.waiting(), 0);
  await mailer.close();
});

closing('tries once more what waits for its next try, and says what was not sent', async () => {
  const server = await startPeer({
    rejectRecipient: (address, attempt) => (address.startsWith('bob') || attempt < 3 ? [450, '4.2.1 Busy'] : undefined),
  });
  const { mailer, outcomes, log } = deskWith({
    settings: () => settingsFor(server),
    retryMs: [600_000],
    closeMs: 60_000,
  });
  mailer.send(letter);
  await until(() => log.length === 1);
  mailer.send({ ...letter, to: 'bob@example.com' });
  await until(() => log.length === 2);
  await mailer.close();
  assert.equal(outcomes.toSorted(), ['failed', 'sent']);
  assert.match(log.join('\n'), /error mail to bob@example\.com .* could not be sent, because .*Busy/);
});

closing('gives up after its time, and ends the connections', async () => {
  const server = await startPeer({ slowMs: 240_000 });
  const { mailer, outcomes, log } = deskWith({ settings: () => settingsFor(server), closeMs: 80 });
  for (let count = 0; count < 6; count += 1) mailer.send(letter);
  await until(() => server.connections() === 4);
  const started = performance.now();
  await mailer.close();
  assert.equal(outcomes, Array(6).fill('dropped'));
  for (const line of log)
    assert.match(
      line,
      /^error mail to ann@example\.com .* was dropped, because this server stops, and the mail server has not taken it$/,
    );
  await until(() => server.open() === 0);
  assert.ok(performance.now() - started < 120_000, 'long before the server would have answered');
  assert.is(outcomes.length, 6, 'each is told once');
});

closing('is quick when nothing waits', async () => {
  const { mailer } = deskWith({ settings: () => undefined, closeMs: 240_000 });
  const started = performance.now();
  await mailer.close();
  assert.ok(performance.now() - started < 120_000);
});

closing.run();

const secrecy = suite('the log');
secrecy.after.each(closeAll);

secrecy('never shows what a mail says, also when the server repeats it', async () => {
  const link = `https://weir.example.com/account/reset-password?token=${secret}`;
  const server = await startPeer({
    rejectMail: () => [
      554,
      `5.7.1 Refused for its link ${link} (${secret.slice(3, 14)}) in account of ann@example.com`,
    ],
  });
  const { mailer, outcomes, log } = deskWith({ settings: () => settingsFor(server) });
  mailer.send({ ...letter, text: `Open ${link}`, html: `<a href="${link}">Open</a>` });
  await until(() => outcomes.length === 1);
  assert.match(log.join(), /answered "554 5\.7\.1 Refused for its link … … in account of ann@example\.com"/);
  for (let at = 0; at + 6 <= secret.length; at += 1) assert.not.ok(log.join().includes(secret.slice(at, at + 6)));
});

secrecy('never shows the password of the mail server', async () => {
  const auth = { username: 'weir', password: 'kept-in-the-dark' };
  const server = await startPeer({ auth: { ...auth, password: 'another' }, tls: 'starttls' });
  const { mailer, outcomes, log } = deskWith({
    settings: () => settingsFor(server, { ...auth }),
    trusted: true,
  });
  mailer.send(letter);
  await until(() => outcomes.length === 1);
  assert.equal(outcomes, ['failed']);
  assert.match(log.join(), /did not accept the sign-in \(535 5\.7\.8\)/);
  assert.not.match(log.join(), /dark|Wrong name/);
});

secrecy.run();

function portOf(server: Server): number {
  const address = server.address();
  return address !== null && typeof address === 'object' ? address.port : 0;
}
