// Tells the owner of an address by mail that somebody else registered with it.
import { userCalled } from '../core/model/user-called.ts';
import { addressInUse } from '../mail/messages.ts';
import type { Services } from './services.ts';

type Around = Pick<Services, 'door' | 'mailer' | 'baseUrl' | 'clock' | 'addressMails'>;

/** At most once a day. */
export function tellOfAddressInUse(email: string, { door, mailer, baseUrl, clock, addressMails }: Around): void {
  const at = clock();
  const owner = userCalled(door.store.read(), email);
  if (!owner || !mailer.configured() || typeof addressMails.take(owner.id, at) === 'number') return;
  mailer.send(addressInUse({ baseUrl, to: email, username: owner.name, at }));
}
