// timeout: 600
// What others generate from the description: a typed client, used as they would use it, against a running server.
import { symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runCommand } from '../support/run-command.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';
import { password, startSite } from './site.ts';

const client = suite('a client that is generated from the description');
const repository = resolve(import.meta.dirname, '../..');
const folder = temporaryFolder();
const site = await startSite();

client.before(async () => {
  const description = JSON.stringify(await site.api('GET', '/api/'));
  await writeFiles(folder.path, {
    'generator/openapi.json': description,
    'client/package.json': '{"type": "module", "private": true}',
    'client/tsconfig.json': JSON.stringify({ compilerOptions }),
    'client/program.ts': program,
  });
  await symlink(join(repository, 'node_modules'), join(folder.path, 'client/node_modules'));
  // Pinned, and with a compiler of its own: the generator cannot use ours, which is newer.
  const packages = ['-p', 'openapi-typescript@7.13.0', '-p', 'typescript@5.9.3'];
  const args = ['--yes', ...packages, 'openapi-typescript', 'openapi.json', '-o', '../client/api.d.ts'];
  const made = await runCommand('npx', args, { cwd: join(folder.path, 'generator') });
  assert.is(made.code, 0, made.stderr);
});
client.after(async () => {
  await site.close();
  await folder.remove();
});

client('knows what a program may ask, and how it is answered', async () => {
  const { code, stdout } = await compiled();
  assert.is(stdout, '');
  assert.is(code, 0);
});

client('does not compile a program that asks for what there is not', async () => {
  const files = mistakes.map(([, wrong], index) => [`client/wrong-${index}.ts`, `${opening}\n${wrong}\n`] as const);
  await writeFiles(folder.path, Object.fromEntries(files));
  const { code, stdout } = await compiled();
  assert.is.not(code, 0);
  const told = stdout.split(/\n(?=\S)/);
  for (const [index, [words]] of mistakes.entries())
    assert.ok(
      told.some((one) => one.startsWith(`wrong-${index}.ts(`) && one.includes(words)),
      `${words}: ${stdout}`,
    );
  assert.equal(
    told.filter((one) => one.startsWith('program.ts')),
    [],
  );
});

client('signs in, makes a token, makes a team, renames it, pages, and reads what was refused', async () => {
  await site.user('tess', { admin: true });
  const args = ['program.ts', site.base, 'tess', password];
  const { code, stdout, stderr } = await runCommand(process.execPath, args, { cwd: join(folder.path, 'client') });
  assert.is(code, 0, stderr);
  const told = JSON.parse(stdout);
  assert.equal(told, {
    signedIn: 'tess',
    before: 0,
    planned: ['create Team', 'create Membership'],
    made: ['Plant One', 'plant-one', 'starter', 'owner'],
    again: true,
    renamed: 'Plant Two',
    listed: ['Plant Two'],
    unchanged: 304,
    moved: [412, 'precondition_failed'],
    absent: [404, 'not_found', 'urn:weir:problem:not_found'],
    refused: [409, 'rule_violated', 'slug-unique'],
    invalid: [400, 'invalid_request', '/name'],
    deleted: 204,
  });
});

client.run();

function compiled() {
  const tsc = join(repository, 'node_modules/.bin/tsc');
  return runCommand(process.execPath, [tsc, '-p', '.', '--pretty', 'false'], {
    cwd: join(folder.path, 'client'),
  });
}

const compilerOptions = {
  target: 'es2024',
  lib: ['es2024', 'dom', 'dom.iterable'],
  types: ['node'],
  module: 'nodenext',
  strict: true,
  noUncheckedIndexedAccess: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  noEmit: true,
} as const;

const opening = `import createClient from 'openapi-fetch';
import type { components, paths } from './api.d.ts';
const client = createClient<paths>({ baseUrl: 'http://127.0.0.1' });
export type Team = components['schemas']['Team'];`;

/** What the compiler has to find, by words of what it says. */
const mistakes = [
  ["'nam' does not exist", `await client.POST('/api/v1/teams', { body: { nam: 'Plant', type: 'starter' } });`],
  ["'type' is missing", `await client.POST('/api/v1/teams', { body: { name: 'Plant' } });`],
  [
    "'number' is not assignable",
    `await client.PUT('/api/v1/teams/{id}', { params: { path: { id: 'a' } }, body: { name: 7 } });`,
  ],
  ["'id' is missing", `await client.GET('/api/v1/teams/{id}', { params: { path: {} } });`],
  ['/api/v1/team"', `await client.GET('/api/v1/team', {});`],
  ["'string' is not assignable", `await client.GET('/api/v1/teams', { params: { query: { limit: 'ten' } } });`],
  [
    '"boss"',
    `await client.POST('/api/v1/teams/{id}/invitations', { params: { path: { id: 'a' } }, body: { user: 'a', role: 'boss' } });`,
  ],
  [
    "'title' does not exist",
    `const { data } = await client.GET('/api/v1/user/teams'); console.log(data?.teams[0]?.title);`,
  ],
  ["'message' does not exist", `const { error } = await client.GET('/api/v1/user'); console.log(error?.message);`],
  [
    '"no_such_code"',
    `const { error } = await client.GET('/api/v1/user'); console.log(error?.code === 'no_such_code');`,
  ],
  [
    "'passwordHash' does not exist",
    `const { data } = await client.GET('/api/v1/user'); console.log(data?.passwordHash);`,
  ],
] as const;

const program = `import createClient from 'openapi-fetch';
import type { components, paths } from './api.d.ts';

type Team = components['schemas']['Team'];
const [baseUrl = '', username = '', password = ''] = process.argv.slice(2);

const visitor = createClient<paths>({ baseUrl });
const { data: user, error, response } = await visitor.POST('/account/login', {
  body: { username, password },
  headers: { origin: baseUrl },
});
if (!user) throw new Error(error.detail);
const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';

const browser = createClient<paths>({ baseUrl, headers: { cookie, origin: baseUrl } });
const made = await browser.POST('/api/v1/user/tokens', { body: { name: 'a program', expiresAt: '2100-01-01T00:00:00Z' } });
if (!made.data || !('token' in made.data)) throw new Error(made.error?.detail ?? 'a plan');

const client = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${made.data.token}\` } });
const before = (await client.GET('/api/v1/user/teams')).data?.count;

const plan = await client.POST('/api/v1/teams', {
  params: { query: { dryRun: true } },
  body: { name: 'Plant One', type: 'starter' },
});
const planned = plan.data && 'changes' in plan.data ? plan.data.changes.map(({ kind, action }) => \`\${action} \${kind}\`) : [];

const wanted = { params: { header: { 'Idempotency-Key': 'once' } }, body: { name: 'Plant One', type: 'starter' } };
const created = await client.POST('/api/v1/teams', wanted);
if (!created.data || !('slug' in created.data)) throw new Error(created.error?.detail ?? 'a plan');
const team = created.data;
const repeated = await client.POST('/api/v1/teams', wanted);

const path = { id: team.id };
const read = await client.GET('/api/v1/teams/{id}', { params: { path } });
const etag = read.response.headers.get('etag') ?? '';
const same = await client.GET('/api/v1/teams/{id}', { params: { path, header: { 'If-None-Match': etag } } });
const renamed = await client.PUT('/api/v1/teams/{id}', {
  params: { path, header: { 'If-Match': etag } },
  body: { name: 'Plant Two' },
});
const late = await client.PUT('/api/v1/teams/{id}', {
  params: { path, header: { 'If-Match': etag } },
  body: { name: 'Plant Three' },
});

const listed: Team[] = [];
for (let cursor: string | undefined, begin = true; begin || cursor !== undefined; begin = false) {
  const page = await client.GET('/api/v1/user/teams', { params: { query: { limit: 1, ...(cursor === undefined ? {} : { cursor }) } } });
  listed.push(...(page.data?.teams ?? []));
  cursor = page.data?.meta.next_cursor;
}

const absent = await client.GET('/api/v1/teams/{id}', { params: { path: { id: 'nobody-s' } } });
const refused = await client.POST('/api/v1/teams', { body: { name: 'Other', slug: 'plant-one', type: 'starter' } });
const invalid = await client.PUT('/api/v1/teams/{id}', { params: { path }, body: { name: '' } });
const deleted = await client.DELETE('/api/v1/teams/{id}', { params: { path } });

console.log(
  JSON.stringify({
    signedIn: user.username,
    before,
    planned,
    made: [team.name, team.slug, team.type.name, team.role],
    again: repeated.data && 'id' in repeated.data && repeated.data.id === team.id,
    renamed: renamed.data && 'name' in renamed.data ? renamed.data.name : renamed.error?.detail,
    listed: listed.map(({ name }) => name),
    unchanged: same.response.status,
    moved: [late.response.status, late.error?.code],
    absent: [absent.response.status, absent.error?.code, absent.error?.type],
    refused: [refused.response.status, refused.error?.code, refused.error?.violations?.[0]?.rule],
    invalid: [invalid.response.status, invalid.error?.code, invalid.error?.violations?.[0]?.path],
    deleted: deleted.response.status,
  }),
);
`;
