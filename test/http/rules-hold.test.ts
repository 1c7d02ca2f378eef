// Whatever is asked, by whomever, in whatever order and at once: all rules hold over all that is kept, and all of it is told once.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { auditEntryOf } from '../../src/control/audit.ts';
import { kindOf } from '../../src/core/kinds/index.ts';
import { isInvited } from '../../src/core/model/invited.ts';
import type { View } from '../../src/core/model/view.ts';
import { fieldsOf } from '../../src/core/plan/plan-fields.ts';
import { expireJob } from '../../src/jobs/expire.ts';
import { newId } from '../../src/lib/id.ts';
import type { Entry } from '../../src/store/store.ts';
import { wrongIn } from '../support/whole-state.ts';
import { days, later, teamsTree } from './team-people.ts';
import { type Asked, type ServerWorld, startWorld } from './world.ts';

const seed = 20_261_121;

/** Whom requests are from: admins, owners, members and others. */
const callers = ['admin', 'admin', 'admin', 'admin', 'owner', 'otherOwner', 'member', 'user', 'viewer'] as const;
const admitted = ['ann', 'bob', 'olga', 'max', 'vera', 'dora', 'otto'] as const;
const people = [...admitted, 'eve'] as const;
const roles = ['owner', 'owner', 'member', 'viewer', 'dashboard'] as const;
const addresses = ['out@example.org', 'Out@Example.org', 'new@example.org', 'bob@example.net'] as const;
const names = ['one', 'One', 'two', 'three', 'bob'] as const;
const switches = ['userTeamCreation', 'externalInvitations', 'registration', 'statisticsTokenAccess'] as const;

/** What one step is made of; what it is about is picked from what there is then. */
interface Dice {
  readonly as: (typeof callers)[number];
  readonly pick: number;
  readonly other: number;
}

/** A world, and the headers of browsers in which people have signed in. */
interface Stage extends ServerWorld {
  readonly sessions: readonly Readonly<Record<string, string>>[];
}

type Act = (stage: Stage, dice: Dice) => Promise<Asked | undefined>;

const acts = {
  'make a team': asking((dice) => ['POST', '/api/v1/teams', { name: 'Race', type: 'starter', ...slugIn(dice) }]),
  'change a team': asking((dice, { team }) => [
    'PUT',
    `/api/v1/teams/${team}`,
    { ...slugIn(dice), type: of(['starter', 'roomy', 'tiny', 'gift', 'closed'], dice.other) },
  ]),
  'delete a team': asking((_, { team }) => ['DELETE', `/api/v1/teams/${team}`]),
  'set a member': asking(({ other }, { team, user }) => [
    'PUT',
    `/api/v1/teams/${team}/members/${user}`,
    { role: of(roles, other) },
  ]),
  'take a member out': asking((_, { team, user }) => ['DELETE', `/api/v1/teams/${team}/members/${user}`]),
  invite: asking(({ pick, other }, { team }) => [
    'POST',
    `/api/v1/teams/${team}/invitations`,
    { user: of([...people, ...addresses], pick), role: of(roles, other) },
  ]),
  'accept an invitation': ({ ask, sessions, store }, { pick }) => {
    const view = store.read();
    const invitation = of([...view.all('Invitation')], pick);
    const isInvitee = (name: string) => {
      const user = view.get('User', name);
      return user !== undefined && invitation !== undefined && isInvited(invitation, user);
    };
    const known = admitted.findIndex(isInvitee);
    const headers = of(sessions, known < 0 ? pick : known);
    return ask('POST', `/api/v1/user/invitations/${invitation?.id ?? 'none'}/accept`, { as: 'none', headers });
  },
  'withdraw an invitation': asking((_, { invitation, team }) => [
    'DELETE',
    `/api/v1/teams/${team}/invitations/${invitation}`,
  ]),
  'send an invitation again': asking((_, { invitation, team }) => [
    'POST',
    `/api/v1/teams/${team}/invitations/${invitation}/resend`,
  ]),
  'register by an invitation': register,
  'add a user': asking(({ pick, other }) => [
    'POST',
    '/api/v1/users',
    { username: of(names, pick), email: of(addresses, other), password: 'seven grey herons', admin: other % 3 === 0 },
  ]),
  'change a user': asking(({ other, pick }, { user }) => [
    'PUT',
    // Ann, who asks as an admin, is often the only one.
    `/api/v1/users/${other % 3 === 0 ? 'ann' : user}`,
    of<object>(
      [
        { suspended: true },
        { admin: pick % 2 === 0 },
        { suspended: false },
        { username: of(names, pick) },
        { email: of(addresses, pick) },
      ],
      other + pick,
    ),
  ]),
  'delete a user': asking((_, { user }) => ['DELETE', `/api/v1/users/${user}`]),
  'change oneself': asking(({ pick }) => [
    'PUT',
    '/api/v1/user',
    { email: of(addresses, pick), name: of(names, pick) },
  ]),
  'sign in': asking(({ pick, other }) => [
    'POST',
    '/account/login',
    { username: of(names, pick), password: other % 2 === 0 ? 'seven grey herons' : 'wrong' },
  ]),
  'make a token': ({ ask, sessions }, { pick }) => {
    const headers = of(sessions, pick);
    return ask('POST', '/api/v1/user/tokens', { as: 'none', headers, body: { name: 't', expiresAt: later(90) } });
  },
  'make an instance': asking((_, { team }) => [
    'POST',
    `/api/v1/teams/${team}/instances`,
    { name: 'line', instanceType: 'small', template: 'standard', stack: 'spare' },
  ]),
  'change an instance': asking(({ other }, { instance }) => [
    'PUT',
    `/api/v1/instances/${instance}`,
    { stack: of(['spare', 'nr-4', 'nr-5'], other) },
  ]),
  'delete an instance': asking((_, { instance }) => ['DELETE', `/api/v1/instances/${instance}`]),
  'put a declared object': asking(({ other }) => [
    'PUT',
    of(['/api/v1/stacks/nr-5', '/api/v1/team-types/extra', '/api/v1/stacks/nr-4'], other),
    { spec: of<object>([{ runtime: '5', active: false }, { limits: { members: 2 } }, { runtime: '9' }], other) },
  ]),
  'make a declared object': asking(({ other }) => [
    'POST',
    of(['/api/v1/stacks', '/api/v1/team-types'], other),
    { name: of(['nr-5', 'extra'], other), spec: of<object>([{ runtime: '5' }, { limits: { members: 2 } }], other) },
  ]),
  'delete a declared object': asking(({ other }) => [
    'DELETE',
    of(['/api/v1/stacks/nr-5', '/api/v1/team-types/extra'], other),
  ]),
  'mint the statistics token': asking(() => ['POST', '/api/v1/admin/stats-token']),
  'repeat a request': asking(({ pick }) => [
    'POST',
    '/api/v1/teams',
    { name: 'Once', type: 'roomy' },
    { 'idempotency-key': `key-${pick % 2}` },
  ]),
  'turn a switch': async (world, { pick, other }) => {
    const off = switches.filter((_, index) => (pick + other) % switches.length === index);
    const on = switches.filter((name) => !off.includes(name)).map((name) => `${name}: true`);
    return reload(world, { 'settings.yaml': teamsTree(on.join(', '))['settings.yaml'] ?? '' });
  },
  'change the tree': (world, { other }) =>
    reload(world, {
      'spare.yaml': other % 2 === 0 ? spare : '# nothing\n',
      'type.yaml': other % 2 === 0 ? typeWithSpare : type,
    }),
  'let time pass': async (world, { other }) => {
    const now = later(of([30, 120, 4000, -3600, 8 * days], other));
    world.setNow(now);
    const door = { store: world.store, facts: () => facts };
    await expireJob.run({ door, clock: () => now, newId }, new AbortController().signal);
    return undefined;
  },
} satisfies Record<string, Act>;

const facts = { drivers: new Map(), certificateProblem: () => undefined };

const stack = (name: string, runtime: string) =>
  `kind: Stack\nmetadata: {name: ${name}}\nspec: {runtime: "${runtime}"}\n`;
const spare = stack('spare', '4.2');
const type = 'kind: InstanceType\nmetadata: {name: small}\nspec: {stacks: [nr-4], defaultStack: nr-4}\n';
const typeWithSpare = type.replace('[nr-4]', '[nr-4, spare]');
const base = teamsTree(
  'userTeamCreation: true, externalInvitations: true, registration: true, statisticsTokenAccess: true',
);
const files = {
  ...base,
  'types.yaml': (base['types.yaml'] ?? '').replace('limits: {members: 6}', 'limits: {members: 5, instances: 2}'),
  'stacks.yaml': `${stack('nr-4', '4.1')}---\nkind: Template\nmetadata: {name: standard}\n`,
  'spare.yaml': spare,
  'type.yaml': typeWithSpare,
};

const rulesHold = suite('whatever is asked, and however much at once');

rulesHold('leaves a state in which every rule holds, and one audit entry for each change', async () => {
  const step = fc.record({
    act: fc.constantFrom(...(Object.keys(acts) as (keyof typeof acts)[])),
    as: fc.constantFrom(...callers),
    pick: fc.nat(60),
    other: fc.nat(60),
  });
  // Each wave is sent at once, and waited for before the next.
  const waves = fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 14, size: 'max' });
  const property = fc.asyncProperty(waves, async (all) => {
    const world = await startWorld(files, { passwords });
    const stage: Stage = { ...world, sessions: await Promise.all(admitted.map(world.signedIn)) };
    const wrong: string[] = [];
    const end = world.store.subscribe((entry) => wrong.push(...toldWrong(entry)));
    try {
      for (const wave of all) {
        const answers = await Promise.all(wave.map(({ act, ...dice }) => acts[act](stage, dice)));
        // A machine that has too much to do is told so, and nothing is changed.
        for (const answer of answers)
          if (answer && answer.status >= 500 && answer.status !== 503) assert.is(world.logged.join('\n'), '');
        assert.is(wrong.join('\n'), '');
        assert.is(problemsOf(world.store.read()).join('\n'), '');
      }
      assert.equal(
        world.logged.filter((line) => line.includes('failed')),
        [],
      );
    } finally {
      end();
      await world.close();
    }
  });
  // Side by side, because each waits for its tree to settle now and then.
  const tries = Array.from({ length: 4 }, (_, index) =>
    fc.check(property, {
      seed: seed + index,
      numRuns: 15,
      interruptAfterTimeLimit: 18_000,
      markInterruptAsFailure: false,
    }),
  );
  for (const { failed, counterexample, counterexamplePath, seed: tried, errorInstance } of await Promise.all(tries)) {
    // Without a counterexample it was interrupted before its first try had ended, on a machine with too much to do.
    if (!failed || counterexample === null) continue;
    const why = errorInstance instanceof assert.Assertion ? `${errorInstance.actual}` : String(errorInstance);
    throw new Error(`seed ${tried}, path ${counterexamplePath}: ${JSON.stringify(counterexample)}\n${why}`);
  }
});

rulesHold.run();

/** Quick: how passwords are hashed is proven elsewhere. */
const passwords = {
  hash: async (password: string) => `hash of ${password}`,
  verify: async (password: string, phc: string | undefined) => phc === `hash of ${password}`,
};

interface About {
  readonly team: string;
  readonly user: string;
  readonly invitation: string;
  readonly instance: string;
}

type Request = readonly [
  method: 'POST' | 'PUT' | 'DELETE',
  url: string,
  body?: object,
  headers?: Readonly<Record<string, string>>,
];

/** A request about things that there are now. An invitation brings its team along, more often than not. */
function asking(make: (dice: Dice, about: About) => Request): Act {
  return (world, dice) => {
    const view = world.store.read();
    const idOf = (kind: 'Team' | 'User' | 'Invitation' | 'Instance', pick: number) =>
      of([...view.all(kind)], pick)?.id ?? 'none';
    const invitation = idOf('Invitation', dice.pick);
    const asked = dice.other % 4 === 0 ? undefined : view.get('Invitation', invitation)?.spec;
    const team = asked?.team ?? idOf('Team', dice.pick);
    const user = (dice.other % 3 === 0 ? asked?.user : undefined) ?? idOf('User', dice.other);
    const [method, url, body, headers = {}] = make(dice, {
      team,
      user,
      invitation,
      instance: idOf('Instance', dice.pick),
    });
    return world.ask(method, url, { as: url.startsWith('/account/') ? 'none' : dice.as, body, headers });
  };
}

/** With the token of one of the mails, where there is one. */
function register(world: ServerWorld, { pick, other }: Dice): Promise<Asked> {
  const invited = world.mails.flatMap(({ to, text }) => {
    const [, invitation] = /\/account\/invitations\/([0-9A-Za-z]+)/.exec(text) ?? [];
    return invitation === undefined ? [] : [{ email: to, invitation }];
  });
  const applicant = other % 4 === 0 ? undefined : of(invited, pick);
  const body = {
    username: of(names, other),
    password: 'seven grey herons',
    ...(applicant ?? { email: of(addresses, pick) }),
  };
  return world.ask('POST', '/account/register', { as: 'none', body });
}

async function reload(world: ServerWorld, changed: Readonly<Record<string, string>>): Promise<Asked> {
  for (const [path, text] of Object.entries(changed)) await writeFile(join(world.root, path), text);
  return world.ask('POST', '/api/v1/admin/config/reconcile', { body: {} });
}

function slugIn({ pick }: Dice): object {
  return pick % 3 === 0 ? {} : { slug: of(['red', 'blue', 'core'], pick) };
}

function of<T>(items: readonly T[], pick: number): T {
  return items[pick % items.length] as T;
}

/** What the audit log tells of a commit otherwise than exactly once. */
function toldWrong(entry: Entry | 'reset'): string[] {
  if (entry === 'reset') return [];
  const told = new Map<string, number>();
  for (const record of entry.records)
    if (record.stream === 'audit') {
      const { target, event } = auditEntryOf(record);
      if (!/\.(created|updated|deleted|succeeded|failed|locked|ended)$/.test(event)) continue;
      const key = `${target.kind} ${target.id}`;
      told.set(key, (told.get(key) ?? 0) + 1);
    }
  return entry.changes.flatMap(({ kind, id, before, after }) => {
    const isSeen = !kindOf(kind).internal && fieldsOf(before, after).length > 0;
    const count = told.get(`${kind} ${id}`) ?? 0;
    return (isSeen ? count === 1 : count <= 1) ? [] : [`${count} entries of ${kind} ${id}`];
  });
}

/** Everything that is wrong with a state, and with what the teams of this tree may have. */
function problemsOf(view: View): string[] {
  return [...wrongIn(view, facts), ...limitProblems(view)];
}

/** Of types whose limits nobody lowers. */
const limits: Readonly<Record<string, { readonly members: number; readonly instances: number }>> = {
  starter: { members: 5, instances: 2 },
  tiny: { members: 1, instances: Number.POSITIVE_INFINITY },
};

function limitProblems(view: View): string[] {
  return [...view.all('Team')].flatMap(({ id, name, spec }) => {
    const members = [...view.all('Membership')].filter((one) => one.spec.team === id).length;
    const invited = [...view.all('Invitation')].filter((one) => one.spec.team === id).length;
    const instances = [...view.all('Instance')].filter((one) => one.spec.team === id).length;
    const limit = limits[view.get('TeamType', spec.type)?.name ?? ''];
    return [
      ...(limit && members + invited > limit.members ? [`${name} has too many members`] : []),
      ...(limit && instances > limit.instances ? [`${name} has too many instances`] : []),
    ];
  });
}
