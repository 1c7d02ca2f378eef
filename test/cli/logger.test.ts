// timeout: 300
// The log of a server: lines for people or JSON, levels, and nothing in it that must not be.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Io } from '../../src/cli/io.ts';
import { createLogger } from '../../src/cli/logger.ts';
import type { Attempt } from '../../src/control/attempt.ts';
import { TreeInvalid } from '../../src/control/failures.ts';
import { serve } from '../support/serving.ts';
import { until } from '../support/until.ts';
import { type Workspace, workspace } from './world.ts';

function written(logFormat: 'text' | 'json', logLevel: 'debug' | 'info' | 'warn' | 'error' = 'info') {
  let text = '';
  const screen = {
    write: (more: string) => {
      text += more;
    },
    isTerminal: false,
    colours: false,
    columns: undefined,
  };
  const io: Io = {
    stdout: screen,
    stderr: screen,
    env: {},
    cwd: '/',
    version: '1.2.3',
    elapsed: () => 0,
    now: () => '2026-01-01T00:00:00.000Z',
    onStop: () => () => {},
    exit: () => {
      throw new Error('exit');
    },
  };
  const logger = createLogger(io, { logFormat, logLevel });
  const lines = () => text.split('\n').slice(0, -1);
  return { logger, text: () => text, lines, json: () => lines().map((line) => JSON.parse(line)) };
}

const format = suite('the format of the log');

format('is a line for people', () => {
  const { logger, text } = written('text');
  logger.log('warn', 'something is odd', { objects: 3, none: 0 });
  assert.is(text(), '2026-01-01T00:00:00.000Z warn  something is odd objects=3\n');
});

format('is an object a line, with time, level, message and fields', () => {
  const { logger, json } = written('json');
  logger.log('warn', 'something is odd', { objects: 3, requestId: 'r1' });
  assert.equal(json(), [
    { level: 'warn', time: '2026-01-01T00:00:00.000Z', msg: 'something is odd', objects: 3, requestId: 'r1' },
  ]);
});

for (const one of ['text', 'json'] as const)
  format(`leaves out what is below the level (${one})`, () => {
    const { logger, lines } = written(one, 'warn');
    for (const level of ['debug', 'info', 'warn', 'error'] as const) logger.log(level, `it is ${level}`);
    assert.equal(
      lines().map((line) => /it is (\w+)/.exec(line)?.[1]),
      ['warn', 'error'],
    );
  });

for (const one of ['text', 'json'] as const)
  format(`is one line without control characters, whatever is logged (${one})`, () => {
    const { logger, lines } = written(one);
    const hostile = 'a\nb\u001b[2J\u009b1m\u202eevil\u2028c';
    logger.log('info', hostile, { value: hostile });
    assert.is(lines().length, 1);
    assert.not.match(lines().join(''), /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
    if (one === 'json') assert.is(JSON.parse(lines()[0] ?? '').msg, hostile, 'nothing is lost');
  });

for (const one of ['text', 'json'] as const)
  format(`has no secret in it (${one})`, () => {
    const { logger, text } = written(one);
    const token = `weirp_${'a1'.repeat(23)}`;
    logger.log('error', `Bearer ${token} at postgres://weir:hunter22@db/x with ${token}`, {
      password: 'hunter22',
      clientSecret: 'hunter22',
      cookie: 'hunter22',
      url: 'https://u:hunter22@example.com/',
    });
    assert.not.match(text(), /hunter22|a1a1/);
    assert.match(text(), 'postgres://weir:[redacted]@db/x');
  });

format('has the errors of a refused tree, with their places', () => {
  const source = { file: 'a.yaml', line: 2, column: 3, endLine: 2, endColumn: 4 };
  const finding = {
    rule: 'references',
    severity: 'error',
    message: 'Stack/a: no',
    kind: 'Stack',
    name: 'a',
    source,
  } as const;
  const attempt = { failure: new TreeInvalid([finding]) } as unknown as Attempt;
  const { logger, json } = written('json');
  logger.refused(attempt, { files: new Map() });
  const [line] = json();
  assert.equal(
    [line.level, line.msg, line.rule, line.file, line.line],
    ['error', 'Stack/a: no', 'references', 'a.yaml', 2],
  );
  const people = written('text');
  people.logger.refused(attempt, { files: new Map() });
  assert.match(people.text(), /^error\[references\] Stack\/a: no\n +--> a.yaml:2:3\n/);
});

format('tells what is no line of the log by itself, at any level', () => {
  const { logger, json } = written('json', 'error');
  logger.io.stderr.write('weir: there is now an admin: with the password abc (it is shown this once)\n');
  assert.match(json()[0].msg, /^there is now an admin: with the password abc/);
});

format.run();

const server = suite<{ here: Workspace }>('weir serve --log-format json');

server.before.each(async (context) => {
  context.here = await workspace();
});
server.after.each(({ here }) => here.remove());

server('writes nothing but JSON to stderr, from its start to its end, and no line is lost', async ({ here }) => {
  const running = await serve(here, ['--log-format', 'json', '--log-level', 'debug']);
  const answered = await fetch(`${running.url}/api/v1/user?secret=hidden`);
  await fetch(`${running.url}/account/invitations/weiri_${'x'.repeat(40)}`);
  here.write('config/stacks.yaml', 'kind: Stack\nmetadata: {name: nr-4}\nspec: {runtyme: "4"}\n');
  await until('refused', () => running.output().stderr.includes('the tree was refused'));
  running.child.kill('SIGTERM');
  const { code, stderr } = await running.ended;
  assert.is(code, 0, stderr);
  const lines = stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  for (const line of lines) assert.ok(['debug', 'info', 'warn', 'error'].includes(line.level) && line.time && line.msg);
  const found = (text: string) => lines.find(({ msg }) => msg.includes(text));
  assert.is(found('there is now an admin')?.level, 'warn');
  assert.is(found('the tree was applied')?.create, 3);
  const asked = found('GET /api/v1/user was answered');
  assert.equal([asked?.status, asked?.requestId], [401, answered.headers.get('x-request-id')]);
  assert.ok(
    lines.some(({ rule, file }) => rule === 'schema' && file === 'stacks.yaml'),
    stderr,
  );
  assert.is(lines.at(-1)?.msg, 'stopping');
  assert.not.match(stderr, /hidden|xxxxxxxx/);
});

server('says in JSON why it does not start', async ({ here }) => {
  here.write('config/stacks.yaml', 'kind: Stack\n');
  const refused = await here.spawn('serve --port 0 --log-format json');
  assert.is(refused.code, 1, refused.stderr);
  const lines = refused.stderr
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.match(lines.at(-1)?.msg ?? '', /not starting, because there is no earlier state to serve$/);
  const bad = await here.weir('serve --log-format xml --log-level loud');
  assert.is(bad.code, 64);
  assert.match(bad.stderr, /--log-format cannot be "xml", because it is neither text nor json/);
  assert.match(bad.stderr, /--log-level cannot be "loud"/);
});

server.run();
