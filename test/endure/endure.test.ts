// timeout: 1200
// The server under load and faults, until each fault that this machine lets it have, and that is quick, came once: `npm run endure` has all, and goes on for longer.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startCommand } from '../support/run-command.ts';
import { diceOf } from './dice.ts';
import { endure } from './endure.ts';
import { faults } from './faults/index.ts';
import { inspect, inspectable } from './live-memory.ts';
import { createOracle } from './oracle.ts';
import { growth } from './vitals.ts';
import { waitFor } from './world.ts';

const enduring = suite('a server under load and faults');

enduring('loses nothing that it acknowledged, keeps nothing that it refused, and breaks no rule', async () => {
  const { violations, tally, rows } = await endure({
    seed: 'npm test',
    faults: faults.filter(({ isLong }) => !isLong),
  });
  assert.equal(violations, []);
  for (const { name, times, missing } of rows) {
    assert.is(times.length, missing === undefined ? 1 : 0, name);
    if (process.env['CI']) assert.is(missing, undefined, name);
  }
  assert.ok(tally.acknowledged > 100);
});

const oracle = suite('the oracle');

oracle('finds what was acknowledged and is lost, and what was refused and is there', () => {
  const { begin, compare } = createOracle();
  begin('Team/kept', { name: 'a' }).kept();
  begin('Team/refused', { name: 'b' }).refused();
  assert.equal(compare(new Map([['Team/kept', { name: 'a' }]])), []);
  assert.is(compare(new Map()).length, 1);
  const both = new Map([
    ['Team/kept', { name: 'a' }],
    ['Team/refused', { name: 'b' }],
  ]);
  assert.match(compare(both).join(), /^Team\/refused is \{"name":"b"\}/);
  begin('Team/kept', { name: 'c' }).kept();
  assert.match(compare(new Map([['Team/kept', { name: 'a' }]])).join(), 'must be {"name":"c"}');
  begin('Team/kept', undefined).kept();
  assert.match(compare(new Map([['Team/kept', { name: 'c' }]])).join(), 'must be not there');
});

oracle('takes what was cut off as a whole or not at all, and holds it to what it has seen', () => {
  const { begin, compare, sure, tally } = createOracle();
  begin('Team/one', { name: 'a', type: 'x' }).kept();
  begin('Team/one', { name: 'b', type: 'y' }).unknown();
  assert.is(sure('Team/one'), undefined);
  assert.match(compare(new Map([['Team/one', { name: 'b', type: 'x' }]])).join(), ' or ');
  assert.equal(compare(new Map([['Team/one', { type: 'y', name: 'b' }]])), []);
  assert.equal(sure('Team/one'), { shape: { name: 'b', type: 'y' } });
  assert.is(compare(new Map([['Team/one', { name: 'a', type: 'x' }]])).length, 1);
  assert.equal(tally, { acknowledged: 1, refused: 0, cut: 1, cutAndKept: 1 });
});

const flat = suite('what is flat');

flat('may grow by a little from the second third of a life to the last, whatever it did before', () => {
  const flatLife = { seconds: 100, liveMb: [10, 100, 112], residentMb: [10, 100, 112], handles: [1, 30, 30] } as const;
  assert.equal(growth(flatLife), []);
  assert.match(growth({ ...flatLife, liveMb: [10, 100, 114] }).join(), /^what is alive in memory grew from 100 to 114/);
  assert.match(growth({ ...flatLife, residentMb: [10, 100, 114] }).join(), /^memory grew from 100 to 114/);
  assert.match(growth({ ...flatLife, handles: [1, 30, 40] }).join(), /^open handles grew/);
  assert.equal(growth({ ...flatLife, liveMb: undefined, residentMb: undefined }), []);
});

const chance = suite('chance');

chance('comes again by its seed', () => {
  const rolled = (seed: string) => {
    const dice = diceOf(seed);
    return [dice.below(1e6), dice.shuffled([1, 2, 3, 4, 5, 6]), dice.of(['a', 'b', 'c']), dice.percent(50)];
  };
  assert.equal(rolled('one'), rolled('one'));
  assert.not.equal(rolled('one'), rolled('two'));
  assert.equal(diceOf('x').shuffled([3, 1, 2]).toSorted(), [1, 2, 3]);
});

const living = suite('what is alive in memory');

living('is what a process keeps, and not what it has let go', async () => {
  const source = `
    const kept = [];
    process.on('SIGUSR2', () => {
      for (let times = 0; times < 40; times += 1) Array(1e6).fill(times + 0.5);
      kept.push(Array(2e6).fill(0.5));
      console.log('done');
    });
    setInterval(() => {}, 1000);
    console.log('ready');`;
  const command = startCommand(process.execPath, ['-e', source], { env: { ...process.env, ...inspectable } });
  try {
    await waitFor(() => command.output().stdout.includes('ready'));
    const inspector = await inspect({ command });
    const before = (await inspector?.liveBytes()) ?? 0;
    command.child.kill('SIGUSR2');
    await waitFor(() => command.output().stdout.includes('done'));
    const more = ((await inspector?.liveBytes()) ?? 0) - before;
    assert.ok(before > 1e6 && more > 15e6 && more < 17e6, `${before} and ${more} bytes`);
    inspector?.close();
  } finally {
    command.child.kill('SIGKILL');
    await command.ended;
  }
});

for (const one of [enduring, oracle, flat, living, chance]) one.run();
