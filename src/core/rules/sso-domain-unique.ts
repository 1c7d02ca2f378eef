// sso-domain-unique: one SSO configuration an email domain (specification 8).
import { addressOf } from '../model/resource.ts';
import { type Batch, type Rule, some, violation, written } from './rule.ts';

export const ssoDomainUnique: Rule = {
  id: 'sso-domain-unique',
  refuses: 'two SSO configurations for one email domain, whatever the case of its letters',
  perChange: true,
  *check(batch) {
    for (const { after } of written(batch, 'SsoConfig')) {
      const domain = after.spec.emailDomain;
      const others = batch.after.countHaving('SsoConfig', keyOf(domain)) - 1;
      if (others < 1) continue;
      const who = some(addressesOf(batch, domain, after.id), others);
      const what = `emailDomain cannot be ${domain}, because ${who} ${others === 1 ? 'has' : 'have'} it already`;
      yield violation('sso-domain-unique', after, '/spec/emailDomain', what);
    }
  },
};

function keyOf(domain: string): string {
  return `domain=${domain}`;
}

function* addressesOf(batch: Batch, domain: string, except: string): Iterable<string> {
  for (const config of batch.after.having('SsoConfig', keyOf(domain)))
    if (config.id !== except) yield addressOf(config);
}
