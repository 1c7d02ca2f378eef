// A mailer whose log and outcomes are kept, and what the tests of mail send.

import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { EmailSettings, Mail, Mailer, MailOutcome } from '../../src/mail/mail.ts';
import { createMailer, type MailerOptions } from '../../src/mail/smtp.ts';
import { authority, type SmtpOptions, type SmtpPeer, startSmtp } from '../support/smtp.ts';

export interface Desk {
  readonly mailer: Mailer;
  readonly outcomes: readonly MailOutcome[];
  /** `level message`, a line an event. */
  readonly log: readonly string[];
}

/** Makes a mailer with short waits. `trusted`: this process trusts the test server's authority, as by NODE_EXTRA_CA_CERTS. */
export function deskWith({ trusted = false, ...options }: Omit<MailerOptions, 'log'> & { trusted?: boolean }): Desk {
  setDefaultCACertificates(trusted ? [...bundled, authority] : bundled);
  const outcomes: MailOutcome[] = [];
  const log: string[] = [];
  const mailer = createMailer({
    retryMs: [10, 10, 10],
    closeMs: 1000,
    log: (level, message) => log.push(`${level} ${message}`),
    onOutcome: (outcome) => outcomes.push(outcome),
    ...options,
  });
  mailers.push(mailer);
  return { mailer, outcomes, log };
}

/** Starts a mail server that `closeAll` closes. */
export async function startPeer(options: SmtpOptions = {}): Promise<SmtpPeer> {
  const server = await startSmtp(options);
  servers.push(server);
  return server;
}

/** Closes all mailers and mail servers that were made. */
export async function closeAll(): Promise<void> {
  await Promise.all(mailers.splice(0).map((mailer) => mailer.close()));
  await Promise.all(servers.splice(0).map((server) => server.close()));
}

/** Settings for a server without TLS from the beginning. */
export function settingsFor(
  server: { readonly host: string; readonly port: number },
  {
    from = 'Weir <weir@example.com>',
    ...smtp
  }: { from?: string; secure?: boolean; host?: string; username?: string; password?: string } = {},
): EmailSettings {
  return { from, smtp: { host: server.host, port: server.port, secure: false, ...smtp } };
}

/** Stands for a token. */
export const secret = 'Zx81kQ7vRt20LmPq93sWnB';

export const letter: Mail = { to: 'ann@example.com', subject: 'Hello', text: 'Dear Ann,\n\nthis is all.\n' };

const bundled = getCACertificates('default');
const mailers: Mailer[] = [];
const servers: SmtpPeer[] = [];
