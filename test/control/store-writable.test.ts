// The condition of a store that takes no writes, and what it does to `Ready`.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Condition } from '../../src/control/config-status.ts';
import { readyWhereWritable, storeWritableOf } from '../../src/control/store-writable.ts';
import type { Health } from '../../src/store/store.ts';

const writable = suite('whether the store takes writes');

writable('is a condition that keeps its time as long as it stays', () => {
  let health: Health = { state: 'ready', position: '1' };
  let clock = 0;
  const condition = storeWritableOf({ health: () => health }, () => `${clock}`);
  const now = () => {
    clock += 1;
    const { status, reason, message, lastTransitionTime } = condition();
    return [status, reason, message, lastTransitionTime];
  };
  assert.equal(now(), ['True', 'Writable', 'what is written is kept', '1']);
  health = { state: 'ready', position: '1', isLow: true };
  assert.equal(now().slice(0, 2), ['True', 'DiskLow']);
  assert.is(now()[3], '1');
  health = { state: 'ready', position: '1', usage: { filling: 'there is little left' } };
  assert.equal(now(), ['True', 'DiskFilling', 'there is little left', '1']);
  health = { state: 'read-only', position: '1', reason: 'the disk failed' };
  assert.equal(now(), ['False', 'ReadOnly', 'nothing is kept: the disk failed', '5']);
  assert.is(now()[3], '5');
  health = { state: 'closed', position: '1' };
  assert.equal(now().slice(0, 3), ['False', 'ReadOnly', 'nothing is kept: it is being closed']);
  health = { state: 'ready', position: '1' };
  assert.is(now()[3], '8');
});

writable('makes the platform ready or not, and changes no other condition', () => {
  const at = (type: Condition['type'], status: Condition['status']): Condition => ({
    type,
    status,
    reason: 'Why',
    message: `${type} as it is`,
    lastTransitionTime: type,
  });
  const good = [at('Ready', 'True'), at('Stalled', 'False'), at('StoreWritable', 'True')];
  assert.equal(readyWhereWritable(good), good);
  assert.equal(readyWhereWritable([at('Ready', 'True')]), [at('Ready', 'True')]);
  const bad = [at('Ready', 'True'), at('Stalled', 'False'), at('StoreWritable', 'False')];
  assert.equal(readyWhereWritable(bad), [
    {
      type: 'Ready',
      status: 'False',
      reason: 'StoreReadOnly',
      message: 'StoreWritable as it is',
      lastTransitionTime: 'StoreWritable',
    },
    ...bad.slice(1),
  ]);
});

writable.run();
