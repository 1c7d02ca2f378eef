// Tells the owners of a team by mail that a device of theirs shares its token.
import { ownerAddresses } from '../core/model/members.ts';
import type { View } from '../core/model/view.ts';
import { deviceCloned } from '../mail/messages.ts';
import type { Services } from './services.ts';

/** Once it is kept that a device is cloned; nothing while email is off. `id` is that of the device. */
export function tellOfClone(view: View, id: string, { mailer, baseUrl }: Pick<Services, 'mailer' | 'baseUrl'>): void {
  const device = view.get('Device', id);
  const found = device?.spec.conditions?.find(({ type }) => type === 'Cloned');
  if (!mailer.configured() || !device || !found) return;
  const team = view.get('Team', device.spec.team)?.spec.displayName ?? '';
  const about = { baseUrl, device, team, because: found.message, at: found.lastTransitionTime };
  for (const to of ownerAddresses(view, device.spec.team)) mailer.send(deviceCloned({ ...about, to }));
}
