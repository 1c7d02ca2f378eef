// Every command refuses a line that is malformed, in the same way, before it does anything.
import { readdirSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { verbs } from '../../src/cli/index.ts';
import type { Verb } from '../../src/cli/verb.ts';
import { flagName, flagNote, type OptionName } from '../../src/options.ts';
import { runHere, type Workspace, workspace } from './world.ts';

/** A flag of a command: each has some, or takes the forms of flags that it does not know. */
type Pick = (verb: Verb) => readonly OptionName[];

const all: Pick = ({ options }) => options;
const switches: Pick = ({ options }) => options.filter((name) => flagNote(name).value === undefined);
const single: Pick = ({ options }) => options.filter((name) => !flagNote(name).many);
const valued: Pick = ({ options }) =>
  options.filter((name) => flagNote(name).value !== undefined && flagNote(name).bare === undefined);
const neverEmpty: Pick = ({ options }) =>
  options.filter((name) => flagNote(name).value !== undefined && !flagNote(name).mayBeEmpty);

/** What each command gets, whatever its flags are. */
const always: Readonly<Record<string, readonly string[]>> = {
  'a flag that nobody knows': ['--frobnicate'],
  'a flag that nobody knows, with a value': ['--frobnicate=x'],
  'a letter that nobody knows': ['-x'],
  'a word with one dash and an h': ['-frobhicate'],
  'a word with one dash that begins with an h': ['-hx'],
  'help with a value': ['--help=yes'],
  'three dashes': ['---help'],
  'a dash alone': ['-'],
  'a flag without a name': ['--=x'],
  'a dash of a text program': ['\u2014help'],
  'a flag that nobody knows beside help': ['--help', '--frobnicate'],
  'flags in other letters': ['--HELP'],
};

/** What each flag of each command gets. */
const forms: Readonly<Record<string, { readonly of: Pick; readonly line: (name: string) => readonly string[] }>> = {
  'one dash instead of two': { of: all, line: (name) => [`-${name}`] },
  'an underscore instead of a dash': {
    of: (verb) => all(verb).filter((name) => flagName(name).includes('-')),
    line: (name) => [`--${name.replaceAll('-', '_')}`],
  },
  'the last letter twice': { of: all, line: (name) => [`--${name}${name.at(-1)}`] },
  'a switch with a value': { of: switches, line: (name) => [`--${name}=true`] },
  'a switch with an empty value': { of: switches, line: (name) => [`--${name}=`] },
  'given twice': { of: single, line: (name) => [`--${name}=1`, `--${name}=1`] },
  'a switch given twice': { of: switches, line: (name) => [`--${name}`, `--${name}`] },
  'without its value': { of: valued, line: (name) => [`--${name}`] },
  'the end of the flags where its value should be': { of: valued, line: (name) => [`--${name}`, '--'] },
  'an empty value': { of: neverEmpty, line: (name) => [`--${name}=`] },
};

const strict = suite<{ here: Workspace }>('a malformed line');

strict.before(async (context) => {
  context.here = await workspace();
});
strict.after(({ here }) => here.remove());

for (const [name, entry] of Object.entries(verbs)) {
  strict(`of weir ${name} exits 64, says what is wrong, and names the help`, async ({ here }) => {
    const verb = await entry.load();
    const enough = Array.from({ length: verb.words.least }, () => 'word');
    const lines = [
      ...Object.entries(always),
      ...Object.entries(forms).flatMap(([what, { of, line }]) =>
        of(verb).map((option) => [`${what}: ${flagName(option)}`, line(flagName(option))] as const),
      ),
      ['too many words', Array.from({ length: verb.words.most - enough.length + 1 }, () => 'more')] as const,
      ['an empty word', enough.length < verb.words.most ? [''] : ['', '']] as const,
      ...(verb.words.least > 0 ? [['too few words', undefined] as const] : []),
    ];
    for (const [what, words] of lines) {
      const line = [...name.split(' '), ...(words ? [...enough, ...words] : [])];
      const { code, stdout, stderr } = await runHere(line, here.path);
      const told = `${line.join(' ')} (${what}): ${stderr}${stdout}`;
      assert.is(code, 64, told);
      assert.is(stdout, '', told);
      assert.match(stderr, /^weir: \S/, told);
      assert.match(stderr, `Run "weir ${name} --help" for its arguments and flags.`, told);
    }
  });
}

strict('does nothing at all', ({ here }) => {
  assert.equal(readdirSync(here.path).toSorted(), ['.weir', 'config']);
  assert.equal(readdirSync(`${here.path}/.weir`), ['stacks']);
});

strict('with a flag that is nearly right is told the right one', async ({ here }) => {
  for (const [name, entry] of Object.entries(verbs)) {
    const { options } = await entry.load();
    for (const option of options) {
      const flag = flagName(option);
      for (const typed of [`-${flag}`, `---${flag}`, `--${flag.toUpperCase()}`]) {
        const { stderr } = await runHere([...name.split(' '), typed], here.path);
        assert.match(stderr, `unknown flag ${typed} for "weir ${name}": did you mean --${flag}?`);
      }
    }
  }
});

strict('shows no value of an unknown flag: it may be a secret under the wrong name', async ({ here }) => {
  const { stderr } = await runHere(['plan', '--token=weirp_secret'], here.path);
  assert.match(stderr, 'unknown flag --token for "weir plan"');
  assert.not.match(stderr, 'weirp_secret');
});

strict.run();

const words = suite<{ here: Workspace }>('words behind --');

words.before(async (context) => {
  context.here = await workspace({ '-tree/weir.yaml': 'kind: Platform\nmetadata: {name: platform}\n' });
});
words.after(({ here }) => here.remove());

words('are no flags, whatever they begin with', async ({ here }) => {
  assert.is((await here.weir('validate -- -tree')).code, 0);
  assert.is((await here.weir('validate ./-tree')).code, 0);
  assert.is((await here.weir('validate -tree')).code, 64);
});

words.run();
