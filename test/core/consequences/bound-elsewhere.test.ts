// Who is signed out when a domain begins to sign in elsewhere.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { boundElsewhere } from '../../../src/core/consequences/bound-elsewhere.ts';
import { type Change, created, updated } from '../../../src/core/model/change.ts';
import { overlay } from '../../../src/core/model/overlay.ts';
import type { Resource } from '../../../src/core/model/resource.ts';
import { colleague, corp, platform } from '../groups/groups-world.ts';
import { after, hash, living, person, start, told } from '../proposals/accounts-world.ts';
import { withConsequences } from './followed.ts';

const session = (id: string, user: string) =>
  living('Session', id, {
    ...{ user, hash: hash('a'), expiresAt: after(9000), idleHours: 1, lastSeenAt: start, address: '', agent: '' },
  });
const draft = corp({}, { active: false });
const people = [
  colleague('ann'),
  colleague('ada', { admin: true }),
  person('bob', { email: 'bob@x.corp.example' }),
  session('s-ann', 'ann'),
  session('s-ada', 'ada'),
  session('s-bob', 'bob'),
  session('s-root', 'root'),
];

/** The sessions that end with a change. */
function ended(config: typeof draft, change: (one: typeof draft) => Change): readonly Change[] {
  const { state } = platform(config, ...people);
  return withConsequences(state, [change(config)]).changes.slice(1);
}
const with_ = (config: typeof draft, spec: object) => ({ ...config, spec: { ...config.spec, ...spec } });

const begin = suite('a configuration that begins to act');

begin('ends the sessions of its domain, but not of admins, and says why', () => {
  const changes = ended(draft, (one) => updated(one, with_(one, { active: true })));
  assert.equal(told(changes), ['-Session/s-ann']);
  assert.is(changes[0]?.reason, 'corp.example signs in through SsoConfig/corp now');
});

begin('ends them also where it is made active, or moves to another domain', () => {
  const other = { ...corp({}, { emailDomain: 'new.example' }), id: 'new', name: 'new' };
  const { state } = platform(draft, ...people, colleague('nat', { email: 'nat@new.example' }), session('s-nat', 'nat'));
  assert.equal(told(withConsequences(state, [created(other)]).changes.slice(1)), ['-Session/s-nat']);
  const moved = ended(corp(), (one) => updated(one, with_(one, { emailDomain: 'x.corp.example' })));
  assert.equal(told(moved), ['-Session/s-bob', '-Session/s-ann'], 'and those that it opened where it was');
});

begin('looks at very many sessions in pieces', () => {
  const state = platform(draft, ...people, ...Array.from({ length: 600 }, (_, at) => session(`s${at}`, 'bob'))).state;
  const changes = [updated(draft, with_(draft, { active: true }))];
  const steps = [...boundElsewhere(changes, state, overlay(state, changes))];
  assert.is(steps.filter((step) => step === undefined).length, 2);
});

begin('ends none while it is a draft, and when it acted before', () => {
  assert.equal(
    ended(draft, (one) => updated(one, with_(one, { label: 'x' }))),
    [],
  );
  assert.equal(
    ended(corp(), (one) => updated(one, with_(one, { label: 'x' }))),
    [],
  );
});

begin.run();

const moves = suite('a user');

/** The sessions that end when a user is changed. */
function changed(id: string, spec: object): string[] {
  const { state } = platform(corp(), ...people);
  const user = state.get('User', id) as Resource<'User'>;
  return told(withConsequences(state, [updated(user, { ...user, spec: { ...user.spec, ...spec } })]).changes.slice(1));
}

moves('who gets an address of the domain, or is no admin of it any more, is signed out', () => {
  assert.equal(changed('bob', { email: 'bob@corp.example' }), ['-Session/s-bob']);
  assert.equal(changed('ada', { admin: false }), ['-Session/s-ada']);
});

moves('who comes from another domain with single sign-on is signed out, because that has no say in this one', () => {
  const other = { ...corp({}, { emailDomain: 'new.example' }), id: 'new', name: 'new' };
  const { state } = platform(corp(), other, ...people);
  const ann = state.get('User', 'ann') as Resource<'User'>;
  const moved = updated(ann, { ...ann, spec: { ...ann.spec, email: 'ann@new.example' } });
  assert.equal(told(withConsequences(state, [moved]).changes.slice(1)), ['-Session/s-ann']);
});

moves('who was of the domain before, or leaves it, is not', () => {
  assert.equal(changed('ann', { email: 'anna@corp.example' }), []);
  assert.equal(changed('ann', { email: 'ann@example.net' }), []);
  assert.equal(changed('ann', { admin: true }), []);
});

moves.run();
