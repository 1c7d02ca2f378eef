// Why a letter could not be delivered, in words for the operator, and whether another try may help. Never what the letter says.
import { oneLine } from './compose.ts';
import type { Mail } from './mail.ts';

/** `temporary`: the same letter may be taken later. `reason` can follow "because". */
export interface Failure {
  readonly temporary: boolean;
  readonly reason: string;
}

/** Reads what nodemailer or the system says. 4yz answers and a broken connection are temporary, 5yz answers are not (RFC 5321, 4.2.1). */
export function failureOf(error: unknown, mail: Mail): Failure {
  const problem: Problem = error instanceof Error ? error : {};
  const code = problem.originalCode ?? problem.code ?? 'unknown';
  const temporary = problem.responseCode ? problem.permanent !== true : !useless.has(code);
  return { temporary, reason: reasonOf(problem, code, mail) };
}

interface Problem {
  readonly message?: string;
  readonly code?: string;
  readonly originalCode?: string;
  readonly response?: string;
  readonly responseCode?: number;
  readonly permanent?: boolean;
}

function reasonOf(problem: Problem, code: string, mail: Mail): string {
  // A server may repeat what it was sent, and while signing in that is the password.
  if (problem.code === 'EAUTH')
    return `the mail server did not accept the sign-in (${codesOf(problem.response)}): email.smtp.username and email.smtp.password of Platform/platform must be right`;
  if (problem.code === 'ETLS' && problem.response)
    return `the mail server does not begin TLS (${codesOf(problem.response)}), and no password is sent over a network without it`;
  if (problem.response) return `the mail server answered "${withoutSecrets(problem.response, mail)}"`;
  if (untrusted.test(code))
    return `the certificate of the mail server cannot be trusted (${code}): it must be valid for email.smtp.host and come from an authority that this system knows, or that NODE_EXTRA_CA_CERTS names`;
  return words[code] ?? `of an error (${code}: ${withoutSecrets(problem.message ?? 'nothing is known of it', mail)})`;
}

/** The answer's numbers alone: `535 5.7.8`. */
function codesOf(response = ''): string {
  return /^\d{3}(?:[ -]\d\.\d{1,3}\.\d{1,3})?/.exec(response)?.[0].replace('-', ' ') ?? 'without an answer';
}

/** An answer as one line, without any piece of the letter's secrets that it may quote. */
function withoutSecrets(answer: string, { text, html = '' }: Mail): string {
  const secrets = `${text}\n${html}`.match(/[\w-]{20,}/g) ?? [];
  const shown = oneLine(answer).slice(0, longestAnswer);
  return shown.replaceAll(/\S+/g, (word) => (secrets.some((secret) => shares(word, secret)) ? '…' : word));
}

/** Whether a word has six characters in a row in common with a secret. */
function shares(word: string, secret: string): boolean {
  for (let at = 0; at + 6 <= word.length; at += 1) if (secret.includes(word.slice(at, at + 6))) return true;
  return false;
}

const longestAnswer = 300;

/** Codes of errors that another try would meet again. */
const useless = new Set(['EENVELOPE', 'EMESSAGE', 'ECONFIG', 'EFILEACCESS', 'EURLACCESS', 'EAUTH', 'ENOAUTH']);

const untrusted = /CERT|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH|INVALID_PURPOSE|INVALID_CA/;

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at email.smtp.host and port',
  ENOTFOUND: 'the name email.smtp.host is not known',
  EAI_AGAIN: 'the name email.smtp.host could not be looked up',
  EHOSTUNREACH: 'email.smtp.host cannot be reached from here',
  ENETUNREACH: 'email.smtp.host cannot be reached from here',
  ECONNRESET: 'the mail server cut the connection',
  ECONNECTION: 'the mail server closed the connection',
  EPIPE: 'the mail server closed the connection',
  ETIMEDOUT: 'the mail server did not answer in time',
  EABORT: 'the mail server did not take it in time',
  ERR_SSL_WRONG_VERSION_NUMBER:
    'the mail server does not speak TLS from the beginning, as email.smtp.secure says: set it to false, or give the port of TLS (465)',
};
