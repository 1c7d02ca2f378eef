// sso-licence: single sign-on needs an enterprise licence (specification 1).
import { singleton } from '../model/view.ts';
import { type Rule, violation } from './rule.ts';
import { judgedByPlatform } from './touches.ts';

export const ssoLicence: Rule = {
  id: 'sso-licence',
  refuses: 'an active SSO configuration without an enterprise licence',
  *check(batch) {
    if (singleton(batch.after, 'Platform').spec.licence === 'enterprise') return;
    for (const config of judgedByPlatform(batch, 'SsoConfig', '/spec/licence'))
      if (config.spec.active)
        yield violation(
          'sso-licence',
          config,
          '/spec/active',
          'cannot be active, because single sign-on needs "licence: enterprise" in Platform/platform',
        );
  },
};
