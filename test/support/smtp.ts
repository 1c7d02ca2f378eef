// A real SMTP server on the loopback, that keeps what it is sent.
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SMTPServer } from 'smtp-server';
import { type ReadMail, readMail } from './read-mail.ts';
import { until } from './until.ts';

export interface SmtpOptions {
  /** The one account that may send; without it nobody signs in. */
  readonly auth?: { readonly username: string; readonly password: string };
  /** `starttls` offers the upgrade, `implicit` begins with TLS; without it there is none. The certificate is for localhost, by `authority`. */
  readonly tls?: 'starttls' | 'implicit';
  /** Asked before a mail's recipient is accepted: a code and text refuse it. `attempt` counts from 1. */
  readonly rejectRecipient?: (address: string, attempt: number) => readonly [code: number, text: string] | undefined;
  /** Asked after a mail has come. */
  readonly rejectMail?: (mail: ReadMail, attempt: number) => readonly [code: number, text: string] | undefined;
  /** Held up for so long before a mail is answered, in milliseconds. */
  readonly slowMs?: number;
  /** The port to listen on; one that is free when absent. */
  readonly port?: number;
}

export interface ReceivedMail extends ReadMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Whether it came over TLS. */
  readonly secure: boolean;
  /** Who had signed in. */
  readonly user: string | undefined;
}

export interface SmtpPeer {
  readonly host: '127.0.0.1';
  readonly port: number;
  /** All that were accepted, in order. */
  readonly mails: readonly ReceivedMail[];
  /** The passwords that were shown, and whether TLS hid them. */
  readonly signIns: readonly { readonly username: string; readonly password: string; readonly secure: boolean }[];
  /** How many connections were made. */
  connections(): number;
  /** How many of them are open. */
  open(): number;
  /** How many mails it was given at the same time at most. */
  mostAtOnce(): number;
  /** Waits until at least `count` mails are there, and answers all. */
  received(count: number): Promise<readonly ReceivedMail[]>;
  close(): Promise<void>;
}

/** The certificate of the authority that vouches for the server's. */
export const authority: string = pem('authority');

/** Starts a server on 127.0.0.1. */
export async function startSmtp(options: SmtpOptions = {}): Promise<SmtpPeer> {
  const kept: Kept = { mails: [], signIns: [], recipients: 0, attempts: 0, connections: 0, atOnce: 0, mostAtOnce: 0 };
  const server = createServer(options, kept);
  await new Promise<void>((done, fail) => {
    server.once('error', fail);
    server.listen(options.port ?? 0, '127.0.0.1', done);
  });
  // A client that goes away in the middle is what some tests are about.
  server.removeAllListeners('error').on('error', () => {});
  return {
    host: '127.0.0.1',
    port: (server.server.address() as AddressInfo).port,
    mails: kept.mails,
    signIns: kept.signIns,
    connections: () => kept.connections,
    open: () => server.connections.size,
    mostAtOnce: () => kept.mostAtOnce,
    received: async (count) => {
      await until(`${count} mails are there`, () => kept.mails.length >= count, {
        now: () => kept.mails.map(({ to }) => to),
      });
      return kept.mails;
    },
    close: () => new Promise((done) => server.close(done)),
  };
}

interface Kept {
  readonly mails: ReceivedMail[];
  readonly signIns: { username: string; password: string; secure: boolean }[];
  recipients: number;
  attempts: number;
  connections: number;
  atOnce: number;
  mostAtOnce: number;
}

function createServer(options: SmtpOptions, kept: Kept): SMTPServer {
  const { auth, tls } = options;
  return new SMTPServer({
    ...(tls === undefined ? {} : { key: pem('server-key'), cert: pem('server') }),
    secure: tls === 'implicit',
    disabledCommands: [...(auth ? [] : ['AUTH']), ...(tls === 'starttls' ? [] : ['STARTTLS'])],
    allowInsecureAuth: true,
    disableReverseLookup: true,
    closeTimeout: 100,
    onConnect: (_, done) => {
      kept.connections += 1;
      done();
    },
    onAuth: ({ username = '', password }, { secure }, done) => {
      kept.signIns.push({ username, password: password ?? '', secure });
      if (username === auth?.username && password === auth.password) done(null, { user: username });
      else done(refusal(535, '5.7.8 Wrong name or password'));
    },
    onRcptTo: ({ address }, _, done) => {
      kept.recipients += 1;
      const reason = options.rejectRecipient?.(address, kept.recipients);
      done(reason && refusal(...reason));
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', async () => {
        const { envelope, secure, user } = session;
        const mail = readMail(Buffer.concat(chunks).toString('latin1'));
        kept.attempts += 1;
        const reason = options.rejectMail?.(mail, kept.attempts);
        kept.atOnce += 1;
        kept.mostAtOnce = Math.max(kept.mostAtOnce, kept.atOnce);
        if (options.slowMs) await delay(options.slowMs, undefined, { ref: false });
        kept.atOnce -= 1;
        if (!reason) {
          const from = envelope.mailFrom ? envelope.mailFrom.address : '';
          kept.mails.push({ ...mail, from, to: envelope.rcptTo.map(({ address }) => address), secure, user });
        }
        done(reason && refusal(...reason));
      });
    },
  });
}

function refusal(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode });
}

function pem(name: string): string {
  return readFileSync(join(import.meta.dirname, 'certificates', `${name}.pem`), 'utf8');
}
