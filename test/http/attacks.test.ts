// What somebody tries who means harm, or who has seen something once and is not to see it again.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startWorld } from './world.ts';

const world = await startWorld();
const { ask } = world;

/** How long something takes, in milliseconds. */
async function timed(act: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await act();
  return performance.now() - begun;
}

const exhaustion = suite('one request alone');

exhaustion.after(() => world.close());

exhaustion('does not keep the server busy with a name that is far too long', async () => {
  const name = `${'a'.repeat(100_000)}\n`;
  const spent = await timed(async () => {
    const refused = await ask('PUT', '/api/v1/teams/core', { as: 'owner', body: { name } });
    assert.is(refused.status, 400, refused.text);
    assert.equal(
      refused.body.violations.map(({ message }: { message: string }) => message),
      ['name must be at most 255 characters long'],
    );
  });
  // Matched against the form of a name, ten times as much takes a quarter of an hour.
  assert.ok(spent < 2000, `${spent} ms`);
});

exhaustion('does not keep the server busy with an address that is far too long', async () => {
  const options = { catalogues: [`http://${':'.repeat(100_000)}`] };
  const spent = await timed(async () => {
    const body = { name: 'a', instanceType: 'small', template: 'standard', options };
    assert.is((await ask('POST', '/api/v1/teams/core/instances', { as: 'member', body })).status, 400);
  });
  assert.ok(spent < 2000, `${spent} ms`);
});

exhaustion.run();
