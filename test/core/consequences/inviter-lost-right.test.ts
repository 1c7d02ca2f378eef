// What becomes of invitations whose inviter may not invite any more.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decide } from '../../../src/core/access/policy.ts';
import { mayInvite } from '../../../src/core/consequences/inviter-lost-right.ts';
import type { Role } from '../../../src/core/kinds/roles.ts';
import { roles } from '../../../src/core/kinds/roles.ts';
import { type Change, deleted, updated } from '../../../src/core/model/change.ts';
import type { Resource } from '../../../src/core/model/resource.ts';
import { colleague, corp, platform } from '../groups/groups-world.ts';
import { after, hash, living, start, told } from '../proposals/accounts-world.ts';
import { withConsequences } from './followed.ts';

const team = living('Team', 'core', { displayName: 'Core', type: 'none' });
const member = (user: string, role: Role) =>
  living('Membership', `core-${user}`, { team: 'core', user, role, ssoManaged: false });
const asks = (inviter: string, more: object = { email: 'new@x.example' }) =>
  living('Invitation', `of-${inviter}`, {
    team: 'core',
    role: 'member',
    inviter,
    hash: hash('a'),
    expiresAt: after(9),
    ...more,
  });
const edited = <R extends Resource>(one: R, spec: object): Change =>
  updated(one, { ...one, spec: { ...one.spec, ...spec } } as Resource);

const [olga, ada] = [colleague('olga'), colleague('ada', { admin: true })];
const owning = member('olga', 'owner');
const { state } = platform(
  corp(),
  olga,
  ada,
  colleague('max'),
  team,
  owning,
  member('max', 'owner'),
  asks('olga'),
  asks('ada'),
  asks('max'),
);
const ended = (...changes: Change[]) => withConsequences(state, changes).changes.slice(changes.length);

const session = living('Session', 's', {
  ...{ user: 'who', hash: hash('b'), expiresAt: after(9), idleHours: 1, lastSeenAt: start, address: '', agent: '' },
});

const invitations = suite('invitations');

invitations('end with the role of their inviter, with their suspension, and with the flag', () => {
  assert.equal(told(ended(edited(owning, { role: 'member' }))), ['-Invitation/of-olga']);
  assert.equal(told(ended(deleted(owning))), ['-Invitation/of-olga']);
  const [one, ...more] = ended(edited(olga, { suspended: true }));
  assert.equal([more, one?.reason], [[], 'its inviter olga is suspended']);
  assert.equal(told(ended(edited(ada, { admin: false }))), ['-Invitation/of-ada']);
});

invitations('stay where their inviter may still invite', () => {
  assert.equal(ended(edited(olga, { displayName: 'Olga' })), []);
  assert.equal(ended(edited(owning, { ssoManaged: true })), []);
  assert.equal(ended(edited(olga, { admin: true }), edited(owning, { role: 'viewer' })), []);
});

invitations('end by the words of the policy', () => {
  for (const role of [...roles, undefined])
    for (const admin of [true, false]) {
      const user = colleague('who', { admin });
      const view = platform(corp(), user, team, ...(role ? [member('who', role)] : [])).state;
      const caller = { kind: 'user', user, by: 'session', session } as const;
      const isAllowed = decide('invite', caller, view, { team: view.get('Team', 'core') }) === 'allowed';
      assert.is(mayInvite(user, 'core', view), isAllowed, `${role} ${admin}`);
    }
});

invitations.run();
