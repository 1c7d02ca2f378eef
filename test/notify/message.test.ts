// What is told of attempts: which events they make after one another, and how large a message may be.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Drifted, HistoryEntry } from '../../src/control/config-status.ts';
import { historyRecord } from '../../src/control/history.ts';
import type { Finding } from '../../src/core/model/finding.ts';
import { eventsOf, messagesOf } from '../../src/notify/message.ts';

const summary = { create: 0, update: 0, delete: 0, rename: 0, adopt: 0, unchanged: 3, blocked: 0 };

function attempt(result: HistoryEntry['result'], more: Partial<HistoryEntry> = {}): HistoryEntry {
  const counts = { summary, errors: 0, warnings: 0, findings: [], durationMs: 4 };
  return { revision: 'sha256:1', trigger: 'watch', result, at: '2026-11-21T10:00:00.000Z', ...counts, ...more };
}

const wrong: Finding = { rule: 'schema', severity: 'error', message: 'Stack/a: is not' };
const refused = attempt('refused', { findings: [wrong], errors: 1 });
const missing = attempt('refused', { revision: 'missing', missing: 'there is no tree' });
const drift: Drifted = { address: 'Stack/a', action: 'update', fields: ['/spec/label'], left: true };
const leaving = attempt('unchanged', { drift: [drift] });
const reverting = attempt('applied', { drift: [{ ...drift, left: false }] });

const events = suite('events');

events('tell what was applied and refused, and nothing of what changes nothing', () => {
  assert.equal(eventsOf(attempt('applied'), undefined), ['applied']);
  assert.equal(eventsOf(attempt('unchanged'), attempt('applied')), []);
  assert.equal(eventsOf(refused, attempt('applied')), ['refused']);
  assert.equal(eventsOf(missing, attempt('applied')), ['refused']);
});

events('tell once that one tree is refused for one reason', () => {
  assert.equal(eventsOf(refused, refused), []);
  assert.equal(eventsOf({ ...refused, trigger: 'start' }, refused), []);
  assert.equal(eventsOf(missing, missing), []);
  assert.equal(eventsOf({ ...refused, revision: 'sha256:2' }, refused), ['refused']);
  assert.equal(eventsOf({ ...refused, findings: [{ ...wrong, message: 'other' }] }, refused), ['refused']);
  assert.equal(eventsOf(missing, refused), ['refused']);
});

events('tell that all is well again, whether or not something had to be applied', () => {
  assert.equal(eventsOf(attempt('unchanged'), refused), ['recovered']);
  assert.equal(eventsOf(attempt('applied'), missing), ['applied', 'recovered']);
  assert.equal(eventsOf(attempt('unchanged'), leaving), ['recovered']);
});

events('tell drift that is reverted each time, and drift that is left once', () => {
  assert.equal(eventsOf(reverting, attempt('applied')), ['drifted', 'applied']);
  assert.equal(eventsOf(reverting, reverting), ['drifted', 'applied']);
  assert.equal(eventsOf(leaving, attempt('applied')), ['drifted']);
  assert.equal(eventsOf(leaving, leaving), []);
  const again = { ...drift, by: { actor: 'ann', at: '2026-11-21T11:00:00.000Z' } };
  assert.equal(eventsOf(attempt('unchanged', { drift: [again] }), leaving), ['drifted']);
});

events.run();

const messages = suite('a message');

function bodies(entry: HistoryEntry, before?: HistoryEntry) {
  const record = historyRecord('r1', entry);
  return messagesOf(record, before && historyRecord('r0', before), 'https://weir.example.com');
}

messages('has an id of its own, the same each time, and says what, when, where and how it ended', () => {
  const [first, second] = bodies(attempt('applied', { commit: 'abc', actor: 'ann' }), refused);
  assert.equal([first?.id, second?.id], ['r1-applied', 'r1-recovered']);
  assert.equal(JSON.parse(first?.body ?? ''), {
    type: 'config.applied',
    timestamp: '2026-11-21T10:00:00.000Z',
    data: {
      event: 'applied',
      platform: 'https://weir.example.com',
      revision: 'sha256:1',
      commit: 'abc',
      trigger: 'watch',
      result: 'applied',
      summary,
      errors: 0,
      warnings: 0,
      durationMs: 4,
      actor: 'ann',
      findings: [],
    },
  });
});

messages('stays below 20 KiB, whatever is wrong', () => {
  const long = { ...wrong, message: 'ß'.repeat(5000), path: '/x'.repeat(4000), name: '\u0000'.repeat(500) };
  const findings = Array.from({ length: 200 }, () => long);
  const much = Array.from({ length: 5000 }, () => ({
    ...drift,
    fields: Array.from({ length: 20 }, () => 'f'.repeat(900)),
  }));
  const [message] = bodies(attempt('refused', { findings, errors: 200, drift: much }));
  const { data } = JSON.parse(message?.body ?? '');
  assert.ok(Buffer.byteLength(message?.body ?? '') <= 20 * 1024);
  assert.is(data.errors, 200);
  assert.is(data.drifted, 5000);
});

messages.run();
