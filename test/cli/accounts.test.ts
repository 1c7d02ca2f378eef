// The commands that make and mend accounts, on a real store.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createPasswords } from '../../src/auth/password.ts';
import { hashToken, useOfToken } from '../../src/auth/token.ts';
import { openStore } from '../../src/store/json-file.ts';
import { type Workspace, workspace } from './world.ts';

const bootstrap = suite<{ here: Workspace }>('weir bootstrap');

bootstrap.before.each(async (context) => {
  context.here = await workspace();
});
bootstrap.after.each(({ here }) => here.remove());

bootstrap('makes the first admin and a token, and prints them once, on one line', async ({ here }) => {
  const { code, stdout, stderr } = await here.weir('bootstrap');
  assert.is(code, 0, stderr);
  assert.match(stderr, /^\S+secret\.key: the key [0-9a-f]{8} of the store was made: keep a copy of it[^\n]*\n$/);
  assert.match(stdout, /^\{[^\n]*\}\n$/);
  const { username, password, token, ...rest } = JSON.parse(stdout);
  assert.equal(rest, {});
  assert.is(username, 'admin');
  assert.ok(useOfToken(token));
  const store = await openStore(join(here.path, '.weir'), { create: false, readOnly: true });
  const view = store.read();
  const user = view.named('User', 'admin');
  assert.is(user?.spec.admin, true);
  assert.is(user?.spec.email, 'admin@localhost');
  assert.ok(await createPasswords().verify(password, user?.spec.passwordHash));
  const [kept] = view.all('Token');
  assert.is(kept?.spec.hash, hashToken(token));
  assert.is(kept?.spec.scope, 'full');
  await store.close();
  const journal = here.read('.weir/journal-000000000001.jsonl');
  assert.not.match(journal, password);
  assert.not.match(journal, token);
  assert.is(statSync(join(here.path, '.weir/journal-000000000001.jsonl')).mode & 0o077, 0, 'for nobody else to read');
});

bootstrap('refuses a second time: 3', async ({ here }) => {
  await here.weir('bootstrap');
  const { code, stdout, stderr } = await here.weir('bootstrap --username other');
  assert.is(code, 3);
  assert.is(stdout, '');
  assert.is(
    stderr,
    'weir: no first admin can be made, because the store has a user already: "weir admin reset-password USERNAME" mends a lost password\n',
  );
});

bootstrap('takes a name, an address and a password file', async ({ here }) => {
  here.write('password', 'a long enough secret\n');
  const { stdout } = await here.weir('bootstrap --username Ann --email Ann@Example.com --password-file password');
  assert.is(JSON.parse(stdout).password, 'a long enough secret');
  const store = await openStore(join(here.path, '.weir'), { create: false, readOnly: true });
  assert.is(store.read().named('User', 'ann')?.spec.email, 'ann@example.com');
  await store.close();
});

bootstrap(
  'refuses a password that is no good, and a file that is not there, before it makes a store',
  async ({ here }) => {
    here.write('password', 'password\n');
    const common = await here.weir('bootstrap --store elsewhere --password-file password');
    assert.is(common.code, 64);
    assert.match(
      common.stderr,
      /^weir: the password in password cannot be used, because it is one that many people use/,
    );
    const missing = await here.weir('bootstrap --store elsewhere --password-file nowhere');
    assert.is(missing.code, 5);
    assert.match(missing.stderr, /nowhere cannot be read, because there is no such file or folder/);
    assert.is((await here.weir('status --store elsewhere')).code, 5);
  },
);

bootstrap.run();

const reset = suite<{ here: Workspace }>('weir admin reset-password');

reset.before.each(async (context) => {
  context.here = await workspace();
  await context.here.weir('bootstrap');
});
reset.after.each(({ here }) => here.remove());

reset('gives a new password and prints it alone', async ({ here }) => {
  const { code, stdout, stderr } = await here.weir('admin reset-password Admin');
  assert.is(code, 0, stderr);
  assert.match(stdout, /^\S{20,}\n$/);
  const store = await openStore(join(here.path, '.weir'), { create: false, readOnly: true });
  assert.ok(await createPasswords().verify(stdout.trim(), store.read().named('User', 'admin')?.spec.passwordHash));
  await store.close();
});

reset('says who does not exist, and who was meant', async ({ here }) => {
  const { code, stdout, stderr } = await here.weir('admin reset-password amdin');
  assert.is(code, 64);
  assert.is(stdout, '');
  assert.match(stderr, /there is no user of that name \(did you mean "admin"\?\)\n$/);
});

reset.run();
