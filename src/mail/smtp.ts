// The mailer over SMTP: a bounded queue in this process, several tries a letter, every outcome told.
import { newId } from '../lib/id.ts';
import { type Letter, oneLine } from './compose.ts';
import { type Connect, connectTcp } from './connect.ts';
import { deliver, withTimeout } from './deliver.ts';
import type { Failure } from './failure.ts';
import type { EmailSettings, Mail, Mailer, MailLog, MailOutcome, MailTold } from './mail.ts';

export interface MailerOptions {
  /** Asked at each try, because the Platform may change; nothing means that email is off. */
  readonly settings: () => EmailSettings | undefined;
  readonly log: MailLog;
  /** Told once for each letter. */
  readonly onOutcome?: (outcome: MailOutcome) => void;
  /** The waits before the second try, the third …, in milliseconds. */
  readonly retryMs?: readonly number[];
  /** How many letters may wait; more are dropped. */
  readonly capacity?: number;
  /** How long `close` goes on delivering, in milliseconds. */
  readonly closeMs?: number;
  /** The longest wait for the mail server to connect, to greet and to answer, in milliseconds. */
  readonly answerMs?: number;
  readonly connect?: Connect;
}

/** Makes a mailer. Letters go out four at a time, each over a connection of its own. */
export function createMailer(options: MailerOptions): Mailer {
  const desk: Desk = {
    ...defaults,
    ...options,
    letters: new Set(),
    due: [],
    sending: 0,
    stop: new AbortController(),
    emptied: () => {},
    closed: undefined,
  };
  return {
    send: (mail, told) => take(desk, mail, told),
    configured: () => settingsOf(desk) !== undefined,
    waiting: () => desk.letters.size,
    close: () => {
      desk.closed ??= close(desk);
      return desk.closed;
    },
  };
}

const defaults = {
  retryMs: [2000, 15_000, 60_000, 300_000],
  capacity: 1000,
  closeMs: 3000,
  answerMs: 10_000,
  connect: connectTcp,
  onOutcome: () => {},
} satisfies Partial<MailerOptions>;

const sendingAtOnce = 4;

/** A server that answers a letter at a time, just before each time-out, shall not hold its place for ever. */
const longestTryMs = 60_000;

interface Entry extends Letter {
  readonly told: MailTold | undefined;
  tries: number;
  timer?: NodeJS.Timeout;
}

interface Desk extends Required<MailerOptions> {
  /** All that are neither delivered nor given up. */
  readonly letters: Set<Entry>;
  /** Those whose time has come. */
  readonly due: Entry[];
  sending: number;
  /** Ends every try under way. */
  readonly stop: AbortController;
  /** Called when the last letter has gone. */
  emptied: () => void;
  closed: Promise<void> | undefined;
}

function take(desk: Desk, mail: Mail, told: Entry['told']): void {
  const entry: Entry = { ...mail, id: newId(), date: new Date(), tries: 0, told };
  desk.letters.add(entry);
  const refusal = refusalOf(desk);
  if (refusal !== undefined) {
    conclude(desk, entry, 'dropped', refusal);
    return;
  }
  desk.due.push(entry);
  sendDue(desk);
}

function refusalOf(desk: Desk): string | undefined {
  if (desk.closed !== undefined) return 'this server stops';
  if (settingsOf(desk) === undefined) return emailIsOff;
  if (desk.letters.size > desk.capacity)
    return `${desk.capacity} mails wait already, as many as may: the mail server must take some first`;
  return undefined;
}

/** Reading the settings reads secrets, which may be gone: then nothing can be sent. */
function settingsOf({ settings }: Desk): EmailSettings | undefined {
  try {
    return settings();
  } catch {
    return undefined;
  }
}

function sendDue(desk: Desk): void {
  while (desk.sending < sendingAtOnce) {
    const entry = desk.due.shift();
    if (!entry) return;
    desk.sending += 1;
    void trySending(desk, entry).then((failure) => {
      desk.sending -= 1;
      judge(desk, entry, failure);
      sendDue(desk);
    });
  }
}

async function trySending(desk: Desk, entry: Entry): Promise<Failure | undefined> {
  const settings = settingsOf(desk);
  if (!settings) return { temporary: true, reason: emailIsOff };
  const signal = withTimeout(desk.stop.signal, longestTryMs);
  return deliver(entry, { settings, connect: desk.connect, answerMs: desk.answerMs, signal });
}

function judge(desk: Desk, entry: Entry, failure: Failure | undefined): void {
  // One that was given up while it was under way has been told already.
  if (!desk.letters.has(entry)) return;
  if (!failure) {
    conclude(desk, entry, 'sent');
    return;
  }
  const wait = failure.temporary ? desk.retryMs[entry.tries] : undefined;
  if (wait === undefined) conclude(desk, entry, 'failed', failure.reason, failure.temporary);
  else if (desk.closed !== undefined) conclude(desk, entry, 'dropped', `${failure.reason}, and this server stops`);
  else retryLater(desk, entry, failure, wait);
}

function retryLater(desk: Desk, entry: Entry, { reason }: Failure, wait: number): void {
  entry.tries += 1;
  desk.log('warn', `${named(entry)} could not be sent yet, because ${reason}; next try in ${wait / 1000} s`);
  entry.timer = setTimeout(() => {
    delete entry.timer;
    desk.due.push(entry);
    sendDue(desk);
  }, wait);
}

function conclude(
  desk: Desk,
  entry: Entry,
  outcome: MailOutcome,
  reason?: string,
  mayWorkLater = outcome === 'dropped',
): void {
  desk.letters.delete(entry);
  if (outcome === 'sent') desk.log('info', `${named(entry)} was sent`);
  else
    desk.log(
      'error',
      `${named(entry)} ${outcome === 'failed' ? 'could not be sent' : 'was dropped'}, because ${reason}`,
    );
  desk.onOutcome(outcome);
  entry.told?.(outcome, mayWorkLater);
  if (desk.letters.size === 0) desk.emptied();
}

/** A letter as the log may name it: what it says is nobody's business. Quotes in the subject are single ones, as it stands in double ones. */
function named({ to, subject }: Mail): string {
  return `mail to ${oneLine(to).slice(0, 254)} ("${oneLine(subject).replaceAll('"', "'").slice(0, 200)}")`;
}

async function close(desk: Desk): Promise<void> {
  const emptied = new Promise<void>((done) => {
    desk.emptied = done;
  });
  for (const entry of desk.letters) {
    if (!entry.timer) continue;
    clearTimeout(entry.timer);
    delete entry.timer;
    desk.due.push(entry);
  }
  sendDue(desk);
  if (desk.letters.size > 0) await Promise.race([emptied, elapsed(desk.closeMs, emptied)]);
  const left = [...desk.letters];
  desk.due.length = 0;
  for (const entry of left) conclude(desk, entry, 'dropped', 'this server stops, and the mail server has not taken it');
  desk.stop.abort();
}

/** Resolves after a time, and holds nothing up when `sooner` has resolved. */
function elapsed(ms: number, sooner: Promise<void>): Promise<void> {
  return new Promise((done) => {
    const timer = setTimeout(done, ms);
    void sooner.then(() => clearTimeout(timer));
  });
}

const emailIsOff = 'email is off: Platform/platform has no email, or its secrets cannot be read';
