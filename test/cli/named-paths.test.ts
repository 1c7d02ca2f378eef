// timeout: 600
// What each command says of a file or folder that the line names and that is not there, is another kind of thing, or is out of reach: what, why, and no word of the system's.
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { verbs } from '../../src/cli/index.ts';
import { flagName, flagNote, type OptionName } from '../../src/options.ts';
import { seed } from '../support/weir.ts';
import { weirBound } from '../support/weir-bound.ts';
import { type Outcome, type Workspace, workspace } from './world.ts';

const long = 'n'.repeat(300);

/** What a line may name, and what is said of each. */
const named = {
  missing: /there is no /,
  'missing/below': /there is no /,
  'file/below': /a part of its path is not a folder|is not a folder|no such folder/,
  folder: /it is a folder|there is no (weir\.yaml|store) in/,
  file: /is not a folder|is not a backup|exists already|holds something that is not 32 bytes in Base64/,
  loop: /its links lead in a circle/,
  [long]: /its name is too long/,
  'closed/below': /permission is denied|allow Weir to read it|may not be read or written/,
} as const;
type Named = keyof typeof named;

/** How a line ends that names one of them, where it does not end with 5: 0 where there is nothing wrong with it. */
type Otherwise = Partial<Readonly<Record<Named, number>>>;

/** A folder that is made where there is none. */
const made: Otherwise = { missing: 0, 'missing/below': 0, folder: 0 };
/** A file that is written; the folder that it is in is not made. */
const written: Otherwise = { missing: 0, file: 0 };
const store: Otherwise = { folder: 5 };
const doctor: Otherwise = { ...made, file: 1, 'file/below': 1, loop: 1, [long]: 1, 'closed/below': 1 };
/** Whatever is named is no key file. */
const keyFile = (line: string) => ({ 'secret-key-file': [`${line} --secret-key-file %`, {}] }) as const;
const server = '--server http://127.0.0.1:9';
const sso = 'sso explain --config c --user ann@example.com';

/** For each command, what it takes: words, and flags that name a path. `%` is what is named. */
const lines: Readonly<Record<string, Readonly<Record<string, readonly [line: string, otherwise: Otherwise]>>>> = {
  init: { words: ['init %', made] },
  validate: { words: ['validate %', {}], output: ['validate --output json=%', written] },
  fmt: { words: ['fmt %', {}] },
  plan: {
    ...keyFile('plan'),
    words: ['plan %', {}],
    store: ['plan --store %', made],
    'token-file': [`plan ${server} --token-file %`, { file: 64 }],
    out: ['plan --out %', written],
    'secret-dir': ['plan --secret-dir %', everything(0)],
    output: ['plan --output json=%', written],
  },
  apply: {
    ...keyFile('apply'),
    words: ['apply %', { file: 64 }],
    store: ['apply --store %', made],
    'token-file': [`apply ${server} --token-file %`, { file: 64 }],
    'secret-dir': ['apply --secret-dir %', everything(0)],
    output: ['apply --output json=%', written],
  },
  serve: {
    ...keyFile('serve --port 0'),
    words: ['serve % --port 0 --strict-start', {}],
    store: ['serve --store % --port 0', { missing: -1, 'missing/below': -1, folder: -1 }],
    instances: ['serve --instances % --port 0', { missing: -1, 'missing/below': -1, folder: -1 }],
    'secret-dir': ['serve broken --strict-start --port 0 --secret-dir %', everything(1)],
  },
  suspend: {
    ...keyFile('suspend'),
    store: ['suspend --store %', store],
    'token-file': [`suspend ${server} --token-file %`, { file: 64 }],
    output: ['suspend --output json=%', written],
  },
  resume: {
    ...keyFile('resume'),
    store: ['resume --store %', store],
    'token-file': [`resume ${server} --token-file %`, { file: 64 }],
    output: ['resume --output json=%', written],
  },
  status: {
    ...keyFile('status'),
    words: ['status % --wait=1', {}],
    store: ['status --store %', store],
    'token-file': [`status ${server} --token-file %`, { file: 64 }],
    output: ['status --output json=%', written],
  },
  export: {
    ...keyFile('export'),
    words: ['export Stack/nr-4 % --with change.json', {}],
    store: ['export --store %', store],
    out: ['export --out %', made],
    with: ['export Stack/nr-4 --with %', { file: 64 }],
  },
  explain: {},
  schemas: { out: ['schemas --out %', made] },
  bootstrap: {
    ...keyFile('bootstrap'),
    store: ['bootstrap --store %', made],
    'password-file': ['bootstrap --store fresh --password-file %', { file: 64 }],
  },
  backup: {
    ...keyFile('backup --with-key --out fresh.tar.gz'),
    store: ['backup --out fresh.tar.gz --store %', store],
    instances: ['backup --out fresh.tar.gz --instances %', { folder: 0 }],
    out: ['backup --out %', { missing: 0, folder: 0 }],
  },
  restore: {
    ...keyFile('restore backup.tar.gz --store fresh'),
    words: ['restore % --store fresh', {}],
    store: ['restore backup.tar.gz --store % --secret-key-file .weir/secret.key', made],
  },
  'store check': {
    ...keyFile('store check'),
    words: ['store check %', store],
    store: ['store check --store %', store],
    output: ['store check --output json=%', written],
  },
  'store rekey': { ...keyFile('store rekey'), store: ['store rekey --store %', store] },
  'stacks install': {
    ...keyFile('stacks install 4.0.0'),
    store: ['stacks install 4.0.0 --store %', { missing: -1, 'missing/below': -1, folder: -1 }],
  },
  doctor: {
    'secret-key-file': ['doctor --secret-key-file %', everything(1)],
    words: ['doctor %', {}],
    store: ['doctor --store %', doctor],
    instances: ['doctor --instances %', doctor],
    output: ['doctor --output json=%', written],
  },
  'sso explain': {
    ...keyFile(`${sso}`),
    store: [`${sso} --store %`, store],
    output: [`${sso} --output json=%`, { missing: 64, file: 64 }],
  },
  'sso test': {
    ...keyFile('sso test c'),
    store: ['sso test c --store %', store],
    'secret-dir': ['sso test c --secret-dir %', everything(64)],
    output: ['sso test c --output json=%', { missing: 64, file: 64 }],
  },
  'admin reset-password': {
    ...keyFile('admin reset-password ann'),
    store: ['admin reset-password ann --store %', store],
    'password-file': ['admin reset-password ann --password-file %', { file: 64 }],
  },
  completion: {},
  version: {},
};

function everything(code: number): Otherwise {
  return Object.fromEntries(Object.keys(named).map((one) => [one, code]));
}

/** Words that are no path. */
const otherWords = ['explain', 'stacks install', 'admin reset-password', 'completion', 'sso test'];
const pathForms = ['DIR', 'FILE', 'PATH', 'CHANGE.json', 'FORMAT[=FILE]'];

const paths = suite<{ here: Workspace }>('a path that a line names');

paths.before.each(async (context) => {
  const here = await workspace({
    'change.json': '{"spec": {"runtime": "4.2"}}',
    file: 'no plan\n',
    'broken/weir.yaml': 'kind: Platform\n',
  });
  context.here = here;
  await here.weir('apply');
  await seed(join(here.path, '.weir'), [
    { kind: 'Template', name: 'standard', spec: {} },
    { kind: 'TeamType', name: 'starter', spec: {} },
    { kind: 'Team', name: 'one', spec: { displayName: 'One', type: 'starter' } },
    { kind: 'Instance', name: 'a', spec: { team: 'one', instanceType: 'small', template: 'standard', stack: 'nr-4' } },
  ]);
  await here.weir('backup --out backup.tar.gz');
  lay(here);
});
paths.after.each(({ here }) => {
  chmodSync(join(here.path, 'closed'), 0o700);
  return here.remove();
});

/** As before each line: what one makes is no matter to the next. */
function lay({ path }: Workspace): void {
  const at = (name: string) => join(path, name);
  for (const name of ['missing', 'folder', 'loop', 'fresh', 'fresh.tar.gz'])
    rmSync(at(name), { recursive: true, force: true });
  mkdirSync(at('folder'));
  mkdirSync(at('closed'), { recursive: true, mode: 0o000 });
  symlinkSync('loop', at('loop'));
  writeFileSync(at('file'), 'no plan\n');
}

paths('is looked for by a line here, whatever names it', async () => {
  for (const [name, { load }] of Object.entries(verbs)) {
    const verb = await load();
    const isPath = (option: OptionName) => pathForms.includes(flagNote(option).value ?? '');
    const wanted = [
      ...(verb.words.most > 0 && !otherWords.includes(name) ? ['words'] : []),
      ...verb.options.filter(isPath).map(flagName),
    ];
    assert.equal(Object.keys(lines[name] ?? {}).toSorted(), wanted.toSorted(), `weir ${name} needs a line for each`);
  }
});

for (const [name, own] of Object.entries(lines))
  for (const [what, [line, otherwise]] of Object.entries(own))
    paths(`is told by weir ${name} in words: ${what === 'words' ? 'its argument' : `--${what}`}`, async ({ here }) => {
      for (const [one, says] of Object.entries(named)) {
        const code = otherwise[one as Named] ?? 5;
        // It would go on, or ask the network.
        if (code === -1) continue;
        lay(here);
        const typed = line.replace('%', one);
        const ended = await outcomeOf(here, typed);
        const printed = `${typed}: ${ended.code} ${ended.stderr}${ended.stdout}`.replaceAll(long, 'LONG');
        assert.is(ended.code, code, printed);
        assert.not.match(
          ended.stderr + ended.stdout,
          /\bE[A-Z]{3,}\b|no such file or directory|a bug in Weir|\n {4}at /,
          printed,
        );
        if (code !== 5 && !(name === 'doctor' && code === 1)) continue;
        assert.match(ended.stderr + ended.stdout, says, printed);
        assert.match(ended.stderr + ended.stdout, one, `it is named: ${printed}`);
      }
    });

paths.run();

/** In this process, where that can be: permissions apply to another one only, and a server is one. */
async function outcomeOf(here: Workspace, typed: string): Promise<Outcome> {
  if (typed.includes('closed/')) return outcome(await weirBound(here, typed));
  return typed.startsWith('serve') ? outcome(await here.spawn(typed)) : here.weir(typed);
}

function outcome({ code, stdout, stderr }: Awaited<ReturnType<typeof weirBound>>): Outcome {
  return { code: code ?? -1, stdout, stderr };
}
