// sso-domain-unique: one SSO configuration an email domain (specification 8).
import { type Rule, violation, written } from './rule.ts';

export const ssoDomainUnique: Rule = {
  id: 'sso-domain-unique',
  refuses: 'two SSO configurations for one email domain, whatever the case of its letters',
  *check(batch) {
    for (const { after } of written(batch, 'SsoConfig')) {
      const domain = after.spec.emailDomain;
      for (const other of batch.after.having('SsoConfig', `domain=${domain}`))
        if (other.id !== after.id)
          yield violation(
            'sso-domain-unique',
            after,
            '/spec/emailDomain',
            `emailDomain cannot be ${domain}, because SsoConfig/${other.name} has it already`,
          );
    }
  },
};
