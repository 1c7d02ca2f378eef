// The table of states: every action from every state leads somewhere or is refused in words, and nothing can get stuck.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type InstanceAction,
  instanceActions,
  type Move,
  moved,
  transitions,
  unsettledStates,
  wantsDriver,
  workOf,
} from '../../../src/core/instances/states.ts';
import { desiredStates, instanceStates } from '../../../src/core/kinds/instance.ts';

const states = suite('the states of an instance');
const words = (move: Move | { because: string }) =>
  'because' in move ? move.because : `${move.state} ${move.desired}`;
const from = (state: Move['state'], desired: Move['desired'], action: InstanceAction) =>
  words(moved({ state, desired }, action));

states('have an answer to every action', () => {
  for (const state of instanceStates)
    for (const action of instanceActions) assert.ok(transitions[state][action], `${state} ${action}`);
});

states('are started, stopped, restarted and suspended', () => {
  assert.is(from('stopped', 'stopped', 'start'), 'starting running');
  assert.is(from('running', 'running', 'stop'), 'stopping stopped');
  assert.is(from('running', 'running', 'restart'), 'restarting running');
  assert.is(from('running', 'running', 'suspend'), 'stopping suspended');
  assert.is(from('stopped', 'stopped', 'suspend'), 'stopping suspended');
  assert.is(from('crashed', 'running', 'stop'), 'stopping stopped');
});

states('answer an action that is done or under way with what is so already', () => {
  assert.is(from('running', 'running', 'start'), 'running running');
  assert.is(from('starting', 'running', 'start'), 'starting running');
  assert.is(from('stopped', 'stopped', 'stop'), 'stopped stopped');
  assert.is(from('deleting', 'running', 'delete'), 'deleting running');
});

states('refuse in words what makes no sense', () => {
  assert.is(from('stopped', 'stopped', 'restart'), 'it is stopped, and does not run: start it instead');
  assert.is(from('suspended', 'suspended', 'stop'), 'it is suspended, which is more than stopped');
  assert.is(from('upgrading', 'running', 'upgrade-stack'), 'it is being upgraded already: wait until it runs');
  for (const action of instanceActions.filter((one) => one !== 'delete'))
    assert.is(from('deleting', 'running', action), 'it is being deleted');
});

states('take a snapshot only where nothing else is on its way, and then end where they were', () => {
  assert.is(from('running', 'running', 'restore'), 'restarting running');
  assert.is(from('crashed', 'running', 'restore'), 'restarting running');
  assert.is(from('stopped', 'stopped', 'restore'), 'stopping stopped');
  assert.is(from('suspended', 'suspended', 'restore'), 'stopping suspended');
  for (const [state, doing] of [
    ['creating', 'made'],
    ['starting', 'started'],
    ['stopping', 'stopped'],
    ['restarting', 'restarted'],
    ['upgrading', 'upgraded'],
  ] as const)
    assert.is(from(state, 'running', 'restore'), `it is being ${doing}: wait for that`);
});

states('can be deleted from anywhere, and never come back from there', () => {
  for (const state of instanceStates) assert.is(transitions[state].delete, 'deleting', state);
});

states('go down as far as was last wanted, whatever came before', () => {
  assert.is(from('stopping', 'suspended', 'stop'), 'stopping stopped');
  assert.is(from('stopping', 'stopped', 'suspend'), 'stopping suspended');
  assert.is(from('stopping', 'stopped', 'start'), 'starting running');
});

states('leave work until they are what is wanted, and none then', () => {
  for (const state of instanceStates)
    for (const action of instanceActions)
      for (const desired of desiredStates) {
        const move = moved({ state, desired }, action);
        if ('because' in move) continue;
        const work = workOf(move);
        const isSettled =
          (move.state === 'running' && move.desired === 'running') || ['stopped', 'suspended'].includes(move.state);
        assert.is(work === undefined, isSettled, `${state} (${desired}) ${action}: ${words(move)} leaves ${work}`);
      }
});

states('say what is to be done', () => {
  const work = (state: Move['state'], desired: Move['desired'] = 'running') => workOf({ state, desired });
  assert.is(work('creating'), 'start');
  assert.is(work('crashed'), 'start');
  assert.is(work('upgrading'), 'restart');
  assert.is(work('stopping', 'stopped'), 'stop');
  assert.is(work('stopping', 'suspended'), 'suspend');
  assert.is(work('deleting', 'stopped'), 'remove');
  assert.is(work('running'), undefined);
});

states('are unsettled where something is left, so that a start of Weir looks at them', () => {
  assert.equal(unsettledStates, ['creating', 'starting', 'stopping', 'restarting', 'upgrading', 'crashed', 'deleting']);
});

states('need a driver only on the way up', () => {
  assert.ok(wantsDriver({ state: 'starting', desired: 'running' }));
  assert.ok(wantsDriver({ state: 'upgrading', desired: 'running' }));
  assert.not(wantsDriver({ state: 'stopping', desired: 'stopped' }));
  assert.not(wantsDriver({ state: 'deleting', desired: 'running' }));
  assert.not(wantsDriver({ state: 'stopped', desired: 'stopped' }));
});

states.run();
