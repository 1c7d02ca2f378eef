// Tells users by mail what was changed of their accounts, so that they learn of it when it was not them.
import { type Change, changesOf } from '../core/model/change.ts';
import { userCalled } from '../core/model/user-called.ts';
import { addressInUse, emailChangeAsked, emailChanged, passwordChanged } from '../mail/messages.ts';
import type { Services } from './services.ts';

type Around = Pick<Services, 'door' | 'mailer' | 'baseUrl' | 'clock'>;

/**
 * Sends what changes give rise to, once they are kept: of a new password to the address; of a new address to the old one, and there already when
 * it was only asked for. Nothing while email is off, nor of a password that is gone.
 */
export function tellOfAccount(changes: readonly Change[], services: Around): void {
  const { mailer, baseUrl, clock } = services;
  if (!mailer.configured()) return;
  const at = clock();
  for (const { before, after } of changesOf(changes, 'User')) {
    if (!before || !after) continue;
    const about = { baseUrl, to: before.spec.email, username: after.name, at };
    if (before.spec.email !== after.spec.email) mailer.send(emailChanged({ ...about, newEmail: after.spec.email }));
    const { passwordHash } = after.spec;
    if (passwordHash !== undefined && before.spec.passwordHash !== passwordHash) mailer.send(passwordChanged(about));
  }
  tellOfAsked(changes, at, services);
}

/** Tells whoever has an address that somebody else registered with it, at most once a day. */
export function tellOfAddressInUse(
  email: string,
  { door, mailer, baseUrl, clock, addressMails }: Around & Pick<Services, 'addressMails'>,
): void {
  const at = clock();
  const owner = userCalled(door.store.read(), email);
  if (!owner || !mailer.configured() || typeof addressMails.take(owner.id, at) === 'number') return;
  mailer.send(addressInUse({ baseUrl, to: email, username: owner.name, at }));
}

/** A link to another address than the user has, which is what a change of address begins with. */
function tellOfAsked(changes: readonly Change[], at: string, { door, mailer, baseUrl }: Around): void {
  for (const { after: link } of changesOf(changes, 'ActionToken')) {
    const user = link && door.store.read().get('User', link.spec.user);
    if (!user || link.spec.email === user.spec.email) continue;
    const about = { baseUrl, to: user.spec.email, username: user.name, at };
    mailer.send(emailChangeAsked({ ...about, newEmail: link.spec.email }));
  }
}
