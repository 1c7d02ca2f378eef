// From a letter to what nodemailer takes: every text that becomes a header is checked or cleaned here.
import type { SendMailOptions } from 'nodemailer';
import { emailAddress } from '../core/kinds/scalars.ts';
import type { Mail } from './mail.ts';

/** A letter with its identity, the same in every try, so that a mail system that gets it twice can tell. */
export interface Letter extends Mail {
  readonly id: string;
  readonly date: Date;
}

/** The one address in a text, as emails are kept here; nothing where it is none. */
export function addressOf(text: string): string | undefined {
  const { success, data } = emailAddress().safeParse(text);
  return success && !control.test(data) ? data : undefined;
}

/** `name@example.com` or `Name <name@example.com>` (the name with or without double quotes) in its parts; nothing where it is neither. */
export function senderOf(from: string): { readonly name: string; readonly address: string } | undefined {
  const [, name = '', inner] = /^([^<>]*)<([^<>]*)>\s*$/.exec(from) ?? [];
  const address = addressOf((inner ?? from).trim());
  return address === undefined ? undefined : { name: oneLine(name).replace(/^"(.*)"$/, '$1'), address };
}

/** A text as one line: without line breaks and control characters, so that it cannot begin another header or another line of a log. */
export function oneLine(text: string): string {
  return text.replaceAll(controls, ' ').replaceAll(/ {2,}/g, ' ').trim();
}

/** What nodemailer sends. `from` and `to` are addresses that were checked. */
export function compose(
  letter: Letter,
  from: { readonly name: string; readonly address: string },
  to: string,
): SendMailOptions {
  return {
    from,
    to: { name: '', address: to },
    subject: oneLine(letter.subject),
    text: letter.text,
    ...(letter.html === undefined ? {} : { html: letter.html }),
    date: letter.date,
    messageId: `<${letter.id}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`,
    // RFC 3834: nobody's absence notice shall answer.
    headers: { 'Auto-Submitted': 'auto-generated' },
    xMailer: false,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

const control = /[\p{Cc}\u2028\u2029]/u;
const controls = /[\p{Cc}\u2028\u2029]+/gu;
