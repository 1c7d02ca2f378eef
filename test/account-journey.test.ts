// timeout: 400
// An account from the first form to a forgotten password: the real server, over real connections, with a real mail server.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startCommand } from './support/run-command.ts';
import { addressOf } from './support/serving.ts';
import { type ReceivedMail, type SmtpPeer, startSmtp } from './support/smtp.ts';
import { temporaryFolder, writeFiles } from './support/temporary-folder.ts';
import { launcher, plainEnvironment } from './support/weir.ts';

const journey = suite('an account');

journey('is registered, verified, used, forgotten and won back', async () => {
  const post = await startSmtp();
  const server = await serve(post);
  const { ask } = client(server.url);
  try {
    const bea = { username: 'bea', email: 'bea@example.com', password: 'correct horse battery', name: 'Béa' };
    assert.equal((await ask('GET', '/account/registration')).body.teamTypes, [
      { name: 'starter', description: '', order: 0 },
    ]);
    assert.is((await ask('POST', '/account/register', bea)).status, 201);
    assert.is((await ask('POST', '/account/login', bea.username, bea.password)).status, 401);

    const [welcome] = await post.received(1);
    assert.equal([welcome?.to, welcome?.header('subject')], [['bea@example.com'], 'Confirm your email address']);
    const verify = tokenIn(welcome, `${server.url}/account/login?verify=`);
    const { password } = bea;
    assert.is((await ask('POST', '/account/verify-email', { token: verify })).status, 401);
    assert.is((await ask('POST', '/account/verify-email', { token: verify, password })).status, 200);
    assert.is((await ask('POST', '/account/verify-email', { token: verify, password })).status, 400);

    const here = client(server.url);
    assert.is((await here.ask('POST', '/account/login', 'Bea@example.com', bea.password)).status, 200);
    assert.is((await here.ask('GET', '/api/v1/user')).body.username, 'bea');
    const { body: own } = await here.ask('GET', '/api/v1/user/teams');
    assert.equal(own.teams[0].slug, 'team-bea');

    assert.is((await ask('POST', '/account/forgot-password', { email: bea.email })).status, 200);
    const reset = tokenIn((await post.received(2))[1], `${server.url}/account/reset-password?token=`);
    const fresh = 'a better password';
    assert.is((await ask('POST', '/account/reset-password', { token: reset, password: fresh })).status, 200);
    assert.is((await here.ask('GET', '/api/v1/user')).status, 401, 'signed out everywhere');
    assert.equal((await post.received(3))[2]?.header('subject'), 'Your password was changed');
    assert.is((await here.ask('POST', '/account/login', 'bea', bea.password)).status, 401);
    assert.is((await here.ask('POST', '/account/login', 'bea', fresh)).status, 200);
    assert.is((await here.ask('POST', '/account/logout')).status, 200);
    assert.is((await here.ask('GET', '/api/v1/user')).status, 401);
    for (const secret of [bea.password, fresh, verify, reset]) assert.not.match(server.output(), secret);
  } finally {
    await server.stop();
    await post.close();
  }
});

journey.run();

/** Starts `weir serve` on a tree that lets people register and sends its mail to `post`. */
async function serve({ host, port }: SmtpPeer) {
  const folder = temporaryFolder();
  await writeFiles(folder.path, {
    'config/weir.yaml': `kind: Platform
metadata: {name: platform}
spec:
  email: {from: Weir <weir@example.com>, smtp: {host: ${host}, port: ${port}}}
`,
    'config/settings.yaml':
      'kind: AdminSettings\nmetadata: {name: default}\nspec: {registration: true, passwordReset: true, personalTeamOnRegistration: true}\n',
    'config/starter.yaml': 'kind: TeamType\nmetadata: {name: starter}\n',
  });
  const command = startCommand(process.execPath, [launcher, 'serve', '--port', '0'], {
    cwd: folder.path,
    env: { ...plainEnvironment(), WEIR_ADMIN_PASSWORD: 'the very first admin' },
  });
  const output = () => command.output().stdout + command.output().stderr;
  const stop = async () => {
    command.child.kill('SIGTERM');
    assert.is((await command.ended).code, 0, output());
    await folder.remove();
  };
  return { url: await addressOf(command), output, stop };
}

/** A browser in as much as it keeps its cookie and says where its requests come from. */
function client(url: string) {
  let cookie = '';
  const ask = async (method: 'GET' | 'POST', path: string, body?: object | string, password?: string) => {
    const sent = typeof body === 'string' ? { username: body, password } : body;
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
        ...(cookie === '' ? {} : { cookie }),
        origin: url,
      },
      ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
    });
    for (const one of response.headers.getSetCookie()) cookie = one.split(';')[0] ?? '';
    // biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into.
    return { status: response.status, body: (await response.json()) as any };
  };
  return { ask };
}

/** The token at the end of the link that begins so, in both forms of the mail. */
function tokenIn(mail: ReceivedMail | undefined, link: string): string {
  const { text = '', html = '' } = mail ?? {};
  const token = text.slice(text.indexOf(link) + link.length).split('\n')[0] ?? '';
  assert.match(token, /^[0-9A-Za-z]{40}$/, text);
  assert.ok(html.includes(token));
  return token;
}
