// What a configuration says of its directory, complete and with its secret, or what is missing.
import type { Secret } from '../../core/kinds/kind.ts';
import type { SsoConfiguration } from '../provider.ts';

/** A secret's value, or in `message` why it cannot be had. */
export type SecretOf = (secret: Secret) => { readonly value: string } | { readonly message: string };

/** A directory that can be asked. */
export interface Directory {
  /** `host:port` as configured. */
  readonly address: string;
  readonly host: string;
  readonly port: number;
  readonly tls: {
    readonly mode: 'none' | 'ldaps' | 'startTls';
    readonly verifyServerCertificate: boolean;
    readonly ca?: string | undefined;
  };
  /** The DN to search with, and its password. */
  readonly username: string;
  readonly password: string;
  readonly baseDn: string;
  readonly userSearchFilter: string;
  readonly emailDomain: string;
  /** Below which groups are searched; absent where groups decide nothing (specification 2.9). */
  readonly groupDn?: string;
}

/** Reads a configuration, complete or not: a draft is tested before it is active. `problem` says what to add. */
export function directoryOf({ spec }: SsoConfiguration, secretOf: SecretOf): Directory | { readonly problem: string } {
  const { ldap, groups, emailDomain } = spec;
  if (spec.provider !== 'ldap' || !ldap) return { problem: 'the configuration has no values of a directory (ldap)' };
  const { server, username, password, baseDn, userSearchFilter, tls, groupDn } = ldap;
  if (!server || !username || !baseDn)
    return { problem: `the configuration lacks ${missing({ server, username, baseDn })}` };
  const place = placeOf(server);
  if (!place) return { problem: 'ldap.server is not a host and port such as "ldap.example.com:389"' };
  if (saslNames.has(username)) return { problem: 'ldap.username is no DN' };
  const secret = password ? secretOf(password) : { message: 'the configuration lacks ldap.password' };
  if ('message' in secret) return { problem: secret.message };
  // A directory may take an empty password for anybody's (RFC 4513, 5.1.2).
  if (secret.value === '' || secret.value.includes('\0')) return { problem: 'ldap.password is empty or holds a NUL' };
  const needsGroups = groups.manageRoles || groups.adminGroup !== undefined;
  if (needsGroups && !groupDn) return { problem: 'the configuration lacks ldap.groupDn, and groups decide roles' };
  return {
    ...place,
    tls,
    username,
    password: secret.value,
    baseDn,
    userSearchFilter,
    emailDomain: emailDomain.toLowerCase(),
    ...(needsGroups && groupDn ? { groupDn } : {}),
  };
}

function missing(fields: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(fields)
    .flatMap(([name, value]) => (value ? [] : [`ldap.${name}`]))
    .join(', ');
}

function placeOf(server: string): Pick<Directory, 'address' | 'host' | 'port'> | undefined {
  const match = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)):(\d{1,5})$/.exec(server);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  return host === undefined || port < 1 || port > 65_535 ? undefined : { address: server, host, port };
}

/** ldapts takes these names for mechanisms, whoever they are given as. */
const saslNames: ReadonlySet<string> = new Set(['EXTERNAL', 'PLAIN', 'DIGEST-MD5', 'SCRAM-SHA-1']);
