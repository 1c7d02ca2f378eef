// Devices as literals: how they stand, what makes and changes them, and what does not.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Reported } from '../../../src/core/kinds/device.ts';
import type { Change } from '../../../src/core/model/change.ts';
import { offlineAfterMs, statusOfDevice, targetOf } from '../../../src/core/model/device-standing.ts';
import type { Resource } from '../../../src/core/model/resource.ts';
import { checkIn } from '../../../src/core/proposals/check-in.ts';
import { createDevice } from '../../../src/core/proposals/create-device.ts';
import {
  createProvisioningToken,
  mostProvisioningTokens,
} from '../../../src/core/proposals/create-provisioning-token.ts';
import { Declined } from '../../../src/core/proposals/declined.ts';
import { deleteDevice } from '../../../src/core/proposals/delete-device.ts';
import { deleteSnapshot } from '../../../src/core/proposals/delete-snapshot.ts';
import { deleteDeviceGroup, updateDeviceGroup } from '../../../src/core/proposals/device-groups.ts';
import { noteUse } from '../../../src/core/proposals/note-use.ts';
import { registerDevice } from '../../../src/core/proposals/register-device.ts';
import { requestSnapshot, takeSnapshot } from '../../../src/core/proposals/request-snapshot.ts';
import { renewDeviceToken, updateDevice } from '../../../src/core/proposals/update-device.ts';
import { InvalidSpec } from '../../../src/core/proposals/written-spec.ts';
import { type Accounts, accounts, after, declared, living, start } from './accounts-world.ts';

const standing = suite('a device stands');

standing('as its agent said last, while that is heard of', () => {
  const said = { state: 'crashed' } as const;
  const at = (ms: number) => new Date(Date.parse(start) + ms).toISOString();
  assert.is(statusOfDevice(undefined, null, start), 'unknown');
  assert.is(statusOfDevice(undefined, start, start), 'unknown');
  assert.is(statusOfDevice(said, start, at(offlineAfterMs)), 'crashed');
  assert.is(statusOfDevice(said, start, at(offlineAfterMs + 1)), 'offline');
  assert.is(statusOfDevice(undefined, start, at(offlineAfterMs + 1)), 'offline');
});

standing.run();

const devices = suite('a device');

const hash = (letter: string) => letter.repeat(64);
const secrets = { hash: hash('a'), credentialSecret: 'quiet' };
const team = (name: string) => living('Team', name, { displayName: name, type: 'TeamType-starter' });

function world(...more: readonly Resource[]): Accounts {
  return accounts(
    declared('TeamType', 'starter', {}),
    team('core'),
    team('other'),
    living('DeviceGroup', 'hall', { team: 'core' }),
    living('DeviceGroup', 'theirs', { team: 'other' }),
    living('Device', 'gate', { team: 'core', group: 'hall', ...secrets }),
    ...more,
  );
}

const told = (changes: readonly Change[]) =>
  changes.map(({ kind, before, after: now }) => `${before ? (now ? '~' : '-') : '+'}${kind}`);
const deviceIn = ({ state }: Accounts, id = 'gate') => state.get('Device', id);

function reasonOf(work: () => unknown): unknown {
  try {
    work();
    return 'nothing';
  } catch (error) {
    if (error instanceof Declined) return error.reason;
    return error instanceof InvalidSpec ? error.issues.map(({ path }) => path.join('/')) : error;
  }
}

devices('is made in a group of its own team, and of no other', () => {
  const here = world();
  const [made] = here.apply(createDevice({ name: 'Two', team: 'core', group: 'hall', ...secrets }));
  const { name, spec } = (made?.after ?? {}) as Resource<'Device'>;
  assert.equal(
    [name, spec],
    ['Two', { team: 'core', mode: 'autonomous', group: 'hall', lastSeenAt: null, ...secrets }],
  );
  for (const group of ['theirs', 'nothing'])
    assert.equal(
      reasonOf(() => here.apply(createDevice({ name: 'Two', team: 'core', group, ...secrets }))),
      ['group'],
    );
});

devices('is made by a provisioning token, which is gone then, in its team and group', () => {
  const expiresAt = after(60);
  const here = world(living('ProvisioningToken', 'p', { team: 'core', group: 'hall', hash: hash('d'), expiresAt }));
  const register = registerDevice({ token: 'p', name: 'Two', ...secrets });
  const changes = here.apply(register);
  assert.equal(told(changes), ['-ProvisioningToken', '+Device']);
  const made = here.state.get('Device', changes[1]?.id ?? '')?.spec;
  assert.equal([made?.team, made?.group], ['core', 'hall']);
  assert.is(
    reasonOf(() => here.apply(register)),
    'not_found',
  );
});

devices('changes where something is other than it was, and counts that', () => {
  const here = world();
  const change = (update: object) => here.apply(updateDevice({ id: 'gate', ...update }), 5);
  assert.equal(change({ name: 'gate', mode: 'autonomous', group: 'hall', environment: [] }), []);
  change({ mode: 'developer', environment: [{ name: 'A', value: '1' }] });
  change({ group: null });
  const { generation, updatedAt, spec } = deviceIn(here) ?? {};
  assert.equal([generation, updatedAt], [3, after(5)]);
  assert.equal(spec, {
    team: 'core',
    mode: 'developer',
    environment: [{ name: 'A', value: '1' }],
    lastSeenAt: null,
    ...secrets,
  });
  assert.is(
    reasonOf(() => change({ mode: 'autonomous', expected: () => false })),
    'precondition_failed',
  );
  assert.equal(
    reasonOf(() => change({ group: 'theirs' })),
    ['group'],
  );
  here.apply(renewDeviceToken('gate', hash('b')));
  assert.equal([deviceIn(here)?.spec.hash, deviceIn(here)?.generation], [hash('b'), 4]);
});

devices('says what it is without becoming another', () => {
  const here = world();
  const said = { state: 'running', agentVersion: '1' } as const;
  const say = (reported: Reported) =>
    here.apply((view, context) => checkIn({ id: 'gate', reported })(view, context).changes, 9);
  assert.equal(told(say(said)), ['~Device']);
  assert.equal(say({ ...said }), []);
  const { generation, updatedAt, spec } = deviceIn(here) ?? {};
  assert.equal([generation, updatedAt, spec?.reported], [1, start, said]);
});

devices('says why it is not what it should be, since when, and tells of that once', () => {
  const here = world();
  const say = (seconds: number, more: object) =>
    checkIn({ id: 'gate', reported: { state: 'running' }, ...more })(here.state, here.at(seconds));
  const keep = (seconds: number, more: object) => {
    const { changes, events, result } = say(seconds, more);
    here.apply(() => changes);
    return [(events ?? []).map(({ event, reason }) => [event, reason]), result];
  };
  const condition = () =>
    (deviceIn(here)?.spec.conditions ?? []).map(({ type, message, lastTransitionTime }) => [
      type,
      message,
      lastTransitionTime,
    ]);
  assert.equal(keep(1, { error: 'no disk' }), [[['device.update-failed', 'no disk']], false]);
  assert.equal(keep(2, { error: 'still no disk' }), [[], false]);
  assert.equal(condition(), [['UpdateFailed', 'still no disk', after(1)]]);
  assert.equal(say(3, { error: 'still no disk' }).changes, []);
  assert.equal(keep(3, {}), [[], false]);
  assert.equal(condition(), []);
  assert.equal(keep(4, { cloned: 'two of them' }), [[['device.cloned', 'two of them']], true]);
  assert.equal(keep(5, { cloned: 'two of them still', error: 'no disk' }), [[], false]);
  assert.equal(keep(6, {}), [[], false], 'and stays so');
  assert.equal(condition(), [['Cloned', 'two of them', after(4)]]);
  here.apply(renewDeviceToken('gate', hash('c')));
  assert.equal(condition(), [], 'until it gets another token');
});

devices('is seen, and never earlier than it was', () => {
  const here = world();
  const seen = (seconds: number) => here.apply(noteUse([{ kind: 'Device', id: 'gate', at: after(seconds) }]));
  assert.equal([seen(10).length, seen(5).length, seen(10).length], [1, 0, 0]);
  assert.is(deviceIn(here)?.spec.lastSeenAt, after(10));
  assert.equal(here.apply(noteUse([{ kind: 'Device', id: 'gone', at: after(1) }])), []);
});

devices('holds the group that it is in', () => {
  const token = living('ProvisioningToken', 'p', {
    team: 'core',
    group: 'hall',
    hash: hash('d'),
    expiresAt: after(60),
  });
  const here = world(token);
  assert.equal(here.apply(updateDeviceGroup({ id: 'hall', name: 'hall' })), []);
  assert.is(
    reasonOf(() => here.apply(deleteDeviceGroup({ id: 'hall' }))),
    'conflict',
  );
  here.apply(updateDevice({ id: 'gate', group: null }));
  assert.equal(told(here.apply(deleteDeviceGroup({ id: 'hall' }))), ['-DeviceGroup', '~ProvisioningToken']);
  assert.is(here.state.get('ProvisioningToken', 'p')?.spec.group, undefined);
});

const picture = (name: string, of: object) =>
  living('Snapshot', name, {
    team: 'core',
    kind: 'manual',
    createdBy: { kind: 'user' },
    modules: {},
    content: hash('e'),
    ...of,
  });

devices('runs its own target, or else that of its group', () => {
  const here = world(picture('mine', { device: 'gate' }), picture('ours', { device: 'gate' }));
  const target = () => {
    const gate = deviceIn(here);
    return gate && targetOf(gate, here.state);
  };
  assert.is(target(), undefined);
  here.apply(updateDeviceGroup({ id: 'hall', targetSnapshot: 'ours' }));
  assert.is(target(), 'ours');
  here.apply(updateDevice({ id: 'gate', targetSnapshot: 'mine' }));
  assert.is(target(), 'mine');
  here.apply(updateDevice({ id: 'gate', name: 'gate 7' }));
  assert.is(target(), 'mine', 'what nobody mentions stays');
  here.apply(updateDevice({ id: 'gate', targetSnapshot: null, group: null }));
  assert.is(target(), undefined);
});

devices('is given snapshots of its team alone', () => {
  const here = world(picture('theirs-s', { team: 'other', device: 'gate' }));
  for (const targetSnapshot of ['theirs-s', 'nothing'])
    for (const update of [updateDevice, updateDeviceGroup])
      assert.equal(
        reasonOf(() => here.apply(update({ id: update === updateDevice ? 'gate' : 'hall', targetSnapshot }))),
        ['targetSnapshot'],
      );
});

devices('and its snapshots stay while others should run them', () => {
  const two = living('Device', 'two', { team: 'core', ...secrets, hash: hash('f') });
  const here = world(two, picture('mine', { device: 'gate' }));
  const remove = () => here.apply(deleteDevice({ id: 'gate' }));
  here.apply(updateDevice({ id: 'gate', targetSnapshot: 'mine' }));
  here.apply(updateDevice({ id: 'two', targetSnapshot: 'mine' }));
  assert.is(reasonOf(remove), 'conflict');
  assert.is(
    reasonOf(() => here.apply(deleteSnapshot({ id: 'mine' }))),
    'conflict',
  );
  here.apply(updateDevice({ id: 'two', targetSnapshot: null }));
  assert.equal(told(remove()), ['-Device'], 'that it should run its own is no matter');
});

devices('sends what it is asked for once, and by itself nothing twice', () => {
  const here = world();
  const take = (content: string, request?: string) =>
    told(here.apply(takeSnapshot({ id: 'gate', modules: {}, content, request })));
  assert.is(
    reasonOf(() => here.apply(requestSnapshot('gate', 'Asked'))),
    'conflict',
  );
  here.apply(updateDevice({ id: 'gate', mode: 'developer' }));
  assert.equal([take(hash('1')), take(hash('1'))], [['+Snapshot'], []]);
  here.apply(requestSnapshot('gate', 'Asked'));
  const request = deviceIn(here)?.spec.snapshotRequest?.id ?? '';
  assert.is(
    reasonOf(() => take(hash('1'), 'another')),
    'conflict',
  );
  assert.equal(take(hash('1'), request), ['+Snapshot', '~Device']);
  assert.is(deviceIn(here)?.spec.snapshotRequest, undefined);
  here.apply(requestSnapshot('gate', 'Asked again'));
  here.apply(updateDevice({ id: 'gate', mode: 'autonomous' }));
  assert.is(deviceIn(here)?.spec.snapshotRequest, undefined);
  assert.is(
    reasonOf(() => take(hash('2'))),
    'conflict',
  );
});

devices('has no more provisioning tokens waiting for it than a team may have', () => {
  const here = world();
  const mint = () =>
    here.apply(createProvisioningToken({ name: 'x', team: 'core', hash: hash('c'), expiresAt: after(60) }));
  for (let count = 0; count < mostProvisioningTokens; count += 1) mint();
  assert.is(reasonOf(mint), 'conflict');
});

devices.run();
