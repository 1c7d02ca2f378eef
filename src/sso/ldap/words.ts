// The words for trouble with a directory, that an administrator can act on: what happened, and which setting to look at.
import { type Stage, type Trouble, troubleOf } from './trouble.ts';

/** Where the words are about. */
export interface Place {
  /** `host:port` as configured. */
  readonly address: string;
  readonly operationMs: number;
  readonly loginMs: number;
}

/** What is wrong and what to look at, in one sentence. */
export function wordsOf(error: unknown, { address, operationMs, loginMs }: Place): string {
  const trouble = troubleOf(error);
  const doing = doings[trouble.stage ?? 'connect'];
  const who = `the directory ${address}`;
  if (trouble.code === 'slow')
    return `${who} did not answer within ${operationMs / 1000} s while ${doing}: check ldap.server, that the directory runs and is not overloaded, and that no firewall swallows the connection`;
  if (trouble.code === 'overdue')
    return `${who} was not done within ${loginMs / 1000} s, and was given up while ${doing}: it is too slow, or ldap.baseDn and ldap.userSearchFilter make it look through too much`;
  if (trouble.code === 'result') return `${who} ${resultWords(trouble, doing)}`;
  if (untrusted.test(trouble.code))
    return `${who} shows a certificate that is not trusted, and nothing was sent to it: ${certificateWords(trouble.code)}`;
  const known = plainWords[trouble.code];
  if (known !== undefined) return `${who} ${known.replace('DOING', doing).replace('DETAIL', () => trouble.detail)}`;
  if (trouble.code.startsWith('ERR_SSL_') || trouble.code === 'EPROTO')
    return `${who} does not speak TLS as it should (${trouble.code}): check the port, and ldap.tls.mode (ldaps for a port that is TLS from the first byte, startTls for one that is not)`;
  return `${who} failed while ${doing} (${trouble.code})`;
}

/** Why a certificate is not trusted, and what to do, by the code of OpenSSL or Node. */
export function certificateWords(code: string): string {
  return `${certificates[code] ?? 'it could not be verified'} (${code})`;
}

/** The name of a result code, with its number (RFC 4511, appendix A). */
export function resultName(result: number): string {
  const name = resultNames[result];
  return name === undefined ? `result ${result}` : `${name}, ${result}`;
}

const doings: Readonly<Record<Stage, string>> = {
  connect: 'Weir connected',
  bind: 'Weir signed in as ldap.username',
  find: 'the user was searched',
  verify: 'the password was verified',
  groups: 'the groups of the user were searched',
};

function resultWords(trouble: Trouble, doing: string): string {
  const { result = -1, stage = 'connect', detail } = trouble;
  const named = resultName(result);
  const specific = byStage[stage]?.[result];
  if (specific !== undefined) return `${specific} (${named})${detail && `: ${detail}`}`;
  if (result === 10) return `refers to another server while ${doing}, and referrals are not followed (${named})`;
  if (result === 8 || result === 13)
    return `wants TLS before it takes a password (${named}): set ldap.tls.mode to ldaps or startTls`;
  if (result === 51 || result === 52) return `says that it is busy or out of order while ${doing} (${named})`;
  return `answered with an error while ${doing} (${named})`;
}

const notAccepted = 'does not accept ldap.username with ldap.password: both must be right, and the account in order';
const limited =
  'stopped at its limit before it had told all groups, so nothing is known for sure: raise the limit for ldap.username there, or narrow ldap.groupDn';
const searchLimited =
  'stopped at its limit while the user was searched: narrow ldap.userSearchFilter or ldap.baseDn, index what the filter asks for, or raise the limit for ldap.username there';

const byStage: Partial<Record<Stage, Readonly<Record<number, string>>>> = {
  connect: {
    1: 'does not begin TLS, and nothing is sent to it without',
    2: 'does not begin TLS, and nothing is sent to it without: set up StartTLS there, or use ldaps',
    52: 'does not begin TLS, and nothing is sent to it without: TLS is not set up there',
    53: 'does not begin TLS, and nothing is sent to it without',
  },
  bind: {
    19: notAccepted,
    32: notAccepted,
    34: 'does not take ldap.username: it is no DN',
    48: notAccepted,
    49: notAccepted,
    50: notAccepted,
    53: notAccepted,
  },
  find: {
    3: searchLimited,
    4: searchLimited,
    11: searchLimited,
    18: 'cannot search by ldap.userSearchFilter: an attribute in it cannot be compared so',
    32: 'has no entry ldap.baseDn, or ldap.username may not see it',
    34: 'does not take ldap.baseDn: it is no DN',
    50: 'does not let ldap.username search below ldap.baseDn',
  },
  groups: {
    3: limited,
    4: limited,
    11: limited,
    32: 'has no entry ldap.groupDn, or ldap.username may not see it',
    34: 'does not take ldap.groupDn: it is no DN',
    50: 'does not let ldap.username search below ldap.groupDn',
  },
};

const plainWords: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'cannot be reached, because nothing listens there: check ldap.server, and that the directory runs',
  ENOTFOUND: 'cannot be reached, because its name is not known: check ldap.server',
  EAI_AGAIN: 'cannot be reached, because its name could not be looked up: check the name servers of this machine',
  EHOSTUNREACH: 'cannot be reached from here: check ldap.server, routes and firewalls',
  ENETUNREACH: 'cannot be reached from here: check ldap.server, routes and firewalls',
  EACCES: 'cannot be reached, because this machine does not allow it: check its firewall',
  ETIMEDOUT: 'cannot be reached, because nothing answers there: check ldap.server, routes and firewalls',
  ECONNRESET:
    'cut the connection while DOING: look into its log; a port that is TLS from the first byte needs ldap.tls.mode ldaps',
  EPIPE:
    'cut the connection while DOING: look into its log; a port that is TLS from the first byte needs ldap.tls.mode ldaps',
  closed:
    'closed the connection while DOING: look into its log; a port that is TLS from the first byte needs ldap.tls.mode ldaps',
  plain:
    'DETAIL, as a port does that is plain: ldap.tls.mode is ldaps, which needs a port that is TLS from the first byte: set it to startTls, or write the port for ldaps, mostly 636; if it is that one, look into the log of the directory',
  malformed:
    'sent something that is not LDAP while DOING: check that ldap.server names a directory and its port, and ldap.tls.mode',
  flood: 'sent more than it was asked for while DOING, and was given up',
  injected: 'sent something unprotected where TLS had to begin: somebody may be in between, and nothing was sent to it',
  authority: 'was not asked, because ldap.tls.ca cannot be used: DETAIL',
  filter: 'was not asked, because of ldap.userSearchFilter: DETAIL',
  referral:
    'refers to another server for a part of the groups, and referrals are not followed: choose an ldap.groupDn that this server holds as a whole',
  nameless: 'shows a group without its name: let ldap.username read the attribute cn below ldap.groupDn',
  unnamed: 'answered with an entry that has no DN',
};

const untrusted = /CERT|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_PURPOSE|INVALID_CA|PATH_LENGTH_EXCEEDED/;

const unknownAuthority =
  'no authority that is trusted here has issued it: set ldap.tls.ca to the certificate of the authority that has';
const certificates: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'it, or the authority that issued it, has expired: renew it on the directory',
  CERT_NOT_YET_VALID: 'it is not valid yet: check the clocks of both machines',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'the directory has issued it itself: set ldap.tls.ca to this certificate, or have an authority issue one',
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
  CERT_SIGNATURE_FAILURE: unknownAuthority,
  ERR_TLS_CERT_ALTNAME_INVALID:
    'it is for another name: write the host in ldap.server as the certificate has it, or have one issued for this name',
  CERT_REVOKED: 'it has been revoked: have a new one issued',
  INVALID_PURPOSE: 'it is not meant for servers: have one issued that is',
};

const resultNames: Readonly<Record<number, string>> = {
  1: 'operationsError',
  2: 'protocolError',
  3: 'timeLimitExceeded',
  4: 'sizeLimitExceeded',
  7: 'authMethodNotSupported',
  8: 'strongerAuthRequired',
  10: 'referral',
  11: 'adminLimitExceeded',
  12: 'unavailableCriticalExtension',
  13: 'confidentialityRequired',
  18: 'inappropriateMatching',
  19: 'constraintViolation',
  21: 'invalidAttributeSyntax',
  32: 'noSuchObject',
  33: 'aliasProblem',
  34: 'invalidDNSyntax',
  48: 'inappropriateAuthentication',
  49: 'invalidCredentials',
  50: 'insufficientAccessRights',
  51: 'busy',
  52: 'unavailable',
  53: 'unwillingToPerform',
  54: 'loopDetect',
  80: 'other',
};
