// One try to deliver a letter over SMTP (RFC 5321), with TLS (RFC 3207, 8314) wherever a network is crossed with a password.
import { addressOf, compose, type Letter, senderOf } from './compose.ts';
import type { Connect, Connection } from './connect.ts';
import { type Failure, failureOf } from './failure.ts';
import type { EmailSettings } from './mail.ts';

export interface Route {
  readonly settings: EmailSettings;
  readonly connect: Connect;
  /** The longest wait for a connection, for the greeting, and for each answer, in milliseconds. */
  readonly answerMs: number;
  /** Gives the try up. */
  readonly signal: AbortSignal;
}

/** Answers nothing when the mail server took the letter, and else why it did not. Never rejects. */
export async function deliver(letter: Letter, route: Route): Promise<Failure | undefined> {
  const { from, smtp } = route.settings;
  const [sender, recipient] = [senderOf(from), addressOf(letter.to)];
  if (!recipient) return { temporary: false, reason: 'that is not an email address' };
  if (!sender) return { temporary: true, reason: 'email.from of Platform/platform is no email address' };
  if (smtp.username !== undefined && !smtp.password) return { temporary: true, reason: noPassword };
  // Loaded with the first letter: many servers never send one.
  const { createTransport } = await import('nodemailer');
  let connection: Connection | undefined;
  try {
    connection = await route.connect(hostOf(smtp), portOf(smtp), withTimeout(route.signal, route.answerMs));
    const transport = createTransport(transportOptions(route, connection));
    await transport.sendMail({ ...compose(letter, sender, recipient), signal: route.signal });
    return undefined;
  } catch (error) {
    connection?.socket.destroy();
    return failureOf(error, letter);
  }
}

/** Both signals in one. */
export function withTimeout(signal: AbortSignal, ms: number): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(ms)]);
}

function transportOptions({ settings: { smtp }, answerMs }: Route, { socket, loopback }: Connection) {
  const { username: user, password: pass } = smtp;
  return {
    connection: socket,
    host: hostOf(smtp),
    port: portOf(smtp),
    secure: smtp.secure,
    ...(user === undefined ? {} : { auth: { user, pass }, requireTLS: !smtp.secure && !loopback }),
    // The mail server that a system brings along has a certificate that it made itself. Where no network is crossed and no
    // password is shown, there is nothing that a proof of its name would guard.
    tls: { rejectUnauthorized: smtp.secure || !loopback || user !== undefined },
    connectionTimeout: answerMs,
    greetingTimeout: answerMs,
    socketTimeout: answerMs,
    socketCloseTimeout: Math.min(answerMs, 1000),
  };
}

/** Without the brackets that an IPv6 address has in URLs. */
function hostOf({ host }: EmailSettings['smtp']): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}

function portOf({ port, secure }: EmailSettings['smtp']): number {
  return port ?? (secure ? 465 : 587);
}

const noPassword =
  'email.smtp has a username, and its password could not be read: the secret that Platform/platform names must be there';
