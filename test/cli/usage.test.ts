// Wrong usage: what is said, and that nothing is done.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { verbs } from '../../src/cli/index.ts';
import { formatNames } from '../../src/cli/output/index.ts';
import { flagName, flagNote, optionNames, readOptions, UsageError, variableName } from '../../src/options.ts';
import { weir } from '../support/weir.ts';
import { runHere, type Workspace, workspace } from './world.ts';

const usage = suite<{ here: Workspace }>('wrong usage');

usage.before(async (context) => {
  context.here = await workspace();
});
usage.after(({ here }) => here.remove());

const wrong: Readonly<Record<string, RegExp>> = {
  '': /^weir: name a command: init, validate, /,
  valdate: /unknown command "valdate": did you mean "validate"\?\n {6}Run "weir --help" for the commands\.\n$/,
  frobnicate: /unknown command "frobnicate"\n/,
  hepl: /unknown command "hepl": did you mean "help"\?/,
  admin: /"weir admin" is incomplete: write "weir admin reset-password"/,
  'admin reset': /unknown command "admin reset": did you mean "admin reset-password"\?/,
  'admin reset-password': /"weir admin reset-password" needs an argument: write weir admin reset-password USERNAME/,
  '--frobnicate': /unknown flag --frobnicate for "weir": write the command first, and its flags behind it/,
  '-q validate': /unknown flag -q for "weir": write the command first/,
  'help plan config': /unexpected argument "config": write weir help plan\n/,
  'help valdate': /unknown command "valdate": did you mean "validate"\?/,
  'help --frobnicate': /unknown flag --frobnicate for "weir"/,
  '--version please': /unexpected argument "please": write weir version\n/,
  'validate --outptu json':
    /unknown flag --outptu for "weir validate": did you mean --output\?\n {6}Run "weir validate --help" for its arguments and flags\.\n$/,
  'validate -output json': /unknown flag -output for "weir validate": did you mean --output\?/,
  'fmt -check': /unknown flag -check for "weir fmt": did you mean --check\?/,
  'fmt -h-check': /unknown flag -h-check for "weir fmt"/,
  'fmt --help=check': /unknown flag --help for "weir fmt": did you mean --help\?/,
  'fmt \u2013-check': /unknown flag "\u2013-check" for "weir fmt": did you mean --check\?/,
  'fmt ---check': /unknown flag ---check for "weir fmt": did you mean --check\?/,
  'fmt -qh': /unknown flag -qh for "weir fmt"/,
  'fmt -': /unexpected argument "-", because "weir fmt" reads nothing from stdin: name a file or folder/,
  'validate -x': /unknown flag -x for "weir validate"\n/,
  'validate -v': /unknown flag -v for "weir validate"/,
  'validate -o': /--output needs a value: --output FORMAT\[=FILE\]/,
  'validate -oxml': /--output cannot be "xml"/,
  'validate a b': /unexpected argument "b": write weir validate \[DIR\]/,
  'validate a b c': /unexpected arguments "b" "c": write weir validate \[DIR\]/,
  'validate --output xml': /--output cannot be "xml", because there is no such format: write one of human, json/,
  'validate --output jsn': /did you mean json\?/,
  'validate --output json=': /--output json= names no file/,
  'validate --output json --output human':
    /stdout holds one format only: write one of them to a file, as in --output human=FILE/,
  'plan --store': /--store needs a value: --store DIR/,
  'plan --store --out x': /--store needs a value/,
  'plan --store a --store b': /--store cannot be given 2 times/,
  'plan --detailed-exitcode=yes': /--detailed-exitcode takes no value: write --detailed-exitcode alone/,
  'fmt --check --check': /--check cannot be given 2 times: give it once/,
  'fmt -q --quiet': /--quiet cannot be given 2 times/,
  'plan --store=': /--store cannot be empty: write --store=DIR/,
  'plan --server localhost:3000 --token-file t':
    /--server cannot be "localhost:3000", because it is not an http:\/\/ or https:\/\/ address/,
  'plan --server http://localhost':
    /--server needs a token: add --token-file FILE \(or WEIR_TOKEN_FILE\), or set WEIR_TOKEN/,
  'apply --allow-deletes many': /--allow-deletes cannot be "many", because it is not a number/,
  'apply --allow-deletes 1.5': /it is not a whole number/,
  'apply --allow-deletes=-1': /--allow-deletes cannot be "-1", because it is less than 0/,
  'apply --allow-deletes=': /--allow-deletes cannot be empty: write --allow-deletes=N/,
  'serve --port=': /--port cannot be empty: write --port=PORT/,
  'serve --port 1e3': /--port cannot be "1e3", because it is not a number/,
  'apply --adopt nr-4': /"nr-4" names no object: write KIND\/NAME/,
  'apply --adopt Stak/nr-4': /there is no kind "Stak": did you mean Stack\?/,
  'apply config --server http://localhost --token-file t': /apply --server takes no "config"/,
  'apply config/weir.yaml': /weir\.yaml is not a plan, because it is not JSON/,
  'serve --port 70000': /--port cannot be "70000", because a port is 0 to 65535/,
  'serve --port x --host':
    /--host needs a value: --host ADDRESS\n {6}--port cannot be "x"|--port cannot be "x".*\n.*--host/s,
  'export Stack/': /names no object/,
  'bootstrap --username a@b': /--username cannot be "a@b", because it must be letters/,
  'bootstrap --email nobody': /--email cannot be "nobody", because it must be an email address/,
};

for (const [line, message] of Object.entries(wrong))
  usage(`weir ${line} exits 64 and says what to do`, async ({ here }) => {
    const { code, stdout, stderr } = await here.weir(line);
    assert.is(code, 64, stderr);
    assert.is(stdout, '');
    assert.match(stderr, message);
    assert.not.match(stderr, /^ +at /m);
  });

usage('names what does not exist, near to what does', async ({ here }) => {
  await here.weir('apply');
  const { code, stderr } = await here.weir('export Stack/nr-5');
  assert.is(code, 64);
  assert.is(stderr, 'weir: there is no Stack/nr-5 in the store: did you mean Stack/nr-4?\n');
});

usage('prints nothing twisted: a word with control characters comes out escaped', async () => {
  const { stderr } = await runHere(['va\u001b[31mli\ndate'], '/');
  assert.match(stderr, /va\\u001b\[31mli\\ndate/);
});

usage('an empty word is not the folder that one happens to be in', async ({ here }) => {
  const { code, stderr } = await runHere(['validate', ''], `${here.path}/config`);
  assert.is(code, 64);
  assert.match(
    stderr,
    /^weir: an argument cannot be empty, because "" names nothing: write weir validate \[DIR\], or leave it out\n/,
  );
});

usage('of a store is also told where its key is: a command with --store has --secret-key-file', async () => {
  for (const [name, { load }] of Object.entries(verbs)) {
    const { options } = await load();
    assert.is(options.includes('secretKeyFile'), options.includes('store'), `weir ${name}`);
  }
});

usage.run();

const help = suite('help');

help('lists every command, every exit code and the version', async () => {
  const { code, stdout, stderr } = await weir('.', ['--help']);
  assert.is(code, 0);
  assert.is(stderr, '');
  for (const name of Object.keys(verbs)) assert.match(stdout, `\n  ${name} `);
  for (const exit of ['0', '1', '2', '3', '4', '5', '64', '70'])
    assert.match(stdout, new RegExp(`(^|  )${exit} +\\w`, 'm'));
  assert.match((await weir('.', ['--version'])).stdout, /^\d+\.\d+\.\d+\n$/);
  assert.is((await runHere(['help'], '/')).stdout, stdout);
});

help('of a command lists its flags, each with its variable', async () => {
  for (const [name, entry] of Object.entries(verbs)) {
    const verb = await entry.load();
    const { code, stdout } = await runHere([...name.split(' '), '--help'], '/');
    assert.is(code, 0, name);
    assert.match(stdout, `usage: weir ${name}`);
    for (const option of verb.options) assert.match(stdout, `--${flagName(option)}`, name);
    for (const option of verb.options)
      assert.is(stdout.includes(`[${variableName(option)}]`), !flagNote(option).consent, `${name} ${option}`);
  }
  assert.match((await runHere(['help', 'plan'], '/')).stdout, formatNames.join(', '));
  assert.match((await runHere(['admin', '--help'], '/')).stdout, 'usage: weir admin reset-password USERNAME');
  const group = (await runHere(['sso', '--help'], '/')).stdout;
  assert.match(group, /^usage: weir sso COMMAND .*\n {2}sso explain .*\n {2}sso test /s);
  assert.is((await runHere(['help', 'sso'], '/')).stdout, group);
  assert.is((await runHere(['help', 'sso', 'test'], '/')).stdout, (await runHere(['sso', 'test', '-h'], '/')).stdout);
});

help('has short flags: -h, -v, -o and -q', async () => {
  const here = await workspace();
  const version = (await runHere(['--version'], '/')).stdout;
  for (const word of ['-v', '-V', 'version']) assert.is((await runHere([word], '/')).stdout, version, word);
  assert.match((await here.weir('plan -h')).stdout, /^weir plan /);
  assert.match((await here.weir('validate -h')).stdout, /\n {2}-o, --output FORMAT\[=FILE\] /);
  for (const line of ['validate -o json', 'validate -ojson', 'validate -o=json', 'validate --output=json'])
    assert.is(JSON.parse((await here.weir(line)).stdout).valid, true, line);
  await here.remove();
});

help.run();

const flags = suite('a flag');

flags('is also a variable, and wins over it', () => {
  const env = {
    WEIR_STORE: '/var/lib/weir',
    WEIR_PORT: '8080',
    WEIR_STRICT_START: 'true',
    WEIR_OUTPUT: 'human, json=report.json',
  };
  const options = readOptions(['store', 'port', 'strictStart', 'output'], new Map([['port', ['9090']]]), env);
  assert.is(options.store, '/var/lib/weir');
  assert.is(options.port, 9090);
  assert.is(options.strictStart, true);
  assert.equal(options.output, ['human', 'json=report.json']);
  assert.is(readOptions(['store'], new Map(), { WEIR_STORE: '' }).store, '.weir');
  assert.is(readOptions([], new Map(), { WEIR_PORT: 'nonsense' }).port, 3000);
});

flags('is refused by the name that it came by', () => {
  const refused = (env: NodeJS.ProcessEnv) => {
    try {
      readOptions(['port', 'strictStart', 'store'], new Map(), env);
    } catch (error) {
      if (error instanceof UsageError) return error.message;
    }
    return 'nothing';
  };
  assert.is(refused({ WEIR_PORT: 'x' }), 'WEIR_PORT cannot be "x", because it is not a number');
  assert.is(refused({ WEIR_STRICT_START: 'maybe' }), 'WEIR_STRICT_START cannot be "maybe": write true or false');
});

flags('says what it does', () => {
  for (const name of optionNames) assert.ok(flagNote(name).says.length > 10, name);
});

flags.run();
