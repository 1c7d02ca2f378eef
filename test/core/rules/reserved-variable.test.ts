// What steers the process of a runtime is set by nobody, wherever variables can be.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { transact } from '../../../src/control/transact.ts';
import { reservedVariable } from '../../../src/core/instances/reserved-variables.ts';
import { kinds } from '../../../src/core/kinds/index.ts';
import { partsOf } from '../../../src/core/kinds/kind.ts';
import { created, updated } from '../../../src/core/model/change.ts';
import type { Facts } from '../../../src/core/rules/facts.ts';
import { made, problemsIn, put, write } from '../../control/world.ts';
import { catalogueWith, device, edit, instance, newTeamsWorld, withTeam } from './teams-world.ts';

const reserved = suite('reserved-variable');

const steering = [
  ...['NODE_OPTIONS', 'NODE_PATH', 'NODE_ENV', 'NODE_EXTRA_CA_CERTS', 'NODE_TLS_REJECT_UNAUTHORIZED'],
  ...['NODE_RED_HOME', 'NODE_RED_ENABLE_PROJECTS', 'NODE_RED_ENABLE_SAFE_MODE'],
  ...['LD_PRELOAD', 'LD_LIBRARY_PATH', 'DYLD_INSERT_LIBRARIES', 'OPENSSL_CONF', 'GCONV_PATH', 'GLIBC_TUNABLES'],
  ...['PATH', 'SHELL', 'ENV', 'BASH_ENV', 'SHELLOPTS', 'PS4', 'GIT_SSH_COMMAND', 'GIT_CONFIG_COUNT'],
  ...['HOME', 'USERPROFILE', 'TMPDIR', 'XDG_CONFIG_HOME'],
  ...['npm_config_registry', 'NPM_CONFIG_SCRIPT_SHELL', 'Npm_Config_Node_Options'],
  ...['WEIR_RUNTIME', 'INSTANCE_RUN'],
];
const free = [
  ...['SITE', 'MY_PATH', 'HOMEPAGE', 'NODES', 'NODE', 'LDAP_URL', 'WEIRD', 'ENVIRONMENT', 'npm_token', 'LANG'],
  ...['HTTP_PROXY', 'https_proxy', 'NO_PROXY', 'PORT', 'NR_NODE_ID', 'GIT_BRANCH', 'path', 'home', 'node_id'],
];

const because = (message: string) => message.replace(/^.* because (.*): (.*)$/s, '$1|$2');

reserved('knows what steers, and lets everything else be', () => {
  for (const name of steering) assert.ok(reservedVariable(name, { of: 'instance' }), name);
  for (const name of steering) assert.ok(reservedVariable(name, { of: 'device' }), name);
  for (const name of free) assert.is(reservedVariable(name, { of: 'instance' }), undefined, name);
  for (const name of ['Path', 'node_options', 'tmp'])
    assert.equal(
      [false, true].map((anyCase) => reservedVariable(name, { of: 'instance', anyCase }) !== undefined),
      [false, true],
      name,
    );
});

reserved('is told with what to do: an option, or another name', async () => {
  const world = await newTeamsWorld('ann');
  await withTeam(world, 'core', 'ann');
  const environment = ['NODE_OPTIONS', 'SITE', 'npm_config_registry', 'TZ', 'LD_PRELOAD', 'PATH', 'HOME', 'WEIR_X'];
  const values = environment.map((name) => ({ name, value: 'x' }));
  const found = await write(world, () => [created(instance(world, 'core', 'pumps', { environment: values }))]);
  assert.equal(
    found.map((one) => one.split(' ', 6).join(' ')),
    environment
      .filter((name) => name !== 'SITE')
      .map((name) => `reserved-variable Instance/pumps: the variable ${name} cannot`),
  );
  assert.equal(found.map(because), [
    'it steers the Node.js that runs the runtime, or the runtime itself|leave it out, or give it another name',
    'it steers npm|set the option npmrc of the instance or its template',
    'the time zone of an instance is an option|set the option timeZone of the instance or its template',
    'it decides which code is loaded into the process of the runtime|leave it out, or give it another name',
    'it decides which programs are started, and how|leave it out, or give it another name',
    'it says where the runtime and its programs keep what they have|leave it out, or give it another name',
    'Weir itself uses it|leave it out, or give it another name',
  ]);
});

reserved('holds for templates, by documents with their place and through the API', async () => {
  const steered = catalogueWith('{name: LINE, value: "1"}', '{name: NODE_OPTIONS, value: "--require /x.js"}');
  const said =
    'the variable NODE_OPTIONS cannot be set, because it steers the Node.js that runs the runtime, or the runtime itself: leave it out, or give it another name';
  assert.equal(problemsIn(steered), [`templates.yaml:13:7 reserved-variable Template/strict: ${said}`]);
  const world = await newTeamsWorld('ann');
  const environment = [{ name: 'NODE_OPTIONS', value: 'x', locked: false }];
  const own = () => [created(made('Template', 'strict-2', { environment }))];
  assert.equal(await write(world, own), [`reserved-variable Template/strict-2: ${said}`]);
  const tried = transact(world.store.read(), own, world.context('config'), { facts: world.door.facts() });
  assert.equal(
    tried.violations.map(({ rule, path }) => [rule, path]),
    [['reserved-variable', '/spec/environment/0']],
  );
});

reserved('holds for devices, which have no options and so may have a time zone', async () => {
  const world = await newTeamsWorld('ann');
  await withTeam(world, 'core', 'ann');
  const gateway = device('core', 'gateway');
  const given = (...names: string[]) => ({
    ...gateway,
    spec: { ...gateway.spec, environment: names.map((name) => ({ name, value: 'x' })) },
  });
  assert.match(
    (await write(world, () => [created(given('LD_PRELOAD'))]))[0] ?? '',
    /^reserved-variable Device\/gateway: the variable LD_PRELOAD/,
  );
  assert.equal(await write(world, () => [created(given('TZ', 'SITE'))]), []);
  assert.is((await write(world, () => [updated(gateway, given('npm_config_registry'))])).length, 1);
});

reserved('lets what was there before be, whatever else is written, and go', async () => {
  const world = await newTeamsWorld('ann');
  await withTeam(world, 'core', 'ann');
  const old = { name: 'NODE_OPTIONS', value: '--max-http-header-size=80000' };
  const pumps = instance(world, 'core', 'pumps', { environment: [old] });
  await put(world, pumps);
  const line = { name: 'LINE', value: '2' };
  assert.equal(await write(world, edit(pumps, { state: 'running' }, 'Pumps 2')), []);
  assert.equal(await write(world, edit(pumps, { environment: [line, old] })), []);
  assert.is((await write(world, edit(pumps, { environment: [{ ...old, value: '--inspect' }] }))).length, 1);
  assert.equal(await write(world, edit(pumps, { environment: [line] })), []);
  assert.is((await write(world, edit(pumps, { environment: [old] }))).length, 1);
});

reserved('reads names as the system does, where that is known', async () => {
  const world = await newTeamsWorld('ann');
  await withTeam(world, 'core', 'ann');
  const facts: Facts = { ...world.door.facts(), variablesInAnyCase: true };
  const pumps = instance(world, 'core', 'pumps', { environment: [{ name: 'Path', value: 'x' }] });
  const there = { ...world, door: { ...world.door, facts: () => facts } };
  assert.is((await write(there, () => [created(pumps)])).length, 1);
  assert.equal(await write(world, () => [created(pumps)]), []);
});

reserved('looks at every kind that has variables', () => {
  const having = Object.entries(kinds).filter(([, { spec }]) => {
    const parts = partsOf(spec);
    return parts.type === 'object' && 'environment' in parts.fields;
  });
  assert.equal(having.map(([kind]) => kind).sort(), ['Device', 'Instance', 'Template']);
});

reserved.run();
