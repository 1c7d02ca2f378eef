// Variables that no process could be started with are refused while they are written.
import { spawnSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  bytesOfVariable,
  bytesOfVariables,
  mostEnvironmentBytes,
} from '../../../src/core/instances/environment-size.ts';
import { kinds } from '../../../src/core/kinds/index.ts';
import { created, updated } from '../../../src/core/model/change.ts';
import { made, put, type World, write } from '../../control/world.ts';
import { device, edit, idOf, instance, newTeamsWorld, withTeam } from './teams-world.ts';

const sized = suite('environment-size');

/** What Linux takes in one (`MAX_ARG_STRLEN`). */
const mostVariableBytes = 128 * 1024;

/** So many variables of 32 KiB, each with its name and the NUL behind it. */
const many = (count: number, prefix = 'V') =>
  Array.from({ length: count }, (_, at) => {
    const name = `${prefix}${String(at).padStart(3, '0')}`;
    return { name, value: 'x'.repeat(32_768 - name.length - 2) };
  });
const locked = (environment: ReturnType<typeof many>) => environment.map((one) => ({ ...one, locked: false }));

async function newWorld(): Promise<World> {
  const world = await newTeamsWorld('ann');
  await withTeam(world, 'core', 'ann', 'roomy');
  return world;
}

sized('counts bytes as the system does', () => {
  for (const value of [
    '',
    'plain',
    'Größe',
    '漢字',
    '🌊🌊',
    'a\ud800b',
    '\udc00',
    '\ud83c',
    '\ud83d\udc00',
    '\ud800\udc00',
    '\udbff\udfff',
    '\udc00é',
    '\ud800é',
    '\ud83f\udfff',
    '\ud83c\ue000',
    '\u07ff\u0800\u0080',
  ])
    assert.is(bytesOfVariable({ name: 'NAME', value }), Buffer.byteLength(`NAME=${value}`) + 1, JSON.stringify(value));
  assert.is(bytesOfVariables(many(32)), mostEnvironmentBytes);
});

sized('allows what a process can be started with', () => {
  if (process.platform !== 'linux') return;
  const env = Object.fromEntries(many(32).map(({ name, value }) => [name, value]));
  assert.is(spawnSync(process.execPath, ['-e', ''], { env }).status, 0);
  const one = (bytes: number) => spawnSync(process.execPath, ['-e', ''], { env: { N: 'x'.repeat(bytes - 3) } });
  assert.is(one(mostVariableBytes).status, 0);
  assert.is((one(mostVariableBytes + 1).error as NodeJS.ErrnoException).code, 'E2BIG');
});

sized('holds for instances, with what their template gives', async () => {
  const world = await newWorld();
  const pumps = instance(world, 'core', 'pumps', { environment: many(33) });
  assert.equal(await write(world, () => [created(pumps)]), [
    'environment-size Instance/pumps: its variables cannot be these, because they come to 1.04 MiB, and a process gets 1 MiB at most: shorten them, or have the flows read a file',
  ]);
  assert.equal(await write(world, () => [created(instance(world, 'core', 'fans', { environment: many(32) }))]), []);
  const strict = instance(world, 'core', 'drills', { template: 'strict', environment: many(32) });
  assert.equal(await write(world, () => [created(strict)]), [
    'environment-size Instance/drills: its variables cannot be these, because they come to 1.01 MiB with those of Template/strict, and a process gets 1 MiB at most: shorten them, or have the flows read a file',
  ]);
  // To a template that brings too much.
  const fans = world.store.read().named('Instance', 'fans');
  assert.ok(fans);
  assert.is((await write(world, edit(fans, { template: idOf(world, 'Template', 'strict') }))).length, 1);
});

sized('counts a variable once that an instance overrides', async () => {
  const world = await newWorld();
  await put(world, made('Template', 'full', { environment: locked(many(32)) }));
  const template = world.store.read().named('Template', 'full')?.id ?? '';
  const base = instance(world, 'core', 'pumps', { environment: many(2) });
  assert.equal(await write(world, () => [created({ ...base, spec: { ...base.spec, template } })]), []);
});

sized('holds for devices', async () => {
  const world = await newWorld();
  const gateway = device('core', 'gateway');
  const large = { ...gateway, spec: { ...gateway.spec, environment: many(33) } };
  assert.match((await write(world, () => [created(large)]))[0] ?? '', /^environment-size Device\/gateway: .*1\.04 MiB/);
  assert.equal(await write(world, () => [created(gateway)]), []);
  assert.is((await write(world, () => [updated(gateway, large)])).length, 1);
});

sized('holds for a template, on its own and for the instances that it would break, which it names', async () => {
  const world = await newWorld();
  const full = made('Template', 'full');
  await put(world, full);
  const names = ['a', 'b', 'c', 'd'];
  const instances = names.map((name) => {
    const one = instance(world, 'core', name, { environment: many(20, 'OWN') });
    return { ...one, spec: { ...one.spec, template: full.id } };
  });
  await put(world, ...instances, instance(world, 'core', 'other', { environment: many(20, 'OWN') }));
  const give = (environment: ReturnType<typeof many>) => () => [
    updated(full, { ...full, spec: { ...full.spec, environment: locked(environment) } }),
  ];
  assert.equal(await write(world, give(many(13))), [
    'environment-size Template/full: its variables cannot be these, because with them Instance/a, Instance/b, Instance/c and 1 more would have more than 1 MiB, and no process gets more: shorten them, or have the flows read a file',
  ]);
  assert.match((await write(world, give(many(33))))[0] ?? '', /Template\/full: .*come to 1\.04 MiB, and/);
  assert.equal(await write(world, give(many(12))), []);
  const fresh = made('Template', 'fresh', { environment: locked(many(33)) });
  assert.is((await write(world, () => [created(fresh)])).length, 1);
});

sized('refuses growth alone: what is too large already may become smaller, and all else be changed', async () => {
  const world = await newWorld();
  const pumps = instance(world, 'core', 'pumps', { environment: many(40) });
  await put(world, pumps);
  assert.equal(await write(world, edit(pumps, { state: 'running' }, 'Pumps 2')), []);
  assert.equal(await write(world, edit(pumps, { environment: many(39) })), []);
  assert.is((await write(world, edit(pumps, { environment: many(41) }))).length, 1);
  const standard = world.store.read().named('Template', 'standard');
  assert.ok(standard);
  const environment = [{ name: 'SITE', value: 'main', locked: false }];
  const grown = { ...standard, managedBy: 'api' as const, spec: { ...standard.spec, environment } };
  const found = await write(world, () => [updated(standard, grown)]);
  assert.ok(
    found.some((one) => one.startsWith('environment-size Template/standard: ')),
    found.join('\n'),
  );
});

sized(
  'has no word on one alone: whatever the characters, the longest value is no more than a process gets in one',
  () => {
    const most = { name: 'N'.repeat(128), value: '漢'.repeat(32_768) };
    for (const environment of [kinds.Device.spec.shape.environment, kinds.Template.spec.shape.environment]) {
      assert.ok(environment.safeParse([most]).success);
      assert.not(environment.safeParse([{ ...most, value: `${most.value}x` }]).success);
    }
    assert.ok(bytesOfVariable(most) <= mostVariableBytes);
  },
);

sized.run();
