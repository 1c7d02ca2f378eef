// timeout: 1200
// weir completion, read by the real shells.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { valuesOf } from '../../src/cli/completion/commands.ts';
import { verbs } from '../../src/cli/index.ts';
import { flagName, flagNote, optionNames } from '../../src/options.ts';
import { debian, suiteWith } from '../support/debian.ts';
import { runCommand } from '../support/run-command.ts';
import { runHere, type Workspace, workspace } from './world.ts';

const bash = debian(['bash'], ['bash']);
const zsh = debian(['zsh'], ['zsh']);
const fish = debian(['fish'], ['fish']);

interface Context {
  here: Workspace;
  /** The offers for a line whose last word is completed. */
  offers: (line: string) => Promise<readonly string[]>;
}

/** What each shell has to offer for a line. */
const cases: Readonly<Record<string, readonly string[]>> = {
  'weir pl': ['plan'],
  'weir sso ': ['explain', 'test'],
  'weir stacks in': ['install'],
  'weir help val': ['validate'],
  'weir completion ': ['bash', 'fish', 'zsh'],
  'weir explain Team': ['TeamType'],
  'weir explain stack-': ['stack-chain', 'stack-in-use', 'stack-runtime'],
  'weir export Sta': ['Stack'],
  'weir apply --allow': ['--allow-deletes'],
  'weir plan --output j': ['json', 'junit'],
  'weir sso test --outp': ['--output'],
};

/** Where files and folders are offered. */
const paths: Readonly<Record<string, readonly string[]>> = {
  'weir validate con': ['config/'],
  'weir plan --store con': ['config/'],
  'weir apply pl': ['plan.json'],
  'weir plan --store config con': ['config/'],
};

function casesOf(tests: ReturnType<typeof suiteWith<Context>>, more: Readonly<Record<string, readonly string[]>> = {}) {
  for (const [line, offers] of Object.entries({ ...cases, ...more }))
    tests(`"${line}" offers ${offers.join(', ')}`, async (context) => {
      assert.equal(await context.offers(line), offers);
    });
  for (const [line, offers] of Object.entries(paths))
    tests(`"${line}" offers what is on the disk`, async (context) => {
      assert.equal(
        (await context.offers(line)).map((path) => path.replace(/\/$/, '')),
        offers.map((path) => path.replace(/\/$/, '')),
      );
    });
}

async function prepared(shell: string): Promise<Workspace> {
  const here = await workspace({ 'plan.json': '{}' });
  const { code, stdout } = await runHere(['completion', shell], here.path);
  assert.is(code, 0);
  here.write('script', stdout);
  return here;
}

const sorted = (text: string) => [...new Set(text.split('\n').map((line) => line.trim()))].filter(Boolean).toSorted();

const inBash = suiteWith<Context>(bash, 'completion in bash', undefined);

inBash.before(async (context) => {
  context.here = await prepared('bash');
  context.offers = async (line) => {
    const words = line.replace('=', ' = ').split(' ');
    const script = `source ./script; COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; compopt() { :; }; _weir; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = await runCommand(bash?.bash ?? '', ['--norc', '-uc', script], {
      cwd: context.here.path,
    });
    assert.is(stderr, '');
    return sorted(stdout);
  };
});
inBash.after(({ here }) => here.remove());

casesOf(inBash, {
  'weir apply --adopt Sta': ['Stack/'],
  'weir plan --output=j': ['json', 'junit'],
  'weir plan -o j': ['json', 'junit'],
  'weir --v': ['--version'],
});

inBash('knows every command and every flag', async ({ offers }) => {
  const first = [...new Set(Object.keys(verbs).map((name) => name.split(' ')[0] ?? ''))];
  assert.equal(await offers('weir '), [...first, 'help', '--help', '--version'].toSorted());
  for (const [name, entry] of Object.entries(verbs)) {
    const { options } = await entry.load();
    const flags = options.flatMap((option) => {
      const { short } = flagNote(option);
      return [`--${flagName(option)}`, ...(short === undefined ? [] : [`-${short}`])];
    });
    assert.equal(await offers(`weir ${name} -`), [...flags, '--help', '-h'].toSorted(), name);
  }
});

inBash.run();

const inZsh = suiteWith<Context>(zsh, 'completion in zsh', undefined);

/** A terminal of its own, in which a Tab is pressed; what zsh offers for it is written down on the way. */
const pressTab = `zmodload zsh/zpty
zpty t zsh -fi
zpty -w t "PROMPT='> '; autoload -Uz compinit; compinit -u -D; source ./script; zstyle ':completion:*' verbose no; LISTMAX=10000"
zpty -w t 'compadd() { local -a hits; builtin compadd -O hits "$@"; (( $#hits )) && print -rl -- $hits >> offers; builtin compadd "$@" }; : > offers; print rea""dy'
zpty -r -m t out '*ready*'
zpty -n -w t "$1"$'\\t'
for i in {1..300}; do sleep 0.1; [[ -s offers ]] && break; done
sleep 0.3
zpty -d t
cat offers
`;

inZsh.before(async (context) => {
  context.here = await prepared('zsh');
  context.here.write('press-tab', pressTab);
  context.offers = async (line) => {
    const { stdout } = await runCommand(zsh?.zsh ?? '', ['-f', 'press-tab', line], { cwd: context.here.path });
    return sorted(stdout);
  };
});
inZsh.after(({ here }) => here.remove());

inZsh('is a script that zsh can read', async ({ here }) => {
  const { code, stderr } = await runCommand(zsh?.zsh ?? '', ['-fn', 'script'], { cwd: here.path });
  assert.is(`${code} ${stderr}`, '0 ');
});

casesOf(inZsh, { 'weir apply --adopt Sta': ['Stack/'], 'weir plan --output=j': ['json', 'junit'] });

inZsh.run();

const inFish = suiteWith<Context>(fish, 'completion in fish', undefined);

inFish.before(async (context) => {
  context.here = await prepared('fish');
  context.offers = async (line) => {
    const args = ['--no-config', '-c', `source ./script; complete -C ${JSON.stringify(line)}`];
    const env = { ...process.env, HOME: context.here.path };
    const { stdout, stderr } = await runCommand(fish?.fish ?? '', args, { cwd: context.here.path, env });
    assert.is(stderr, '');
    return sorted(stdout.replaceAll(/\t.*$/gm, ''));
  };
});
inFish.after(({ here }) => here.remove());

casesOf(inFish, { 'weir plan --output=j': ['--output=json', '--output=junit'] });

inFish.run();

const forms = suite('what is completed');

/** They name what only people, or the network, know. */
const free = /^(NAME|URL|SECONDS|N|ADDRESS|PORT|MIB|EMAIL|A,B,C|USERNAME|VERSION|TEXT)$/;

forms('is known for every form of a value: a new one is completed, or named here', async () => {
  for (const name of optionNames) {
    const { value } = flagNote(name);
    if (value !== undefined)
      assert.is(valuesOf(value) === 'anything', free.test(value), `--${flagName(name)} ${value}`);
  }
  for (const [name, entry] of Object.entries(verbs)) {
    const { usage, words } = await entry.load();
    if (words.most === 0) continue;
    for (const form of usage.match(/\[(?:[^[\]]|\[[^\]]*\])*\]|\S+/g) ?? [])
      assert.is(valuesOf(form) === 'anything', free.test(form), `weir ${name} ${form}`);
  }
});

forms('is for three shells: another is refused', async () => {
  const { code, stderr } = await runHere(['completion', 'tcsh'], '/');
  assert.is(code, 64);
  assert.match(stderr, 'there is no completion for "tcsh": write one of bash, zsh, fish');
});

forms.run();
