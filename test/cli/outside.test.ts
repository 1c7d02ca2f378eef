// timeout: 600
// Links and paths of a tree that lead out of it: whatever a command or the server does, nothing out there is opened, and nothing of it is printed.
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { verbs } from '../../src/cli/index.ts';
import { formatNames } from '../../src/cli/output/index.ts';
import { serve } from '../support/serving.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { platform, stack, type Workspace, workspace } from './world.ts';

interface Context {
  here: Workspace;
  /** A folder beside all trees, whose files hold the mark. */
  there: string;
}

const mark = 'MARK-OF-AN-OUTSIDE-FILE';

/** Every way out: what is made in the tree, and what it must be refused for. */
const ways: Readonly<Record<string, { readonly make: (tree: string, there: string) => void; readonly says: RegExp }>> =
  {
    'a file': {
      make: (tree, there) => symlinkSync(join(there, 'secret.yaml'), join(tree, 'out.yaml')),
      says: /leads out of the tree/,
    },
    'a relative link': {
      make: (tree) => symlinkSync('../there/secret.yaml', join(tree, 'out.yaml')),
      says: /leads out of the tree/,
    },
    'a folder': {
      make: (tree, there) => symlinkSync(there, join(tree, 'out')),
      says: /leads out of the tree/,
    },
    'a chain of links': {
      make: (tree, there) => {
        symlinkSync(there, join(tree, 'one'));
        symlinkSync('one', join(tree, 'two'));
        symlinkSync('two/secret.yaml', join(tree, 'three.yaml'));
      },
      says: /leads out of the tree/,
    },
    'the root manifest': {
      make: (tree, there) => {
        writeFileSync(join(there, 'weir.yaml'), `# ${mark}\n${platform}`);
        symlinkSync(join(there, 'weir.yaml'), join(tree, 'weir.yaml'));
      },
      says: /leads out of the tree/,
    },
    'a public file below ..': {
      make: (tree) => writeFileSync(join(tree, 'sso.yaml'), sso('../there/secret.yaml')),
      says: /leads out of the tree/,
    },
    'an absolute public file': {
      make: (tree, there) => writeFileSync(join(tree, 'sso.yaml'), sso(join(there, 'secret.yaml'))),
      says: /leads out of the tree/,
    },
    'a public file behind a link': {
      make: (tree, there) => {
        symlinkSync(there, join(tree, 'certificates'));
        writeFileSync(join(tree, 'weir.yaml'), `${platform}spec: {exclude: [certificates]}\n`);
        writeFileSync(join(tree, 'sso.yaml'), sso('certificates/secret.yaml'));
      },
      says: /leads out of the tree/,
    },
    'a file of an overlay': {
      make: (tree, there) => {
        mkdirSync(join(tree, 'overlays/staging'), { recursive: true });
        symlinkSync(join(there, 'secret.yaml'), join(tree, 'overlays/staging/out.yaml'));
      },
      says: /leads out of the tree/,
    },
    'an overlay': {
      make: (tree, there) => {
        mkdirSync(join(tree, 'overlays'));
        symlinkSync(there, join(tree, 'overlays/staging'));
      },
      says: /has no environment/,
    },
  };

function sso(file: string): string {
  const spec = `{emailDomain: a.example, provider: saml, saml: {certificate: {fromFile: ${file}}}}`;
  return `kind: SsoConfig\nmetadata: {name: corp}\nspec: ${spec}\n`;
}

/** Every verb that reads a tree; `DIR` is the tree. Those that are left out read none. */
const lines: Readonly<Record<string, readonly string[]>> = {
  validate: ['validate DIR'],
  plan: ['plan DIR'],
  apply: ['apply DIR'],
  fmt: ['fmt DIR', 'fmt DIR --check'],
  export: ['export Stack/nr-4 DIR --with change.json'],
  serve: [],
  // They read a tree for its digest or for its platform alone, and tell nothing of what is wrong with it.
  doctor: [],
  status: [],
};

const outside = suite<Context>('what lies outside of a tree');

outside.before.each(async (context) => {
  context.here = await workspace({ 'change.json': '{"spec": {"runtime": "4.2"}}' });
  context.there = join(context.here.path, 'there');
  mkdirSync(context.there);
  for (const name of ['secret.yaml', 'readme.yaml'])
    writeFileSync(join(context.there, name), `# ${mark}\nkind: ${mark}\nkind: Stack\n`);
});
outside.after.each(({ here }) => here.remove());

for (const [what, { make, says }] of Object.entries(ways))
  outside(`is never opened: ${what}`, async ({ here, there }) => {
    const tree = join(here.path, 'tree');
    mkdirSync(tree);
    make(tree, there);
    if (statSync(join(tree, 'weir.yaml'), { throwIfNoEntry: false }) === undefined)
      writeFileSync(join(tree, 'weir.yaml'), platform);
    writeFileSync(join(tree, 'stack.yaml'), stack);
    const env = what.includes('overlay') ? ' --env staging' : '';
    const unread = untouched(there);
    for (const line of await allLines(env)) {
      const ended = await here.weir(line);
      const printed = ended.stdout + ended.stderr;
      assert.not.match(printed, mark, line);
      if (!/^(export|fmt)/.test(line)) assert.match(printed, says, line);
    }
    const served = await here.spawn(`serve tree --port 0${env}`);
    assert.not.match(served.stdout + served.stderr, mark, 'the log of the server');
    assert.match(served.stderr, says);
    unread();
  });

outside('is not opened either when a link takes the place of a file while a server runs', async ({ here, there }) => {
  here.write('config/weir.yaml', `${platform}spec: {reconcile: {pollSeconds: 1}}\n`);
  const server = await serve(here);
  const unread = untouched(there);
  symlinkSync(join(there, 'secret.yaml'), join(here.path, 'config/out.yaml'));
  await until(() => /leads out of the tree.*\n *--> out\.yaml/.exec(server.output().stderr)?.[0], { program: server });
  server.child.kill('SIGTERM');
  const { stdout, stderr } = await server.ended;
  assert.not.match(stdout + stderr, mark);
  unread();
});

outside('shows the line that was read, though the file has another by now', async ({ here }) => {
  const server = await serve(here);
  const wrong = stack.replace('label', 'lable');
  here.write('config/stacks.yaml', wrong);
  const shown = () => /\d+ \| +lable: Node-RED 4\n/.exec(server.output().stderr)?.[0];
  await until(shown, { program: server });
  server.child.kill('SIGTERM');
  await server.ended;
});

outside('is not written to by what makes files in a folder, through no link in it', async ({ here, there }) => {
  await here.weir('apply');
  const ways: Readonly<Record<string, (folder: string) => void>> = {
    folder: (folder) => symlinkSync(there, join(folder, 'stacks')),
    file: (folder) => symlinkSync(join(there, 'secret.yaml'), join(folder, 'weir.yaml')),
    nothing: (folder) => symlinkSync(join(there, 'new.yaml'), join(folder, 'weir.yaml')),
  };
  for (const [name, make] of Object.entries(ways))
    for (const line of ['export --out', 'init']) {
      const folder = `${line.split(' ')[0]}-${name}`;
      mkdirSync(join(here.path, folder));
      make(join(here.path, folder));
      const { code, stdout, stderr } = await here.weir(`${line} ${folder}`);
      assert.is(code, 64, stderr);
      assert.match(stderr, /would be written through a link that leads out of it: remove the link/);
      assert.not.match(stdout + stderr, mark);
    }
  assert.equal(readdirSync(there).sort(), ['readme.yaml', 'secret.yaml']);
});

outside('knows every verb that takes a tree', async () => {
  const reading: string[] = [];
  for (const [name, { load }] of Object.entries(verbs))
    if ((await load()).options.some((option) => option === 'env')) reading.push(name);
  assert.equal(reading.sort(), Object.keys(lines).sort());
});

outside.run();

/** Every line, in every format where its command has some. */
async function allLines(env: string): Promise<readonly string[]> {
  const all: string[] = [];
  for (const [verb, some] of Object.entries(lines)) {
    const printsReport = (await verbs[verb]?.load())?.options.includes('output');
    const flags = printsReport ? formatNames.map((format) => ` --output ${format}`) : [''];
    all.push(...some.flatMap((line) => flags.map((flag) => `${line.replace('DIR', 'tree')}${env}${flag}`)));
  }
  return all;
}

/** Makes files and folders look as if nobody had read them for long; answers what asserts that nobody has, where the system notes that. */
function untouched(folder: string): () => void {
  const paths = [folder, ...['secret.yaml', 'readme.yaml'].map((name) => join(folder, name))];
  const old = new Date('2020-01-01T00:00:00Z');
  for (const path of paths) utimesSync(path, old, new Date('2020-01-02T00:00:00Z'));
  return () => {
    if (!notesReading()) return;
    for (const path of paths) assert.is(statSync(path).atimeMs, old.getTime(), `${path} was read`);
  };
}

/** Whether the file system notes that somebody reads: one that is mounted with `noatime` does not. */
function notesReading(): boolean {
  const { path, remove } = temporaryFolder();
  const file = join(path, 'file');
  writeFileSync(file, 'read me');
  const old = new Date('2020-01-01T00:00:00Z');
  utimesSync(file, old, new Date('2020-01-02T00:00:00Z'));
  readFileSync(file);
  const noted = statSync(file).atimeMs !== old.getTime();
  void remove();
  return noted;
}
