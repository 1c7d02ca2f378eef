// Audit entries: one for each change that somebody made, with all that differs, and without a secret.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { z } from 'zod';
import { auditOf, entryOf } from '../../../src/core/audit/audit.ts';
import { type AuditEntry, auditEntry } from '../../../src/core/audit/entry.ts';
import { auditTermsFor, auditTermsOf, isAskedFor, textsOf } from '../../../src/core/audit/filter.ts';
import { declaredKindNames, kindNames, kindOf } from '../../../src/core/kinds/index.ts';
import { bare, markOf, partsOf } from '../../../src/core/kinds/kind.ts';
import { type Change, created, deleted, updated } from '../../../src/core/model/change.ts';
import type { Context } from '../../../src/core/model/proposal.ts';
import type { Resource } from '../../../src/core/model/resource.ts';
import { createState } from '../../../src/core/model/state.ts';
import { living, made } from '../../control/world.ts';
import { specOf } from '../model/any-spec.ts';
import { assertTells, differs } from './tells.ts';

const audit = suite('an audit entry');

const at = '2026-11-21T12:00:00.000Z';
let ids = 0;
const context: Context = {
  now: at,
  newId: () => `id-${ids++}`,
  actor: { kind: 'user', id: 'ann', name: 'ann' },
  origin: 'api',
  requestId: 'req-1',
  address: '192.0.2.1',
};
const hash = 'a'.repeat(64);

/** The entry of a change in a state of some resources. */
function told(change: Change, ...around: readonly Resource[]): AuditEntry | undefined {
  const state = createState();
  state.apply(around.map(created));
  return entryOf(change, { before: state, after: state }, context);
}

const ann = living('User', 'ann', { email: 'ann@example.org', passwordHash: 'the-hash' });
const core = living('Team', 'core', { displayName: 'Core', type: 'type-1' });
const withSpec = <R extends Resource>(resource: R, spec: Partial<R['spec']>): R => ({
  ...resource,
  spec: { ...resource.spec, ...spec },
});

audit('names what a tree declares, on both sides of a change, whatever the ids', () => {
  const [small, large] = [made('Stack', 'small', { runtime: '4.1.15' }), made('Stack', 'large', { runtime: '5.0.7' })];
  const pump = living('Instance', 'pump', { team: 't', instanceType: 'i', template: 'm', stack: small.id });
  const upgraded = updated(pump, withSpec(pump, { stack: large.id }));
  assert.equal(
    told(upgraded, small, large)?.changes.filter(({ path }) => path === '/spec/stack'),
    [{ path: '/spec/stack', before: 'small', after: 'large' }],
  );
  // One that is gone is named by what is left of it.
  assert.is(told(upgraded)?.changes.find(({ path }) => path === '/spec/stack')?.after, large.id);
});

audit('says who did what to what, when, from where, and by which request', () => {
  const entry = told(updated(core, withSpec(core, { displayName: 'Core team' })));
  assert.equal(entry && { ...entry, id: '' }, {
    id: '',
    at,
    event: 'team.updated',
    actor: { kind: 'user', id: 'ann', name: 'ann' },
    target: { kind: 'Team', id: 'Team-core', name: 'core' },
    changes: [{ path: '/spec/displayName', before: 'Core', after: 'Core team' }],
    requestId: 'req-1',
    address: '192.0.2.1',
    team: 'Team-core',
  });
  assert.ok(auditEntry.safeParse(entry).success);
});

audit('tells a new name as a change, and is about the new one', () => {
  const entry = told(updated(core, { ...core, name: 'heart' }));
  assert.equal(entry?.changes, [{ path: '/metadata/name', before: 'core', after: 'heart' }]);
  assert.is(entry?.target.name, 'heart');
});

audit('tells labels, lifecycle, and who manages a declared object; not where its document stands', () => {
  const stack = made('Stack', 'nr-4', { runtime: '4' }, { labels: { tier: 'a' } });
  const source = { file: 'stacks.yaml', line: 3 };
  const lifecycle = { ...stack.lifecycle, protect: true };
  const adopted = { ...stack, labels: {}, lifecycle, managedBy: 'config', source } as const;
  const entry = told(updated(stack, adopted));
  assert.equal(entry?.changes, [
    { path: '/metadata/labels/tier', before: 'a', after: null },
    { path: '/lifecycle/protect', before: false, after: true },
    { path: '/status/managedBy', before: 'api', after: 'config' },
  ]);
  const moved = { ...stack, source, generation: 2, updatedAt: at };
  assert.is(told(updated(stack, moved)), undefined);
});

audit('is not made where only what the platform keeps up by itself changes', () => {
  const token = living('Token', 'ci', { user: 'User-ann', hash });
  const session = living('Session', 's', {
    user: 'User-ann',
    hash,
    expiresAt: at,
    idleHours: 1,
    lastSeenAt: at,
    address: '',
    agent: '',
  });
  assert.is(told(updated(token, withSpec(token, { lastUsedAt: at }))), undefined);
  assert.is(told(updated(session, withSpec(session, { lastSeenAt: '2027-01-01T00:00:00.000Z' }))), undefined);
  assert.is(told(updated(ann, withSpec(ann, { lastSignInAt: at, failedSignIns: 0 }))), undefined);
  assert.is(told(updated(ann, { ...ann })), undefined);
  const request = living('IdempotentRequest', 'r', { request: 'd', made: 'i', expiresAt: at });
  for (const change of [created(request), deleted(request)]) assert.is(told(change), undefined);
});

audit('tells sign-ins by names of their own', () => {
  const session = living('Session', 's', {
    user: ann.id,
    hash,
    expiresAt: at,
    idleHours: 1,
    lastSeenAt: at,
    address: '192.0.2.1',
    agent: 'curl',
  });
  const failed = withSpec(ann, { failedSignIns: 1 });
  const locked = withSpec(ann, { failedSignIns: 0, lockedUntil: at });
  const here = { network: '192.0.2.1', known: false, failed: 4, lockedUntil: null };
  const failedHere = withSpec(ann, { signInNetworks: [here] });
  const lockedHere = withSpec(ann, { signInNetworks: [{ ...here, failed: 0, lockedUntil: at }] });
  const fine = withSpec(ann, { signInNetworks: [{ ...here, known: true, failed: 0 }], lastSignInAt: at });
  const events = [
    created(session),
    deleted(session),
    updated(ann, failed),
    updated(failed, locked),
    updated(ann, failedHere),
    updated(failedHere, lockedHere),
    updated(lockedHere, fine),
  ].map((change) => {
    const entry = told(change, ann);
    return [entry?.event, entry?.target.name];
  });
  assert.equal(events, [
    ['sign-in.succeeded', 'ann'],
    ['session.ended', 'ann'],
    ['sign-in.failed', 'ann'],
    ['sign-in.locked', 'ann'],
    ['sign-in.failed', 'ann'],
    ['sign-in.locked', 'ann'],
    [undefined, undefined],
  ]);
});

audit('calls what belongs to a team and a user by their names, also when these go with it', () => {
  const member = living('Membership', 'm', { team: core.id, user: ann.id, role: 'owner' });
  const before = createState();
  before.apply([ann, core, member].map(created));
  const changes = [deleted(ann), deleted(core), deleted(member)];
  const entries = auditOf(changes, { before, after: createState() }, context);
  assert.equal(
    entries.map(({ event, target, team }) => [event, target.name, team]),
    [
      ['user.deleted', 'ann', undefined],
      ['team.deleted', 'core', core.id],
      ['membership.deleted', 'core/ann', core.id],
    ],
  );
});

audit('never holds a secret: not a hash, not a text that was written out, not its fingerprint', () => {
  const statistics = living('StatisticsToken', 'statistics', { hash });
  const token = living('Token', 'ci', { user: ann.id, hash });
  const ldap = (password: string) => ({
    emailDomain: 'example.org',
    provider: 'ldap',
    ldap: { password: { value: password } },
  });
  const [one, two] = [made('SsoConfig', 'corp', ldap('secret-1')), made('SsoConfig', 'corp', ldap('secret-2'))];
  const options = {
    npmrc: { value: { value: 'secret-3' } },
    httpAuth: { value: { username: 'u', password: { value: 'secret-4' } } },
  };
  const template = made('Template', 't', { options });
  const changes = [created(ann), updated(ann, withSpec(ann, { passwordHash: 'secret-5' })), created(token)];
  const more = [created(statistics), created(one), updated(one, two), deleted(two), created(template)];
  const entries = [...changes, ...more].map((change) => told(change, ann));
  assert.ok(entries.every((entry) => entry && entry.changes.length > 0));
  assert.not.match(JSON.stringify(entries), new RegExp(`secret-|the-hash|${hash}`));
  const planned = [{ path: '/spec/x', before: null, after: { set: true, fingerprint: 'f' }, sensitive: true }] as const;
  const state = createState();
  assert.equal(entryOf(created(one), { before: state, after: state }, context, planned)?.changes, [
    { path: '/spec/x', before: null, after: { set: true } },
  ]);
});

audit('finds every secret by its type: none is without its mark, or in a list that is shown whole', () => {
  const suspicious = /(password|secret|token|hash|npmrc|privatekey|credential)/i;
  for (const kind of kindNames)
    for (const { path, schema, isWhole } of fieldsIn(kindOf(kind).spec, kind, false)) {
      const { secret, bookkeeping, ref } = markOf(schema);
      if (secret) assert.not(isWhole, path);
      const isText = bare(schema)._zod.def.type === 'string' && !secret && !bookkeeping && !ref;
      assert.not(isText && suspicious.test(path.slice(path.lastIndexOf('/'))), `${path} has the name of a secret`);
    }
});

interface Field {
  readonly path: string;
  readonly schema: z.core.$ZodType;
  /** It stands in a list that is one leaf. */
  readonly isWhole: boolean;
}

function* fieldsIn(schema: z.core.$ZodType, path: string, isWhole: boolean): Iterable<Field> {
  yield { path, schema, isWhole };
  const parts = partsOf(schema);
  if (parts.type === 'object')
    for (const [key, field] of Object.entries(parts.fields)) yield* fieldsIn(field, `${path}/${key}`, isWhole);
  if (parts.type === 'list') yield* fieldsIn(parts.item, `${path}/-`, isWhole || !parts.namedBy);
  if (parts.type === 'map') yield* fieldsIn(parts.value, `${path}/*`, isWhole);
}

audit('holds all that differs: what it says, done to what was before, gives what is', () => {
  const pair = fc
    .constantFrom(...declaredKindNames)
    .chain((kind) => fc.tuple(fc.constant(kind), fc.option(specOf(kind)), fc.option(specOf(kind))));
  fc.assert(
    fc.property(pair, ([kind, one, two]) => {
      const before = one === null ? undefined : made(kind, 'x', one);
      const after = two === null ? undefined : made(kind, 'x', two);
      if (!before && !after) return;
      const entry = told(before ? (after ? updated(before, after) : deleted(before)) : created(after as Resource));
      assert.is(entry !== undefined, differs(before, after));
      if (entry) assertTells(entry, before, after);
    }),
    { numRuns: 500 },
  );
});

audit.run();

const filter = suite('a filter of the audit log');

const entry: AuditEntry = {
  id: 'e',
  at,
  event: 'team.updated',
  actor: { kind: 'token', id: 'token-1', name: 'ann "é"' },
  target: { kind: 'Team', id: 'team-1', name: 'core' },
  changes: [],
  requestId: 'req-1',
  revision: 'rev-1',
  team: 'team-1',
};

filter('asks for the whole of an id or a name, and of an event or what stands before its dot', () => {
  const fits = [
    {},
    { actor: 'token-1' },
    { actor: 'ann "é"' },
    { actor: 'token' },
    { target: 'team-1' },
    { target: 'core' },
    { event: 'team.updated' },
    { event: 'team' },
    { requestId: 'req-1', revision: 'rev-1', team: 'team-1' },
    { revision: 'rev' },
  ];
  const not = [
    { actor: 'ann' },
    { actor: 'Token-1' },
    { target: 'Team' },
    { event: 'tea' },
    { event: 'team.' },
    { event: 'updated' },
    { requestId: 'req' },
    { revision: 'rev-2' },
    { team: 'team-2' },
    { target: 'core', event: 'stack' },
  ];
  assert.equal(
    fits.map((one) => isAskedFor(entry, one)),
    fits.map(() => true),
  );
  assert.equal(
    not.map((one) => isAskedFor(entry, one)),
    not.map(() => false),
  );
  for (const one of fits) for (const text of textsOf(one)) assert.ok(JSON.stringify(entry).includes(text), text);
});

filter('names texts that stand in the JSON of all that it lets through', () => {
  const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(text, text, fc.constantFrom('actor', 'target', 'requestId', 'event'), (id, name, what) => {
      const one = {
        ...entry,
        actor: { kind: 'user', id, name },
        target: { kind: 'Team', id: name, name: id },
        requestId: id,
      };
      const made = auditEntry.parse({ ...one, event: `${id}.updated` });
      const asked = { [what]: id };
      assert.ok(isAskedFor(made, asked));
      for (const part of textsOf(asked)) assert.ok(JSON.stringify(made).includes(part));
    }),
  );
});

filter('has terms that all entries have that it lets through, and no others where it says that they suffice', () => {
  // Few letters, so that much is alike.
  const word = fc.string({ unit: fc.constantFrom('a', 'b', '.', ':', 'é'), minLength: 1, maxLength: 3 });
  const revision = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 10, maxLength: 14 });
  const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
  const change = fc.record({
    path: fc.constantFrom('/spec/instance', '/spec/label'),
    before: maybe(word),
    after: maybe(word),
  });
  const anyEntry = fc.record({
    id: word,
    at: fc.constant(at),
    event: word,
    actor: fc.record({ kind: fc.constantFrom('user', 'token'), id: maybe(word), name: maybe(word) }),
    target: fc.record({ kind: fc.constantFrom('Instance', 'Snapshot', 'Team'), id: maybe(word), name: maybe(word) }),
    changes: fc.array(change, { maxLength: 2 }),
    requestId: maybe(word),
    revision: maybe(revision),
    team: maybe(word),
  });
  const names = ['actor', 'event', 'target', 'requestId', 'team', 'instance', 'revision'] as const;
  const asked = fc.array(fc.tuple(fc.constantFrom(...names), fc.nat(3), word), { maxLength: 3 });
  const seen = { fits: 0, fails: 0 };
  fc.assert(
    fc.property(anyEntry, asked, fc.integer({ min: 1, max: 14 }), (one, wanted, digits) => {
      const { actor, target, event, requestId, team, changes } = one;
      const own: Record<(typeof names)[number], readonly (string | undefined)[]> = {
        actor: [actor.id, actor.name, actor.kind],
        target: [target.id, target.name],
        event: [event, event.split('.')[0]],
        requestId: [requestId],
        team: [team],
        instance: [target.id, changes[0]?.after ?? changes[0]?.before],
        revision: [one.revision?.slice(0, digits)],
      };
      const begun = Object.fromEntries(wanted.map(([name, nth, other]) => [name, own[name][nth] || other]));
      const { all, suffice } = auditTermsFor(begun);
      const terms = auditTermsOf(one as AuditEntry);
      const hasAll = all.every((term) => terms.has(term));
      const fits = isAskedFor(one as AuditEntry, begun);
      seen[fits ? 'fits' : 'fails'] += 1;
      if (fits) assert.ok(hasAll, `${all} in ${[...terms]}`);
      if (suffice) assert.is(hasAll, fits);
    }),
    { numRuns: 5000 },
  );
  assert.ok(seen.fits > 100 && seen.fails > 100, JSON.stringify(seen));
});

filter.run();
