// The mails with links to an account, sent once the links are durable.
import { type Change, changesOf } from '../core/model/change.ts';
import { resetPassword, verifyEmail } from '../mail/messages.ts';
import type { Services } from './services.ts';

type Around = Pick<Services, 'door' | 'mailer' | 'baseUrl'>;

/** Mails the link that was made to verify an address; nothing where none was made. */
export function mailVerification(services: Around, changes: readonly Change[], token: string): void {
  mailLink(services, changes, token, 'verify-email');
}

/** Mails the link that was made to set a new password; nothing where none was made. */
export function mailReset(services: Around, changes: readonly Change[], token: string): void {
  mailLink(services, changes, token, 'reset-password');
}

const messages = { 'verify-email': verifyEmail, 'reset-password': resetPassword } as const;

function mailLink(
  { door, mailer, baseUrl }: Around,
  changes: readonly Change[],
  token: string,
  purpose: keyof typeof messages,
): void {
  const made = [...changesOf(changes, 'ActionToken')].find(({ after }) => after?.spec.purpose === purpose)?.after;
  const user = made && door.store.read().get('User', made.spec.user);
  if (!made || !user) return;
  const { email: to, expiresAt } = made.spec;
  mailer.send(messages[purpose]({ baseUrl, to, username: user.name, token, expiresAt }));
}
