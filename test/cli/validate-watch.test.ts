// timeout: 300
// weir validate --watch: what it prints after each change, and how it ends.
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type RunningCommand, startCommand } from '../support/run-command.ts';
import { until } from '../support/until.ts';
import { launcher, plainEnvironment } from '../support/weir.ts';
import { stack, type Workspace, workspace } from './world.ts';

interface Context {
  here: Workspace;
  start: (line: string) => RunningCommand;
}

const following = suite<Context>('validate --watch');

following.before.each(async (context) => {
  const here = await workspace();
  context.here = here;
  context.start = (line) => {
    const env = plainEnvironment();
    const program = startCommand(process.execPath, [launcher, ...line.split(' ')], { cwd: here.path, env });
    started.push(program);
    return program;
  };
});
following.after.each(async ({ here }) => {
  for (const { child, ended } of started.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
  await here.remove();
});

const started: RunningCommand[] = [];

const seen = (program: RunningCommand, what: RegExp, stream: 'stdout' | 'stderr' = 'stdout') =>
  until(String(what), () => what.exec(program.output()[stream]) ?? undefined, { program });

following('prints findings and a summary after each change, until SIGINT: 0', async ({ here, start }) => {
  const program = start('validate --watch');
  await seen(program, /^0 errors, 0 warnings in 3 files \(.* s\)\n$/);
  here.write('config/stacks.yaml', stack.replace('runtime', 'runtme'));
  await seen(program, /\nerror\[schema\] Stack\/nr-4: .*\n1 error, 0 warnings in 3 files \(.* s\)\n$/s);
  here.write('config/stacks.yaml', stack);
  await seen(program, /1 error,.*\n0 errors, 0 warnings in 3 files \(.* s\)\n$/s);
  program.child.kill('SIGINT');
  const { code, stdout, stderr } = await program.ended;
  assert.is(code, 0);
  assert.not.match(stdout, '\u001b', 'nothing is cleared');
  assert.match(stderr, /^(-- \S+Z\n){2}$/);
});

following('prints one JSON value a line', async ({ here, start }) => {
  const program = start('validate --watch -o json');
  await seen(program, /\n$/);
  here.write('config/stacks.yaml', 'kind: Stack\n');
  await seen(program, /\n.+\n$/);
  program.child.kill('SIGTERM');
  const { code, stdout } = await program.ended;
  assert.is(code, 0);
  const values = stdout.trimEnd().split('\n');
  assert.equal(
    values.map((line) => JSON.parse(line).valid),
    [true, false],
  );
});

following('waits for a tree that went away, and exits 5 where there never was one', async ({ here, start }) => {
  assert.is((await here.weir('validate nowhere --watch')).code, 5);
  const program = start('validate --watch');
  await seen(program, /^0 errors/);
  renameSync(join(here.path, 'config'), join(here.path, 'away'));
  await seen(program, /^weir: config is not a tree, or not mounted: .*\n$/, 'stderr');
  here.write('away/stacks.yaml', 'kind: Stack\n');
  renameSync(join(here.path, 'away'), join(here.path, 'config'));
  await seen(program, /3 errors, 0 warnings in 3 files/);
  program.child.kill('SIGINT');
  assert.is((await program.ended).code, 0);
});

following.run();
