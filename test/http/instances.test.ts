// Instances over the API, by the real server, and with a driver that runs nothing but says so.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Converging, startConverge } from '../../src/control/converge.ts';
import { type Stub, stubDriver } from '../../src/drivers/stub.ts';
import { newId } from '../../src/lib/id.ts';
import { writeFiles } from '../support/temporary-folder.ts';
import { type Asked, type Credential, type ServerWorld, start, startWorld } from './world.ts';

const stacks = `kind: Stack
metadata: {name: nr-4}
spec: {runtime: "4.1"}
---
kind: Stack
metadata: {name: nr-5}
spec: {runtime: "5.0"}
---
kind: Stack
metadata: {name: old}
spec: {runtime: "3", active: false}
`;
const replacement = `---
kind: Stack
metadata: {name: nr-4-1}
spec: {runtime: "4.2", replaces: nr-4}
`;
const files = {
  'weir.yaml': 'kind: Platform\nmetadata: {name: platform}\nspec: {reconcile: {settleMs: 50, pollSeconds: 3600}}\n',
  'stacks.yaml': stacks,
  'types.yaml': `kind: InstanceType
metadata: {name: small}
spec: {stacks: [nr-4, nr-5, old], defaultStack: nr-4}
---
kind: InstanceType
metadata: {name: large}
spec: {stacks: [nr-5]}
---
kind: InstanceType
metadata: {name: huge}
spec: {stacks: [nr-5]}
---
kind: TeamType
metadata: {name: starter}
spec: {features: {customNpmCatalogs: true}, instanceTypes: [{name: small, limit: 3}, {name: large}], limits: {instances: 4}}
---
kind: Template
metadata: {name: standard}
spec:
  options:
    theme: {value: dark}
    excludedNodes: {value: 90-exec.js, locked: true}
    npmrc: {value: {fromEnv: WEIR_SECRET_NPMRC}}
  environment: [{name: SITE, value: main, locked: true}, {name: LINE, value: "0"}]
---
kind: Template
metadata: {name: closed}
spec: {active: false}
`,
};

interface Plant {
  readonly world: ServerWorld;
  readonly stub: Stub;
  readonly loop: Converging;
  make(more?: object, as?: Credential): Promise<Asked>;
  close(): Promise<void>;
}

/** A server whose local driver is the stub. */
async function newPlant(): Promise<Plant> {
  const stub = stubDriver();
  const drivers = new Map([['local', stub]]);
  const world = await startWorld(files, { drivers });
  const facts = () => ({ drivers, certificateProblem: () => undefined });
  const door = { store: world.store, facts };
  const log = (_level: string, message: string) => world.logged.push(message);
  const loop = startConverge({ door, drivers, clock: () => start, newId, log });
  return {
    world,
    stub,
    loop,
    make: (more = {}, as = 'member') => make(world, more, as),
    close: async () => {
      await loop.close();
      await world.close();
    },
  };
}

function make(world: ServerWorld, more: object = {}, as: Credential = 'member'): Promise<Asked> {
  const body = { name: 'Line 1', instanceType: 'small', template: 'standard', ...more };
  return world.ask('POST', '/api/v1/teams/core/instances', { as, body });
}

const rulesOf = ({ body }: Asked): string[] => body.violations.map(({ rule }: { rule: string }) => rule).sort();
const pathsOf = ({ body }: Asked): string[] => body.violations.map(({ path }: { path: string }) => path).sort();
const option = ({ body }: Asked, name: string) => body.options.find((one: { name: string }) => one.name === name);
const condition = ({ body }: Asked, type: string) => body.conditions.find((one: { type: string }) => one.type === type);

const instances = suite('instances over the API');
const plant = await newPlant();
instances.after(plant.close);
const { world } = plant;

/** An instance that is up, and gone when the test is done. */
async function withOne(more: object, test: (url: string, id: string) => Promise<void>): Promise<void> {
  const made = await plant.make(more);
  assert.is(made.status, 201, made.text);
  await plant.loop.settled();
  const url = `/api/v1/instances/${made.body.id}`;
  await test(url, made.body.id);
  assert.is((await world.ask('DELETE', url)).status, 204);
  await plant.loop.settled();
  assert.is((await world.ask('GET', url)).status, 404);
}

instances('start in safe mode where somebody asks for it, and leave it with a restart', () =>
  withOne({}, async (url, id) => {
    const started = await world.ask('POST', `${url}/actions/start`, { as: 'member', body: { safe: true } });
    assert.equal([started.status, started.body.state, started.body.safeMode], [202, 'restarting', true], started.text);
    await plant.loop.settled();
    const read = await world.ask('GET', url, { as: 'viewer' });
    assert.equal([read.body.state, read.body.safeMode, plant.stub.runs.get(id)?.safe], ['running', true, true]);
    assert.equal([condition(read, 'SafeMode').status, condition(read, 'SafeMode').reason], ['True', 'Requested']);
    assert.is(
      condition(read, 'SafeMode').message,
      'somebody started it in safe mode: its editor works, and its flows do not run; mend them and deploy, which starts them, or restart it',
    );
    await world.ask('POST', `${url}/actions/restart`, { as: 'member' });
    await plant.loop.settled();
    const again = await world.ask('GET', url);
    assert.equal([again.body.safeMode, condition(again, 'SafeMode')], [false, undefined]);
    for (const body of [{ safe: 'yes' }, { save: true }, []])
      assert.is((await world.ask('POST', `${url}/actions/start`, { body })).status, 400, JSON.stringify(body));
    assert.is((await world.ask('POST', `${url}/actions/start`, { body: {} })).status, 202);
  }),
);

instances('restart into safe mode where somebody asks for it, also those that are in it or stopped', () =>
  withOne({}, async (url, id) => {
    const restart = (body: object) => world.ask('POST', `${url}/actions/restart`, { as: 'member', body });
    const shown = async () => {
      await plant.loop.settled();
      const { body } = await world.ask('GET', url);
      return [body.state, body.safeMode, plant.stub.runs.get(id)?.safe];
    };
    const asked = await restart({ safe: true });
    assert.equal([asked.status, asked.body.state, asked.body.safeMode], [202, 'restarting', true], asked.text);
    assert.equal(await shown(), ['running', true, true]);
    assert.is((await restart({ safe: true })).status, 202);
    assert.equal(await shown(), ['running', true, true]);
    assert.is((await restart({ safe: false })).status, 202);
    assert.equal((await shown()).slice(0, 2), ['running', false]);
    for (const body of [{ safe: 'yes' }, { save: true }, []])
      assert.is((await restart(body)).status, 400, JSON.stringify(body));
    assert.is((await world.ask('POST', `${url}/actions/stop`, { body: { safe: true } })).status, 400);
  }),
);

instances('are made by members, from names, and come up', async () => {
  const made = await plant.make({ options: { theme: 'light' }, environment: [{ name: 'OWN', value: 'x' }] });
  assert.is(made.status, 201, made.text);
  const { id, state, team, instanceType, template, stack, createdAt } = made.body;
  assert.is(made.headers.location, `/api/v1/instances/${id}`);
  assert.equal(
    [state, team, instanceType, template, stack, createdAt],
    ['creating', { id: 'core', slug: 'core', name: 'The core team' }, 'small', 'standard', 'nr-4', start],
  );
  await plant.loop.settled();
  const read = await world.ask('GET', `/api/v1/instances/${id}`, { as: 'viewer' });
  assert.equal([read.status, read.body.state, read.body.restartRequired], [200, 'running', false]);
  assert.is(read.body.url, `http://${id}.stub.invalid/`);
  assert.equal(read.body.can, [
    'read-instance',
    'read-instance-logs',
    'read-instance-resources',
    'read-instance-files',
    'read-snapshots',
  ]);
  await world.ask('DELETE', `/api/v1/instances/${id}`);
  await plant.loop.settled();
});

instances('show their effective settings, with where each comes from, and no secret', async () => {
  await withOne(
    {
      options: { theme: 'light', httpAuth: { username: 'u', password: 'hunter2' } },
      environment: [{ name: 'LINE', value: '7' }],
    },
    async (url) => {
      const read = await world.ask('GET', url, { as: 'member' });
      assert.is(read.body.options.length, 20);
      assert.equal(option(read, 'theme'), { name: 'theme', value: 'light', origin: 'instance', locked: false });
      assert.equal(option(read, 'excludedNodes'), {
        name: 'excludedNodes',
        value: '90-exec.js',
        origin: 'template',
        locked: true,
      });
      assert.equal(option(read, 'npmrc').value, { set: true, from: { fromEnv: 'WEIR_SECRET_NPMRC' } });
      assert.equal(option(read, 'httpAuth').value, { username: 'u', password: { set: true } });
      assert.equal(option(read, 'timeZone'), { name: 'timeZone', value: null, origin: 'default', locked: false });
      assert.equal(read.body.environment, [
        { name: 'SITE', value: 'main', origin: 'template', locked: true },
        { name: 'LINE', value: '7', origin: 'instance', locked: false },
      ]);
      assert.not(read.text.includes('hunter2'));
      const audit = await world.store.records({ stream: 'audit', limit: 20 });
      assert.not(JSON.stringify(audit).includes('hunter2'));
    },
  );
});

instances('are refused by the rules, all at once', async () => {
  const wrong = await plant.make({
    template: 'closed',
    stack: 'old',
  });
  assert.equal([wrong.status, wrong.body.code], [409, 'rule_violated']);
  assert.equal(rulesOf(wrong), ['inactive', 'inactive']);
  const locked = await plant.make({
    options: { excludedNodes: '' },
    environment: [{ name: 'SITE', value: 'mine' }],
  });
  assert.equal(rulesOf(locked), ['template-locked', 'template-locked']);
  assert.is(
    locked.body.violations[0].message,
    'Instance/Line 1: options.excludedNodes cannot be overridden, because Template/standard locks it: leave it out, or choose another template',
  );
  const unlisted = await plant.make({
    options: { apiMaxLength: '1mb', debugMaxLength: 7, catalogues: [], npmrc: 'x' },
  });
  assert.equal(rulesOf(unlisted), ['feature-required', 'feature-required', 'feature-required', 'feature-required']);
  assert.equal(rulesOf(await plant.make({ instanceType: 'huge' })), ['instance-type-not-enabled']);
  assert.equal(rulesOf(await plant.make({ instanceType: 'nope', template: 'neither' })), ['references', 'references']);
});

instances('count against the limits of the team type', async () => {
  const made = await Promise.all(Array.from({ length: 5 }, (_, at) => plant.make({ name: `line ${at}` })));
  assert.equal(made.map(({ status }) => status).sort(), [201, 201, 201, 409, 409]);
  assert.equal(rulesOf(made.find(({ status }) => status === 409) as Asked), ['limit-reached']);
  const listed = await world.ask('GET', '/api/v1/teams/core/instances');
  for (const { id } of listed.body.instances) await world.ask('DELETE', `/api/v1/instances/${id}`);
  await plant.loop.settled();
  assert.is((await world.ask('GET', '/api/v1/teams/core/instances')).body.count, 0);
});

instances('are refused with every problem of what was sent', async () => {
  const wrong = await plant.make({ stack: 'nr-4-1', options: { theme: 7, nope: 1 } });
  assert.equal([wrong.status, wrong.body.code], [400, 'invalid_request']);
  assert.equal(pathsOf(await plant.make({ name: ' ', extra: 1 })), ['/extra', '/name']);
  assert.equal(pathsOf(await plant.make({ options: { theme: 7, nope: 1 } })), ['/options/nope', '/options/theme']);
  const stack = await plant.make({ instanceType: 'large', stack: 'nr-4' });
  assert.match(stack.body.detail, /Stack\/nr-4 is not among the stacks of InstanceType\/large \(it has nr-5\)/);
});

instances('are made once for each Idempotency-Key, and tried without being made', async () => {
  const headers = { 'idempotency-key': 'once' };
  const body = { name: 'Line 1', instanceType: 'small', template: 'standard' };
  const ask = (more: object = {}) =>
    world.ask('POST', '/api/v1/teams/core/instances', { as: 'owner', body: { ...body, ...more }, headers });
  const [first, again] = [await ask(), await ask()];
  assert.equal([again.status, again.body.id], [201, first.body.id]);
  assert.is((await ask({ name: 'other' })).body.code, 'idempotency_conflict');
  const tried = await world.ask('POST', '/api/v1/teams/core/instances?dryRun=true', {
    as: 'owner',
    body: { ...body, options: { excludedNodes: '' } },
  });
  assert.equal([tried.status, tried.body.summary.blocked], [200, 1]);
  assert.is((await world.ask('GET', '/api/v1/teams/core/instances')).body.count, 1);
  await world.ask('DELETE', `/api/v1/instances/${first.body.id}`);
  await plant.loop.settled();
});

instances('change only what is given, and act at the next start', async () => {
  await withOne({ options: { pageTitle: 'Mine' } }, async (url) => {
    const put = (body: object, headers = {}) => world.ask('PUT', url, { as: 'member', body, headers });
    const before = await world.ask('GET', url);
    const changed = await put({ options: { theme: 'light' }, environment: [{ name: 'OWN', value: '1' }] });
    assert.equal([changed.status, changed.body.restartRequired, changed.body.state], [200, true, 'running']);
    assert.equal(option(changed, 'pageTitle').value, 'Mine');
    assert.is(
      condition(changed, 'RestartRequired').message,
      'it runs with other values than it has now: theme, environment.OWN; restart it',
    );
    const renamed = await put({ name: 'Line 2', options: { theme: null, pageTitle: null }, environment: null });
    assert.equal([renamed.body.name, option(renamed, 'pageTitle').origin], ['Line 2', 'default']);
    assert.is(condition(renamed, 'RestartRequired').message.includes('pageTitle'), true);
    assert.is((await put({ name: 'x' }, { 'if-match': String(before.headers.etag) })).status, 412);
    assert.is((await put({ name: 'x' }, { 'if-match': '*' })).status, 200);
    await world.ask('POST', `${url}/actions/restart`, { as: 'member' });
    await plant.loop.settled();
    assert.is((await world.ask('GET', url)).body.restartRequired, false);
  });
});

instances('take part in what rules say of their stack, type and template', async () => {
  await withOne({}, async () => {
    const listed = await world.ask('GET', '/api/v1/stacks/nr-4');
    assert.equal(listed.body.status.usage, { instances: 1 });
    const edited = files['stacks.yaml'].replace('"4.1"', '"4.9"');
    const planned = await world.ask('POST', '/api/v1/admin/config/plan', {
      body: {
        documents: Object.entries({ ...files, 'stacks.yaml': edited }).map(([path, content]) => ({ path, content })),
      },
    });
    assert.equal(
      planned.body.findings
        .filter(({ severity }: { severity: string }) => severity === 'error')
        .map(({ rule }: { rule: string }) => rule),
      ['stack-in-use'],
    );
  });
});

instances('are told what to do, and answer before it is done', async () => {
  await withOne({}, async (url) => {
    const act = async (action: string) => {
      const told = await world.ask('POST', `${url}/actions/${action}`, { as: 'member' });
      await plant.loop.settled();
      return `${told.status} ${told.body.state ?? told.body.code} → ${(await world.ask('GET', url)).body.state}`;
    };
    assert.is(await act('stop'), '202 stopping → stopped');
    assert.is(await act('stop'), '202 stopped → stopped');
    assert.is(await act('restart'), '409 conflict → stopped');
    assert.is(await act('start'), '202 starting → running');
    assert.is(await act('start'), '202 running → running');
    assert.is(await act('restart'), '202 restarting → running');
    assert.is(await act('suspend'), '202 stopping → suspended');
    assert.is(await act('upgrade-stack'), '409 conflict → suspended');
    const tried = await world.ask('POST', `${url}/actions/start?dryRun=true`, { as: 'member' });
    assert.equal([tried.status, tried.body.summary.update], [200, 1]);
    assert.is((await world.ask('GET', url)).body.state, 'suspended');
    assert.is((await world.ask('POST', `${url}/actions/explode`, { as: 'member' })).status, 404);
    const asViewer = await world.ask('POST', `${url}/actions/start`, { as: 'viewer' });
    assert.is(asViewer.status, 403);
  });
});

instances('are offered the stack that replaces theirs, and move there with one call', async () => {
  await withOne({}, async (url, id) => {
    const documents = Object.entries({ ...files, 'stacks.yaml': stacks + replacement });
    await writeFiles(world.root, Object.fromEntries(documents));
    await world.loop.reconcile({ consents: { adopt: new Set() }, actor: { kind: 'job' } });
    assert.equal((await world.ask('GET', url)).body.upgrade, { stack: 'nr-4-1' });
    const told = await world.ask('POST', `${url}/actions/upgrade-stack`, { as: 'member' });
    assert.equal(
      [told.status, told.body.state, told.body.stack, told.body.upgrade],
      [202, 'upgrading', 'nr-4-1', undefined],
    );
    await plant.loop.settled();
    const done = await world.ask('GET', url);
    assert.equal([done.body.state, plant.stub.runs.get(id)?.runtime], ['running', '4.2']);
    assert.is((await world.ask('POST', `${url}/actions/upgrade-stack`, { as: 'member' })).status, 409);
  });
});

instances('are listed by name, filtered, sorted and in pages', async () => {
  const ids: string[] = [];
  for (const [name, more] of [
    ['beta', {}],
    ['Alpha', { instanceType: 'large' }],
    ['gamma', { stack: 'nr-5' }],
  ] as const)
    ids.push((await plant.make({ name, ...more })).body.id);
  await plant.loop.settled();
  await world.ask('POST', `/api/v1/instances/${ids[0]}/actions/stop`);
  await plant.loop.settled();
  const list = async (query: string) => {
    const { body } = await world.ask('GET', `/api/v1/teams/core/instances${query}`, { as: 'viewer' });
    return body.instances?.map(({ name }: { name: string }) => name).join(' ') ?? body.code;
  };
  assert.is(await list(''), 'Alpha beta gamma');
  assert.is(await list('?sort=-name'), 'gamma beta Alpha');
  assert.is(await list('?sort=-state'), 'beta gamma Alpha');
  assert.is(await list('?state=stopped'), 'beta');
  assert.is(await list('?type=large'), 'Alpha');
  assert.is(await list('?stack=nr-5'), 'Alpha gamma');
  assert.is(await list('?stack=nr-5&type=small'), 'gamma');
  assert.is(await list('?type=nothing'), '');
  assert.is(await list('?q=ALPH'), 'Alpha');
  assert.is(await list('?state=asleep'), 'invalid_request');
  assert.is(await list('?team=core'), 'invalid_request');
  const page = await world.ask('GET', '/api/v1/teams/core/instances?limit=2');
  assert.equal([page.body.count, page.body.instances.length], [3, 2]);
  assert.is(await list(`?limit=2&cursor=${page.body.meta.next_cursor}`), 'gamma');
  for (const id of ids) await world.ask('DELETE', `/api/v1/instances/${id}`);
  await plant.loop.settled();
});

instances('of other teams are not there', async () => {
  await withOne({}, async (url) => {
    for (const as of ['otherOwner', 'user'] as const) {
      assert.is((await world.ask('GET', url, { as })).status, 404);
      assert.is((await world.ask('DELETE', url, { as })).status, 404);
      assert.is((await world.ask('POST', `${url}/actions/stop`, { as })).status, 404);
    }
    assert.is((await world.ask('GET', url, { as: 'dashboard' })).status, 403);
    assert.is((await world.ask('DELETE', url, { as: 'member' })).status, 403);
  });
});

/** More than any process gets, in bytes and in a body of that size. */
const tooMuch = Array.from({ length: 40 }, (_, at) => ({ name: `LARGE_${at}`, value: 'x'.repeat(32_000) }));
const large =
  /its variables cannot be these, because they come to 1\.2\d MiB.*, and a process gets 1 MiB at most: shorten them, or have the flows read a file/;

instances('with variables that no process is started with are refused by the rule, at every door', () =>
  withOne({}, async (url) => {
    const spec = { environment: tooMuch };
    const asked = [
      await plant.make({ environment: tooMuch }),
      await world.ask('PUT', url, { body: { environment: tooMuch } }),
      await world.ask('POST', '/api/v1/templates', { body: { name: 'large', spec } }),
    ];
    for (const { status, body, text } of asked) {
      assert.is(body.violations?.[0]?.rule, 'environment-size', `${status} ${text.slice(0, 300)}`);
      assert.match(body.violations[0].message, large);
    }
  }),
);

instances.run();

const without = suite('instances without a driver that can run them');

without('are made stopped, say why, are refused to start, and go at once', async () => {
  const bare = await startWorld(files);
  const made = await make(bare);
  assert.equal([made.status, made.body.state], [201, 'stopped']);
  assert.is(
    condition(made, 'DriverUnavailable').message,
    'it cannot be started, because this build of Weir has no local driver that can run instances',
  );
  const url = `/api/v1/instances/${made.body.id}`;
  const told = await bare.ask('POST', `${url}/actions/start`, { as: 'member' });
  assert.equal([told.status, told.body.code], [409, 'conflict']);
  assert.is(
    told.body.detail,
    'the instance Line 1 cannot be started, because this build of Weir has no local driver that can run instances.',
  );
  assert.is((await bare.ask('POST', `${url}/actions/stop`, { as: 'member' })).status, 202);
  assert.is((await bare.ask('DELETE', url, { as: 'owner' })).status, 204);
  assert.is((await bare.ask('GET', url)).status, 404);
  await bare.close();
});

without.run();
