// The stub keeps the promises of a driver, and does as it is told.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Run } from '../../src/drivers/driver.ts';
import { drivers } from '../../src/drivers/index.ts';
import { stubDriver } from '../../src/drivers/stub.ts';
import { conformance } from './conformance.ts';

const run = (id: string, runtime = '4'): Run => ({
  id,
  name: id,
  team: 'core',
  runtime,
  resources: {},
  options: {},
  environment: [],
  credentialSecret: 'a secret',
});

conformance('stub', async () => {
  const driver = stubDriver();
  driver.refuse((work, _id, given) =>
    work === 'start' && given?.runtime === 'broken' ? { reason: 'Broken', message: 'it is broken' } : undefined,
  );
  return {
    driver,
    run,
    broken: (id) => run(id, 'broken'),
    end: async (id) => driver.end(id, { reason: 'Exited', message: 'it ended with 1' }),
    deploy: async (id, flows) => driver.deploy(id, { flows: [...flows] }),
    close: async () => {},
  };
});

const stub = suite('the stub');

stub('waits as long as it is held, and remembers what it was asked', async () => {
  const driver = stubDriver();
  const release = driver.hold();
  const starting = driver.runner.start(run('a'), new AbortController().signal);
  assert.is(driver.runs.size, 0);
  release();
  assert.equal([await starting, driver.calls], [{ url: 'http://a.stub.invalid/' }, ['start a']]);
});

stub('is no driver that a platform can have', () => {
  assert.equal([...drivers.keys()], ['local']);
});

stub.run();
