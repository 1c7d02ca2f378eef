// The condition that tells whether everybody who gets the audit log has got it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type AuditTargetStanding, auditDeliveredOf } from '../../src/control/audit-delivered.ts';

const delivered = suite('whether the audit log is delivered');

const well: AuditTargetStanding = {
  target: 'webhook/siem',
  ...{ waiting: 0, oldest: undefined, failing: undefined, dropped: 0 },
};
const minutes = (count: number) => new Date(Date.UTC(2026, 10, 23, 10, count)).toISOString();

delivered('is told only where somebody gets it, and keeps its time as long as it stays', () => {
  let standings: readonly AuditTargetStanding[] = [];
  let minute = 0;
  const condition = auditDeliveredOf(
    () => standings,
    () => minutes(minute),
  );
  const now = () => {
    minute += 1;
    return condition().map(({ type, status, reason, message, lastTransitionTime }) => {
      assert.is(type, 'AuditDelivered');
      return [status, reason, message, lastTransitionTime];
    });
  };
  assert.equal(now(), []);
  standings = [well];
  assert.equal(now(), [['True', 'Delivered', 'whoever gets the audit log has got it', minutes(2)]]);
  assert.is(now()[0]?.[3], minutes(2));
  standings = [{ ...well, waiting: 3, oldest: minutes(3) }];
  assert.is(now()[0]?.[0], 'True', 'what came just now is on its way');
  const failing = { since: minutes(4), reason: 'it answered 503' };
  standings = [well, { ...well, target: 'file', waiting: 1, oldest: minutes(4), failing }];
  const why = `file takes nothing since ${minutes(4)}, because it answered 503: 1 entry waits`;
  assert.equal(now(), [['False', 'Behind', why, minutes(5)]]);
  standings = [{ ...well, waiting: 3, oldest: minutes(1) }];
  const slow = `webhook/siem is slow: 3 entries wait, the oldest since ${minutes(1)}`;
  assert.equal(now(), [['False', 'Behind', slow, minutes(5)]]);
  standings = [{ ...well, dropped: 1 }];
  const gone = '1 entry was gone, or damaged, before webhook/siem had got it';
  assert.equal(now(), [['False', 'EntriesDropped', gone, minutes(5)]]);
  standings = [{ ...well, dropped: 7, waiting: 1, oldest: minutes(1) }];
  assert.equal(now()[0]?.slice(0, 2), ['False', 'Behind']);
  standings = [];
  assert.equal(now(), []);
  standings = [well];
  assert.is(now()[0]?.[3], minutes(10));
});

delivered.run();
