// settings-need-email: what works by sending mail cannot be on while the platform sends none (specification 2.7).
import { singleton } from '../model/view.ts';
import { type Rule, violation } from './rule.ts';
import { isPlatformKnown } from './touches.ts';

const settings = ['registration', 'passwordReset', 'externalInvitations'] as const;

export const settingsNeedEmail: Rule = {
  id: 'settings-need-email',
  refuses: 'registration, password reset or external invitations while email is off',
  *check(batch) {
    if (!batch.changes.some(({ kind }) => kind === 'Platform' || kind === 'AdminSettings')) return;
    if (!isPlatformKnown(batch, '/spec/email') || singleton(batch.after, 'Platform').spec.email) return;
    const adminSettings = singleton(batch.after, 'AdminSettings');
    for (const setting of settings) {
      if (!adminSettings.spec[setting]) continue;
      const what = `${setting} cannot be on, because Platform/platform has no email: declare spec.email first`;
      yield violation('settings-need-email', adminSettings, `/spec/${setting}`, what);
    }
  },
};
