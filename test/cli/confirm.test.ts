// timeout: 600
// apply on a real terminal: it asks before it deletes. Without one it never does.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { debian, suiteWith } from '../support/debian.ts';
import { type Serving, serve } from '../support/serving.ts';
import { launcher, plainEnvironment } from '../support/weir.ts';
import { type Workspace, workspace } from './world.ts';

const commands = debian(['bsdutils'], ['script']);

const second = 'kind: Stack\nmetadata: {name: nr-5}\nspec:\n  runtime: "5.0.7"\n';

const stacks = (names: readonly number[]) =>
  names.map((n) => `kind: Stack\nmetadata: {name: s-${n}}\nspec: {runtime: x}\n`).join('---\n');

/** Runs a command on a terminal of its own, and types `input` where it asks; answers what is seen there. */
async function onTerminal(
  { path }: Workspace,
  line: string,
  input: string,
  { redirect = '', variables = {} }: { readonly redirect?: string; readonly variables?: Record<string, string> } = {},
) {
  const words = [process.execPath, launcher, ...line.split(' ')].map((word) => `'${word}'`).join(' ');
  const env = { ...plainEnvironment(), NO_COLOR: '1', ...variables };
  const args = ['-qec', `${words}${redirect}`, '/dev/null'];
  const child = spawn(commands?.script ?? '', args, { cwd: path, env, stdio: ['pipe', 'pipe', 'inherit'] });
  const late = setTimeout(() => child.kill('SIGKILL'), 120_000);
  let seen = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    // Typed when the question stands there, as a person does.
    if (!seen.includes('[y/N] ') && `${seen}${text}`.includes('[y/N] ')) child.stdin.write(input);
    seen += text;
  });
  const [code] = await once(child, 'close');
  clearTimeout(late);
  return { code, seen: seen.replaceAll('\r', '') };
}

interface Context {
  here: Workspace;
}

const asked = suiteWith<Context>(commands, 'apply on a terminal', undefined);

asked.before.each(async (context) => {
  context.here = await workspace({ 'config/more.yaml': second });
  await context.here.weir('apply');
  context.here.write('config/more.yaml', '# nothing\n');
  context.here.write('config/more.yaml', second.replace('nr-5', 'nr-6'));
});
asked.after.each(({ here }) => here.remove());

const has = async (here: Workspace, name: string) => (await here.weir(`export Stack/${name}`)).code === 0;

asked('shows the plan, asks, and deletes after a "y"', async ({ here }) => {
  const { code, seen } = await onTerminal(here, 'apply', 'y\n');
  assert.is(code, 0, seen);
  assert.match(
    seen,
    /- delete Stack\/nr-5 .*1 to delete.*\nDelete this object\? Only "y" or "yes" goes on\. \[y\/N\] .*Applied: .*1 deleted/s,
  );
  assert.is(seen.match(/delete Stack\/nr-5/g)?.length, 1, 'the plan is shown once');
  assert.not(await has(here, 'nr-5'));
});

for (const [what, input] of [
  ['"n"', 'n\n'],
  ['an empty line', '\n'],
  ['anything else', 'yes please\n'],
  ['the end of the input', '\u0004'],
] as const)
  asked(`does nothing after ${what}, and exits 3`, async ({ here }) => {
    const { code, seen } = await onTerminal(here, 'apply', input);
    assert.is(code, 3, seen);
    assert.match(seen, 'weir: nothing was applied, because the deletions were not confirmed (--yes does not ask)\n');
    assert.ok(await has(here, 'nr-5'));
    assert.not(await has(here, 'nr-6'));
  });

asked('does not ask with --yes, nor where nothing is deleted; --yes in the environment asks', async ({ here }) => {
  const exported = await onTerminal(here, 'apply', 'n\n', { variables: { WEIR_YES: 'true' } });
  assert.is(exported.code, 3);
  const sure = await onTerminal(here, 'apply --yes', '');
  assert.is(sure.code, 0, sure.seen);
  assert.not.match(sure.seen, '[y/N]');
  here.write('config/more.yaml', `${second}---\n${second.replace('nr-5', 'nr-6')}`);
  const more = await onTerminal(here, 'apply', '');
  assert.is(more.code, 0, more.seen);
  assert.not.match(more.seen, '[y/N]');
});

asked('keeps stdout for the report: what is asked stands on stderr', async ({ here }) => {
  const { code, seen } = await onTerminal(here, 'apply --output json', 'yes\n', { redirect: ' > report.json' });
  assert.is(code, 0, seen);
  assert.match(seen, /- delete Stack\/nr-5 .*\[y\/N\] /s);
  assert.is(JSON.parse(here.read('report.json')).result, 'applied');
});

asked('asks for a saved plan too, and applies what it showed', async ({ here }) => {
  await here.weir('plan --out plan.json');
  assert.is((await onTerminal(here, 'apply plan.json', 'n\n')).code, 3);
  const { code, seen } = await onTerminal(here, 'apply plan.json', 'y\n');
  assert.is(code, 0, seen);
  assert.match(seen, /- delete Stack\/nr-5 .*\[y\/N\] .*Applied: .*1 deleted/s);
});

asked('asks too where the consent lifts the guard of a folder that vanished', async ({ here }) => {
  mkdirSync(join(here.path, 'config/apart'));
  here.write('config/apart/only.yaml', 'kind: Template\nmetadata: {name: only}\n');
  assert.is((await here.weir('apply')).code, 0);
  rmSync(join(here.path, 'config/apart'), { recursive: true });
  await here.weir('plan --out vanished.json');
  for (const line of ['apply --allow-deletes 1', 'apply vanished.json --allow-deletes 1']) {
    const { code, seen } = await onTerminal(here, line, 'n\n');
    assert.is(code, 3, seen);
    assert.match(seen, /Delete this object\?.*\[y\/N\] /s);
  }
});

asked('leaves a plan that is refused anyway to the guards, and --yes lifts none', async ({ here }) => {
  here.write('config/more.yaml', stacks(Array.from({ length: 13 }, (_, n) => n)));
  await here.weir('apply');
  here.write('config/more.yaml', stacks([0]));
  for (const line of ['apply', 'apply --yes', 'apply --allow-deletes 11']) {
    const { code, seen } = await onTerminal(here, line, 'y\n');
    assert.is(code, 3, line);
    assert.match(seen, /error\[mass-delete\]/, line);
    assert.not.match(seen, '[y/N]', line);
  }
  const { code, seen } = await onTerminal(here, 'apply --allow-deletes 12', 'y\n');
  assert.is(code, 0, seen);
  assert.match(seen, /Delete these 12 objects\?.*Applied: .*12 deleted/s);
});

asked('gives the store back when Ctrl-C ends it', async ({ here }) => {
  const { code } = await onTerminal(here, 'apply', '\u0003');
  assert.is(code, 130);
  assert.ok(await has(here, 'nr-5'));
  assert.is((await here.weir('apply')).code, 0);
});

asked.run();

const served = suiteWith<Context & { server: Serving; line: string }>(
  commands,
  'apply --server on a terminal',
  undefined,
);

served.before.each(async (context) => {
  const here = await workspace({ 'config/more.yaml': stacks(Array.from({ length: 13 }, (_, n) => n)) });
  context.here = here;
  const { token } = JSON.parse((await here.weir('bootstrap')).stdout);
  here.write('token', token);
  await here.weir('apply');
  context.server = await serve(here);
  context.line = `--server ${context.server.url} --token-file token`;
  // More than the server may delete by itself.
  here.write('config/more.yaml', stacks([0]));
});
served.after.each(async ({ here, server }) => {
  server?.child.kill('SIGTERM');
  await server?.ended;
  await here?.remove();
});

served('shows the plan of the server, and has it apply just that', async ({ here, line }) => {
  const guarded = await onTerminal(here, `apply ${line}`, 'y\n');
  assert.is(guarded.code, 3, guarded.seen);
  assert.not.match(guarded.seen, '[y/N]');
  const consented = `apply ${line} --allow-deletes 12`;
  const no = await onTerminal(here, consented, 'n\n');
  assert.is(no.code, 3, no.seen);
  assert.match(no.seen, /delete Stack\/s-12 .*Delete these 12 objects\?.*\[y\/N\] /s);
  assert.ok(await has(here, 's-12'));
  const { code, seen } = await onTerminal(here, consented, 'y\n');
  assert.is(code, 0, seen);
  assert.match(seen, /Applied: .*12 deleted/);
  assert.not(await has(here, 's-12'));
});

served.run();

const alone = suite<Context>('apply without a terminal');

alone.before.each(async (context) => {
  context.here = await workspace({ 'config/more.yaml': second });
  await context.here.weir('apply');
  context.here.write('config/more.yaml', second.replace('nr-5', 'nr-6'));
});
alone.after.each(({ here }) => here.remove());

alone('asks nothing: consents and guards alone decide', async ({ here }) => {
  const { code, stdout, stderr } = await here.spawn('apply', { input: 'n\n' });
  assert.is(code, 0, stderr);
  assert.match(stdout, /Applied: .*1 deleted/);
  assert.is(stderr, '');
});

alone('knows --yes as well', async ({ here }) => {
  assert.is((await here.weir('apply --yes')).code, 0);
  assert.not(await has(here, 'nr-5'));
});

alone.run();
