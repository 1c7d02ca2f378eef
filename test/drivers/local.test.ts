// timeout: 600
// The local driver keeps the promises of a driver, with a real runtime.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Run } from '../../src/drivers/driver.ts';
import { localDriver } from '../../src/drivers/local.ts';
import { runtimeAdmin } from '../support/runtime-flows.ts';
import { runtimes, stacksWith } from '../support/stacks.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { conformance } from './conformance.ts';

const stacks = await stacksWith(runtimes.five);

const run = (id: string, runtime: string = runtimes.five): Run => ({
  id,
  name: id,
  team: 'core',
  runtime,
  resources: { memoryMb: 256 },
  options: {},
  environment: [],
  credentialSecret: 'a secret',
});

conformance('local', async () => {
  const folder = temporaryFolder();
  const driver = localDriver({
    instances: join(folder.path, 'instances'),
    stacks: () => stacks,
    env: process.env,
    secretOf: () => ({ message: 'there are none' }),
    log: () => {},
  });
  return {
    driver,
    run,
    broken: (id) => run(id, 'missing'),
    end: async (id) => {
      const { pid } = JSON.parse(readFileSync(join(folder.path, 'instances', id, 'run.json'), 'utf8'));
      const ended = Promise.withResolvers<void>();
      const stop = driver.runner.onEnd(() => ended.resolve());
      process.kill(pid, 'SIGKILL');
      // The driver alone keeps no process going.
      const awake = setInterval(() => {}, 1000);
      await ended.promise;
      clearInterval(awake);
      stop();
    },
    deploy: async (id, flows) => {
      const instances = join(folder.path, 'instances');
      const { port } = JSON.parse(readFileSync(join(instances, id, 'run.json'), 'utf8'));
      await runtimeAdmin(instances, id, `http://127.0.0.1:${port}/`).deploy(flows);
    },
    close: async () => {
      for (const id of await driver.runner.running()) await driver.runner.remove(id);
      driver.close();
      await folder.remove();
    },
  };
});
