// What every driver that runs instances promises; each driver's test calls this with a way to make one.
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type Driver,
  DriverFailed,
  type Files,
  type Keeper,
  type Reason,
  type Run,
  type Runner,
} from '../../src/drivers/driver.ts';

/** A driver under test. */
export interface Subject {
  readonly driver: Driver & { readonly runner: Runner; readonly keeper: Keeper; readonly files: Files };
  /** An instance that it can run. */
  readonly run: (id: string) => Run;
  /** One that it cannot. */
  readonly broken: (id: string) => Run;
  /** Ends an instance from outside, as a crash does. */
  readonly end: (id: string) => Promise<void>;
  /** Deploys flows to an instance that runs. */
  readonly deploy: (id: string, flows: readonly Record<string, unknown>[]) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Runs the suite of all drivers. */
export function conformance(name: string, make: () => Promise<Subject>): void {
  const driver = suite(`the driver ${name}`);
  const never = new AbortController().signal;
  const proved = (what: string, prove: (subject: Subject, runner: Runner) => Promise<void>) =>
    driver(what, async () => {
      const subject = await make();
      // What a driver listens to keeps no process going.
      const awake = setInterval(() => {}, 1000);
      try {
        await prove(subject, subject.driver.runner);
      } finally {
        await subject.close();
        clearInterval(awake);
      }
    });

  proved('runs what it starts, each by itself, until it is stopped', async ({ run }, runner) => {
    await Promise.all([runner.start(run('a'), never), runner.start(run('b'), never)]);
    assert.equal([...(await runner.running())].sort(), ['a', 'b']);
    await runner.stop('a');
    assert.equal([...(await runner.running())], ['b']);
    await runner.remove('b');
  });

  proved('can be asked twice for the same', async ({ run }, runner) => {
    await runner.start(run('a'), never);
    await runner.start(run('a'), never);
    assert.equal([...(await runner.running())], ['a']);
    for (const work of ['stop', 'stop', 'suspend', 'suspend', 'remove', 'remove'] as const) await runner[work]('a');
    assert.is((await runner.running()).size, 0);
  });

  proved('starts again what was stopped or suspended', async ({ run }, runner) => {
    for (const work of ['stop', 'suspend'] as const) {
      await runner.start(run('a'), never);
      await runner[work]('a');
      assert.is((await runner.running()).size, 0, work);
    }
    await runner.start(run('a'), never);
    assert.is((await runner.running()).size, 1);
    await runner.remove('a');
  });

  proved('says why something cannot be started, and leaves nothing of it running', async ({ broken }, runner) => {
    const error = await runner.start(broken('a'), never).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    assert.instance(error, DriverFailed);
    assert.ok((error as DriverFailed).reason.length > 0 && (error as DriverFailed).message.length > 0);
    assert.is((await runner.running()).size, 0);
  });

  proved('gives up a start when it is told', async ({ run }, runner) => {
    const error = await runner.start(run('a'), AbortSignal.abort()).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    assert.instance(error, DriverFailed);
    assert.is((await runner.running()).size, 0);
  });

  proved('tells of what ends by itself, and not of what it was asked to stop', async ({ run, end }, runner) => {
    const heard: [id: string, why: Reason][] = [];
    const stop = runner.onEnd((id, why) => heard.push([id, why]));
    await runner.start(run('a'), never);
    await runner.start(run('b'), never);
    await runner.stop('b');
    await end('a');
    assert.equal(
      heard.map(([id]) => id),
      ['a'],
    );
    assert.ok(heard[0]?.[1].message);
    stop();
    await runner.start(run('a'), never);
    await end('a');
    assert.is(heard.length, 1, 'nobody listens any more');
  });

  const flows = [{ id: 'tab', type: 'tab', label: 'Line' }];

  proved(
    'holds nothing before anything is made, and then what was deployed',
    async ({ driver: { keeper }, run, deploy }, runner) => {
      assert.equal(await keeper.read('a'), { flows: [], modules: {} });
      await runner.start(run('a'), never);
      assert.equal(await keeper.read('a'), { flows: [], modules: {} });
      const hinted = Promise.withResolvers<string>();
      const stop = keeper.onChange(hinted.resolve);
      await deploy('a', flows);
      assert.is(await hinted.promise, 'a');
      stop();
      const { label } = (await keeper.read('a')).flows.find(({ id }) => id === 'tab') ?? {};
      assert.is(label, 'Line');
      await runner.remove('a');
      assert.equal(await keeper.read('a'), { flows: [], modules: {} });
    },
  );

  proved(
    'replaces what an instance holds that does not run, and leaves that to one that runs',
    async ({ driver: { keeper }, run }, runner) => {
      const written = { stored: { flows, modules: {} }, credentialSecret: run('a').credentialSecret };
      assert.equal(await keeper.write('a', written), written.stored);
      assert.equal((await keeper.read('a')).flows, flows);
      await runner.start(run('a'), never);
      assert.equal((await keeper.read('a')).flows, flows, 'it starts with them');
      const error = await keeper
        .write('a', { ...written, stored: { flows: [], modules: {} } })
        .catch((thrown: unknown) => thrown);
      assert.instance(error, DriverFailed);
      assert.equal((await keeper.read('a')).flows, flows);
      await runner.stop('a');
      await keeper.write('a', { ...written, stored: { flows: [], modules: {} } });
      assert.equal((await keeper.read('a')).flows, []);
      await runner.remove('a');
    },
  );

  proved(
    'replaces context by what is written with it, reads it where it is asked for, and else leaves it alone',
    async ({ driver: { keeper }, run }, runner) => {
      const { credentialSecret } = run('a');
      const context = [{ path: 'tab/flow.json', text: '{"count":7}' }];
      await keeper.write('a', { stored: { flows, modules: {}, context }, credentialSecret });
      assert.equal(await keeper.read('a', { context: true }), { flows, modules: {}, context });
      assert.equal(await keeper.read('a'), { flows, modules: {} });
      await keeper.write('a', { stored: { flows: [], modules: {} }, credentialSecret });
      assert.equal(await keeper.read('a', { context: true }), { flows: [], modules: {}, context });
      await keeper.write('a', { stored: { flows: [], modules: {}, context: [] }, credentialSecret });
      assert.equal(await keeper.read('a', { context: true }), { flows: [], modules: {}, context: [] });
      await runner.remove('a');
    },
  );

  proved(
    'keeps files to serve, by their paths, until the instance is removed',
    async ({ driver: { files } }, runner) => {
      const never = () => {};
      assert.equal([await files.list('a'), await files.open('a', 'x')], [[], undefined]);
      const first = await files.put('a', 'img/logo.svg', Buffer.from('<svg/>'), never);
      await files.put('a', 'b.txt', Buffer.from(''), never);
      assert.equal(
        (await files.list('a')).map(({ path, size }) => [path, size]),
        [
          ['b.txt', 0],
          ['img/logo.svg', 6],
        ],
      );
      const file = await files.open('a', 'img/logo.svg');
      assert.equal([await text(file?.read() ?? Readable.from([])), file?.version], ['<svg/>', first.version]);
      const second = await files.put('a', 'img/logo.svg', Buffer.from('<svg >'), never);
      assert.is.not(second.version, first.version);
      const refuse = (there: readonly { readonly path: string }[]) => {
        throw new Error(there.map(({ path }) => path).join());
      };
      for (const change of [files.put('a', 'c', Buffer.from('c'), refuse), files.remove('a', 'b.txt', refuse)]) {
        const error = await change.catch((thrown: Error) => thrown);
        assert.is(Object(error).message, 'b.txt,img/logo.svg');
      }
      await files.remove('a', 'img/logo.svg', never);
      await files.remove('a', 'img/logo.svg', never);
      assert.equal(
        (await files.list('a')).map(({ path }) => path),
        ['b.txt'],
      );
      await runner.remove('a');
      assert.equal(await files.list('a'), []);
    },
  );

  driver.run();
}
