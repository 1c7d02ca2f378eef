// The mail that invites somebody, sent once the invitation is durable.
import { addressOfInvited } from '../core/model/invited.ts';
import type { View } from '../core/model/view.ts';
import { invitation as message } from '../mail/messages.ts';
import type { Services } from './services.ts';

/** Mails an invitation (by its id) with the token of its link; nothing while email is off: a user sees it in their list. */
export function mailInvitation(
  { mailer, baseUrl }: Pick<Services, 'mailer' | 'baseUrl'>,
  view: View,
  id: string,
  token: string,
): void {
  const invitation = view.get('Invitation', id);
  const to = invitation && addressOfInvited(view, invitation);
  if (!to || !mailer.configured()) return;
  const { team, inviter, role, expiresAt } = invitation.spec;
  const known = view.countHaving('User', `email=${to}`) > 0;
  const host = view.get('User', inviter);
  const names = {
    team: view.get('Team', team)?.spec.displayName ?? '',
    inviter: host?.spec.displayName || host?.name || '',
  };
  mailer.send(message({ baseUrl, to, ...names, role, known, token, expiresAt }));
}
