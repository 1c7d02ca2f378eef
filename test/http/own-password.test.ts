// A password that is the username or the address of its owner is refused wherever one is set, in the same words.
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { passwordProblem } from '../../src/auth/password.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';
import { weir } from '../support/weir.ts';
import { startPopulated } from './populated.ts';

const words = /it is made of the username or the email address, which is what others try/;
const owner = { username: 'Jo.Hansen', email: 'jo@hansen-works.example' };

const own = suite('a password made of the names of its owner');

own('is one that holds nothing else, whatever the case, the signs in between, and how often', () => {
  for (const password of [
    'jo.hansen',
    'JO.HANSEN',
    'johansen',
    'jo@hansen-works.example',
    'Jo-Hansen-Works-Example',
    'jo.hansenjo.hansen',
    '..jo.hansen!!',
    'jo.hansen jo@hansen-works.example',
  ])
    assert.match(passwordProblem(password, owner) ?? '', words, password);
  for (const password of ['jo.hansen 7 herons', 'hansen rides home', 'hansenworks', 'seven grey herons'])
    assert.is(passwordProblem(password, owner), undefined, password);
  assert.is(passwordProblem('jo.hansen'), undefined);
});

own('is refused by every request that sets one, at the field that holds it', async () => {
  const world = await startPopulated();
  const session = await world.signedIn('ann');
  const ann = { as: 'none', headers: session } as const;
  const olga = { as: 'none', headers: await world.signedIn('olga') } as const;
  const made = { username: 'jo.hansen', email: 'jo@example.net' };
  assert.is(
    (await world.ask('PUT', '/api/v1/users/ann', { ...ann, body: { password: 'copper kettle drum' } })).status,
    200,
  );
  await world.ask('POST', '/api/v1/teams/core/invitations', {
    ...olga,
    body: { user: 'jo@example.net', role: 'viewer' },
  });
  const invitation = /invitations\/([0-9A-Za-z]+)/.exec(world.mails.at(-1)?.text ?? '')?.[1];
  await world.ask('POST', '/account/forgot-password', { as: 'none', body: { email: 'bob@example.net' } });
  const reset = /[?&]token=([0-9A-Za-z]+)|\/([0-9A-Za-z]{30,})/.exec(world.mails.at(-1)?.text ?? '');
  const token = reset?.[1] ?? reset?.[2];
  const asked = [
    await world.ask('POST', '/api/v1/users', { ...ann, body: { ...made, password: 'Jo.Hansen' } }),
    await world.ask('PUT', '/api/v1/users/bob', { ...ann, body: { password: 'bob@example.net' } }),
    await world.ask('PUT', '/api/v1/users/bob', { ...ann, body: { password: 'roberta1', username: 'roberta1' } }),
    await world.ask('PATCH', '/api/v1/users/bob', { ...ann, body: { password: 'bob~bob~bob' } }),
    await world.ask('PUT', '/api/v1/user/password', {
      ...ann,
      body: { current: 'copper kettle drum', new: 'ann@example.net' },
    }),
    await world.ask('POST', '/account/register', {
      as: 'none',
      body: { ...made, password: 'jo@example.net', teamType: 'starter' },
    }),
    await world.ask('POST', '/account/register', { as: 'none', body: { ...made, password: 'jo.hansen', invitation } }),
    await world.ask('POST', '/account/reset-password', { as: 'none', body: { token, password: 'bob@example.net' } }),
  ];
  for (const [at, { status, body, text }] of asked.entries()) {
    assert.equal([status, body.code], [400, 'invalid_request'], `${at}: ${text}`);
    assert.match(body.detail, words, `${at}`);
    assert.match(body.violations[0].path, /^\/(password|new)$/);
  }
  await world.close();
});

own('is refused at the command line, too', async () => {
  const folder = temporaryFolder();
  await writeFiles(folder.path, { name: 'rosaline', address: 'rosa@example.net' });
  const bootstrap = ['bootstrap', '--username', 'rosaline', '--email', 'rosa@example.net'];
  for (const file of ['name', 'address']) {
    const { code, stderr } = await weir(folder.path, [...bootstrap, '--password-file', file]);
    assert.is(code, 64, stderr);
    assert.match(stderr, words);
  }
  assert.is((await weir(folder.path, bootstrap)).code, 0);
  for (const file of ['name', 'address']) {
    const { code, stderr } = await weir(folder.path, ['admin', 'reset-password', 'rosaline', '--password-file', file]);
    assert.is(code, 64, stderr);
    assert.match(stderr, words);
  }
  await folder.remove();
});

own('is looked for wherever a password is hashed', () => {
  const at = (file: string) => readFileSync(new URL(`../../src/http/routes/${file}.ts`, import.meta.url), 'utf8');
  for (const file of ['users', 'self', 'registration', 'recovery', 'account'])
    assert.not.match(at(file), /passwords\.hash\(/, file);
});

own.run();
