// TLS and passwords: certificates are verified, and a password never crosses a network in clear.
import { hostname } from 'node:os';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Connect, connectTcp } from '../../src/mail/connect.ts';
import { until } from '../support/until.ts';
import { closeAll, type Desk, deskWith, letter, settingsFor, startPeer } from './desk.ts';

const auth = { username: 'weir', password: 'kept-in-the-dark' };

/** The real connection, as it would be if the server stood elsewhere. */
const overNetwork: Connect = async (host, port, signal) => ({
  ...(await connectTcp(host, port, signal)),
  loopback: false,
});

const signingIn = suite('a password');
signingIn.after.each(closeAll);

signingIn('is shown over STARTTLS to a server whose certificate is trusted', async () => {
  const server = await startPeer({ auth, tls: 'starttls' });
  for (const host of ['127.0.0.1', 'localhost']) {
    const desk = deskWith({
      settings: () => settingsFor(server, { ...auth, host }),
      trusted: true,
      connect: overNetwork,
    });
    desk.mailer.send(letter);
    await ended(desk);
    assert.equal(desk.outcomes, ['sent'], desk.log.join());
  }
  assert.equal(
    server.mails.map(({ secure, user }) => [secure, user]),
    [
      [true, 'weir'],
      [true, 'weir'],
    ],
  );
  assert.equal(server.signIns[0], { ...auth, secure: true });
});

signingIn('is shown over TLS from the beginning', async () => {
  const server = await startPeer({ auth, tls: 'implicit' });
  const desk = deskWith({ settings: () => settingsFor(server, { ...auth, secure: true }), trusted: true });
  desk.mailer.send(letter);
  const [mail] = await server.received(1);
  assert.ok(mail?.secure);
});

signingIn('is not shown to a server whose authority nobody knows', async () => {
  for (const tls of ['starttls', 'implicit'] as const) {
    const server = await startPeer({ auth, tls });
    for (const connect of [overNetwork, connectTcp]) {
      const settings = () => settingsFor(server, { ...auth, secure: tls === 'implicit' });
      const desk = deskWith({ settings, connect, retryMs: [] });
      desk.mailer.send(letter);
      await ended(desk);
      assert.equal(desk.outcomes, ['failed']);
      assert.match(
        desk.log.join(),
        /the certificate of the mail server cannot be trusted \([A-Z_]+\): .* NODE_EXTRA_CA_CERTS/,
      );
    }
    assert.equal(server.signIns, []);
  }
});

signingIn('is not shown to a server whose certificate is for another name', async () => {
  const server = await startPeer({ auth, tls: 'starttls' });
  // 127.1 is the loopback to the system, and no name in the certificate.
  const settings = () => settingsFor(server, { ...auth, host: '127.1' });
  const desk = deskWith({ settings, trusted: true, connect: overNetwork, retryMs: [] });
  desk.mailer.send(letter);
  await ended(desk);
  assert.match(desk.log.join(), /cannot be trusted \(ERR_TLS_CERT_ALTNAME_INVALID\)/);
  assert.equal(server.signIns, []);
});

signingIn('never crosses a network in clear, also when the server offers nothing else', async () => {
  const server = await startPeer({ auth });
  const desk = deskWith({ settings: () => settingsFor(server, auth), connect: overNetwork });
  desk.mailer.send(letter);
  await ended(desk);
  assert.equal(desk.outcomes, ['failed']);
  assert.match(desk.log.join(), /does not begin TLS \(5\d\d.*\), and no password is sent over a network without it/);
  assert.equal(server.signIns, []);
});

signingIn('may be shown in clear to this machine itself', async () => {
  const server = await startPeer({ auth });
  const desk = deskWith({ settings: () => settingsFor(server, auth) });
  desk.mailer.send(letter);
  const [mail] = await server.received(1);
  assert.is(mail?.user, 'weir');
});

signingIn('that could not be read keeps mails waiting, and says so', async () => {
  const server = await startPeer({ auth });
  let password = '';
  const settings = () => settingsFor(server, { username: 'weir', ...(password ? { password } : {}) });
  const desk = deskWith({ settings, retryMs: Array(100).fill(20) });
  desk.mailer.send(letter);
  await until(() => desk.log.length > 0);
  assert.match(desk.log[0] ?? '', /because email\.smtp has a username, and its password could not be read/);
  assert.is(server.connections(), 0);
  password = auth.password;
  await server.received(1);
});

signingIn.run();

const clear = suite('a mail without a sign-in');
clear.after.each(closeAll);

clear('goes over TLS where the server offers it, and only to one that is trusted', async () => {
  const server = await startPeer({ tls: 'starttls' });
  const refused = deskWith({ settings: () => settingsFor(server), connect: overNetwork, retryMs: [] });
  refused.mailer.send(letter);
  await ended(refused);
  assert.match(refused.log.join(), /cannot be trusted/);
  const trusting = deskWith({ settings: () => settingsFor(server), connect: overNetwork, trusted: true });
  trusting.mailer.send(letter);
  const [mail] = await server.received(1);
  assert.ok(mail?.secure);
});

clear('goes in clear where the server offers no TLS', async () => {
  const server = await startPeer();
  const desk = deskWith({ settings: () => settingsFor(server), connect: overNetwork });
  desk.mailer.send(letter);
  const [mail] = await server.received(1);
  assert.not.ok(mail?.secure);
});

clear('goes to the mail server of this machine, whose certificate is its own', async () => {
  const server = await startPeer({ tls: 'starttls' });
  const desk = deskWith({ settings: () => settingsFor(server) });
  desk.mailer.send(letter);
  const [mail] = await server.received(1);
  assert.ok(mail?.secure);
});

clear('says what is wrong when TLS from the beginning is not what the server speaks', async () => {
  const server = await startPeer();
  const desk = deskWith({ settings: () => settingsFor(server, { secure: true }), retryMs: [] });
  desk.mailer.send(letter);
  await ended(desk);
  assert.match(desk.log.join(), /does not speak TLS from the beginning, as email\.smtp\.secure says/);
});

clear.run();

const connections = suite('a connection');
connections.after.each(closeAll);

connections('is one of this machine by its real address, not by its name', async () => {
  const server = await startPeer();
  const signal = AbortSignal.timeout(60_000);
  for (const host of ['127.0.0.1', '127.1', 'localhost']) {
    const { socket, loopback } = await connectTcp(host, server.port, signal);
    assert.ok(loopback, host);
    socket.destroy();
  }
});

connections('to an unknown name says so', async () => {
  const settings = () => settingsFor({ host: `${hostname()}.nowhere.invalid`, port: 25 });
  const desk = deskWith({ settings, retryMs: [] });
  desk.mailer.send(letter);
  await ended(desk);
  assert.match(desk.log.join(), /the name email\.smtp\.host (is not known|could not be looked up)/);
});

connections('that was given up before it began is none', async () => {
  try {
    await connectTcp('127.0.0.1', 1, AbortSignal.abort());
    assert.unreachable();
  } catch (error) {
    assert.instance(error, Error);
  }
});

connections.run();

async function ended({ outcomes }: Desk): Promise<void> {
  await until(() => outcomes.length > 0);
}
