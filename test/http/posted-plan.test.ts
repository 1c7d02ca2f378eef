// Plans of documents that are sent: what they say, how much of it, and what becomes of everybody else meanwhile.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Caller } from '../../src/core/access/actor.ts';
import { Problem } from '../../src/http/errors.ts';
import { createPlanTurns } from '../../src/http/plan-turns.ts';
import { planView } from '../../src/http/views/config.ts';
import { problemView } from '../../src/http/views/finding.ts';
import { startWorld, tree } from './world.ts';

const world = await startWorld();
const { ask } = world;
const url = '/api/v1/admin/config/plan';

const body = (files: Readonly<Record<string, string>>, more: object = {}) => ({
  documents: Object.entries({ ...tree, ...files }).map(([path, content]) => ({ path, content })),
  ...more,
});

const stacks = (count: number, spec = '{runtime: "4.1"}') =>
  Array.from({ length: count }, (_, at) => `kind: Stack\nmetadata: {name: more-${at}}\nspec: ${spec}\n`).join('---\n');

const saying = suite('a posted plan');

saying('tells the commit that its sender tells, and never where the server itself stands', async () => {
  const { body: plain } = await ask('POST', url, { as: 'plan', body: body({}) });
  assert.equal(Object.keys(plain.source).sort(), ['digest', 'files']);
  const source = { commit: 'a'.repeat(40), dirty: true };
  const told = await ask('POST', url, { as: 'plan', body: body({}, { source }) });
  assert.equal(told.body.source, { ...plain.source, ...source });
  for (const wrong of [{ commit: 'main' }, { dirty: true }, { commit: 'a'.repeat(40), branch: 'x' }])
    assert.is((await ask('POST', url, { body: body({}, { source: wrong }) })).body.code, 'invalid_request');
});

saying('passes over what a folder would pass over', async () => {
  const root = String(tree['weir.yaml']).replace('spec:', 'spec:\n  exclude: [drafts]');
  const files = {
    'weir.yaml': root,
    'drafts/x.yaml': stacks(1),
    '.hidden/x.yaml': stacks(1),
    '..data/x.yaml': stacks(1),
    'x.yaml~': stacks(1),
    'node_modules/x.yaml': stacks(1),
    'overlays/prod/x.yaml': stacks(1),
  };
  const { body: plan } = await ask('POST', url, { as: 'plan', body: body(files) });
  assert.equal([plan.summary.create, plan.source.files], [0, Object.keys(tree).length]);
});

saying('cannot be made of paths that no folder can hold', async () => {
  const asked = await ask('POST', url, { body: body({ 'a.yaml': '', 'a.yaml/b.yaml': '' }) });
  assert.equal([asked.status, asked.body.code], [400, 'invalid_request']);
  assert.match(asked.body.detail, /a path is that of a file and of a folder/);
});

saying('cannot be made of paths that lead through more folders than people make', async () => {
  const deep = (depth: number) => `${'a/'.repeat(depth)}f.yaml`;
  assert.is((await ask('POST', url, { as: 'plan', body: body({ [deep(64)]: '' }) })).status, 200);
  const files = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`${at}/${deep(2000)}`, '']));
  const asked = await ask('POST', url, { as: 'plan', body: body(files) });
  assert.equal([asked.status, asked.body.code], [400, 'invalid_request']);
  assert.match(asked.body.detail, /at most 64 folders deep/);
});

saying('tells the first hundred findings, errors first, and how many there are', async () => {
  const wrong = await ask('POST', url, { as: 'plan', body: body({ 'more.yaml': stacks(300, '{runtime: 4}') }) });
  assert.equal([wrong.status, wrong.body.violations.length, wrong.body.violationsTotal], [409, 100, 300]);
  assert.match(wrong.body.detail, /There are 299 more problems: "violations" has the first 100\.$/);
  assert.is(problemView.safeParse(wrong.body).error, undefined);
  const type = (at: number) => `kind: TeamType\nmetadata: {name: type-${at}}\nspec: {features: {staticAssets: true}}\n`;
  const types = Array.from({ length: 150 }, (_, at) => type(at)).join('---\n');
  const warned = await ask('POST', url, { as: 'plan', body: body({ 'more.yaml': types }) });
  assert.equal([warned.status, warned.body.findings.length, warned.body.summary.create], [200, 100, 150]);
  assert.ok(warned.body.findingsTotal >= 150, warned.body.findingsTotal);
  assert.is(planView.safeParse(warned.body).error, undefined);
  const { body: few } = await ask('POST', url, { as: 'plan', body: body({}) });
  assert.is('findingsTotal' in few, false);
});

saying.run();

const meanwhile = suite('while a plan is made');

meanwhile('others are answered, many times over', async () => {
  let answered = 0;
  let isMade = false;
  const plan = ask('POST', url, { as: 'plan', body: body({ 'more.yaml': stacks(6000) }) }).finally(() => {
    isMade = true;
  });
  while (!isMade) {
    assert.is((await ask('GET', '/healthz', { as: 'none' })).status, 200);
    if (!isMade) answered += 1;
    await new Promise(setImmediate);
  }
  const { status, body: made } = await plan;
  assert.equal([status, made.summary.create], [200, 6000]);
  assert.ok(answered >= 20, `${answered} answers`);
});

meanwhile('its caller has two more at most, and hears when to ask again', async () => {
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => ask('POST', url, { as: 'plan', body: body({ 'more.yaml': stacks(200) }) })),
  );
  const refused = answers.filter(({ status }) => status !== 200);
  assert.equal([answers.length - refused.length, refused.length], [3, 3]);
  for (const { status, body: problem, headers } of refused)
    assert.equal([status, problem.code, headers['retry-after']], [429, 'rate_limited', '5']);
  assert.is((await ask('POST', url, { as: 'plan', body: body({}) })).status, 200, 'the places are free again');
});

meanwhile('an export and the plan of the own tree wait in the same queue', async () => {
  const urls = [url, '/api/v1/admin/config/export', url, '/api/v1/admin/config/export'];
  const statuses = (await Promise.all(urls.map((one) => ask('GET', one)))).map(({ status }) => status);
  assert.equal(statuses.sort(), [200, 200, 200, 429]);
});

meanwhile.after(() => world.close());
meanwhile.run();

const turns = suite('turns at planning');

const caller = (id: string): Caller => ({ kind: 'user', user: { id } }) as unknown as Caller;

turns('are one at a time for a caller, two for all, and so many wait', async () => {
  const take = createPlanTurns();
  let running: string[] = [];
  const most = { all: 0, own: 0 };
  const work = (id: string) => async () => {
    running = [...running, id];
    most.all = Math.max(most.all, running.length);
    most.own = Math.max(most.own, running.filter((one) => one === id).length);
    await new Promise((resolve) => setTimeout(resolve, 2));
    running.splice(running.indexOf(id), 1);
  };
  const ids = ['a', 'a', 'a', 'b', 'b', 'b', 'c', 'c'];
  const places = ids.map((id) => take(caller(id)));
  assert.throws(
    () => take(caller('a')),
    (error: Problem) => error.code === 'rate_limited',
  );
  assert.throws(
    () => take(caller('d')),
    (error: Problem) => error.code === 'unavailable',
  );
  await Promise.all(places.map((place, at) => place.run(work(ids[at] ?? ''))));
  assert.equal(most, { all: 2, own: 1 });
  assert.throws(
    () => take(caller('d')),
    (error: Problem) => error instanceof Problem,
    'until they are answered',
  );
  for (const place of places) place.leave();
  take(caller('d'));
});

turns('are not taken by who has left, and what is under way keeps its place', async () => {
  const take = createPlanTurns();
  const { promise, resolve: end } = Promise.withResolvers<void>();
  const begun: string[] = [];
  const first = take(caller('a'));
  const under = first.run(() => promise);
  const second = take(caller('a'));
  const waiting = second.run(async () => begun.push('second')).catch(() => 'left');
  take(caller('a'));
  first.leave();
  second.leave();
  assert.throws(() => take(caller('a')), 'the first is still at work');
  end();
  await under;
  assert.is(await waiting, 'left');
  assert.equal(begun, []);
  take(caller('a'));
  take(caller('a'));
});

turns.run();
