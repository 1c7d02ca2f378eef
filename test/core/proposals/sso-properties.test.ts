// Whatever groups people come with, in whatever order: no rule is broken, nobody is locked out, and the highest role wins.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { transact } from '../../../src/control/transact.ts';
import { ownersKey } from '../../../src/core/kinds/membership.ts';
import { type Role, roles } from '../../../src/core/kinds/roles.ts';
import { activeAdmin } from '../../../src/core/kinds/user.ts';
import { membershipIn } from '../../../src/core/model/members.ts';
import { teamUse } from '../../../src/core/model/team-use.ts';
import { judgeSsoSignIn, type SsoVerdict } from '../../../src/core/proposals/sso-sign-in.ts';
import type { Facts } from '../../../src/core/rules/facts.ts';
import { colleague, corp, groupsFor, place, placesOf, platform, team } from '../groups/groups-world.ts';
import { type Accounts, after, hash, living } from './accounts-world.ts';

const facts: Facts = { drivers: new Map(), certificateProblem: () => undefined };
const slugs = ['core', 'ops', 'lab', 'tiny', 'own'];
const names = ['ann', 'ben', 'cy', 'di'];

const group = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...groupsFor(slugs)) },
  { weight: 1, arbitrary: fc.constantFrom('bosses', 'svc-ghost-owner', 'svc-Core-owner', 'staff') },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
);
const signIn = fc.record({
  name: fc.constantFrom(...names),
  groups: fc.option(fc.array(group, { maxLength: 8 }), { nil: undefined }),
});
const configuration = fc.record({
  manageRoles: fc.boolean(),
  scope: fc.constantFrom('all', 'selected'),
  teams: fc.uniqueArray(fc.constantFrom(...slugs)),
  allowOtherTeams: fc.boolean(),
  missing: fc.constantFrom('keep', 'remove'),
  adminGroup: fc.option(fc.constantFrom('bosses', 'svc-core-owner'), { nil: undefined }),
});

/** Ann is the only admin and owns a team alone; Ben was invited; Cy and Di are not known. */
function world(groups: object): Accounts {
  const config = corp(groups, { provisionNewUsers: true });
  const invitation = living('Invitation', 'i', {
    ...{ team: 'tiny', role: 'viewer', inviter: 'olga', hash: hash('1'), email: 'cy@corp.example' },
    expiresAt: after(99),
  });
  const people = [colleague('ann', { admin: true }), colleague('ben')];
  const teams = [team('tiny', 'small'), team('own', 'small')];
  const places = [place('olga owner tiny'), place('ann owner own'), place('ben member own'), place('ben owner lab')];
  const { state, ...more } = platform(config, ...people, ...teams, ...places, invitation);
  const root = state.get('User', 'root');
  if (root)
    state.apply([
      { kind: 'User', id: 'root', before: root, after: { ...root, spec: { ...root.spec, suspended: true } } },
    ]);
  return { state, ...more };
}

interface Step {
  readonly name: string;
  readonly groups: readonly string[] | undefined;
}

/** Signs somebody in through the door, so that every rule is asked. */
function step({ state, at }: Accounts, { name, groups }: Step): SsoVerdict {
  let verdict: SsoVerdict | undefined;
  const identity = { email: `${name}@corp.example`, ...(groups ? { groups } : {}) };
  const tried = transact(
    state,
    (view, context) => {
      verdict = judgeSsoSignIn(
        { config: 'SsoConfig-corp', identity, session: { hash: hash('a'), address: '', agent: '' } },
        view,
        context,
      );
      return verdict.changes;
    },
    at(60),
    { facts },
  );
  assert.equal(tried.violations, []);
  state.apply(tried.changes);
  assert.ok(verdict);
  return verdict as SsoVerdict;
}

const any = suite('sign-ins with any groups');

any('are never refused by a rule, and leave every team an owner and the platform an admin', () => {
  fc.assert(
    fc.property(configuration, fc.array(signIn, { minLength: 1, maxLength: 12 }), (groups, steps) => {
      const platform = world(groups);
      for (const one of steps) {
        assert.is(step(platform, one).outcome, 'signed-in');
        const { state } = platform;
        assert.ok(state.countHaving('User', activeAdmin) > 0);
        for (const { id, name, spec } of state.all('Team')) {
          assert.ok(state.countHaving('Membership', ownersKey(id)) > 0, name);
          const most = state.get('TeamType', spec.type)?.spec.limits.members;
          const { members, invitations } = teamUse(state, id);
          assert.ok(most === undefined || members + invitations <= most, name);
        }
      }
    }),
    { numRuns: 300 },
  );
});

any('give exactly the highest role in every team that they manage, or say why not', () => {
  fc.assert(
    fc.property(configuration, fc.array(signIn, { minLength: 1, maxLength: 6 }), (groups, steps) => {
      const platform = world({ ...groups, manageRoles: true });
      for (const one of steps) {
        const before = placesOf(platform, one.name);
        const verdict = step(platform, one);
        if (one.groups === undefined && groups.missing === 'keep') assert.equal(placesOf(platform, one.name), before);
        else if (verdict.outcome === 'signed-in') checkRoles(platform, one, verdict, groups);
      }
    }),
    { numRuns: 300 },
  );
});

function checkRoles(
  { state }: Accounts,
  { groups = [] }: Step,
  { user, explanation }: SsoVerdict & { readonly outcome: 'signed-in' },
  { scope, teams, allowOtherTeams }: { scope: string; teams: readonly string[]; allowOtherTeams: boolean },
): void {
  for (const slug of slugs) {
    const isOurs = scope === 'all' || teams.includes(slug);
    const best: Role | undefined = roles.find((role) => groups.includes(`svc-${slug}-${role}`));
    const own = membershipIn(state, slug, user.id)?.spec.role;
    const excused = explanation.some(
      ({ team: of, reason }) => of === slug && (reason === 'last-owner' || reason === 'limit-reached'),
    );
    if (excused || (!isOurs && allowOtherTeams)) continue;
    assert.is(own, isOurs ? best : undefined, slug);
  }
}

any('change nothing the second time', () => {
  fc.assert(
    fc.property(configuration, signIn, (groups, one) => {
      const platform = world(groups);
      step(platform, one);
      const kinds = step(platform, one).changes.filter(
        ({ before, after: now }) => before?.generation !== now?.generation,
      );
      assert.equal(
        kinds.map(({ kind }) => kind),
        ['Session'],
      );
    }),
  );
});

any('say of every place that changes why it does', () => {
  fc.assert(
    fc.property(configuration, fc.array(signIn, { minLength: 1, maxLength: 4 }), (groups, steps) => {
      const platform = world(groups);
      for (const one of steps)
        for (const change of step(platform, one).changes)
          if (change.kind === 'Membership') assert.ok(change.reason, change.id);
    }),
  );
});

any.run();
