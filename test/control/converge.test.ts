// The converging loop, with a driver that runs nothing: what is wanted comes about, whatever happens on the way.
import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Pauses } from '../../src/control/back-off.ts';
import { type Converging, startConverge } from '../../src/control/converge.ts';
import { submit } from '../../src/control/submit.ts';
import { deleted } from '../../src/core/model/change.ts';
import type { Proposal } from '../../src/core/model/proposal.ts';
import type { Resource } from '../../src/core/model/resource.ts';
import { actOnInstance, type InstanceOperation } from '../../src/core/proposals/act-on-instance.ts';
import { createInstance } from '../../src/core/proposals/create-instance.ts';
import { Declined } from '../../src/core/proposals/declined.ts';
import { deleteInstance } from '../../src/core/proposals/delete-instance.ts';
import { updateInstance } from '../../src/core/proposals/update-instance.ts';
import { type Stub, stubDriver } from '../../src/drivers/stub.ts';
import { eventually, until } from '../support/until.ts';
import { living, made, newWorld, put, type World } from './world.ts';

interface Plant {
  readonly world: World;
  readonly stub: Stub;
  readonly logged: string[];
  loop: Converging;
  /** Starts a loop, as Weir does when it starts. */
  start(slowMs?: number): void;
  keep(proposal: Proposal): Promise<void>;
  create(name?: string, options?: object): Promise<string>;
  act(id: string, action: InstanceOperation): Promise<void>;
  at(id: string): Resource<'Instance'>;
}

const pauses = { firstMs: 5, mostMs: 20, steadyMs: 1000 };

/** A store with a catalogue, and a loop over it. */
async function newPlant(paces: Pauses = pauses): Promise<Plant> {
  const world = newWorld();
  const type = made('TeamType', 'starter', { instanceTypes: [{ name: 'small' }] });
  await put(
    world,
    made('Stack', 'a', { runtime: '4' }),
    made('Stack', 'b', { runtime: '5', replaces: 'a' }),
    made('InstanceType', 'small', { stacks: ['a'] }),
    made('Template', 'plain'),
    type,
    living('Team', 'core', { displayName: 'Core', type: type.id }),
  );
  const stub = stubDriver();
  const drivers = new Map([['local', stub]]);
  const logged: string[] = [];
  const { clock, newId } = { clock: () => world.context('api').now, newId: () => world.context('api').newId() };
  const log = (_level: string, message: string) => logged.push(message);
  const start = (slowMs = 10_000) =>
    startConverge({ door: world.door, drivers, clock, newId, log, pauses: paces, slowMs });
  const keep = async (proposal: Proposal) => void (await submit(world.door, proposal, world.context('api')));
  const plant: Plant = {
    world,
    stub,
    logged,
    loop: start(),
    start: (slowMs) => {
      plant.loop = start(slowMs);
    },
    keep,
    create: async (name = 'Line 1', options = {}) => {
      const wanted = { team: 'Team-core', name, instanceType: 'small', template: 'plain', options: { ...options } };
      const context = world.context('api');
      const { changes } = await submit(world.door, createInstance(wanted, drivers), context);
      return changes[0]?.id ?? '';
    },
    act: (id, action) => keep(actOnInstance({ id, action }, drivers)),
    at: (id) => world.store.read().get('Instance', id) as Resource<'Instance'>,
  };
  return plant;
}

const converge = suite('the converging loop');

converge('starts what is made, with its effective settings', async () => {
  const { create, loop, at, stub } = await newPlant();
  const id = await create('Line 1', { theme: 'dark' });
  await loop.settled();
  assert.equal([at(id).spec.state, at(id).spec.url], ['running', `http://${id}.stub.invalid/`]);
  const { name, team, runtime, options } = stub.runs.get(id) ?? {};
  assert.equal([name, team, runtime, options], ['Line 1', 'core', '4', { theme: 'dark' }]);
  assert.equal(at(id).spec.started?.options, { theme: 'dark' });
  await loop.close();
});

converge('carries out each action', async () => {
  const { create, loop, at, act, stub, keep } = await newPlant();
  const id = await create();
  await loop.settled();
  const after = async (action: InstanceOperation) => {
    await act(id, action);
    await loop.settled();
    return at(id).spec.state;
  };
  assert.equal(
    [await after('stop'), await after('start'), await after('restart'), await after('suspend'), await after('start')],
    ['stopped', 'running', 'running', 'suspended', 'running'],
  );
  assert.is(await after('upgrade-stack'), 'running');
  assert.equal([at(id).spec.stack, at(id).spec.started?.runtime], ['api-Stack-b', '5']);
  await keep(deleteInstance({ id }, new Map([['local', stub]])));
  await loop.settled();
  assert.is(at(id), undefined);
  assert.equal(
    stub.calls.map((call) => call.split(' ')[0]),
    ['start', 'stop', 'start', 'stop', 'start', 'suspend', 'start', 'stop', 'start', 'remove'],
  );
  await loop.close();
});

converge('ends where the last of several actions at once wants it, whichever was under way', async () => {
  const { create, loop, at, act, stub } = await newPlant();
  const release = stub.hold();
  const id = await create();
  await until(() => stub.calls.length === 1);
  await Promise.all([act(id, 'stop'), act(id, 'start'), act(id, 'restart'), act(id, 'stop')]);
  release();
  await loop.settled();
  assert.equal([at(id).spec.state, stub.runs.size], ['stopped', 0]);
  await Promise.all([act(id, 'start'), act(id, 'suspend'), act(id, 'start')]);
  await loop.settled();
  assert.equal([at(id).spec.state, stub.runs.size], ['running', 1]);
  await loop.close();
});

converge('gives up a start that takes long as soon as something else is wanted', async () => {
  const { create, loop, at, act, stub } = await newPlant();
  const release = stub.hold();
  const id = await create();
  await until(() => stub.calls.length === 1);
  await act(id, 'stop');
  await until(() => stub.calls.length === 2);
  assert.equal(stub.calls, [`start ${id}`, `stop ${id}`]);
  release();
  await loop.settled();
  assert.equal([at(id).spec.state, stub.runs.size], ['stopped', 0]);
  await loop.close();
});

converge('restarts once more with what was changed while it restarted', async () => {
  const { create, loop, at, act, keep, stub } = await newPlant();
  const id = await create();
  await loop.settled();
  const release = stub.hold();
  await act(id, 'restart');
  await until(() => stub.calls.length === 2);
  await keep(updateInstance({ id, options: { theme: 'light' } }));
  release();
  await loop.settled();
  assert.equal([at(id).spec.started?.options, stub.runs.get(id)?.options], [{ theme: 'light' }, { theme: 'light' }]);
  await loop.close();
});

converge('tries again what cannot be started, later each time, until it comes up', async () => {
  const { create, loop, at, stub } = await newPlant();
  let left = 3;
  stub.refuse((work) =>
    work === 'start' && left-- > 0 ? { reason: 'PortTaken', message: 'its port is taken' } : undefined,
  );
  const id = await create();
  await loop.settled();
  assert.equal([at(id).spec.state, at(id).spec.conditions[0]?.reason], ['crashed', 'PortTaken']);
  await until(() => at(id).spec.state === 'running');
  assert.is(stub.calls.length, 4);
  await loop.close();
});

converge('starts at once what somebody starts while it waits to try again', async () => {
  const { create, loop, at, act, stub } = await newPlant();
  let broken = true;
  stub.refuse(() => (broken ? { reason: 'Broken', message: 'it is broken' } : undefined));
  const id = await create();
  await loop.settled();
  broken = false;
  await act(id, 'start');
  await loop.settled();
  assert.is(at(id).spec.state, 'running');
  await loop.close();
});

converge('starts again what ended by itself, and not what somebody stops then', async () => {
  const { create, loop, at, act, stub } = await newPlant();
  const [one, two] = [await create('one'), await create('two')];
  await loop.settled();
  // Nothing starts before somebody has looked.
  const release = stub.hold();
  stub.end(one, { reason: 'Exited', message: 'it ended with 1' });
  stub.end(two, { reason: 'Exited', message: 'it ended with 1' });
  await until(() => [one, two].every((id) => at(id).spec.state === 'crashed'));
  assert.equal([at(one).spec.state, at(one).spec.conditions[0]?.message], ['crashed', 'it ended with 1']);
  await act(two, 'stop');
  release();
  await until(() => at(one).spec.state === 'running');
  await loop.settled();
  assert.equal([at(two).spec.state, stub.runs.has(two)], ['stopped', false]);
  await loop.close();
});

converge('goes back to the old stack where the new one does not start', async () => {
  const { create, loop, at, act, stub } = await newPlant();
  const id = await create();
  await loop.settled();
  stub.refuse((work, _id, run) =>
    work === 'start' && run?.runtime === '5' ? { reason: 'NoAnswer', message: 'it never answered' } : undefined,
  );
  await act(id, 'upgrade-stack');
  await loop.settled();
  const { state, stack, conditions } = at(id).spec;
  assert.equal([state, stack, stub.runs.get(id)?.runtime], ['running', 'api-Stack-a', '4']);
  assert.is(conditions.find(({ type }) => type === 'UpgradeFailed')?.message, 'it never answered');
  await loop.close();
});

converge('stops nothing for an upgrade to a stack that is not there', async () => {
  const { create, loop, at, act, stub } = await newPlant();
  const id = await create();
  await loop.settled();
  stub.refuse((work, _id, run) =>
    work === 'check' && run?.runtime === '5' ? { reason: 'StackMissing', message: 'there is no "5"' } : undefined,
  );
  await act(id, 'upgrade-stack');
  await loop.settled();
  const { state, stack, conditions } = at(id).spec;
  assert.equal([state, stack, stub.runs.get(id)?.runtime], ['running', 'api-Stack-a', '4']);
  assert.is(conditions.find(({ type }) => type === 'UpgradeFailed')?.reason, 'StackMissing');
  assert.not(stub.calls.includes(`stop ${id}`), stub.calls.join(', '));
  await loop.close();
});

converge('brings others up while as many as may be hang, and ends at once what somebody stops or deletes', async () => {
  const plant = await newPlant();
  const { create, act, at, stub, keep, world } = plant;
  await plant.loop.close();
  const hanging = await Promise.all(Array.from({ length: 40 }, (_, index) => create(`hangs ${index}`)));
  stub.hang((work, id) => work === 'start' && hanging.includes(id));
  plant.start(50);
  await until('all of them hang', () => hanging.every((id) => stub.calls.includes(`start ${id}`)));
  const good = await create('good');
  await until('the other one runs', () => at(good).spec.state === 'running');
  const [stopped = '', gone = ''] = hanging;
  await act(stopped, 'stop');
  await keep(deleteInstance({ id: gone }, new Map([['local', stub]])));
  await until('it is down', () => at(stopped).spec.state === 'stopped' && !world.store.read().get('Instance', gone));
  await plant.loop.close();
});

converge('ends what somebody stops, suspends or deletes although every place is taken', async () => {
  const plant = await newPlant();
  const { create, act, at, stub, keep, world } = plant;
  await plant.loop.close();
  // No place is given back because it is taken long.
  plant.start(600_000);
  const [stopped, suspended, gone] = [await create('stopped'), await create('suspended'), await create('gone')];
  await plant.loop.settled();
  stub.hang((work) => work === 'start');
  await Promise.all(Array.from({ length: 40 }, (_, index) => create(`hangs ${index}`)));
  await act(stopped, 'stop');
  await until('it is down', () => at(stopped).spec.state === 'stopped');
  await act(suspended, 'suspend');
  await until('it is suspended', () => at(suspended).spec.state === 'suspended');
  await keep(deleteInstance({ id: gone }, new Map([['local', stub]])));
  await until('it is gone', () => !world.store.read().get('Instance', gone));
  await plant.loop.close();
});

converge('puts what ends again and again into safe mode, until somebody restarts it', async () => {
  const plant = await newPlant();
  const { create, at, act, stub } = plant;
  const id = await create();
  for (let nth = 1; nth <= 5; nth++) {
    await until(() => at(id).spec.state === 'running');
    assert.equal([at(id).spec.safeMode, stub.runs.get(id)?.safe], [undefined, undefined], `before end ${nth}`);
    stub.end(id, { reason: 'Exited', message: 'it ended with 1' });
    await until(() => (at(id).spec.crashes?.count ?? 0) === nth);
  }
  await until(() => at(id).spec.state === 'running');
  assert.is(stub.runs.get(id)?.safe, true);
  const condition = at(id).spec.conditions.find(({ type }) => type === 'SafeMode');
  assert.equal([condition?.status, condition?.reason], ['True', 'FastEnds']);
  assert.match(
    condition?.message ?? '',
    'it ended 5 times in a row shortly after its start, last because it ended with 1',
  );
  // Another Weir starts it as this one would have.
  await plant.loop.close();
  stub.end(id, { reason: 'Exited', message: 'nobody heard' });
  plant.start();
  await until(() => stub.runs.has(id) && at(id).spec.state === 'running');
  assert.is(stub.runs.get(id)?.safe, true);
  await act(id, 'restart');
  await plant.loop.settled();
  const types = at(id).spec.conditions.map(({ type }) => type);
  assert.equal(
    [stub.runs.get(id)?.safe, at(id).spec.safeMode, at(id).spec.fastEnds, types],
    [undefined, undefined, undefined, ['Ready']],
  );
  await plant.loop.close();
});

converge('counts starts that fail by what flows do, and nothing else', async () => {
  for (const [reason, isSafe] of [
    ['StartFailed', true],
    ['NoAnswer', true],
    ['StackMissing', false],
    ['DiskFull', false],
  ] as const) {
    const { create, loop, at, stub } = await newPlant();
    stub.refuse((work, _id, run) => (work === 'start' && !run?.safe ? { reason, message: `of ${reason}` } : undefined));
    const id = await create();
    if (isSafe) await until(() => at(id).spec.state === 'running');
    else await until(() => stub.calls.length > 8);
    assert.is(at(id).spec.safeMode?.reason, isSafe ? 'FastEnds' : undefined, reason);
    await loop.close();
  }
});

converge('starts in safe mode what somebody wants so, also what runs, until its flows run again', async () => {
  const { create, loop, at, stub, keep } = await newPlant();
  const id = await create();
  await loop.settled();
  const drivers = new Map([['local', stub]]);
  await keep(actOnInstance({ id, action: 'start', safe: true }, drivers));
  await loop.settled();
  assert.equal([stub.runs.get(id)?.safe, at(id).spec.safeMode?.reason], [true, 'Requested']);
  const { generation } = at(id);
  await keep(actOnInstance({ id, action: 'start', safe: true }, drivers));
  await keep(actOnInstance({ id, action: 'start' }, drivers));
  assert.is(at(id).generation, generation, 'it is so already');
  // Somebody deploys.
  stub.notice(id, { type: 'SafeMode' });
  await until(() => at(id).spec.safeMode === undefined);
  assert.equal(
    at(id).spec.conditions.map(({ type }) => type),
    ['Ready'],
  );
  await keep(actOnInstance({ id, action: 'stop' }, drivers));
  await loop.settled();
  await keep(actOnInstance({ id, action: 'start', safe: true }, drivers));
  await loop.settled();
  assert.is(stub.runs.get(id)?.safe, true);
  await loop.close();
});

converge('takes up at start what was under way when Weir ended, in the middle of any transition', async () => {
  for (const action of ['stop', 'restart', 'suspend', 'upgrade-stack'] as const) {
    const plant = await newPlant();
    const { create, act, at, stub } = plant;
    const id = await create();
    await plant.loop.settled();
    const release = stub.hold();
    await act(id, action);
    await until(() => stub.calls.length === 2);
    const closing = plant.loop.close();
    release();
    await closing;
    plant.start();
    await plant.loop.settled();
    const expected = { stop: 'stopped', restart: 'running', suspend: 'suspended', 'upgrade-stack': 'running' };
    assert.is(at(id).spec.state, expected[action], action);
    await plant.loop.close();
  }
});

converge('gives up a start when Weir ends, without calling it a failure', async () => {
  const plant = await newPlant();
  const release = plant.stub.hold();
  const id = await plant.create();
  await until(() => plant.stub.calls.length === 1);
  await plant.loop.close();
  assert.is(plant.at(id).spec.state, 'creating');
  release();
  plant.start();
  await plant.loop.settled();
  assert.is(plant.at(id).spec.state, 'running');
  await plant.loop.close();
});

const stray = (id: string) => ({
  id,
  name: '',
  team: '',
  runtime: '4',
  resources: {},
  options: {},
  environment: [],
  credentialSecret: '',
});

converge('finds again at start what it left running, starts what is gone, and stops what should not run', async () => {
  const plant = await newPlant();
  const { create, at, stub } = plant;
  const [kept, lost] = [await create('kept'), await create('lost')];
  await plant.loop.settled();
  await plant.loop.close();
  stub.end(lost, { reason: 'Exited', message: 'nobody heard' });
  await stub.runner.start(stray('stray'), new AbortController().signal);
  const before = stub.calls.length;
  plant.start();
  await until(() => at(lost).spec.state === 'running' && stub.runs.has(lost));
  await plant.loop.settled();
  assert.equal([at(kept).spec.state, stub.runs.has('stray')], ['running', false]);
  assert.not(stub.calls.slice(before).includes(`start ${kept}`), 'what runs is left alone');
  await plant.loop.close();
});

converge('stops at start all that should not run, although some of it cannot be stopped at first', async () => {
  const plant = await newPlant();
  const { stub, logged } = plant;
  await plant.loop.close();
  const ids = ['a', 'b', 'c', 'd'];
  for (const id of ids) await stub.runner.start(stray(id), new AbortController().signal);
  const refused = new Set(['a', 'c']);
  stub.refuse((work, id) =>
    work === 'stop' && refused.delete(id) ? { reason: 'Busy', message: `${id} does not listen` } : undefined,
  );
  plant.start();
  await until(() => stub.runs.size === 0);
  assert.equal(logged.filter((line) => line.includes('does not listen')).length, 2, logged.join('\n'));
  await plant.loop.settled();
  await plant.loop.close();
});

converge('remembers nothing of an instance that is gone, however long it would have waited', async () => {
  const plant = await newPlant({ firstMs: 600_000, mostMs: 600_000, steadyMs: 1000 });
  const { loop, stub, world, at } = plant;
  const waits = () => process.getActiveResourcesInfo().filter((type) => type === 'Timeout').length;
  stub.refuse(() => ({ reason: 'Broken', message: 'it is broken' }));
  const before = waits();
  const ids: string[] = [];
  for (const name of ['Line 1', 'Line 2', 'Line 3']) ids.push(await plant.create(name));
  await loop.settled();
  await until(() => waits() === before + 3);
  // Not by a piece of work of the loop: with its team, or by another server.
  await world.store.commit(() => ({ changes: ids.slice(1).map((id) => deleted(at(id))) }), { id: 'gone' });
  await loop.settled();
  await until(() => waits() === before + 1);
  await loop.close();
  await until(() => waits() === before);
});

converge('hurts no other instance by one that hangs or fails in ways that nobody foresaw', async () => {
  const { create, loop, at, stub, logged } = await newPlant();
  stub.refuse((_work, _id, run) => {
    if (run?.name === 'bad') throw new Error('a secret internal text');
    return undefined;
  });
  const [bad, good] = [await create('bad'), await create('good')];
  await loop.settled();
  assert.equal([at(good).spec.state, at(bad).spec.state], ['running', 'crashed']);
  assert.is(at(bad).spec.conditions[0]?.message, 'the driver failed; the log of Weir says why');
  assert.ok(logged.some((line) => line.includes('a secret internal text')));
  await loop.close();
});

converge('notes what is wrong with what runs on, once, until it is well or runs no more', async () => {
  const { create, loop, at, act, stub, world } = await newPlant();
  const id = await create();
  await loop.settled();
  const types = () => at(id).spec.conditions.map(({ type }) => type);
  const why = { reason: 'TooMuchOutput', message: 'it logs too much' };
  const { generation } = at(id);
  for (const _ of [1, 2]) stub.notice(id, { type: 'LogCut', why });
  stub.notice(id, { type: 'FlowsStopped', why: { reason: 'FlowsIncomplete', message: 'its flows do not run' } });
  await until(() => types().length === 3);
  assert.equal([at(id).spec.state, at(id).generation, types()[0]], ['running', generation, 'Ready']);
  stub.notice(id, { type: 'FlowsStopped' });
  await until(() => types().length === 2);
  const events = (await world.store.records({ stream: 'audit', limit: 100 })).map(({ body }) => JSON.stringify(body));
  assert.is(events.filter((text) => text.includes('"instance.log-cut"')).length, 1);
  await act(id, 'restart');
  await loop.settled();
  assert.equal(types(), ['Ready']);
  stub.notice('nobody', { type: 'LogCut', why });
  await loop.close();
});

converge('converges many side by side', async () => {
  const { create, loop, at, act, stub } = await newPlant();
  const ids = await Promise.all(Array.from({ length: 100 }, (_, index) => create(`line ${index}`)));
  await loop.settled();
  await Promise.all(ids.map((id) => act(id, 'upgrade-stack')));
  await loop.settled();
  assert.ok(ids.every((id) => at(id).spec.state === 'running' && stub.runs.get(id)?.runtime === '5'));
  await loop.close();
});

converge('is never wedged, whatever is asked for in whatever order while the driver fails now and then', async () => {
  const operations = fc.constantFrom('start', 'stop', 'restart', 'suspend', 'upgrade-stack', 'crash', 'name', 'wait');
  const asked = fc.array(fc.tuple(fc.nat(2), operations, fc.boolean()), { minLength: 1, maxLength: 30 });
  const survives = async (steps: readonly (readonly [number, Operation, boolean])[]) => {
    const plant = await newPlant();
    const ids = [await plant.create('a'), await plant.create('b'), await plant.create('c')];
    let fails = false;
    plant.stub.refuse(() => (fails ? { reason: 'Broken', message: 'it is broken' } : undefined));
    for (const [index, operation, failing] of steps) {
      fails = failing;
      await perform(plant, ids[index] ?? '', operation);
    }
    fails = false;
    await until(() => ids.every((id) => isAsWanted(plant, id)));
    await plant.loop.settled();
    assert.ok(ids.every((id) => isAsWanted(plant, id)));
    await plant.loop.close();
  };
  await fc.assert(fc.asyncProperty(asked, survives), { numRuns: 40 });
});

type Operation = InstanceOperation | 'crash' | 'name' | 'wait';

async function perform({ stub, keep, act }: Plant, id: string, operation: Operation): Promise<void> {
  if (operation === 'crash') stub.end(id, { reason: 'Exited', message: 'it ended' });
  else if (operation === 'wait') await wait(0);
  else if (operation === 'name') await keep(updateInstance({ id, name: 'other' }));
  else await act(id, operation).catch(declined);
}

function isAsWanted({ at, stub }: Plant, id: string): boolean {
  const { state, desired, stack } = at(id).spec;
  const runtime = stack === 'api-Stack-a' ? '4' : '5';
  return state === desired && stub.runs.get(id)?.runtime === (desired === 'running' ? runtime : undefined);
}

/** What a state does not allow is refused, which is fine. */
function declined(error: unknown): void {
  if (!(error instanceof Declined)) throw error;
}

converge.run();

const without = suite('the converging loop without a driver that runs instances');

without('lets go of what an earlier driver held, and calls crashed what should run, once', async () => {
  const { world, loop: first } = await newPlant();
  await first.close();
  const uses = {
    team: 'Team-core',
    instanceType: 'api-InstanceType-small',
    template: 'api-Template-plain',
    stack: 'api-Stack-a',
  };
  await put(
    world,
    living('Instance', 'up', { ...uses, state: 'running' }),
    living('Instance', 'going', { ...uses, state: 'deleting' }),
    living('Instance', 'down', { ...uses, state: 'stopping', desired: 'stopped' }),
  );
  const { clock, newId } = { clock: () => world.context('api').now, newId: () => world.context('api').newId() };
  const drivers = new Map([['local', { kind: 'local', provides: new Set<never>() } as const]]);
  const loop = startConverge({ door: world.door, drivers, clock, newId, log: () => {}, pauses });
  const upId = [...world.store.read().all('Instance')].find(({ name }) => name === 'up')?.id ?? '';
  const states = () => [...world.store.read().all('Instance')].map(({ name, spec }) => `${name} ${spec.state}`).sort();
  const why = () => world.store.read().get('Instance', upId)?.spec.conditions[0]?.message;
  await eventually(() => assert.is(why(), 'this build of Weir has no local driver that can run instances'));
  await loop.settled();
  assert.equal(states(), ['down stopped', 'up crashed']);
  await loop.close();
});

without.run();
