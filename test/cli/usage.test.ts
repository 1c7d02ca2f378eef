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
  valdate: /there is no command "valdate": did you mean "validate"\?/,
  frobnicate: /there is no command "frobnicate"\n/,
  admin: /"admin" is not whole: write "weir admin reset-password"/,
  'admin reset': /there is no command "admin reset": did you mean "admin reset-password"\?/,
  'admin reset-password': /"admin reset-password" needs more: write weir admin reset-password USERNAME/,
  '--frobnicate': /there is no --frobnicate here: name a command first/,
  'validate --outptu json': /there is no --outptu here: did you mean --output\?/,
  'validate -x': /there is no -x here/,
  'validate a b': /"validate" does not take "b": write weir validate \[DIR\]/,
  'validate --output xml': /--output cannot be "xml", because there is no such format: write one of human, json/,
  'validate --output jsn': /did you mean json\?/,
  'validate --output json=': /--output json= names no file/,
  'validate --output json --output human':
    /stdout holds one format only: write one of them to a file, as in --output human=FILE/,
  'plan --store': /--store needs a value: --store DIR/,
  'plan --store --out x': /--store needs a value/,
  'plan --store a --store b': /--store cannot be given 2 times/,
  'plan --detailed-exitcode=yes': /--detailed-exitcode takes no value/,
  'plan --server localhost:3000 --token-file t':
    /--server cannot be "localhost:3000", because it is not an http:\/\/ or https:\/\/ address/,
  'plan --server http://localhost': /--server needs a token: add --token-file FILE \(or WEIR_TOKEN_FILE\)/,
  'apply --allow-deletes many': /--allow-deletes cannot be "many", because it is not a number/,
  'apply --allow-deletes 1.5': /it is not a whole number/,
  'apply --allow-deletes=-1': /--allow-deletes cannot be "-1", because it is less than 0/,
  'apply --allow-deletes=': /--allow-deletes cannot be "", because it is not a number/,
  'serve --port=': /--port cannot be "", because it is not a number/,
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
    /^weir: "validate" cannot take "", because it names nothing: write weir validate \[DIR\], or leave it out\n/,
  );
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
    for (const option of verb.options) assert.match(stdout, `[${variableName(option)}]`, name);
  }
  assert.match((await runHere(['help', 'plan'], '/')).stdout, formatNames.join(', '));
  assert.match((await runHere(['admin', '--help'], '/')).stdout, 'usage: weir admin reset-password USERNAME');
});

help.run();

const flags = suite('a flag');

flags('is also a variable, and wins over it', () => {
  const env = {
    WEIR_STORE: '/var/lib/weir',
    WEIR_PORT: '8080',
    WEIR_STRICT_START: 'true',
    WEIR_ADOPT: 'Stack/a, Stack/b',
  };
  const options = readOptions(['store', 'port', 'strictStart', 'adopt'], new Map([['port', ['9090']]]), env);
  assert.is(options.store, '/var/lib/weir');
  assert.is(options.port, 9090);
  assert.is(options.strictStart, true);
  assert.equal(options.adopt, ['Stack/a', 'Stack/b']);
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
