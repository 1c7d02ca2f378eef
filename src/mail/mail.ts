// What the rest of the program knows of outgoing mail: a letter, who sends it, and what became of it.

/** A letter to one person. Both texts may hold secrets (links): they are sent, and never told to a log. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
}

/**
 * `sent`: the mail server took it. `failed`: it was refused, or could not be delivered in all tries. `dropped`: it was given up without
 * a verdict of the mail server (email is off, the queue is full, this process stops).
 */
export type MailOutcome = 'sent' | 'failed' | 'dropped';

/** Hears what became of a letter; `mayWorkLater`: what failed was the way, not the letter, so that another one may arrive. */
export type MailTold = (outcome: MailOutcome, mayWorkLater: boolean) => void;

/** Sends letters in the background. What waits is in this process only: a letter is lost when the process is killed. */
export interface Mailer {
  /** Takes a letter and returns at once. Never throws: what becomes of it is told to the log and to `told`. */
  send(mail: Mail, told?: MailTold): void;
  /** Whether email is on now. */
  configured(): boolean;
  /** How many letters are neither delivered nor given up. */
  waiting(): number;
  /** Takes no more letters, tries once what still waits, for a few seconds, and gives up the rest. */
  close(): Promise<void>;
}

/** `Platform.spec.email` as it is now, with the password in clear. */
export interface EmailSettings {
  /** `name@example.com` or `Name <name@example.com>`. */
  readonly from: string;
  readonly smtp: {
    readonly host: string;
    /** Absent: 465 when `secure`, else 587. */
    readonly port?: number | undefined;
    /** Whether TLS begins with the connection; otherwise it is upgraded where the server offers it. */
    readonly secure: boolean;
    readonly username?: string | undefined;
    /** Absent beside a username: its secret could not be read, and nothing can be sent. */
    readonly password?: string | undefined;
  };
}

/** How what happens is told to the operator. */
export type MailLog = (
  level: 'info' | 'warn' | 'error',
  message: string,
  details?: Readonly<Record<string, unknown>>,
) => void;
