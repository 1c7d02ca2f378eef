// The log of a server on stderr: lines for people, or one JSON object a line. No secret and no control character leaves in either.
import { pino } from 'pino';
import type { Attempt } from '../control/attempt.ts';
import type { Log } from '../control/turn.ts';
import type { Tree } from '../manifests/tree.ts';
import type { Options } from '../options.ts';
import type { Io } from './io.ts';
import { createLog, errorsOf, mostFindings, tellAttempt } from './log.ts';

/** How a server logs. Each line is written before the call returns, so that none is lost when the process ends. */
export interface Logger {
  readonly log: Log;
  /** Tells why an attempt was refused: its errors, as `validate` and `plan` would show them, or a line each. */
  readonly refused: (attempt: Attempt, tree: Pick<Tree, 'files'>) => void;
  /** The same surroundings; what is written to its stderr takes the form of the log, whatever the level. */
  readonly io: Io;
}

type LogOptions = Pick<Options, 'logFormat' | 'logLevel'>;

/** Makes the log that `--log-format` and `--log-level` ask for. */
export function createLogger(io: Io, { logFormat, logLevel }: LogOptions): Logger {
  return logFormat === 'json' ? jsonLogger(io, logLevel) : textLogger(io, logLevel);
}

const ranks = { debug: 0, info: 1, warn: 2, error: 3 } as const;

function textLogger(io: Io, least: LogOptions['logLevel']): Logger {
  const print = createLog(io);
  const log: Log = (level, message, details = {}) => {
    if (ranks[level] >= ranks[least]) print(level, withoutSecrets(message), redacted(details));
  };
  return { log, io, refused: (attempt, tree) => tellAttempt(attempt, tree, io) };
}

function jsonLogger(io: Io, least: LogOptions['logLevel']): Logger {
  const lines = pino(
    {
      level: least,
      base: null,
      timestamp: () => `,"time":"${io.now()}"`,
      formatters: { level: (level) => ({ level }) },
    },
    { write: (line: string) => io.stderr.write(safe(line)) },
  );
  const always = lines.child({}, { level: 'debug' });
  const log: Log = (level, message, details = {}) => lines[level](redacted(details), withoutSecrets(message));
  const stderr = { ...io.stderr, write: (text: string) => toldAnyway(text, (line) => always.warn(line)) };
  const refused = (attempt: Attempt) => {
    const errors = errorsOf(attempt);
    for (const { message, source, rule, kind, name, suggestion } of errors.slice(0, mostFindings))
      log('error', message, { rule, kind, name, ...source, suggestion });
    if (errors.length > mostFindings) log('error', `and ${errors.length - mostFindings} more errors`);
  };
  return { log, refused, io: { ...io, stderr } };
}

/** What is no line of the log by itself, such as the password of the first admin: one line of it for each. */
function toldAnyway(text: string, print: (line: string) => void): void {
  for (const line of text.split('\n')) if (line !== '') print(line.replace(/^weir: /, ''));
}

/** JSON leaves some characters as they are that move the cursor, or turn the direction of writing. */
function safe(line: string): string {
  return line.replace(unsafe, (sign) => `\\u${(sign.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);
}

const unsafe = /[\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

const redaction = '[redacted]';

/** Details without what is called like a secret, and without what looks like one. */
function redacted(details: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(details).map(([name, value]) => [
      name,
      secretName.test(name) ? redaction : typeof value === 'string' ? withoutSecrets(value) : value,
    ]),
  );
}

const secretName = /pass(word|phrase)|secret|token|authorization|cookie|assertion|api-?key/i;

/** Tokens of Weir, credentials of a request, and the password of an address. */
function withoutSecrets(text: string): string {
  return text
    .replace(/\bweir[a-z]*_[0-9A-Za-z]{20,}/g, redaction)
    .replace(/\b(Bearer|Basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${redaction}`)
    .replace(/(:\/\/[^\s/:@]*:)[^\s/@]+@/g, `$1${redaction}@`);
}
