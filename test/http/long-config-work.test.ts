// Plans and reconciles that take long: no request waits longer than it may, and what goes on has a place to look.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { exportSteps } from '../../src/manifests/export.ts';
import { eventually } from '../support/until.ts';
import { startWorld, tree } from './world.ts';

const long = suite('long work at the configuration');
const maxWaitMs = 150;
const url = '/api/v1/admin/config';
const documents = Object.entries(tree).map(([path, content]) => ({ path, content }));

/** A world in which the reconciler waits until it is let go. */
async function held() {
  const gate = Promise.withResolvers<void>();
  const world = await startWorld(undefined, { maxWaitMs, slowed: () => gate.promise });
  return { world, release: gate.resolve };
}

long('that changes nothing is given up, and says when to come back', async () => {
  const { world, release } = await held();
  for (const [method, path, body] of [
    ['GET', `${url}/plan`, undefined],
    ['POST', `${url}/plan`, { documents }],
    ['POST', `${url}/reconcile?dryRun=true`, {}],
  ] as const) {
    const begun = performance.now();
    const { status, headers, body: answer } = await world.ask(method, path, { body });
    assert.equal([status, answer.code, headers['retry-after']], [503, 'unavailable', '30'], `${method} ${path}`);
    assert.match(answer.detail, /takes too long now: nothing was changed, try again later/);
    assert.ok(performance.now() - begun >= maxWaitMs - 5);
  }
  // As long as they are at work they keep their places.
  assert.is((await world.ask('GET', `${url}/plan`)).status, 429);
  release();
  assert.is((await world.ask('GET', `${url}/plan`)).status, 429, 'none is free before the work has ended');
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.is((await world.ask('GET', `${url}/plan`)).status, 200);
  await world.close();
});

long('that exports is given up, too, and keeps its place until it has ended', async () => {
  let held = true;
  function* slowly(...of: Parameters<typeof exportSteps>) {
    while (held) yield;
    return yield* exportSteps(...of);
  }
  const world = await startWorld(undefined, { maxWaitMs, exportDocuments: slowly });
  const first = await world.ask('GET', `${url}/export`);
  assert.equal([first.status, first.body.code, first.headers['retry-after']], [503, 'unavailable', '30']);
  assert.match(first.body.detail, /this plan or export cannot be made, because that takes too long now/);
  held = false;
  await eventually(async () => assert.is((await world.ask('GET', `${url}/export`)).status, 200));
  await world.close();
});

long('that changes something is answered 202, goes on, and is found in the history', async () => {
  const { world, release } = await held();
  const { status, headers, body } = await world.ask('POST', `${url}/reconcile`, { body: {} });
  assert.equal([status, headers['location']], [202, `${url}/history`]);
  assert.ok('revision' in body && 'conditions' in body, 'the status as it is now');
  assert.is((await world.ask('GET', String(headers['location']))).status, 200, 'the place to look');
  release();
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.not.match(world.logged.join('\n'), /was not kept/);
  await world.close();
});

long('that fails after its answer is told in the log, and harms nobody', async () => {
  const gate = Promise.withResolvers<void>();
  const world = await startWorld(undefined, { maxWaitMs, slowed: () => gate.promise });
  assert.is((await world.ask('POST', `${url}/reconcile`, { body: {} })).status, 202);
  gate.reject(new Error('the disk is full'));
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.match(
    world.logged.join('\n'),
    /a reconcile that was answered before it ended .* was not kept: Error: the disk is full/,
  );
  await world.close();
});

long('that ends in time is answered as ever', async () => {
  const world = await startWorld(undefined, { maxWaitMs: 60_000, slowed: async () => {} });
  assert.is((await world.ask('GET', `${url}/plan`)).status, 200);
  assert.is((await world.ask('POST', `${url}/reconcile`, { body: {} })).status, 200);
  await world.close();
});

long.run();
