// timeout: 600
// What commands do where nobody takes what they print: a full disk is told and exits 5, a reader that went away is nobody's fault.
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { verbs } from '../../src/cli/index.ts';
import { formatNames } from '../../src/cli/output/index.ts';
import { runCommand, startCommand } from '../support/run-command.ts';
import { until } from '../support/until.ts';
import { launcher, plainEnvironment } from '../support/weir.ts';
import { stack, type Workspace, workspace } from './world.ts';

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
  restore: 'restore backup.tar.gz --store again --secret-key-file .weir/secret.key',
  'store check': 'store check',
  'store rekey': 'store rekey',
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

/** What each command prints, in all its formats where they are asked for. */
async function allLines(inFormats: boolean): Promise<readonly string[]> {
  const all: string[] = [
    '--help',
    'plan --help',
    'help sso',
    'explain TeamType',
    'schemas',
    'plan --detailed-exitcode',
  ];
  for (const [name, line] of Object.entries(lines)) {
    if (name === 'serve') continue;
    const hasFormats =
      inFormats && (await verbs[name]?.load())?.options.includes('output') && !line.includes('--output');
    all.push(line, ...(hasFormats ? formatNames.map((format) => `${line} --output ${format}`) : []));
  }
  return all;
}

const reader = suite<{ here: Workspace }>('a reader that went away');

reader.before.each(async (context) => {
  context.here = await workspace({ 'config/sso.yaml': sso });
});
reader.after.each(({ here }) => here.remove());

/** What is shown once, and seen by nobody. */
const shownOnce = ['bootstrap', 'admin reset-password admin'];

for (const reading of ['true', 'head -1'])
  reader(`changes no exit code of any command, and is not told of: | ${reading}`, async ({ here }) => {
    const plain = await workspace({ 'config/sso.yaml': sso });
    for (const line of await allLines(reading === 'true')) {
      if (shownOnce.includes(line) && reading === 'true') await here.weir(line);
      process.chdir(plain.path);
      const { code, stderr } = await plain.weir(line);
      if (shownOnce.includes(line) && reading === 'true') continue;
      const script = `("$@"; echo "code $?" >&2) | ${reading} >/dev/null`;
      const ended = await runCommand('bash', ['-c', script, 'sh', process.execPath, launcher, ...line.split(' ')], {
        cwd: here.path,
        env: plainEnvironment(),
      });
      const alike = (text: string) => text.replace(/in \S+ s/g, '').replace(/the key [0-9a-f]{8}/g, 'the key');
      const told = alike(stderr.replaceAll(plain.path, here.path));
      assert.is(alike(ended.stderr), `${told}code ${code}\n`, line);
    }
    await plain.remove();
  });

reader('of what is shown once is told, with what to do: 5', async ({ here }) => {
  for (const [line, lost] of [
    ['bootstrap', 'there is an admin admin now, whose password nobody saw: run "weir admin reset-password admin"'],
    ['admin reset-password admin', 'admin has a new password, which nobody saw: run this again'],
  ] as const) {
    const ended = await unread(here, line).ended;
    assert.is(ended.code, 5, ended.stderr);
    const own = ended.stderr.replace(/^\S+secret\.key: the key .*\n/, '');
    assert.is(own, `weir: stdout cannot be written, because nobody reads it\n      ${lost}\n`);
  }
});

reader('ends what prints again and again, at its next word: 0', async ({ here }) => {
  await here.weir('apply');
  for (const line of ['validate --watch', 'status --watch']) {
    const program = startCommand(process.execPath, [launcher, ...line.split(' ')], {
      cwd: here.path,
      env: plainEnvironment(),
    });
    await until('it printed', () => program.output().stdout.length > 0 || undefined, { program });
    program.child.stdout?.destroy();
    let at = 0;
    const changing = setInterval(() => {
      here.write('config/stacks.yaml', `${stack}# ${++at}\n`);
      void here.weir(at % 2 === 1 ? 'suspend' : 'resume');
    }, 500);
    try {
      const { code, stderr } = await program.ended;
      assert.is(code, 0, stderr);
      assert.match(stderr, /^(-- \S+Z\n)*$/);
    } finally {
      clearInterval(changing);
    }
  }
});

reader('ends no server', async ({ here }) => {
  const server = unread(here, 'serve --port 0');
  await until('it serves', () => server.output().stderr.includes('there is now an admin') || undefined, {
    program: server,
  });
  server.child.kill('SIGTERM');
  const { code, stderr } = await server.ended;
  assert.is(code, 0, stderr);
  assert.not.match(stderr, /EPIPE|cannot be written|a bug in Weir/);
});

reader.run();

/** Starts a command whose output nobody reads from its beginning. */
function unread(here: Workspace, line: string): ReturnType<typeof startCommand> {
  const program = startCommand(process.execPath, [launcher, ...line.split(' ')], {
    cwd: here.path,
    env: plainEnvironment(),
  });
  program.child.stdout?.destroy();
  return program;
}
