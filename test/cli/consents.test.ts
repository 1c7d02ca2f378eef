// Consent is typed each time: no variable stands for it. And the one thing that only a variable holds, a token, is never printed.
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { verbs } from '../../src/cli/index.ts';
import { flagName, flagNote, optionNames, readOptions, variableName } from '../../src/options.ts';
import { seed } from '../support/weir.ts';
import { type Workspace, workspace } from './world.ts';

const consent = suite<{ here: Workspace }>('a flag that consents');

consent.before.each(async (context) => {
  context.here = await workspace();
});
consent.after.each(({ here }) => here.remove());

consent('is marked in the table of options, and so is every new one', () => {
  for (const name of optionNames) {
    const { says, consent: isMarked } = flagNote(name);
    const sounds =
      /consent|without asking|force|overwrite/i.test(says) || /^(yes|force|allow|adopt|overwrite)/.test(name);
    assert.is(isMarked === true, sounds, `${name}: a flag that consents has \`consent: true\``);
  }
  assert.equal(
    optionNames.filter((name) => flagNote(name).consent),
    ['allowDeletes', 'adopt', 'yes'],
  );
});

consent('of a command is told so in its notes, too', async () => {
  for (const [name, entry] of Object.entries(verbs)) {
    const { options, notes = {} } = await entry.load();
    for (const option of options)
      if (/consent/.test(notes[option] ?? '')) assert.ok(flagNote(option).consent, `${name} --${flagName(option)}`);
  }
});

consent('is never read from the environment', () => {
  const env = { WEIR_ALLOW_DELETES: '3', WEIR_ADOPT: 'Stack/a', WEIR_YES: 'true' };
  const { allowDeletes, adopt, yes } = readOptions(['allowDeletes', 'adopt', 'yes'], new Map(), env);
  assert.equal([allowDeletes, adopt, yes], [undefined, [], false]);
});

consent('that is exported deletes nothing, and is said to be ignored', async ({ here }) => {
  const many = Array.from({ length: 12 }, (_, n) => `kind: Stack\nmetadata: {name: s-${n}}\nspec: {runtime: x}\n`);
  here.write('config/many.yaml', many.join('---\n'));
  assert.is((await here.weir('apply')).code, 0);
  here.write('config/many.yaml', many[0] ?? '');
  const env = { WEIR_ALLOW_DELETES: '11' };
  const refused = await here.weir('apply', { env });
  assert.is(refused.code, 3, refused.stdout);
  assert.is(
    refused.stderr,
    'weir: WEIR_ALLOW_DELETES is ignored, because consent is never read from the environment: type --allow-deletes\n',
  );
  assert.is((await here.weir('plan', { env })).code, 3);
  assert.is((await here.weir('validate', { env })).stderr, '', 'it means nothing there');
  assert.is((await here.weir('apply --allow-deletes 11', { env })).code, 0);
});

consent('is told by weir explain in the words of the findings', async ({ here }) => {
  const flat = (text: string) => text.replaceAll(/\s+/g, ' ');
  const many = Array.from({ length: 12 }, (_, n) => `kind: Template\nmetadata: {name: s-${n}}\nspec: {}\n`);
  here.write('config/many.yaml', many.join('---\n'));
  assert.is((await here.weir('apply')).code, 0);
  await seed(join(here.path, '.weir'), [{ kind: 'Stack', name: 'made', spec: { runtime: '4' } }]);
  here.write('config/many.yaml', `${many[0]}---\nkind: Stack\nmetadata: {name: made}\nspec: {runtime: "5"}\n`);
  const told: Record<string, string> = {};
  const planned = async () => {
    const { findings } = JSON.parse((await here.weir('plan --output json')).stdout);
    for (const { rule, severity, message } of findings) if (severity === 'error') told[rule] = message;
  };
  await planned();
  rmSync(join(here.path, 'config/many.yaml'));
  await planned();
  assert.equal(Object.keys(told).toSorted(), ['mass-delete', 'needs-adopt', 'vanished']);
  for (const [rule, message] of Object.entries(told)) {
    const consents = message.slice(message.indexOf('consent with '));
    const general = consents
      .replaceAll('Stack/made', 'KIND/NAME')
      .replaceAll(/(allow-deletes |allowDeletes":)\d+/g, '$1N');
    assert.match(general, /^consent with --(adopt KIND\/NAME|allow-deletes N); at a running server: .*POST /);
    assert.match(flat((await here.weir(`explain ${rule}`)).stdout), general);
  }
});

consent('is told in the help of its command without a variable', async ({ here }) => {
  const { stdout } = await here.weir('apply --help');
  for (const name of ['allowDeletes', 'adopt', 'yes'] as const) {
    assert.match(stdout, `--${flagName(name)}`);
    assert.not.match(stdout, variableName(name));
  }
});

consent.run();

interface Asked {
  here: Workspace;
  url: string;
  tokens: string[];
  close: () => Promise<void>;
}

const token = suite<Asked>('the token in WEIR_TOKEN');

token.before.each(async (context) => {
  const tokens: string[] = [];
  const server = createServer(({ headers }, answer) => {
    tokens.push(String(headers.authorization));
    answer.writeHead(401, { 'content-type': 'application/problem+json' }).end('{"detail":"no"}');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  context.here = await workspace({ token: 'weirp_of_the_file\n' });
  context.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  context.tokens = tokens;
  context.close = () => new Promise<void>((done) => server.close(() => done()));
});
token.after.each(async ({ here, close }) => {
  await close();
  await here.remove();
});

for (const line of ['plan', 'apply', 'status'])
  token(`is what ${line} --server shows, and is never printed`, async ({ here, url, tokens }) => {
    const env = { WEIR_TOKEN: ' weirp_of_ci \n', WEIR_DEBUG: '1' };
    const { code, stdout, stderr } = await here.weir(`${line} --server ${url}`, { env });
    assert.is(code, 5);
    assert.equal([...new Set(tokens)], ['Bearer weirp_of_ci']);
    assert.not.match(`${stdout}${stderr}`, 'weirp_of_ci');
  });

token('gives way to a --token-file that is typed', async ({ here, url, tokens }) => {
  await here.weir(`status --server ${url} --token-file token`, { env: { WEIR_TOKEN: 'weirp_of_ci' } });
  assert.equal(tokens, ['Bearer weirp_of_the_file']);
});

token('beside WEIR_TOKEN_FILE is one too many: 64', async ({ here, url, tokens }) => {
  const env = { WEIR_TOKEN: 'weirp_of_ci', WEIR_TOKEN_FILE: 'token' };
  const { code, stderr } = await here.weir(`status --server ${url}`, { env });
  assert.is(code, 64);
  assert.match(
    stderr,
    /^weir: WEIR_TOKEN and WEIR_TOKEN_FILE cannot both be set, because they may be two tokens: unset/,
  );
  assert.equal(tokens, []);
  assert.is((await here.weir(`status --server ${url} --token-file token`, { env })).code, 5, 'what is typed wins');
  assert.equal(tokens, ['Bearer weirp_of_the_file']);
});

token('that is none is refused without showing it', async ({ here, url, tokens }) => {
  const env = { WEIR_TOKEN: 'two words' };
  const { code, stdout, stderr } = await here.weir(`status --server ${url}`, { env });
  assert.is(code, 64);
  assert.match(stderr, /^weir: WEIR_TOKEN must hold a token and nothing else\n/);
  assert.not.match(`${stdout}${stderr}`, 'two words');
  assert.equal(tokens, []);
});

token('means nothing without --server', async ({ here }) => {
  assert.is((await here.weir('plan', { env: { WEIR_TOKEN: 'two words' } })).code, 0);
});

token.run();
