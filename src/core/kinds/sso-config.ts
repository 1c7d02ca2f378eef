// The noun SsoConfig: how the users of one email domain sign in.
import { z } from 'zod';
import { defineKind, immutable, secret, setOf, textOrFile } from './kind.ts';
import { count, dnsDomain, flag, hours, optionalName } from './scalars.ts';
import { webAddress } from './web-address.ts';

// While a configuration is a draft anything of the right size is taken; whether it can work is asked when it is active.
const draft = (max: number) => z.string().max(max).optional();

const anyUser = '(uid=${username})';
const filterMeaning = 'The filter that finds a user; ${username} and ${email} stand for what was typed at sign-in.';

const saml = z
  .strictObject({
    signOnUrl: z
      .string()
      .max(2048)
      .overwrite((text) => webAddress(text) ?? text)
      .optional()
      .describe(
        'The single sign-on address of the identity provider (login URL, SAML endpoint), without a user name or password; kept in its normal form.',
      ),
    issuer: draft(1024).describe('The issuer id or URL of the identity provider (entity ID).'),
    certificate: textOrFile(131_072)
      .optional()
      .describe(
        'The certificate with the public key that the identity provider signs with: PEM, one or several, as text or {fromFile: path} relative to this document.',
      ),
    groupAssertionName: z
      .string()
      .min(1)
      .max(255)
      .default('svc-roles')
      .describe('The name of the assertion that carries the groups of a user.'),
  })
  .optional()
  .describe(
    'The values of the identity provider, where `provider` is `saml`. May be incomplete while the configuration is not active.',
  );

const tls = z
  .strictObject({
    mode: z
      .enum(['none', 'ldaps', 'startTls'])
      .default('none')
      .describe('No TLS (none), TLS from the first byte (ldaps), or an upgrade of the plain connection (startTls).'),
    verifyServerCertificate: flag(
      true,
      'Whether the certificate of the server must be valid. Acts when `mode` is not `none`.',
    ),
    ca: textOrFile(131_072)
      .optional()
      .describe(
        'Certificates of authorities that are trusted for this server: PEM, as text or {fromFile: path} relative to this document. Absent: those of the system.',
      ),
  })
  .prefault({})
  .describe('Encryption of the connection to the directory.');

const ldap = z
  .strictObject({
    server: draft(260).describe('The address of the directory with its port: `ldap.example.com:389`.'),
    username: draft(1024).describe('The DN to connect with; it must be allowed to look up users.'),
    password: secret().optional().describe('The password to connect with, by reference.'),
    baseDn: draft(1024).describe('The DN below which users are searched.'),
    userSearchFilter: z.string().max(1024).default(anyUser).describe(filterMeaning),
    tls,
    groupDn: draft(1024).describe('The DN below which groups are searched. Needed when roles come from groups.'),
    groupPrefixLength: count(255)
      .default(0)
      .describe('How many characters are cut from the front of a group name before it is read.'),
    groupSuffixLength: count(255)
      .default(0)
      .describe('How many characters are cut from the end of a group name before it is read.'),
  })
  .optional()
  .describe(
    'The values of the directory, where `provider` is `ldap`. May be incomplete while the configuration is not active.',
  );

const groups = z
  .strictObject({
    manageRoles: flag(
      false,
      'Whether team membership follows the groups of a user, named `svc-<team slug>-<role>`, at each sign-in.',
    ),
    scope: z
      .enum(['all', 'selected'])
      .default('all')
      .describe('Whether groups manage every team (all) or only those in `teams` (selected).'),
    teams: setOf(z.string().min(1).max(63).toLowerCase())
      .default([])
      .describe('The slugs of the teams that groups manage. Acts when `scope` is `selected`.'),
    allowOtherTeams: flag(
      false,
      'Whether users may be in teams that are not in `teams`. When false they are removed from those. Acts when `scope` is `selected`.',
    ),
    missing: z
      .enum(['keep', 'remove'])
      .default('keep')
      .describe(
        'What a sign-in means for which the provider told no groups at all: memberships and the admin flag stay as they are (keep), or it counts as being in no group (remove).',
      ),
    adminGroup: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .describe(
        'The group whose members are admins. Absent: the admin flag is not managed. The only admin always stays admin.',
      ),
  })
  .prefault({})
  .describe('What the groups of a user decide.');

/** A single sign-on configuration (specification 2.8, 2.9). Its activation needs an enterprise licence. */
export const ssoConfig = defineKind({
  kind: 'SsoConfig',
  plural: 'ssoConfigs',
  path: 'sso-configs',
  declared: true,
  summary: 'How the users of one email domain sign in: through SAML or LDAP.',
  spec: z.strictObject({
    label: optionalName(1000).default('').describe('What people read instead of the name.'),
    emailDomain: dnsDomain().describe(
      'The email domain whose users sign in this way, like `example.com`; kept in lower case, and in ASCII as DNS has it. One configuration a domain.',
    ),
    active: flag(
      false,
      'Whether the configuration acts. While false it is a draft: it may be incomplete and sign-ins do not change. Needs an enterprise licence.',
    ),
    provider: immutable(z.enum(['saml', 'ldap'])).describe('The kind of provider. Cannot change afterwards.'),
    saml,
    ldap,
    provisionNewUsers: flag(
      false,
      'Whether a user who is not known is created at the first sign-in. When false the user must exist already.',
    ),
    sessions: z
      .strictObject({
        expiryHours: hours()
          .optional()
          .describe('The longest life of a session, in hours (1 to 8760). Absent: as `Platform.spec.sessions` says.'),
        idleHours: hours()
          .optional()
          .describe(
            'How long a session may stay unused, in hours (1 to 8760). Absent: as `Platform.spec.sessions` says.',
          ),
      })
      .prefault({})
      .describe('How long sessions of these users last.'),
    groups,
    onDeactivation: z
      .strictObject({
        tokens: z
          .enum(['keep', 'revoke'])
          .default('keep')
          .describe(
            'Whether the access tokens of the accounts that sign in through the configuration alone outlive it (keep) or end with it (revoke). Their sessions always end.',
          ),
      })
      .prefault({})
      .describe(
        'What happens when the configuration acts no more as it did: it is deactivated or deleted, or another provider or domain takes the place of its own.',
      ),
  }),
  keys: (spec) => [`domain=${spec.emailDomain}`],
  example: `apiVersion: weir/v1
kind: SsoConfig
metadata:
  name: example-com
spec:
  label: Example Inc.
  emailDomain: example.com
  active: false
  provider: ldap
  ldap:
    server: ldap.example.com:636
    username: cn=weir,ou=services,dc=example,dc=com
    password: {fromFile: ldap}
    baseDn: ou=people,dc=example,dc=com
    tls: {mode: ldaps}
    groupDn: ou=groups,dc=example,dc=com
  provisionNewUsers: true
  groups:
    manageRoles: true
    adminGroup: weir-admins
`,
});
