// What ends with a configuration of single sign-on: the sessions that it opened, and tokens where it says so.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Change, deleted, updated } from '../../../src/core/model/change.ts';
import type { DeclaredResource } from '../../../src/core/model/resource.ts';
import { colleague, corp, platform } from '../groups/groups-world.ts';
import { after, hash, living, person, start, told } from '../proposals/accounts-world.ts';
import { withConsequences } from './followed.ts';

type Config = DeclaredResource<'SsoConfig'>;

const session = (id: string, user: string, sso?: string) =>
  living('Session', id, {
    ...{ user, hash: hash('a'), expiresAt: after(9000), idleHours: 1, lastSeenAt: start, address: '', agent: '' },
    ...(sso === undefined ? {} : { sso }),
  });
const token = (id: string, user: string) => living('Token', id, { user, hash: hash('b') });
const people = [
  colleague('ann'),
  colleague('ada', { admin: true }),
  colleague('abe', { admin: true, passwordHash: undefined }),
  person('bob', { email: 'bob@x.corp.example' }),
  session('s-ann', 'ann', 'SsoConfig-corp'),
  session('s-ada', 'ada', 'SsoConfig-corp'),
  session('s-ada-by-password', 'ada'),
  session('s-bob', 'bob'),
  token('t-ann', 'ann'),
  token('t-ada', 'ada'),
  token('t-abe', 'abe'),
  token('t-bob', 'bob'),
];
const saml = (more: object = {}) => ({ signOnUrl: 'https://idp.example', issuer: 'idp', certificate: 'C', ...more });
const revoke = { onDeactivation: { tokens: 'revoke' } };

/** What follows from a change. */
function following(config: Config, change: (one: Config) => Change, more = people): readonly Change[] {
  return withConsequences(platform(config, ...more).state, [change(config)]).changes.slice(1);
}
const to = (spec: object) => (one: Config) => updated(one, { ...one, spec: { ...one.spec, ...spec } } as Config);
const opened = ['-Session/s-ada', '-Session/s-ann'];

const sessions = suite('a configuration that stops');

sessions('ends the sessions that it opened, whoever has them, and says why', () => {
  for (const [change, why] of [
    [to({ active: false }), 'SsoConfig/corp is not active any more'],
    [deleted, 'SsoConfig/corp is deleted'],
    [to({ emailDomain: 'new.example' }), 'SsoConfig/corp is for new.example now'],
    [to({ saml: saml({ issuer: 'other' }) }), 'SsoConfig/corp has another provider now (other)'],
  ] as const) {
    const ended = following(corp({}, { saml: saml() }), change);
    assert.equal(told(ended).sort(), opened, why);
    assert.equal([...new Set(ended.map(({ reason }) => reason))], [why]);
  }
});

sessions('goes by the host of a directory, not by its port', () => {
  const ldap = (server: string) => ({ server, username: 'cn=x', baseDn: 'dc=x' });
  const config = corp({}, { provider: 'ldap', ldap: ldap('ldap.example:389') });
  assert.equal(following(config, to({ ldap: ldap('LDAP.example:636') })), []);
  assert.equal(told(following(config, to({ ldap: ldap('other.example:389') }))).sort(), opened);
});

sessions('ends those from before the note of what opened them, by the account', () => {
  const earlier = [session('s-old', 'ann'), session('s-old-ada', 'ada'), session('s-old-bob', 'bob')];
  const ended = following(corp(), to({ active: false }), [...people.slice(0, 4), ...earlier]);
  assert.equal(told(ended), ['-Session/s-old'], 'an admin may have signed in by password');
});

sessions('ends none while it goes on, or was a draft', () => {
  const config = corp({}, { saml: saml() });
  assert.equal(following(config, to({ saml: saml({ signOnUrl: 'https://new.example', certificate: 'D' }) })), []);
  assert.equal(following(corp({}, { active: false }), deleted), []);
});

sessions.run();

const tokens = suite('the tokens of its accounts');

tokens('stay, but where the configuration says otherwise: as it was deleted, or with the change itself', () => {
  const left = (ended: readonly Change[]) => told(ended).filter((one) => one.includes('Token'));
  const ends = ['-Token/t-abe', '-Token/t-ann'];
  assert.equal(left(following(corp(), deleted)), []);
  assert.equal(left(following(corp({}, revoke), deleted)).sort(), ends);
  assert.equal(left(following(corp(), to({ active: false, ...revoke }))).sort(), ends);
  const kept = { active: false, onDeactivation: { tokens: 'keep' } };
  assert.equal(left(following(corp({}, revoke), to(kept))), []);
});

tokens('stay where a store of an earlier version does not know the word', () => {
  const { onDeactivation: _, ...spec } = corp().spec;
  const old = { ...corp(), spec } as Config;
  assert.equal(told(following(old, deleted)).sort(), opened);
});

tokens.run();
