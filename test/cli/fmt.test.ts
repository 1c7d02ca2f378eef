// weir fmt on real files: what it lists, what it writes, and what it leaves alone.
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { platform, stack, type Workspace, workspace } from './world.ts';

const loose = 'metadata:   {name: nr-5}\nkind: Stack\nspec:\n    runtime: "5"   # the newest\n';
const tidy = 'kind: Stack\nmetadata: {name: nr-5}\nspec:\n  runtime: "5" # the newest\n';

const fmt = suite<{ here: Workspace }>('weir fmt');

fmt.before.each(async (context) => {
  context.here = await workspace({
    'config/more.yaml': loose,
    'config/overlays/staging/x.yaml': loose,
    'config/notes.txt': 'a:   b\n',
  });
});
fmt.after.each(({ here }) => here.remove());

fmt(
  'writes what is not canonical, in all environments, and lists it; a second time there is nothing',
  async ({ here }) => {
    chmodSync(join(here.path, 'config/more.yaml'), 0o640);
    const first = await here.weir('fmt');
    assert.is(first.code, 0);
    assert.is(first.stdout, 'config/more.yaml\nconfig/overlays/staging/x.yaml\n');
    assert.is(first.stderr, '2 files formatted\n');
    assert.is(here.read('config/more.yaml'), tidy);
    assert.is(here.read('config/overlays/staging/x.yaml'), tidy);
    assert.is(statSync(join(here.path, 'config/more.yaml')).mode & 0o777, 0o640);
    assert.is(here.read('config/stacks.yaml'), stack);
    assert.equal(await here.weir('fmt'), { code: 0, stdout: '', stderr: '' });
  },
);

fmt('with --env it leaves the other environments alone, and names one that is missing', async ({ here }) => {
  mkdirSync(join(here.path, 'config/overlays/prod'));
  assert.is((await here.weir('fmt --env prod')).stdout, 'config/more.yaml\n');
  assert.is((await here.weir('fmt --check --env staging')).stdout, 'config/overlays/staging/x.yaml\n');
  const { code, stderr } = await here.weir('fmt --env nope');
  assert.is(code, 5);
  assert.match(stderr, /^weir: config has no environment "nope" \(it has prod, staging\)/);
});

fmt('--check writes nothing, and exits 1 where it would', async ({ here }) => {
  const { code, stdout, stderr } = await here.weir('fmt config --check');
  assert.is(code, 1);
  assert.is(stdout, 'config/more.yaml\nconfig/overlays/staging/x.yaml\n');
  assert.is(stderr, '2 files not formatted: run weir fmt\n');
  assert.is(here.read('config/more.yaml'), loose);
  await here.weir('fmt');
  assert.is((await here.weir('fmt --check')).code, 0);
});

fmt('names a file that is no YAML, leaves it alone, and formats the others', async ({ here }) => {
  here.write('config/stacks.yaml', 'kind: Stack\n  metadata: [\n');
  const { code, stdout, stderr } = await here.weir('fmt');
  assert.is(code, 1);
  assert.match(stdout, /config\/more\.yaml/);
  assert.match(stderr, /error\[syntax\].*\n *--> stacks\.yaml:2:/);
  assert.is(here.read('config/stacks.yaml'), 'kind: Stack\n  metadata: [\n');
  assert.is(here.read('config/more.yaml'), tidy);
});

fmt(
  'formats what is YAML but no valid document, writes through links, and passes over what is excluded',
  async ({ here }) => {
    here.write('config/weir.yaml', `${platform}spec: {exclude: [more.yaml]}\n`);
    here.write('config/sizes.yaml', 'kind: InstanceType\nspec:   {stacks: [nr-4]}\nmetadata: {nam: small}\n');
    symlinkSync('overlays/staging/x.yaml', join(here.path, 'config/link.yaml'));
    const { code } = await here.weir('fmt');
    assert.is(code, 0);
    assert.is(here.read('config/sizes.yaml'), 'kind: InstanceType\nmetadata: {nam: small}\nspec: {stacks: [nr-4]}\n');
    assert.is(readFileSync(join(here.path, 'config/overlays/staging/x.yaml'), 'utf8'), tidy);
    assert.is(here.read('config/more.yaml'), loose);
  },
);

fmt('exits 5 where there is no tree, and 64 for what it does not know', async ({ here }) => {
  const { code, stderr } = await here.weir('fmt nowhere');
  assert.is(code, 5);
  assert.match(stderr, /nowhere is not a tree, or not mounted/);
  assert.is((await here.weir('fmt --chek')).code, 64);
});

fmt.run();
