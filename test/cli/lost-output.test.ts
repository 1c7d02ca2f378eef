// timeout: 600
// What commands do where nobody takes what they print: a full disk is told and exits 5, a reader that went away is nobody's fault.
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { verbs } from '../../src/cli/index.ts';
import { startCommand } from '../support/run-command.ts';
import { until } from '../support/until.ts';
import { launcher, plainEnvironment } from '../support/weir.ts';
import { type Workspace, workspace } from './world.ts';

const sso = `kind: SsoConfig
metadata: {name: example-com}
spec: {provider: saml, emailDomain: example.com}
`;

/** A line for every command that prints on stdout, in an order in which each finds what it needs. */
const lines: Readonly<Record<string, string>> = {
  version: 'version',
  completion: 'completion bash',
  init: 'init small',
  validate: 'validate --output json',
  fmt: 'fmt --check',
  plan: 'plan',
  apply: 'apply',
  status: 'status',
  export: 'export',
  suspend: 'suspend --reason because',
  resume: 'resume',
  explain: 'explain',
  bootstrap: 'bootstrap',
  'admin reset-password': 'admin reset-password admin',
  'sso explain': 'sso explain --config example-com --user ann@example.com',
  doctor: 'doctor',
  'sso test': 'sso test example-com',
  backup: 'backup --out backup.tar.gz',
  restore: 'restore backup.tar.gz --store again',
  serve: 'serve --port 0',
};

/** They print on stderr, or need the network. */
const others = ['schemas', 'stacks install'];

function intoFull({ path }: Workspace, line: string) {
  const full = openSync('/dev/full', 'w');
  const stdio = ['ignore', full, 'pipe'] as const;
  const env = { ...plainEnvironment(), NO_COLOR: '1' };
  const ended = spawnSync(process.execPath, [launcher, ...line.split(' ')], { cwd: path, env, stdio: [...stdio] });
  closeSync(full);
  return { code: ended.status, stderr: String(ended.stderr) };
}

const full = suite<{ here: Workspace }>('a full disk');

full.before(async (context) => {
  context.here = await workspace({ 'config/sso.yaml': sso });
});
full.after(({ here }) => here.remove());

if (existsSync('/dev/full')) {
  full('is met by every command that prints', () => {
    assert.equal(
      Object.keys(verbs).toSorted(),
      [...Object.keys(lines), ...others].toSorted(),
      'a new command needs a line here',
    );
  });

  for (const [name, line] of Object.entries(lines))
    full(`behind stdout makes ${name} exit 5, and say so`, ({ here }) => {
      const { code, stderr } = intoFull(here, line);
      assert.is(code, 5, stderr);
      assert.match(stderr, 'weir: stdout cannot be written, because the disk is full\n');
      assert.not.match(stderr, 'a bug in Weir');
      assert.not.match(stderr, '--help" for');
    });

  for (const line of ['--version', '--help', 'plan --help', 'help sso'])
    full(`behind stdout makes weir ${line} exit 5 as well`, ({ here }) => {
      assert.equal(intoFull(here, line), {
        code: 5,
        stderr: 'weir: stdout cannot be written, because the disk is full\n',
      });
    });

  full('loses no account: what to do about a password that nobody saw is told', ({ here }) => {
    assert.match(intoFull(here, 'admin reset-password admin').stderr, 'admin has a new password, which nobody saw');
    assert.match(
      intoFull(here, 'bootstrap --store fresh --username ann').stderr,
      'there is an admin ann now, whose password nobody saw: run "weir admin reset-password ann"',
    );
  });

  full('behind stderr changes no exit code, and ends no server', async ({ here }) => {
    const intoNothing = (line: string) =>
      spawnSync('sh', ['-c', `exec "$@" 2>/dev/full`, 'sh', process.execPath, launcher, ...line.split(' ')], {
        cwd: here.path,
        env: plainEnvironment(),
      });
    assert.is(intoNothing('validate nowhere').status, 5);
    assert.is(intoNothing('validate').status, 0);
    const server = startCommand(
      'sh',
      ['-c', 'exec "$@" 2>/dev/full', 'sh', process.execPath, launcher, 'serve', '--port', '0', '--store', 'served'],
      { cwd: here.path, env: plainEnvironment() },
    );
    await until('it serves', () => / on (http:\S+)\n/.exec(server.output().stdout), { program: server });
    here.write('config/stacks.yaml', 'kind: Stack\n');
    await until('the refusal is known', async () =>
      (await here.weir('status --store served')).stdout.includes('Refused') ? true : undefined,
    );
    server.child.kill('SIGTERM');
    assert.is((await server.ended).code, 0);
  });
}

full.run();

const reader = suite<{ here: Workspace }>('a reader that went away');

reader.before(async (context) => {
  context.here = await workspace();
});
reader.after(({ here }) => here.remove());

reader('changes no exit code, and is not told of', ({ here }) => {
  for (const [line, code] of [
    ['plan --detailed-exitcode', 2],
    ['explain TeamType', 0],
    ['--help', 0],
  ] as const) {
    const script = `("$@"; echo "code $?" >&2) | true`;
    const ended = spawnSync('bash', ['-c', script, 'sh', process.execPath, launcher, ...line.split(' ')], {
      cwd: here.path,
      env: plainEnvironment(),
    });
    assert.is(String(ended.stderr), `code ${code}\n`, line);
  }
});

reader.run();
