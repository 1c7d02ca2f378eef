// References to secrets: what may be read, and what is said when there is nothing to read.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ResolvedSecret, resolveSecret, type SecretReference } from '../../src/manifests/secrets.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const secretDir = join(temporaryFolder().path, 'secrets');
mkdirSync(join(secretDir, '..data'), { recursive: true });
const put = (name: string, content: string | Buffer) => writeFileSync(join(secretDir, name), content);
const env = { WEIR_SECRET_LDAP: 'from env', WEIR_SECRET_EMPTY: '', HOME: '/root', WEIR_ADMIN_PASSWORD: 'no' };
const resolve = (reference: SecretReference) => resolveSecret(reference, { secretDir, env });

const variables = suite('resolveSecret: fromEnv');

variables('are not those of the key of the store', () => {
  for (const name of ['WEIR_SECRET_KEY', 'WEIR_SECRET_KEY_FILE']) {
    const resolved = resolveSecret({ fromEnv: name }, { secretDir: '/nowhere', env: { [name]: 'x' } });
    assert.match(JSON.stringify(resolved), /not-allowed.*cannot be named, because it is for the key of the store/);
    assert.not.ok('value' in resolved);
  }
});

variables('gives the value of a variable that begins with WEIR_SECRET_', () => {
  assert.equal(resolve({ fromEnv: 'WEIR_SECRET_LDAP' }), { value: 'from env' });
});

variables('reads no other variable, and nothing that objects have by themselves', () => {
  for (const name of [
    'HOME',
    'WEIR_ADMIN_PASSWORD',
    'WEIR_SECRET_',
    'weir_secret_ldap',
    '__proto__',
    'constructor',
    'X\nWEIR_SECRET_LDAP',
  ]) {
    assert.is(problemOf(resolve({ fromEnv: name })), 'not-allowed', name);
  }
});

variables('tells a missing variable from an empty one', () => {
  assert.is(problemOf(resolve({ fromEnv: 'WEIR_SECRET_NONE' })), 'missing');
  assert.is(problemOf(resolve({ fromEnv: 'WEIR_SECRET_EMPTY' })), 'empty');
});

variables.run();

const files = suite('resolveSecret: fromFile');

files('gives the text of a file without one line break at its end', () => {
  put('plain', 'secret');
  put('line', 'secret\n');
  put('windows', '\uFEFFsecret\r\n');
  put('two', ' secret \n\n');
  assert.equal(
    ['plain', 'line', 'windows', 'two'].map((name) => resolve({ fromFile: name })),
    [{ value: 'secret' }, { value: 'secret' }, { value: 'secret' }, { value: ' secret \n' }],
  );
});

files('follows the links of a Kubernetes volume', () => {
  put('..data/ldap', 'mounted\n');
  symlinkSync('..data/ldap', join(secretDir, 'ldap'));
  assert.equal(resolve({ fromFile: 'ldap' }), { value: 'mounted' });
  assert.equal(resolve({ fromFile: './ldap' }), { value: 'mounted' });
});

files('follows a folder that is a link itself', () => {
  const link = join(temporaryFolder().path, 'link');
  symlinkSync(secretDir, link);
  put('linked', 'yes');
  assert.equal(resolveSecret({ fromFile: 'linked' }, { secretDir: link, env }), { value: 'yes' });
});

files('leaves the folder by no way', () => {
  symlinkSync('/etc/hostname', join(secretDir, 'out'));
  symlinkSync('/etc', join(secretDir, 'etc'));
  for (const path of ['../secrets/plain', '/etc/hostname', 'out', 'etc/hostname', '', '.', '..', 'a/../../x', 'x\0y']) {
    assert.is(problemOf(resolve({ fromFile: path })), 'not-allowed', JSON.stringify(path));
  }
});

files('tells missing, empty and unusable apart', () => {
  put('empty', '\n');
  put('large', 'x'.repeat(64 * 1024 + 1));
  put('binary', Buffer.from([0x61, 0xff]));
  put('nul', 'a\0b');
  mkdirSync(join(secretDir, 'folder'));
  execFileSync('mkfifo', [join(secretDir, 'pipe')]);
  symlinkSync('nowhere', join(secretDir, 'dangling'));
  const names = ['none', 'dangling', 'empty', 'large', 'binary', 'nul', 'folder', 'pipe'];
  assert.equal(
    names.map((name) => problemOf(resolve({ fromFile: name }))),
    ['missing', 'missing', 'empty', ...Array(5).fill('unreadable')],
  );
  assert.is(problemOf(resolveSecret({ fromFile: 'x' }, { secretDir: join(secretDir, 'none'), env })), 'missing');
});

files('says so where the permission is missing', () => {
  put('closed', 'secret');
  chmodSync(join(secretDir, 'closed'), 0o000);
  chmodSync(join(secretDir, '..'), 0o755);
  const code = `
    const { resolveSecret } = await import(${JSON.stringify(new URL('../../src/manifests/secrets.ts', import.meta.url).href)});
    if (process.getuid() === 0) process.setuid(65534);
    console.log(resolveSecret({ fromFile: 'closed' }, { secretDir: ${JSON.stringify(secretDir)}, env: {} }).problem);`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
  assert.is(stdout.trim(), 'unreadable');
});

files('shows a value in no message', () => {
  put('shown', 'hunter2\0');
  const answer = resolve({ fromFile: 'shown' });
  assert.not.match(JSON.stringify(answer), /hunter2/);
  assert.match(JSON.stringify(answer), /shown/);
});

files.run();

function problemOf(secret: ResolvedSecret): string {
  return 'problem' in secret ? secret.problem : `value of ${secret.value.length} characters`;
}
