// The job that takes away what has ended: all of it, nothing else, once, and without holding up the server.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { auditEntryOf } from '../../src/control/audit.ts';
import { created, updated } from '../../src/core/model/change.ts';
import type { Resource } from '../../src/core/model/resource.ts';
import { expireJob } from '../../src/jobs/expire.ts';
import type { Desk } from '../../src/jobs/job.ts';
import { living, newWorld, put, type World } from '../control/world.ts';

const job = suite('the job expire');

const at = '2026-11-21T12:00:00.000Z';
const past = '2026-11-21T11:59:59.999Z';
const later = '2026-11-21T12:00:00.001Z';
const hash = 'a'.repeat(64);

const token = (name: string, expiresAt: string | null) => living('Token', name, { user: 'User-ann', hash, expiresAt });
const session = (name: string, expiresAt: string, lastSeenAt: string, idleHours = 32) =>
  living('Session', name, { user: 'User-ann', hash, expiresAt, idleHours, lastSeenAt, address: '', agent: '' });
const invitation = (name: string, expiresAt: string) =>
  living('Invitation', name, { team: 't', role: 'member', inviter: 'i', email: 'o@example.org', hash, expiresAt });
const link = (name: string, expiresAt: string) =>
  living('ActionToken', name, { user: 'User-ann', purpose: 'verify-email', email: 'a@example.org', hash, expiresAt });
const request = (name: string, expiresAt: string) =>
  living('IdempotentRequest', name, { request: 'digest', made: 'id', expiresAt });

const calling = (name: string, expiresAt: string) =>
  living('HttpToken', name, { team: 't', instance: 'i', hash, expiresAt });
const provisioning = (name: string, expiresAt: string) =>
  living('ProvisioningToken', name, { team: 't', hash, expiresAt });

const spent = (name: string, expiresAt: string) => living('SpentLogin', name, { request: `_${name}`, expiresAt });

const deskOf = (world: World, clock = () => at): Desk => ({
  door: world.door,
  clock,
  newId: () => world.context('api').newId(),
});

const never = new AbortController().signal;

const namesIn = (world: World): string[] =>
  (
    [
      'Token',
      'Session',
      'Invitation',
      'ActionToken',
      'ProvisioningToken',
      'HttpToken',
      'IdempotentRequest',
      'SpentLogin',
    ] as const
  )
    .flatMap((kind) => [...world.store.read().all(kind)] as Resource[])
    .map(({ name }) => name);

job('takes away what has ended at that very moment, and leaves what has not', async () => {
  const world = newWorld();
  await put(
    world,
    living('User', 'ann', { email: 'ann@example.org' }),
    token('token-past', past),
    token('token-now', at),
    token('token-later', later),
    token('token-forever', null),
    session('session-past', past, past),
    session('session-later', later, past),
    invitation('invitation-past', past),
    invitation('invitation-later', later),
    link('link-past', past),
    link('link-later', later),
    provisioning('machine-past', past),
    calling('caller-past', past),
    calling('caller-later', later),
    provisioning('machine-later', later),
    request('request-past', past),
    request('request-later', later),
    spent('spent-past', past),
    spent('spent-later', later),
  );
  await expireJob.run(deskOf(world), never);
  assert.equal(namesIn(world), [
    'token-later',
    'token-forever',
    'session-later',
    'invitation-later',
    'link-later',
    'machine-later',
    'caller-later',
    'request-later',
    'spent-later',
  ]);
});

job('ends a session that was not used for its hours, and waits for uses that are not noted yet', async () => {
  const world = newWorld();
  const far = '2027-01-01T00:00:00.000Z';
  await put(
    world,
    living('User', 'ann', { email: 'ann@example.org' }),
    session('long-idle', far, '2026-11-21T10:58:00.000Z', 1),
    session('perhaps-in-use', far, '2026-11-21T10:58:00.001Z', 1),
    session('in-use', far, past, 1),
  );
  await expireJob.run(deskOf(world), never);
  assert.equal(namesIn(world), ['perhaps-in-use', 'in-use']);
});

job('is told in the audit log, but not what the platform alone works with', async () => {
  const world = newWorld();
  await put(world, living('User', 'ann', { email: 'ann@example.org' }));
  await put(world, token('ci', past), session('s', past, past), request('r', past));
  await expireJob.run(deskOf(world), never);
  const records = await world.store.records({ stream: 'audit', limit: 10 });
  assert.equal(
    records.map(auditEntryOf).map(({ event, actor, target, at: when }) => [event, actor, target.name, when]),
    [
      ['session.ended', { kind: 'job', name: 'expire' }, 'ann', at],
      ['token.deleted', { kind: 'job', name: 'expire' }, 'ci', at],
    ],
  );
});

job('writes nothing where nothing has ended', async () => {
  const world = newWorld();
  await put(world, living('User', 'ann', { email: 'ann@example.org' }), token('ci', later));
  const { position } = world.store.read();
  await expireJob.run(deskOf(world), never);
  assert.is(world.store.read().position, position);
});

job('looks again before it deletes: what got more time meanwhile stays', async () => {
  const world = newWorld();
  await put(world, living('User', 'ann', { email: 'ann@example.org' }), token('ci', past), token('old', past));
  let calls = 0;
  const prolonging = () => {
    if (++calls === 2) {
      void world.store.commit(
        (view) => {
          const ci = view.named('Token', 'ci');
          return { changes: ci ? [updated(ci, { ...ci, spec: { ...ci.spec, expiresAt: later } })] : [] };
        },
        { id: 'prolonged' },
      );
    }
    return at;
  };
  await expireJob.run(deskOf(world, prolonging), never);
  assert.equal(namesIn(world), ['ci']);
});

job('takes many away in small steps, lets others go first, and stops when it is told to', async () => {
  const world = newWorld();
  const many = (kind: string) =>
    Array.from({ length: 20_000 }, (_, index) => token(`${kind}-${index}`, kind === 'old' ? past : later));
  await put(world, living('User', 'ann', { email: 'ann@example.org' }));
  await world.store.commit(() => ({ changes: [...many('old').slice(0, 2000), ...many('new')].map(created) }), {
    id: 'many',
  });
  const stop = new AbortController();
  let commits = 0;
  const end = world.store.subscribe((entry) => {
    if (entry !== 'reset') assert.ok(entry.changes.length <= 100);
    if (++commits === 5) stop.abort();
  });
  await expireJob.run(deskOf(world), stop.signal);
  assert.is(commits, 5);
  assert.is(world.store.read().count('Token'), 21_500);
  end();
  let turns = 0;
  let running = true;
  const tick = () => {
    turns += 1;
    if (running) setImmediate(tick);
  };
  tick();
  await expireJob.run(deskOf(world), never);
  running = false;
  assert.is(world.store.read().count('Token'), 20_000);
  assert.ok(turns > 15, String(turns));
});

job.run();
