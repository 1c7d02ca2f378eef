// The registry of what is fuzzed: one line a target.
import { answers } from './answers.ts';
import { backup } from './backup.ts';
import { http } from './http.ts';
import { ldapFilter } from './ldap-filter.ts';
import { ldapMessages } from './ldap-messages.ts';
import { plan } from './plan.ts';
import { saml } from './saml.ts';
import { samlCost } from './saml-cost.ts';
import { store } from './store.ts';
import { yaml } from './yaml.ts';

export const targets = {
  yaml,
  saml,
  'saml-cost': samlCost,
  'ldap-filter': ldapFilter,
  'ldap-messages': ldapMessages,
  http,
  store,
  answers,
  backup,
  plan,
} as const;
