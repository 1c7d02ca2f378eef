// Tells the owner of an address by mail that somebody else gave it: whoever did is answered as with any other, and learns nothing.
import type { Resource } from '../core/model/resource.ts';
import { userCalled } from '../core/model/user-called.ts';
import { addressInUse, addressWanted } from '../mail/messages.ts';
import type { Services } from './services.ts';

type Around = Pick<Services, 'door' | 'mailer' | 'baseUrl' | 'clock' | 'addressMails'>;

/** That somebody registered with it; at most one mail a day. */
export function tellOfAddressInUse(email: string, around: Around): void {
  const owner = userCalled(around.door.store.read(), email);
  if (owner) tell(addressInUse, owner, email, around);
}

/** That it was given as the new one of another account; at most one mail a day. Answers whether it is somebody else's. */
export function tellOfAddressWanted(email: string, by: string, around: Around): boolean {
  const owner = userCalled(around.door.store.read(), email);
  if (!owner || owner.id === by) return false;
  tell(addressWanted, owner, email, around);
  return true;
}

function tell(
  message: typeof addressInUse,
  { id, name }: Resource<'User'>,
  to: string,
  { mailer, baseUrl, clock, addressMails }: Around,
): void {
  const at = clock();
  if (!mailer.configured() || typeof addressMails.take(id, at) === 'number') return;
  mailer.send(message({ baseUrl, to, username: name, at }));
}
