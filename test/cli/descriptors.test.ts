// timeout: 400
// weir serve where few files may be open: whoever holds connections takes none that the server needs for itself.
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mostConnections } from '../../src/cli/listen.ts';
import { runCommand, startCommand } from '../support/run-command.ts';
import { addressOf } from '../support/serving.ts';
import { until } from '../support/until.ts';
import { launcher, plainEnvironment } from '../support/weir.ts';
import { stack, workspace } from './world.ts';

const descriptors = suite('a process that may open few files');

descriptors('leaves descriptors for its own files, whatever the limit', () => {
  assert.is(mostConnections(64), 32);
  assert.is(mostConnections(1024), 768);
  assert.is(mostConnections(1_048_576), 1_048_320);
  assert.is(mostConnections(1), 1);
});

descriptors(
  'goes on, takes writes and follows its tree while somebody holds more connections than it may',
  async () => {
    const here = await workspace();
    const { token } = JSON.parse((await here.weir('bootstrap')).stdout);
    const command = 'ulimit -n 80; exec "$0" "$1" serve --port 0';
    const options = { cwd: here.path, env: plainEnvironment() };
    const server = startCommand('bash', ['-c', command, process.execPath, launcher], options);
    try {
      const url = await addressOf(server);
      const held = Array.from({ length: 120 }, () => {
        const socket = connect(Number(new URL(url).port), '127.0.0.1');
        return socket.on('error', () => {});
      });
      await sleep(2500);
      here.write('config/stacks.yaml', stack.replace('Node-RED 4', 'Renamed'));
      await until(() => (server.output().stderr.match(/the tree was applied/g)?.length === 2 ? true : undefined));
      for (const socket of held) socket.destroy();
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ name: 'free', spec: {} });
      const made = await until(() =>
        fetch(`${url}/api/v1/team-types`, { method: 'POST', headers, body }).catch(() => undefined),
      );
      assert.is(made.status, 201);
    } finally {
      server.child.kill('SIGTERM');
      assert.is((await server.ended).code, 0, server.output().stderr);
      await here.remove();
    }
  },
);

descriptors('watches its event loop where no file can be opened at all', async () => {
  const pressure = resolve(import.meta.dirname, '../../src/http/plugins/pressure.ts');
  const script = `
    const { openSync } = await import('node:fs');
    const { watchPressure } = await import(${JSON.stringify(pressure)});
    const watch = watchPressure(2);
    let isFull = false;
    while (!isFull) try { openSync('/dev/null') } catch { isFull = true }
    await new Promise((done) => setTimeout(done, 2500));
    watch.close();
    process.exit(Number.isFinite(watch.delayMs()) ? 0 : 1);`;
  const node = ['--input-type=module', '-e', script];
  const command = 'ulimit -n 60; exec "$0" "$@"';
  const ended = await runCommand('bash', ['-c', command, process.execPath, ...node]);
  assert.is(ended.code, 0, ended.stderr);
});

descriptors('takes no busy start for an overload', async () => {
  const pressure = resolve(import.meta.dirname, '../../src/http/plugins/pressure.ts');
  const script = `
    const { watchPressure } = await import(${JSON.stringify(pressure)});
    const watch = watchPressure(2);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);
    await new Promise((done) => setTimeout(done, 100));
    process.exit(watch.delayMs() < 1000 ? 0 : 1);`;
  const ended = await runCommand(process.execPath, ['--input-type=module', '-e', script]);
  assert.is(ended.code, 0, ended.stderr);
});

descriptors.run();
