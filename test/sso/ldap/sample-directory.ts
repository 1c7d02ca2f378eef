// A directory of people and groups, some with names that nobody should have, and configurations that ask it.
import type { Secret } from '../../../src/core/kinds/kind.ts';
import { ssoConfig } from '../../../src/core/kinds/sso-config.ts';
import { defaultLifecycle } from '../../../src/core/model/resource.ts';
import type { SsoConfiguration } from '../../../src/sso/provider.ts';
import { rootDn, rootPassword } from '../../support/slapd.ts';

export const people = 'ou=people,dc=example,dc=com';

/** One entry of LDIF; every value goes as base64, so that it can be anything. */
export function entry(dn: string, attributes: Readonly<Record<string, string | readonly string[]>>): string {
  const line = (name: string, value: string) => `${name}:: ${Buffer.from(value).toString('base64')}`;
  const lines = Object.entries(attributes).flatMap(([name, values]) =>
    [values].flat().map((value) => line(name, value)),
  );
  return `${[line('dn', dn), ...lines].join('\n')}\n\n`;
}

export function unit(name: string): string {
  return entry(`ou=${name},dc=example,dc=com`, { objectClass: 'organizationalUnit', ou: name });
}

/** Someone with the password `pw-<uid>`. */
export function person(
  uid: string,
  more: Readonly<Record<string, string | readonly string[]>> = {},
  dn = `uid=${dnValue(uid)},${people}`,
): string {
  return entry(dn, {
    objectClass: 'inetOrgPerson',
    uid,
    cn: `${uid} cn`,
    sn: uid,
    userPassword: `pw-${uid}`,
    mail: `${mailName(uid)}@example.com`,
    ...more,
  });
}

export function group(
  name: string,
  members: readonly string[],
  dn = `cn=${dnValue(name)},ou=groups,dc=example,dc=com`,
): string {
  return entry(dn, { objectClass: 'groupOfNames', cn: name, member: members });
}

export function uniqueGroup(name: string, members: readonly string[]): string {
  return entry(`cn=${dnValue(name)},ou=groups,dc=example,dc=com`, {
    objectClass: 'groupOfUniqueNames',
    cn: name,
    uniqueMember: members,
  });
}

/** A value in a DN (RFC 4514, 2.4). */
export function dnValue(value: string): string {
  return [...value]
    .map((sign) =>
      /[\p{L}\p{N}-]/u.test(sign)
        ? sign
        : [...Buffer.from(sign)].map((byte) => `\\${byte.toString(16).padStart(2, '0')}`).join(''),
    )
    .join('');
}

export function mailName(uid: string): string {
  return uid.replace(/[^a-z0-9]/g, (sign) => `x${(sign.codePointAt(0) ?? 0).toString(16)}`);
}

/** Secrets of tests are written out. */
export function secretOf(secret: Secret): { readonly value: string } | { readonly message: string } {
  return 'value' in secret
    ? secret
    : { message: 'the secret file ldap is not in /run/secrets: mount or write it there' };
}

export interface ConfigOptions {
  readonly server: string;
  readonly ldap?: Readonly<Record<string, unknown>>;
  readonly groups?: Readonly<Record<string, unknown>>;
}

/** A configuration for example.com that signs in as the administrator of the directory. */
export function configuration({ server, ldap = {}, groups = {} }: ConfigOptions): SsoConfiguration {
  const spec = ssoConfig.spec.parse({
    emailDomain: 'example.com',
    provider: 'ldap',
    active: true,
    ldap: { server, username: rootDn, password: { value: rootPassword }, baseDn: people, ...ldap },
    groups,
  });
  const at = '2026-11-21T12:00:00.000Z';
  const made = { id: 'c1', name: 'example-com', generation: 1, createdAt: at, updatedAt: at };
  return { kind: 'SsoConfig', ...made, spec, labels: {}, lifecycle: defaultLifecycle, managedBy: 'api' };
}

/** An entry that stands for a part which is on another server. */
export function referral(dn: string, url: string): string {
  const ou = /^ou=([^,]+),/.exec(dn)?.[1] ?? '';
  return entry(dn, { objectClass: ['referral', 'extensibleObject'], ou, ref: url });
}
