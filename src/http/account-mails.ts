// The mails with links to an account, sent once the links are durable.
import { type Change, changesOf } from '../core/model/change.ts';
import type { Purpose } from '../core/proposals/issue-action-token.ts';
import { emailChanged, resetPassword, verifyEmail } from '../mail/messages.ts';
import type { Services } from './services.ts';

type Around = Pick<Services, 'door' | 'mailer' | 'baseUrl'>;

/** Mails the link that was made to verify an address; nothing where none was made. */
export function mailVerification(services: Around, changes: readonly Change[], token: string): void {
  const made = madeFor('verify-email', services, changes);
  if (made) services.mailer.send(verifyEmail({ ...made, token }));
}

/** Mails the link that was made to set a new password; nothing where none was made. */
export function mailReset(services: Around, changes: readonly Change[], token: string): void {
  const made = madeFor('reset-password', services, changes);
  if (made) services.mailer.send(resetPassword({ ...made, token }));
}

/** Tells an address that another one took its place, with the link that takes it back; nothing where none was made. */
export function mailUndo(services: Around, changes: readonly Change[], token: string): void {
  const made = madeFor('restore-email', services, changes);
  if (made) services.mailer.send(emailChanged({ ...made, undo: { token, expiresAt: made.expiresAt } }));
}

function madeFor(purpose: Purpose, { door, baseUrl }: Around, changes: readonly Change[]) {
  const made = changesOf(changes, 'ActionToken').find(({ after }) => after?.spec.purpose === purpose)?.after;
  const user = made && door.store.read().get('User', made.spec.user);
  if (!made || !user) return undefined;
  const { email: to, expiresAt } = made.spec;
  return { baseUrl, to, username: user.name, newEmail: user.spec.email, at: made.createdAt, expiresAt };
}
