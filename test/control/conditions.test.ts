// Conditions: what holds, why, and since when.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { conditionsOf, type Standing } from '../../src/control/conditions.ts';
import type { Condition, HistoryEntry } from '../../src/control/config-status.ts';

const summary = { create: 0, update: 0, delete: 0, rename: 0, adopt: 0, unchanged: 3, blocked: 0 };
const applied: HistoryEntry = {
  revision: 'abcdef0123456789',
  trigger: 'watch',
  result: 'applied',
  at: 't',
  durationMs: 1,
  summary,
  errors: 0,
  warnings: 0,
  findings: [],
};
const nothing = { ...summary, unchanged: 0 };
const invalid: HistoryEntry = { ...applied, result: 'refused', errors: 2, summary: nothing };
const blocked: HistoryEntry = { ...invalid, errors: 1, summary: { ...summary, blocked: 1 } };

/** `Type=Status Reason`, one a condition. */
function told(standing: Partial<Standing>): string[] {
  return conditionsOf({ reconciling: false, ...standing }, [], 'now').map(
    ({ type, status, reason }) => `${type}=${status} ${reason}`,
  );
}

const conditions = suite('conditions');

conditions('tell that the state is what the tree wants', () => {
  assert.equal(told({ attempted: applied, applied }), [
    'Ready=True Applied',
    'Reconciling=False Idle',
    'Stalled=False NotStalled',
    'SourceAvailable=True Read',
    'Settling=False Settled',
    'Drifted=False AsApplied',
  ]);
});

conditions('claim no good state where there never was one', () => {
  const message = (standing: Partial<Standing>) =>
    conditionsOf({ reconciling: false, ...standing }, [], 'now').find(({ type }) => type === 'Ready')?.message;
  assert.match(message({ attempted: invalid }) ?? '', /^nothing is applied: /);
  assert.match(message({ attempted: invalid, applied }) ?? '', /^the last good state is kept: /);
  assert.is(message({ missing: 'it is gone' }), 'nothing is applied: it is gone');
});

conditions('tell why it is not', () => {
  assert.equal(told({}).slice(0, 1), ['Ready=Unknown NotReconciled']);
  assert.equal(told({ attempted: invalid, applied }).slice(0, 3), [
    'Ready=False Refused',
    'Reconciling=False Idle',
    'Stalled=True Invalid',
  ]);
  assert.equal(told({ attempted: blocked, applied })[2], 'Stalled=True Blocked');
  const guarded = { ...blocked, summary: { ...summary, blocked: 0 } };
  assert.equal(
    told({ attempted: guarded, applied })[2],
    'Stalled=True Blocked',
    'the tree was good, and a guard said no',
  );
  assert.equal(
    told({ attempted: applied, missing: 'config is gone' }).filter((one) => one.includes('Miss')),
    ['Ready=False SourceMissing', 'SourceAvailable=False Missing'],
  );
  assert.equal(told({ attempted: applied, failure: 'the disk is full' })[0], 'Ready=False ReconcileFailed');
  assert.equal(told({ attempted: applied, reconciling: true })[1], 'Reconciling=True Progressing');
});

conditions('claim no tree that can be read before one was read', () => {
  const source = (standing: Partial<Standing>) => told(standing).find((one) => one.startsWith('SourceAvailable'));
  assert.is(source({}), 'SourceAvailable=Unknown NotRead');
  assert.is(source({ reconciling: true }), 'SourceAvailable=Unknown NotRead');
  assert.is(source({ reading: {}, failure: 'the disk is full' }), 'SourceAvailable=True Read');
  assert.is(source({ missing: 'it is gone' }), 'SourceAvailable=False Missing');
});

conditions('say what was refused, and for how many errors', () => {
  const message = (attempted: HistoryEntry) => conditionsOf({ attempted, reconciling: false }, [], 'now')[2]?.message;
  assert.is(message(invalid), 'revision abcdef012345 was refused for 2 errors');
  assert.is(message({ ...blocked }), 'revision abcdef012345 was refused for 1 error');
});

conditions('keep the time of their last transition while their status stays', () => {
  const since = (list: ReturnType<typeof conditionsOf>) =>
    Object.fromEntries(list.map(({ type, lastTransitionTime }) => [type, lastTransitionTime]));
  const first = conditionsOf({ attempted: applied, reconciling: false }, [], 't1');
  const second = conditionsOf({ attempted: invalid, reconciling: false }, first, 't2');
  const third = conditionsOf({ attempted: blocked, reconciling: false }, second, 't3');
  assert.equal(since(first), {
    Ready: 't1',
    Reconciling: 't1',
    Stalled: 't1',
    SourceAvailable: 't1',
    Settling: 't1',
    Drifted: 't1',
  });
  assert.equal(since(second), {
    Ready: 't2',
    Reconciling: 't1',
    Stalled: 't2',
    SourceAvailable: 't1',
    Settling: 't1',
    Drifted: 't1',
  });
  assert.equal(since(third), since(second), 'another reason is no transition');
});

conditions('name what does not stand still, and since when', () => {
  const at = (files: readonly string[], restless: readonly string[] = [], before: Condition[] = [], now = 't1') =>
    conditionsOf({ reconciling: false, settling: { files, restless, seconds: 2 } }, before, now);
  const settling = (all: readonly Condition[]) => all.find(({ type }) => type === 'Settling');
  const first = at(['a.yaml', 'b.yaml', 'c.yaml', 'd.yaml', 'e.yaml']);
  assert.equal(settling(first), {
    type: 'Settling',
    status: 'True',
    reason: 'Moving',
    message:
      'what does not stand still counts as it was when the tree was last acted on: a.yaml, b.yaml, c.yaml and 2 more',
    lastTransitionTime: 't1',
  });
  const second = at(['f.yaml', 'g.yaml'], ['f.yaml'], first, 't2');
  assert.is(settling(second)?.reason, 'NeverStill');
  assert.match(settling(second)?.message ?? '', /without pause .*: f\.yaml; stop what writes it/);
  assert.is(settling(second)?.lastTransitionTime, 't1');
  assert.is(settling(at([], [], second, 't3'))?.status, 'False');
  assert.is(settling(at([], [], second, 't3'))?.lastTransitionTime, 't3');
});

conditions.run();
