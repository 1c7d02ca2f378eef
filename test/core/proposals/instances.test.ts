// Proposals about instances: made from names, changed by field, and moved from state to state.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { DeclaredKindName, SpecOf } from '../../../src/core/kinds/index.ts';
import { kindOf } from '../../../src/core/kinds/index.ts';
import { created } from '../../../src/core/model/change.ts';
import type { Context, Proposal } from '../../../src/core/model/proposal.ts';
import { type DeclaredResource, defaultLifecycle, type Resource } from '../../../src/core/model/resource.ts';
import { createState, type State } from '../../../src/core/model/state.ts';
import { actOnInstance, type InstanceOperation } from '../../../src/core/proposals/act-on-instance.ts';
import { createInstance, type NewInstance } from '../../../src/core/proposals/create-instance.ts';
import { Declined } from '../../../src/core/proposals/declined.ts';
import { deleteInstance } from '../../../src/core/proposals/delete-instance.ts';
import { type Observation, observeInstance } from '../../../src/core/proposals/observe-instance.ts';
import { type InstanceUpdate, updateInstance } from '../../../src/core/proposals/update-instance.ts';
import { InvalidSpec } from '../../../src/core/proposals/written-spec.ts';

const at = '2026-11-21T10:00:00.000Z';
let ids = 0;
const context = (now = at): Context => ({
  now,
  newId: () => `id-${ids++}`,
  actor: { kind: 'job' },
  origin: 'api',
});

const able = new Map([['local', { runner: {} }]]);
const unable = new Map([['local', {}]]);

function declared(kind: DeclaredKindName, name: string, spec: object): DeclaredResource {
  const parsed = kindOf(kind).spec.parse(spec) as SpecOf<DeclaredKindName>;
  const base = { kind, id: `${kind}-${name}`, name, labels: {}, lifecycle: defaultLifecycle, spec: parsed };
  return { ...base, managedBy: 'api', generation: 1, createdAt: at, updatedAt: at };
}

function catalogue(): State {
  const state = createState();
  state.apply(
    [
      declared('Stack', 'a', { runtime: '4' }),
      declared('Stack', 'b', { runtime: '5', replaces: 'a' }),
      declared('Stack', 'c', { runtime: '6' }),
      declared('InstanceType', 'small', { stacks: ['a', 'c'], defaultStack: 'a' }),
      declared('InstanceType', 'large', { stacks: ['c'] }),
      declared('InstanceType', 'empty', {}),
      declared('Template', 'plain', {}),
      declared('Template', 'fancy', { options: { theme: { value: 'dark' } } }),
    ].map(created),
  );
  return state;
}

const apply = (state: State, proposal: Proposal, now = at) => {
  const changes = proposal(state, context(now));
  state.apply(changes);
  return changes;
};

const wanted: NewInstance = { team: 'team', name: 'Line 1', instanceType: 'small', template: 'plain' };

/** A state with an instance, and what it is now. */
function withInstance(more: Partial<NewInstance> = {}, drivers: Map<string, object> = able) {
  const state = catalogue();
  const id = apply(state, createInstance({ ...wanted, ...more }, drivers))[0]?.id ?? '';
  const now = () => state.get('Instance', id) as Resource<'Instance'>;
  const act = (action: InstanceOperation, with_: Map<string, object> = able) =>
    apply(state, actOnInstance({ id, action }, with_));
  const observe = (observation: Observation, when = at) => apply(state, observeInstance(now(), observation), when);
  const settings = { runtime: '4', resources: {}, options: {}, environment: [] };
  const up = () => observe({ came: 'up', settings, url: 'http://127.0.0.1:1/' });
  return { state, id, now, act, observe, up };
}

/** What is wrong with what was sent: `/path message`. */
function problems(work: () => unknown): string[] {
  try {
    work();
  } catch (error) {
    if (error instanceof InvalidSpec)
      return error.issues.map(({ path, message, code, ...more }) => {
        const keys = code === 'unrecognized_keys' && 'keys' in more ? String(more.keys) : '';
        return `/${path.join('/')} ${keys || message}`;
      });
    throw error;
  }
  return [];
}

/** What was declined. */
function declined(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof Declined) return `${error.reason}: ${error.message}`;
    throw error;
  }
  return 'done';
}

const create = suite('making an instance');

create('takes names, and the default stack of the type', () => {
  const { now } = withInstance({ options: { theme: 'light' }, environment: [{ name: 'A', value: '1' }] });
  const { name, spec } = now();
  assert.equal(
    [name, spec.instanceType, spec.template, spec.stack],
    ['Line 1', 'InstanceType-small', 'Template-plain', 'Stack-a'],
  );
  assert.equal(spec.options, { theme: 'light' });
  assert.equal(spec.environment, [{ name: 'A', value: '1' }]);
});

create('takes the only stack of a type without a default, and any of its stacks by name', () => {
  assert.is(withInstance({ instanceType: 'large' }).now().spec.stack, 'Stack-c');
  assert.is(withInstance({ stack: 'c' }).now().spec.stack, 'Stack-c');
});

create('starts it where the driver can, and leaves it stopped where it cannot', () => {
  const { spec } = withInstance().now();
  assert.equal([spec.state, spec.desired], ['creating', 'running']);
  const left = withInstance({}, unable).now().spec;
  assert.equal([left.state, left.desired], ['stopped', 'stopped']);
  assert.equal(
    left.conditions.map(({ type, status, reason }) => [type, status, reason]),
    [['Ready', 'False', 'Stopped']],
  );
});

create('names everything that is wrong at once', () => {
  const wrong = { stack: 'b', options: { theme: 1, nope: true, npmrc: { set: true } } };
  const found = problems(() => withInstance(wrong));
  assert.is(found.length, 4, found.join('\n'));
  assert.ok(
    found.includes(
      '/stack Stack/b is not among the stacks of InstanceType/small (it has a, c): choose one of them, or leave it out',
    ),
  );
  assert.ok(found.includes('/options nope'));
  assert.ok(found.some((problem) => problem.startsWith('/options/npmrc there is no secret yet')));
  assert.equal(
    problems(() => withInstance({ instanceType: 'empty' })),
    [
      '/instanceType InstanceType/empty has no stack, so that nothing could run: choose another type, or have an admin add a stack to it',
    ],
  );
});

create('leaves names that nothing declares to the rule about references', () => {
  const { spec } = withInstance({ instanceType: 'nope', template: 'neither', stack: 'nor' }).now();
  assert.equal([spec.instanceType, spec.template, spec.stack], ['nope', 'neither', 'nor']);
});

create('takes secrets written out or by reference', () => {
  const { spec } = withInstance({ options: { npmrc: 'token', httpAuth: { password: { fromFile: 'x' } } } }).now();
  assert.equal(spec.options, { npmrc: { value: 'token' }, httpAuth: { password: { fromFile: 'x' } } });
});

create.run();

const update = suite('changing an instance');
const changed = (more: Partial<NewInstance>, by: Omit<InstanceUpdate, 'id'>) => {
  const { state, id, now } = withInstance(more);
  const changes = apply(state, updateInstance({ id, ...by }));
  return { ...now(), changes: changes.length };
};

update('changes what is given and nothing else', () => {
  const { name, spec, generation } = changed({ options: { theme: 'light' } }, { name: 'Line 2' });
  assert.equal([name, spec.options, generation], ['Line 2', { theme: 'light' }, 2]);
  assert.is(changed({}, { name: 'Line 1' }).changes, 0, 'nothing where nothing differs');
});

update('changes options one by one; null takes one away, or all', () => {
  const own = { options: { theme: 'light', pageTitle: 'Mine' } };
  assert.equal(changed(own, { options: { theme: 'dark', codeEditor: 'ace' } }).spec.options, {
    theme: 'dark',
    pageTitle: 'Mine',
    codeEditor: 'ace',
  });
  assert.equal(changed(own, { options: { theme: null } }).spec.options, { pageTitle: 'Mine' });
  assert.is(changed(own, { options: { theme: null, pageTitle: null } }).spec.options, undefined);
  assert.is(changed(own, { options: null }).spec.options, undefined);
  assert.equal(
    problems(() => changed(own, { options: { nope: null } })),
    ['/options nope'],
  );
});

update('changes variables by name; null takes one away, or all', () => {
  const own = {
    environment: [
      { name: 'A', value: '1' },
      { name: 'B', value: '2' },
    ],
  };
  const by = [
    { name: 'A', value: null },
    { name: 'B', value: '3' },
    { name: 'C', value: '' },
  ];
  assert.equal(changed(own, { environment: by }).spec.environment, [
    { name: 'B', value: '3' },
    { name: 'C', value: '' },
  ]);
  assert.is(changed(own, { environment: null }).spec.environment, undefined);
});

update('keeps secrets that are sent back as they were shown', () => {
  const own = { options: { npmrc: 'token', theme: 'x' } };
  assert.equal(changed(own, { options: { npmrc: { set: true } } }).spec.options, {
    npmrc: { value: 'token' },
    theme: 'x',
  });
});

update('keeps the stack where a new type has it, and takes the default of the type where not', () => {
  assert.is(changed({ stack: 'c' }, { instanceType: 'large' }).spec.stack, 'Stack-c');
  assert.is(changed({}, { instanceType: 'large' }).spec.stack, 'Stack-c');
  assert.is(changed({}, { template: 'fancy' }).spec.template, 'Template-fancy');
  assert.is(problems(() => changed({}, { stack: 'b' })).length, 1);
});

update('leaves a stack alone that the type no longer lists', () => {
  const { state, id, now, up, act } = withInstance();
  up();
  act('upgrade-stack');
  apply(state, updateInstance({ id, name: 'Other', stack: 'b' }));
  assert.equal([now().name, now().spec.stack], ['Other', 'Stack-b']);
});

update('is declined for what is gone, is going, or moved since it was read', () => {
  const { state, id } = withInstance();
  const expected = () => false;
  assert.is(
    declined(() => apply(state, updateInstance({ id: 'x' }))),
    'not_found: there is no such instance',
  );
  assert.match(
    declined(() => apply(state, updateInstance({ id, expected }))),
    /^precondition_failed: the instance Line 1/,
  );
  apply(state, deleteInstance({ id }, able));
  assert.is(
    declined(() => apply(state, updateInstance({ id, name: 'x' }))),
    'conflict: the instance Line 1 cannot be changed, because it is being deleted',
  );
});

update.run();

const act = suite('acting on an instance');

act('writes down what is wanted, and its state with it', () => {
  const { now, act: does, up } = withInstance();
  up();
  assert.equal([now().spec.state, now().spec.url], ['running', 'http://127.0.0.1:1/']);
  does('stop');
  assert.equal([now().spec.state, now().spec.desired, now().spec.url], ['stopping', 'stopped', undefined]);
  assert.is(now().generation, 2);
});

act('changes nothing where it is so already', () => {
  const { act: does, up } = withInstance();
  up();
  assert.is(does('start').length, 0);
});

act('is asked again by who restarts twice, so that later changes count', () => {
  const { act: does, up } = withInstance();
  up();
  assert.equal([does('restart').length, does('restart').length], [1, 1]);
});

act('says what cannot be, because what', () => {
  const { act: does, observe, up } = withInstance();
  up();
  does('stop');
  observe({ came: 'down' });
  assert.is(
    declined(() => does('restart')),
    'conflict: the instance Line 1 cannot be restarted, because it is stopped, and does not run: start it instead',
  );
});

act('starts nothing where the driver cannot, and says which', () => {
  const { act: does } = withInstance({}, unable);
  assert.is(
    declined(() => does('start', unable)),
    'conflict: the instance Line 1 cannot be started, because this build of Weir has no local driver that can run instances',
  );
  assert.is(
    declined(() => does('stop', unable)),
    'done',
  );
});

act('upgrades to the stack that replaces its own, once there is one', () => {
  const { now, act: does, up } = withInstance();
  up();
  does('upgrade-stack');
  assert.equal([now().spec.state, now().spec.stack, now().spec.previousStack], ['upgrading', 'Stack-b', 'Stack-a']);
  up();
  assert.equal([now().spec.state, now().spec.previousStack], ['running', undefined]);
  assert.is(
    declined(() => does('upgrade-stack')),
    'conflict: the instance Line 1 cannot be upgraded, because there is no active stack that replaces Stack/b',
  );
});

act('moves what does not run to the new stack without starting it', () => {
  const { now, act: does, observe, up } = withInstance();
  up();
  does('stop');
  observe({ came: 'down' });
  does('upgrade-stack');
  assert.equal([now().spec.state, now().spec.stack, now().spec.previousStack], ['stopped', 'Stack-b', undefined]);
});

act.run();

const observed = suite('what became of an instance');

observed('is noted without making it another in the eyes of who changes it', () => {
  const { now, up } = withInstance();
  up();
  assert.equal([now().generation, now().spec.started?.runtime], [1, '4']);
  assert.equal(
    now().spec.conditions.map(({ type, status }) => [type, status]),
    [['Ready', 'True']],
  );
});

observed('is not noted where somebody wanted something else meanwhile', () => {
  const { state, now, act: does } = withInstance();
  const seen = now();
  does('stop');
  const settings = { runtime: '4', resources: {}, options: {}, environment: [] };
  assert.is(apply(state, observeInstance(seen, { came: 'up', settings })).length, 0);
  assert.is(now().spec.state, 'stopping');
});

observed('is stopped or suspended, as was wanted', () => {
  const { now, act: does, observe, up } = withInstance();
  up();
  does('suspend');
  observe({ came: 'down' });
  assert.is(now().spec.state, 'suspended');
});

observed('is crashed with the reason, since when', () => {
  const { now, observe, up } = withInstance();
  up();
  observe({ came: 'crashed', reason: 'Exited', message: 'it ended with 1' }, '2026-11-21T11:00:00.000Z');
  assert.is(now().spec.state, 'crashed');
  assert.equal(now().spec.conditions, [
    {
      type: 'Ready',
      status: 'False',
      reason: 'Exited',
      message: 'it ended with 1',
      lastTransitionTime: '2026-11-21T11:00:00.000Z',
    },
  ]);
});

observed('is crashed also where something else of it was changed meanwhile', () => {
  const { state, id, now, up } = withInstance();
  up();
  const seen = now();
  apply(state, updateInstance({ id, name: 'Line 2' }));
  apply(state, observeInstance(seen, { came: 'crashed', reason: 'Exited', message: 'it ended with 1' }));
  assert.equal([now().name, now().spec.state], ['Line 2', 'crashed']);
});

observed('is an upgrade that failed: it goes back, and says why', () => {
  const { now, act: does, observe, up } = withInstance();
  up();
  does('upgrade-stack');
  observe({ came: 'failed', reason: 'NoAnswer', message: 'it never answered' });
  const { state, stack, previousStack, conditions } = now().spec;
  assert.equal([state, stack, previousStack], ['starting', 'Stack-a', undefined]);
  assert.equal(conditions.map(({ type, reason }) => [type, reason]).sort(), [
    ['Ready', 'Starting'],
    ['UpgradeFailed', 'NoAnswer'],
  ]);
  up();
  assert.ok(now().spec.conditions.some(({ type }) => type === 'UpgradeFailed'));
  does('upgrade-stack');
  up();
  assert.not(
    now().spec.conditions.some(({ type }) => type === 'UpgradeFailed'),
    'forgotten once it succeeds',
  );
});

observed('that cannot be stopped is still to be stopped', () => {
  const { now, act: does, observe, up } = withInstance();
  up();
  does('stop');
  observe({ came: 'failed', reason: 'Stuck', message: 'it does not end' });
  assert.equal([now().spec.state, now().spec.conditions[0]?.reason], ['stopping', 'Stuck']);
});

observed.run();

const remove = suite('deleting an instance');

remove('marks it, until what a driver holds is gone', () => {
  const { state, id, now, observe } = withInstance();
  apply(state, deleteInstance({ id }, able));
  assert.is(now().spec.state, 'deleting');
  assert.is(apply(state, deleteInstance({ id }, able)).length, 0);
  observe({ came: 'gone' });
  assert.is(now(), undefined);
});

remove('happens at once where no driver could hold anything', () => {
  const { state, id, now } = withInstance({}, unable);
  apply(state, deleteInstance({ id }, unable));
  assert.is(now(), undefined);
});

remove.run();
