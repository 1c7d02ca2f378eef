// How the API tells whether those who are to be told what became of the tree take it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { noteReceiver, type Standing } from '../../src/core/proposals/note-receiver.ts';
import { newId } from '../../src/lib/id.ts';
import { type ServerWorld, startWorld, tree } from './world.ts';

interface Context {
  world: ServerWorld;
}

const notifications = suite<Context>('the condition NotificationsDelivered');

notifications.before.each(async (context) => {
  const hook = (name: string) =>
    `{name: ${name}, url: "http://${name}.example/hook", secret: {fromEnv: WEIR_SECRET_HOOK}}`;
  const declared = `${tree['weir.yaml']}  notifications: [${hook('ci')}, ${hook('chat')}]\n`;
  context.world = await startWorld({ ...tree, 'weir.yaml': declared });
});
notifications.after.each(({ world }) => world.close());

async function stands({ store }: ServerWorld, name: string, state: Standing['state'], reason = ''): Promise<void> {
  const standing = { told: null, url: `http://${name}.example/hook`, state, reason };
  const context = { now: '2026-11-21T11:00:00.000Z', newId, actor: { kind: 'job' }, origin: 'api' } as const;
  await store.commit((view) => ({ changes: noteReceiver(name, standing)(view, context) }), { id: newId() });
}

async function condition(world: ServerWorld): Promise<string> {
  const { body } = await world.ask('GET', '/api/v1/platform');
  const all: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason: string;
    readonly message: string;
  }[] = body.status.conditions;
  const one = all.find(({ type }) => type === 'NotificationsDelivered');
  return `${one?.status} ${one?.reason}: ${one?.message}`;
}

notifications('names who fails and why, and holds again when nobody does', async ({ world }) => {
  assert.is(await condition(world), 'Unknown NothingTold: nothing was told yet');
  await stands(world, 'ci', 'well');
  assert.match(await condition(world), /^True Delivered: /);
  await stands(world, 'chat', 'failing', 'it answered 500');
  assert.is(await condition(world), 'False ReceiverFails: chat: it answered 500');
  await stands(world, 'chat', 'gone', 'it answered 410');
  assert.is(await condition(world), 'False Gone: chat: it answered 410');
  await stands(world, 'chat', 'well');
  assert.match(await condition(world), /^True Delivered: /);
});

notifications('is not taken for unchanged by who asks again', async ({ world }) => {
  const { headers } = await world.ask('GET', '/api/v1/platform');
  const again = { headers: { 'if-none-match': String(headers.etag) } };
  assert.is((await world.ask('GET', '/api/v1/platform', again)).status, 304);
  await stands(world, 'ci', 'failing', 'it answered 500');
  assert.is((await world.ask('GET', '/api/v1/platform', again)).status, 200);
});

notifications('does not stand where nobody is to be told', async () => {
  const quiet = await startWorld();
  assert.is(await condition(quiet), 'undefined undefined: undefined');
  await quiet.close();
});

notifications('shows no secret of a receiver, and no audit entry of how it stands', async ({ world }) => {
  await stands(world, 'ci', 'failing', 'it answered 500');
  const { body } = await world.ask('GET', '/api/v1/platform');
  assert.equal(body.spec.notifications[0].secret, { set: true, from: { fromEnv: 'WEIR_SECRET_HOOK' } });
  const { text } = await world.ask('GET', '/api/v1/admin/audit-log');
  assert.not.match(text, 'receiver.');
});

notifications.run();
