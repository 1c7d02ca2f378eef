// Reading a tree from a real disk: what is read, what is skipped, and what stands in the way.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openRegular } from '../../src/manifests/open.ts';
import { type ReadOptions, read } from '../../src/manifests/read.ts';
import { scan } from '../../src/manifests/scan.ts';
import { isMissing, type Tree } from '../../src/manifests/tree.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';

const manifest = 'kind: Platform\nmetadata: {name: platform}\n';
const stack = (name: string) => `kind: Stack\nmetadata: {name: ${name}}\nspec: {runtime: r}\n`;

const reading = suite('read');

reading('answers files, documents and digests in the order of the paths', async () => {
  const { tree } = await treeOf({
    'weir.yaml': manifest,
    'b/a.yaml': stack('two'),
    'b.yml': `${stack('one')}---\n${stack('more')}`,
    'a/z/deep.yaml': stack('zero'),
  });
  assert.equal([...tree.files.keys()], ['a/z/deep.yaml', 'b.yml', 'b/a.yaml', 'weir.yaml']);
  assert.equal(namesOf(tree), ['zero', 'one', 'more', 'two', 'platform']);
  assert.match(tree.files.get('b.yml')?.digest ?? '', /^[0-9a-f]{64}$/);
  assert.equal(tree.findings, []);
  assert.equal(tree.unreadable, []);
});

reading('skips dot files, leftovers of editors, folders of Kubernetes and Node, and the overlays', async () => {
  const skipped = [
    '.hidden.yaml',
    '.git/x.yaml',
    'a.yaml~',
    '.#a.yaml',
    '.a.yaml.swp',
    '4913',
    '..data/a.yaml',
    '..2026_01_31_10_00_00.123/a.yaml',
    'node_modules/p/a.yaml',
    'overlays/prod/a.yaml',
    'notes.txt',
    'a.json',
  ];
  const { tree } = await treeOf({
    'weir.yaml': manifest,
    'b/overlays/a.yaml': stack('kept'),
    ...Object.fromEntries(skipped.map((path) => [path, 'not: [yaml'])),
  });
  assert.equal([...tree.files.keys()], ['b/overlays/a.yaml', 'weir.yaml']);
  assert.equal(tree.findings, []);
});

reading('skips what Platform.spec.exclude names, folders with all that is in them', async () => {
  const exclude = ['drafts', '*.draft.yaml', 'values/**', './old/*.yaml', 'a/?.yaml'];
  const { tree } = await treeOf({
    'weir.yaml': `kind: Platform\nmetadata: {name: platform}\nspec: {exclude: ${JSON.stringify(exclude)}}\n`,
    'drafts/x/y.yaml': '[',
    'b/c.draft.yaml': '[',
    'values/deep/x.yaml': '[',
    'old/x.yaml': '[',
    'a/1.yaml': '[',
    'old/deep/x.yaml': stack('one'),
    'a/12.yaml': stack('two'),
    'drafts.yaml': stack('three'),
  });
  assert.equal([...tree.files.keys()], ['a/12.yaml', 'drafts.yaml', 'old/deep/x.yaml', 'weir.yaml']);
  assert.equal(tree.findings, []);
  assert.is(await scan(tree), true, 'young files are not trusted');
  assert.is(await scan(old(tree)), false);
});

reading('reads the one overlay that is asked for', async () => {
  const { tree, root } = await treeOf(
    { 'weir.yaml': manifest, 'overlays/prod/a.yaml': stack('one'), 'overlays/test/a.yaml': '[' },
    { overlay: 'prod' },
  );
  assert.equal([...tree.files.keys()], ['overlays/prod/a.yaml', 'weir.yaml']);
  assert.equal(
    tree.overlays.map(({ file }) => file),
    ['overlays/prod/a.yaml'],
  );
  assert.equal(namesOf(tree), ['platform', 'one']);
  assert.is(await scan(old(tree)), false);
  for (const overlay of ['staging', '..', 'prod/..', '', '.'])
    assert.is((await missingOf(root, { overlay })).missing, 'overlay', overlay);
});

reading("warns of a file whose name is almost a document's", async () => {
  const { tree } = await treeOf({ 'weir.yaml': manifest, 'Team.YAML': '[', 'b/x.Yml': '[' });
  assert.equal([...tree.files.keys()], ['weir.yaml']);
  assert.equal(
    tree.findings.map(({ severity, source }) => [severity, source?.file]),
    [
      ['warning', 'Team.YAML'],
      ['warning', 'b/x.Yml'],
    ],
  );
});

reading('reads CRLF and a byte order mark, and keeps the text as editors count it', async () => {
  const { tree } = await treeOf({ 'weir.yaml': '\uFEFFkind: Platform\r\nmetadata:\r\n  name: platform\r\n' });
  assert.equal(namesOf(tree), ['platform']);
  assert.is(tree.files.get('weir.yaml')?.text.startsWith('kind'), true);
});

reading('keeps a line break in a file name as it is', async () => {
  const { tree } = await treeOf({ 'weir.yaml': manifest, 'a\n::error::b.yaml': 'x: [' });
  assert.is(tree.findings[0]?.source?.file, 'a\n::error::b.yaml');
});

reading('takes an empty file for a file without documents', async () => {
  const { tree } = await treeOf({ 'weir.yaml': manifest, 'a.yaml': '', 'b.yaml': '# later\n' });
  assert.equal(
    ['a.yaml', 'b.yaml'].map((path) => tree.files.get(path)?.documents.length),
    [0, 0],
  );
  assert.equal(
    ['a.yaml', 'b.yaml'].map((path) => tree.files.get(path)?.broken),
    [false, false],
  );
});

reading.run();

const absent = suite('read: no tree');

absent('where the folder is not there, or is a file', async () => {
  const { root } = await treeOf({ 'weir.yaml': manifest });
  assert.is((await missingOf(join(root, 'nowhere'))).missing, 'folder');
  assert.is((await missingOf(join(root, 'weir.yaml'))).missing, 'folder');
  assert.match((await missingOf(join(root, 'nowhere'))).message, /not a tree, or not mounted/);
});

absent('where the root manifest is not there, or leads nowhere', async () => {
  const { root } = await treeOf({ 'weir.yaml': manifest, 'a.yaml': stack('a') });
  rmSync(join(root, 'weir.yaml'));
  assert.is((await missingOf(root)).missing, 'weir.yaml');
  assert.match((await missingOf(root)).message, /not a tree, or not mounted: there is no weir\.yaml/);
  symlinkSync('..data/weir.yaml', join(root, 'weir.yaml'));
  assert.is((await missingOf(root)).missing, 'weir.yaml');
});

absent.run();

const obstacles = suite('read: in the way');

obstacles(
  'a pipe, a socket, a device and a folder in place of a file: each a finding, none is waited for',
  async () => {
    const { root } = await treeOf({ 'weir.yaml': manifest, 'real.yaml/a.yaml': stack('one') });
    execFileSync('mkfifo', [join(root, 'pipe.yaml')]);
    symlinkSync('/dev/null', join(root, 'device.yaml'));
    const server = createServer().listen(join(root, 'socket.yaml'));
    await new Promise((resolve) => server.once('listening', resolve));
    const tree = await again(root);
    server.close();
    assert.equal(wrongIn(tree), {
      'device.yaml': 'the link cannot be followed, because it leads out of the tree: put what it names inside',
      'pipe.yaml': 'the file cannot be read, because it is not a regular file: remove it',
      'socket.yaml': 'the file cannot be read, because it is not a regular file: remove it',
    });
    assert.equal(tree.unreadable, ['device.yaml', 'pipe.yaml', 'socket.yaml']);
    assert.ok(tree.files.get('pipe.yaml')?.broken);
    assert.equal(namesOf(tree), ['one', 'platform']);
  },
);

obstacles('a pipe in place of the root manifest', async () => {
  const { root } = await treeOf({ 'weir.yaml': manifest });
  rmSync(join(root, 'weir.yaml'));
  execFileSync('mkfifo', [join(root, 'weir.yaml')]);
  assert.match(wrongIn(await again(root))['weir.yaml'] ?? '', /not a regular file/);
});

obstacles('a pipe behind a link', async () => {
  const { root } = await treeOf({ 'weir.yaml': manifest });
  execFileSync('mkfifo', [join(root, 'pipe')]);
  symlinkSync('pipe', join(root, 'a.yaml'));
  assert.match(wrongIn(await again(root))['a.yaml'] ?? '', /not a regular file/);
});

obstacles('links that lead nowhere, in a circle, back, or out of the tree', async () => {
  const { root } = await treeOf({ 'weir.yaml': manifest, 'folder/a.yaml': stack('a') });
  symlinkSync('nothing.yaml', join(root, 'dangling.yaml'));
  symlinkSync('team-types-of-old', join(root, 'team-types'));
  symlinkSync('two.yaml', join(root, 'one.yaml'));
  symlinkSync('one.yaml', join(root, 'two.yaml'));
  symlinkSync('..', join(root, 'folder/back'));
  symlinkSync('/etc', join(root, 'etc'));
  symlinkSync('/etc/hostname', join(root, 'host.yaml'));
  symlinkSync('/etc/hostname', join(root, 'no-document'));
  const tree = await again(root);
  const short = Object.entries(wrongIn(tree)).map(([path, message]) => [path, /because (.*?):/.exec(message)?.[1]]);
  assert.equal(short, [
    ['dangling.yaml', 'nothing is where it leads'],
    ['etc', 'it leads out of the tree'],
    ['folder/back', 'it leads back to a folder that it is in'],
    ['host.yaml', 'it leads out of the tree'],
    ['one.yaml', 'it leads in a circle'],
    ['team-types', 'nothing is where it leads'],
    ['two.yaml', 'it leads in a circle'],
  ]);
  for (const { rule, source } of tree.findings) assert.equal([rule, source?.line, source?.column], ['syntax', 1, 1]);
  assert.is(await scan(old(tree)), false);
});

if (process.platform !== 'win32')
  obstacles('a link that took the place of a file after it was found', async () => {
    const { root } = await treeOf({ 'weir.yaml': manifest, 'a.yaml': stack('a') });
    symlinkSync('a.yaml', join(root, 'link.yaml'));
    assert.ok('bytes' in openRegular(join(root, 'a.yaml'), 1000));
    assert.equal(openRegular(join(root, 'link.yaml'), 1000), { reason: 'failed', code: 'ELOOP' });
  });

obstacles('not the links of a Kubernetes volume', async () => {
  const { root } = await treeOf({
    '..2026_a/weir.yaml': manifest,
    '..2026_a/stacks.yaml': stack('one'),
    '..2026_a/sub/more.yaml': stack('two'),
  });
  symlinkSync('..2026_a', join(root, '..data'));
  for (const name of ['weir.yaml', 'stacks.yaml', 'sub']) symlinkSync(`..data/${name}`, join(root, name));
  const tree = await again(root);
  assert.equal(tree.findings, []);
  assert.equal([...tree.files.keys()], ['stacks.yaml', 'sub/more.yaml', 'weir.yaml']);
});

obstacles('a tree behind a link is a tree', async () => {
  const { root } = await treeOf({ 'weir.yaml': manifest, 'a.yaml': stack('a') });
  const folder = temporaryFolder().path;
  symlinkSync(root, join(folder, 'current'));
  assert.equal(namesOf(await again(join(folder, 'current'))), ['a', 'platform']);
});

obstacles('a file over 4 MiB, which is not even opened to the end', async () => {
  const { tree } = await treeOf({
    'weir.yaml': manifest,
    'big.yaml': `# ${'x'.repeat(4 * 1024 * 1024)}`,
    'fits.yaml': `# ${'x'.repeat(4 * 1024 * 1024 - 2)}`,
  });
  assert.equal(Object.keys(wrongIn(tree)), ['big.yaml']);
  assert.match(wrongIn(tree)['big.yaml'] ?? '', /larger than 4 MiB/);
  assert.ok(tree.files.get('big.yaml')?.broken);
});

obstacles('bytes that are not UTF-8, at their line and column', async () => {
  const { root } = await treeOf({ 'weir.yaml': manifest });
  writeFileSync(
    join(root, 'a.yaml'),
    Buffer.concat([Buffer.from('a: 1\nb: \u00e4\u{1F600} '), Buffer.from([0xe4, 0x20]), Buffer.from('c\n')]),
  );
  writeFileSync(join(root, 'b.yaml'), Buffer.from('\uFEFFa: 1\n', 'utf16le'));
  writeFileSync(join(root, 'c.yaml'), Buffer.from([0x61, 0xf0, 0x9f, 0x98]));
  const tree = await again(root);
  assert.equal(
    tree.findings.map(({ source }) => `${source?.file}:${source?.line}:${source?.column}`),
    ['a.yaml:2:8', 'b.yaml:1:1', 'c.yaml:1:2'],
  );
  assert.match(tree.findings[0]?.message ?? '', /not UTF-8/);
});

obstacles('names that are not UTF-8', async () => {
  const { root } = await treeOf({ 'weir.yaml': manifest });
  writeFileSync(Buffer.concat([Buffer.from(`${root}/caf`), Buffer.from([0xe9]), Buffer.from('.yaml')]), stack('x'));
  mkdirSync(Buffer.concat([Buffer.from(`${root}/d`), Buffer.from([0xe9])]));
  const tree = await again(root);
  assert.equal(Object.keys(wrongIn(tree)), ['caf\uFFFD.yaml', 'd\uFFFD']);
  for (const message of Object.values(wrongIn(tree))) assert.match(message, /name is not UTF-8/);
});

obstacles('files and folders without permission: findings, never deletions', async () => {
  const { root } = await treeOf({
    'weir.yaml': manifest,
    'a.yaml': stack('a'),
    'folder/b.yaml': stack('b'),
    'closed/c.yaml': stack('c'),
  });
  chmodSync(join(root, 'a.yaml'), 0o000);
  chmodSync(join(root, 'folder'), 0o000);
  chmodSync(join(root, 'closed'), 0o444);
  const tree = asNobody(root);
  chmodSync(join(root, 'folder'), 0o700);
  chmodSync(join(root, 'closed'), 0o700);
  assert.equal(tree.findings, [
    ['error', 'a.yaml', 'the file cannot be read, because Weir has no permission for it: allow it to be read'],
    ['error', 'closed/c.yaml', 'the file cannot be read, because Weir has no permission for it: allow it to be read'],
    ['error', 'folder', 'the folder cannot be read, because Weir has no permission for it: allow it to be read'],
  ]);
  assert.equal(tree.unreadable, ['a.yaml', 'closed/c.yaml', 'folder']);
});

obstacles('a root or a root manifest without permission: no tree, for that reason', async () => {
  const { root } = await treeOf({ 'weir.yaml': manifest });
  chmodSync(join(root, 'weir.yaml'), 0o000);
  assert.is(asNobody(root).missing, 'permission');
  chmodSync(join(root, 'weir.yaml'), 0o644);
  chmodSync(root, 0o000);
  assert.is(asNobody(root).missing, 'permission');
  chmodSync(root, 0o755);
});

obstacles.run();

const increments = suite('read: again');

increments('takes what did not change from the last reading', async () => {
  const { root, tree } = await treeOf({ 'weir.yaml': manifest, 'a.yaml': stack('a'), 'b.yaml': stack('b') });
  writeFileSync(join(root, 'a.yaml'), stack('changed'));
  rmSync(join(root, 'b.yaml'));
  writeFileSync(join(root, 'c.yaml'), stack('c'));
  const next = await again(root, { previous: old(tree) });
  assert.is(next.files.get('weir.yaml')?.documents[0], tree.files.get('weir.yaml')?.documents[0]);
  assert.equal(namesOf(next), ['changed', 'c', 'platform']);
  assert.is.not(next.digest, tree.digest);
});

increments('takes the documents of a file that was only touched, and the same revision', async () => {
  const { root, tree } = await treeOf({ 'weir.yaml': manifest });
  utimesSync(join(root, 'weir.yaml'), new Date(), new Date(1e12));
  assert.is(await scan(old(tree)), true);
  const next = await again(root, { previous: old(tree) });
  assert.is(next.documents[0], tree.documents[0]);
  assert.is(next.digest, tree.digest);
});

increments('compares the bytes of a file that changed within two seconds of being read', async () => {
  const { root, tree } = await treeOf({ 'weir.yaml': manifest, 'a.yaml': stack('one') });
  assert.is(tree.fresh, true);
  writeFileSync(join(root, 'a.yaml'), stack('two'));
  // As if the change had fallen into the same tick of the file system's clock.
  const stat = statNow(root, 'a.yaml');
  const files = new Map([...tree.files].map(([path, entry]) => [path, path === 'a.yaml' ? { ...entry, stat } : entry]));
  const unseen: Tree = { ...tree, files };
  assert.equal(namesOf(await again(root, { previous: unseen })), ['two', 'platform']);
});

increments('says the same of two folders with the same content', async () => {
  const files = { 'weir.yaml': manifest, 'a/b.yaml': stack('b'), 'c.yaml': stack('c') };
  const [one, two] = [await treeOf(files), await treeOf(files)];
  assert.is(one.tree.digest, two.tree.digest);
  renameSync(join(two.root, 'c.yaml'), join(two.root, 'd.yaml'));
  assert.is.not((await again(two.root)).digest, one.tree.digest);
});

increments.run();

const drawn = suite('read: public files');
const filesOf = ({ value }: { readonly value: unknown }) =>
  (value as { certificate?: string }).certificate?.split(' ') ?? [];

drawn('are read with the tree, and count in its revision', async () => {
  const { root, tree } = await treeOf(
    { 'weir.yaml': manifest, 'sso/a.yaml': 'certificate: ../certs/idp.pem\n', 'certs/idp.pem': 'ONE' },
    { filesOf },
  );
  const [document] = tree.files.get('sso/a.yaml')?.documents ?? [];
  assert.equal(textOf(tree, document), 'ONE');
  const settled = old(tree);
  assert.is(await scan(settled), false);
  writeFileSync(join(root, 'certs/idp.pem'), 'TWO');
  assert.is(await scan(settled), true);
  const next = await again(root, { previous: settled, filesOf });
  assert.is.not(next.digest, tree.digest);
  const [reread] = next.files.get('sso/a.yaml')?.documents ?? [];
  assert.is.not(
    reread,
    document,
    'a document whose file changed is a new one, so that nothing kept for the old one is used',
  );
  assert.equal(textOf(next, reread), 'TWO');
});

drawn('that are missing, too large, not text, or outside are problems, and may be mended', async () => {
  const paths = [
    'nowhere.pem',
    'big.pem',
    'binary.pem',
    '../../etc/hostname',
    '/etc/hostname',
    'link.pem',
    'folder',
    'fine.pem',
  ];
  const { root } = await treeOf({
    'weir.yaml': manifest,
    'a.yaml': `certificate: ${paths.join(' ')}\n`,
    'big.pem': 'x'.repeat(256 * 1024 + 1),
    'folder/x': '',
    '..data/fine.pem': 'FINE',
  });
  writeFileSync(join(root, 'binary.pem'), Buffer.from([0x30, 0x82, 0xff]));
  symlinkSync('/etc/hostname', join(root, 'link.pem'));
  symlinkSync('..data/fine.pem', join(root, 'fine.pem'));
  const tree = await again(root, { filesOf });
  const [document] = tree.files.get('a.yaml')?.documents ?? [];
  const said = paths.map((path) => (document ? tree.file(document, path) : undefined));
  const reasons = [
    /no such file/,
    /larger than 256 KiB/,
    /not UTF-8/,
    /out of the tree/,
    /out of the tree/,
    /out of the tree/,
    /not a regular file/,
  ];
  for (const [index, reason] of reasons.entries())
    assert.match((said[index] as { problem: string }).problem, reason, paths[index]);
  assert.is((said[7] as { text: string }).text, 'FINE');
  writeFileSync(join(root, 'nowhere.pem'), 'HERE');
  assert.is(await scan(old(tree)), true);
});

drawn.run();

function textOf(tree: Tree, document: Tree['documents'][number] | undefined): string | undefined {
  if (!document) return undefined;
  const file = tree.file(document, '../certs/idp.pem');
  return 'text' in file ? file.text : undefined;
}

async function treeOf(
  files: Record<string, string>,
  options: ReadOptions = {},
): Promise<{ readonly root: string; readonly tree: Tree }> {
  const root = temporaryFolder().path;
  await writeFiles(root, files);
  return { root, tree: 'weir.yaml' in files ? await again(root, options) : ({} as Tree) };
}

async function again(root: string, options: ReadOptions = {}): Promise<Tree> {
  const result = await read(root, options);
  if (isMissing(result)) throw new Error(result.message);
  return result;
}

async function missingOf(root: string, options: ReadOptions = {}) {
  const result = await read(root, options);
  if (!isMissing(result)) throw new Error('there is a tree');
  return result;
}

/** The reading as it would be had its files been written long before. */
function old(tree: Tree): Tree {
  return {
    ...tree,
    fresh: false,
    files: new Map([...tree.files].map(([path, entry]) => [path, { ...entry, fresh: false }])),
  };
}

function namesOf(tree: Tree): unknown[] {
  return tree.documents.map(({ value }) => (value as { metadata?: { name?: string } }).metadata?.name);
}

function wrongIn(tree: Tree): Record<string, string> {
  return Object.fromEntries(tree.findings.map(({ source, message }) => [source?.file, message]));
}

function statNow(root: string, path: string) {
  const { size, mtimeMs, ctimeMs, ino, dev } = statSync(join(root, path));
  return { size, mtimeMs, ctimeMs, ino, dev };
}

/** Reads a tree in a process without root's powers over permissions. */
function asNobody(root: string): {
  readonly findings: unknown;
  readonly unreadable: unknown;
  readonly missing?: unknown;
} {
  const code = `
    const { read } = await import(${JSON.stringify(new URL('../../src/manifests/read.ts', import.meta.url).href)});
    if (process.getuid() === 0) process.setuid(65534);
    const tree = await read(${JSON.stringify(root)});
    const findings = tree.findings?.map(({ severity, source, message }) => [severity, source.file, message]);
    console.log(JSON.stringify({ findings, unreadable: tree.unreadable, missing: tree.missing }));`;
  chmodSync(
    root,
    (process.getuid?.() ?? 0) === 0
      ? statSync(root).mode | (0o055 * (statSync(root).mode & 0o700 ? 1 : 0))
      : statSync(root).mode,
  );
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  assert.is(stderr, '');
  return JSON.parse(stdout);
}
