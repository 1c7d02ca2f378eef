// Long bodies: room for them is taken before they are read, so that slow senders hold no more than is meant, and keep nobody else out for long.
import { type AddressInfo, connect, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Caller } from '../../src/core/access/actor.ts';
import { createBodyRoom, longestBody } from '../../src/http/body-room.ts';
import { until } from '../support/until.ts';
import { type ServerWorld, startWorld, tree } from './world.ts';

const MiB = 1024 * 1024;

const room = suite('room for long bodies');

const device = (team: string): Caller => ({ kind: 'device', device: { spec: { team } } }) as Caller;
const user = (id: string): Caller => ({ kind: 'user', user: { id } }) as Caller;

room('is bounded for all, for each user, and for the devices of each team', () => {
  const take = createBodyRoom();
  for (let at = 0; at < 4; at += 1) take(device('a'), 8 * MiB);
  assert.throws(() => take(device('a'), 1), /Too many long bodies/);
  for (let at = 0; at < 3; at += 1) take(user('a'), 8 * MiB);
  const giveBack = take(user('b'), 8 * MiB);
  assert.throws(() => take(user('c'), 1), /Too many long bodies/);
  giveBack();
  giveBack();
  take(user('c'), 8 * MiB);
  assert.throws(() => take(user('d'), 1), /Too many long bodies/);
});

room('is as much as a head says, and never more than the route reads', () => {
  assert.is(longestBody({}, 8), 0);
  assert.is(longestBody({ 'content-length': '5' }, 8), 5);
  assert.is(longestBody({ 'content-length': '9' }, 8), 8);
  assert.is(longestBody({ 'transfer-encoding': 'chunked' }, 8), 8);
});

room.run();

const slow = suite<{ world: ServerWorld; port: number; sockets: Sender[] }>('many slow senders');
slow.before.each(async (context) => {
  const types = (tree['types.yaml'] ?? '').replace('features: {', 'features: {deviceAutoSnapshot: true, ');
  context.world = await startWorld({ ...tree, 'types.yaml': types });
  await context.world.putDevices();
  await context.world.app.listen({ port: 0, host: '127.0.0.1' });
  context.port = (context.world.app.server.address() as AddressInfo).port;
  context.sockets = [];
});
slow.after.each(async ({ world, sockets }) => {
  for (const { socket } of sockets) socket.destroy();
  await world.close();
});

interface Sender {
  readonly socket: Socket;
  readonly text: () => string;
}

/** Begins to send a body, and goes no further. */
function begin(port: number, token: string, framing: string): Sender {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket
    .on('error', () => {})
    .on('data', (bytes) => {
      text += bytes.toString('latin1');
    });
  const head = `POST /api/v1/device/snapshots HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`;
  socket.write(`${head}Content-Type: application/json\r\n${framing}\r\n\r\n`);
  return { socket, text: () => text };
}

for (const [framing, start] of [
  [`Content-Length: ${8 * MiB}`, '{"flows":['],
  ['Transfer-Encoding: chunked', '2\r\n{"\r\n'],
] as const)
  slow(`are refused before they have sent what there is no room for: ${framing}`, async ({ world, port, sockets }) => {
    for (let at = 0; at < 40; at += 1) sockets.push(begin(port, String(world.tokens['device']), framing));
    for (const { socket } of sockets) socket.write(start);
    const refused = () => sockets.filter(({ text }) => text().startsWith('HTTP/1.1 503 '));
    await until(() => refused().length === 36);
    for (const { text } of refused()) assert.match(text(), /retry-after: 5/i);
    // What is short takes no room: it is read, and judged by what the device is.
    const body = { flows: [{ id: 'a', type: 'tab', label: 'x' }], modules: {} };
    const sent = await world.ask('POST', '/api/v1/device/snapshots', { as: 'device', body });
    assert.is(sent.status, 409, sent.text);
    for (const { socket } of sockets) socket.destroy();
    const long = { ...body, flows: [{ id: 'a', type: 'function', func: 'x'.repeat(MiB) }] };
    await until(
      async () => (await world.ask('POST', '/api/v1/device/snapshots', { as: 'device', body: long })).status === 409,
    );
  });

slow.run();
