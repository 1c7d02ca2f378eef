// How a server is asked to end: once, by mistake twice, in earnest twice, and when it has ended already.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Io } from '../../src/cli/io.ts';
import { inOrder, stopRequest } from '../../src/cli/stop.ts';

const stop = suite('a request to stop');

stop('is heard once, though npm passes it on again within a second', async () => {
  const { request, ask, exits } = asked();
  ask(5000);
  ask(5900);
  await request.asked;
  assert.equal(exits, []);
});

stop('ends the process at once when it comes again in earnest: 130', () => {
  const { ask, exits } = asked();
  ask(5000);
  ask(6100);
  assert.equal(exits, [130]);
});

stop(
  'changes nothing once the end has come, and is still heard: the system would end the process with another code',
  () => {
    const { request, ask, exits, listeners } = asked();
    ask(5000);
    request.over();
    ask(60_000);
    assert.equal(exits, []);
    assert.is(listeners.length, 1);
  },
);

stop('takes its steps one after another, and gives up one that does not end', async () => {
  const done: string[] = [];
  const step = (name: string) => async () => {
    done.push(name);
  };
  const { io, said } = asked();
  await inOrder([step('first'), () => new Promise(() => {}), step('last')], io);
  assert.equal(done, ['first', 'last']);
  assert.equal(said, [
    'weir: something that is under way does not end, and is cut off: nothing acknowledged is lost\n',
  ]);
});

stop.run();

/** A request on a clock of its own. */
function asked() {
  let now = 0;
  const listeners: (() => void)[] = [];
  const exits: number[] = [];
  const said: string[] = [];
  const io = {
    elapsed: () => now,
    stderr: { write: (text: string) => said.push(text) },
    exit: (code: number) => exits.push(code),
    onStop: (listener: () => void) => {
      listeners.push(listener);
      return () => listeners.splice(listeners.indexOf(listener), 1);
    },
  } as unknown as Io;
  const ask = (at: number) => {
    now = at;
    for (const listener of listeners) listener();
  };
  return { io, said, request: stopRequest(io), ask, exits, listeners };
}
