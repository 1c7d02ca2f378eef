// What the Platform decides for others, and what of it cannot change.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { created, updated } from '../../../src/core/model/change.ts';
import {
  apply,
  living,
  made,
  newWorld,
  planOf,
  problemsIn,
  put,
  told,
  violationsOf,
  write,
} from '../../control/world.ts';

const platform = (spec: string) => `kind: Platform\nmetadata: {name: platform}\nspec: ${spec}\n`;
const settings = (spec: string) => `kind: AdminSettings\nmetadata: {name: default}\nspec: ${spec}\n`;
const anInstance = living('Instance', 'i', { team: 't', instanceType: 't', template: 't', stack: 's' });

const immutable = suite('immutable');

immutable('keeps the provider of an SSO configuration', async () => {
  const world = newWorld();
  const sso = (provider: string) =>
    `kind: SsoConfig\nmetadata: {name: corp}\nspec: {emailDomain: corp.example, provider: ${provider}}\n`;
  await apply(world, { 'sso.yaml': sso('saml') });
  const because = 'it is fixed when the object is created: declare a new object with another name instead';
  assert.equal(await violationsOf(world, { 'sso.yaml': sso('ldap') }), [
    `sso.yaml:3:45 immutable SsoConfig/corp: provider cannot change from saml to ldap, because ${because}`,
  ]);
  const own = made('SsoConfig', 'own', { emailDomain: 'own.example', provider: 'ldap' });
  await put(world, own);
  assert.equal(await write(world, () => [updated(own, { ...own, spec: { ...own.spec, provider: 'saml' } })]), [
    `immutable SsoConfig/own: provider cannot change from ldap to saml, because ${because}`,
  ]);
});

immutable('keeps the driver while instances exist, and only then', async () => {
  const world = newWorld();
  await apply(world, { 'weir.yaml': platform('{driver: {kind: container}}') });
  assert.equal(await violationsOf(world, { 'weir.yaml': platform('{}') }), []);
  await put(world, anInstance);
  assert.equal(await violationsOf(world, { 'weir.yaml': platform('{driver: {stacksDirectory: x}}') }), [
    'weir.yaml:3:16 immutable Platform/platform: driver.kind cannot change from container to local, because 1 instance exists: delete it first',
  ]);
  assert.equal(
    await violationsOf(world, { 'weir.yaml': platform('{licence: enterprise, driver: {kind: container}}') }),
    [],
  );
});

immutable('keeps the driver that instances run on though nobody declared it', async () => {
  const world = newWorld();
  await put(world, anInstance);
  assert.equal(await violationsOf(world, { 'weir.yaml': platform('{driver: {kind: container}}') }), [
    'weir.yaml:3:23 immutable Platform/platform: driver.kind cannot change from local to container, because 1 instance exists: delete it first',
  ]);
  assert.equal(await violationsOf(world, {}), []);
});

immutable.run();

const email = suite('settings-need-email');
const all = settings('{registration: true, passwordReset: true, externalInvitations: true, userTeamCreation: true}');

email('refuses each setting that needs mail while the Platform sends none', () => {
  assert.equal(problemsIn({ 'a.yaml': all }), [
    'a.yaml:3:22 settings-need-email AdminSettings/default: registration cannot be on, because Platform/platform has no email: declare spec.email first',
    'a.yaml:3:43 settings-need-email AdminSettings/default: passwordReset cannot be on, because Platform/platform has no email: declare spec.email first',
    'a.yaml:3:70 settings-need-email AdminSettings/default: externalInvitations cannot be on, because Platform/platform has no email: declare spec.email first',
  ]);
  assert.equal(problemsIn({ 'weir.yaml': platform('{email: {}}'), 'a.yaml': all }), []);
});

email('refuses them through the API, and a Platform that loses its email while they are on', async () => {
  const world = newWorld();
  assert.equal(await write(world, () => [created(made('AdminSettings', 'default', { registration: true }))]), [
    'settings-need-email AdminSettings/default: registration cannot be on, because Platform/platform has no email: declare spec.email first',
  ]);
  await apply(world, { 'weir.yaml': platform('{email: {}}') });
  assert.equal(await write(world, () => [created(made('AdminSettings', 'default', { registration: true }))]), []);
  const { document } = await planOf(world, {});
  assert.equal(document.findings.map(told), [
    'settings-need-email AdminSettings/default: registration cannot be on, because Platform/platform has no email: declare spec.email first',
  ]);
  assert.equal(
    document.changes.map(({ address, action }) => `${action} ${address}`),
    ['blocked Platform/platform'],
  );
  assert.is(document.summary.blocked, 1);
});

email('says nothing while the Platform itself cannot be read', () => {
  const broken = problemsIn({ 'weir.yaml': platform('{email: {}, licence: free}'), 'a.yaml': all });
  assert.equal(
    broken.map((problem) => problem.split(' ')[1]),
    ['schema'],
  );
  assert.equal(
    problemsIn({ 'weir.yaml': platform('{email: {}'), 'a.yaml': all }).map((problem) => problem.split(' ')[1]),
    ['syntax'],
  );
});

email.run();

const price = suite('price-needs-billing');
const type = 'kind: InstanceType\nmetadata: {name: small}\nspec: {price: {id: p1}}\n';

price('refuses a price while billing is off', () => {
  assert.equal(problemsIn({ 'a.yaml': type }), [
    'a.yaml:3:15 price-needs-billing InstanceType/small: cannot have a price, because Platform/platform has "billing.enabled: false"',
  ]);
  assert.equal(problemsIn({ 'weir.yaml': platform('{billing: {enabled: true}}'), 'a.yaml': type }), []);
});

price('is asked through the API, and again when billing is switched off', async () => {
  const world = newWorld();
  const own = made('InstanceType', 'own', { price: { id: 'p' } });
  assert.equal(await write(world, () => [created(own)]), [
    'price-needs-billing InstanceType/own: cannot have a price, because Platform/platform has "billing.enabled: false"',
  ]);
  await apply(world, { 'weir.yaml': platform('{billing: {enabled: true}}') });
  assert.equal(await write(world, () => [created(own)]), []);
  assert.equal((await violationsOf(world, {})).length, 1);
});

price.run();

const usernames = suite('username-unique');

usernames('are told apart without regard to case', async () => {
  const world = newWorld();
  await put(world, living('User', 'Ann', { email: 'ann@example.com' }));
  assert.equal(await write(world, () => [created(living('User', 'ann', { email: 'other@example.com' }))]), [
    'username-unique User/ann: username cannot be ann, because another user has it',
  ]);
  assert.equal(await write(world, () => [created(living('User', 'bob', { email: 'bob@example.com' }))]), []);
});

usernames('may be exchanged in one step, but not doubled in one', async () => {
  const world = newWorld();
  const [ann, bob] = [
    living('User', 'ann', { email: 'a@example.com' }),
    living('User', 'bob', { email: 'b@example.com' }),
  ];
  await put(world, ann, bob);
  assert.equal(
    await write(world, () => [updated(ann, { ...ann, name: 'bob' }), updated(bob, { ...bob, name: 'ann' })]),
    [],
  );
  const [x, y] = [living('User', 'x', { email: 'x@example.com' }), living('User', 'X', { email: 'y@example.com' })];
  assert.equal((await write(world, () => [created({ ...x, id: '1' }), created({ ...y, id: '2' })])).length, 2);
});

usernames.run();

const emails = suite('email-unique');

emails('are told apart without regard to case', async () => {
  const world = newWorld();
  await put(world, living('User', 'ann', { email: 'Ann@Example.com' }));
  assert.equal(await write(world, () => [created(living('User', 'other', { email: 'ann@EXAMPLE.com' }))]), [
    'email-unique User/other: email cannot be ann@example.com, because another user has it',
  ]);
});

emails.run();
