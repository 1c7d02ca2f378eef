// timeout: 400
// The metrics of weir serve as a process: what its parts do is counted, whichever part it is.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type RunningCommand, startCommand } from '../support/run-command.ts';
import { addressOf } from '../support/serving.ts';
import { type SmtpPeer, startSmtp } from '../support/smtp.ts';
import { until } from '../support/until.ts';
import { launcher, plainEnvironment } from '../support/weir.ts';
import { type Workspace, workspace } from './world.ts';

const password = 'correct horse battery';

interface Context {
  here: Workspace;
  smtp: SmtpPeer;
  weir: RunningCommand;
  url: string;
  token: string;
}

const served = suite<Context>('what weir serve counts');

served.before(async (context) => {
  context.smtp = await startSmtp();
  const email = `email: {from: weir@example.com, smtp: {host: 127.0.0.1, port: ${context.smtp.port}}}`;
  context.here = await workspace({
    'config/weir.yaml': `kind: Platform\nmetadata: {name: platform}\nspec:\n  ${email}\n  reconcile: {settleMs: 50, pollSeconds: 1}\n`,
    'config/settings.yaml': 'kind: AdminSettings\nmetadata: {name: default}\nspec: {passwordReset: true}\n',
    'password.txt': password,
  });
  const { stdout, stderr } = await context.here.spawn(
    'bootstrap --email ann@example.com --username ann --password-file password.txt',
  );
  assert.match(stdout, /"token"/, stderr);
  context.token = JSON.parse(stdout).token;
  context.weir = startCommand(process.execPath, [launcher, 'serve', '--port', '0'], {
    cwd: context.here.path,
    env: plainEnvironment(),
  });
  context.url = await addressOf(context.weir);
});

served.after(async ({ here, smtp, weir }) => {
  weir.child.kill('SIGTERM');
  assert.is((await weir.ended).code, 0);
  await smtp.close();
  await here.remove();
});

served('are sign-ins: right, wrong, and by somebody whom nobody knows', async (context) => {
  const { url } = context;
  assert.is(await post(`${url}/account/login`, { username: 'ann', password }), 200);
  assert.is(await post(`${url}/account/login`, { username: 'ann', password: 'wrong' }), 401);
  assert.is(await post(`${url}/account/login`, { username: 'nobody', password }), 401);
  assert.is(await figure(context, 'weir_sign_ins_total{outcome="succeeded"}'), 1);
  assert.is(await figure(context, 'weir_sign_ins_total{outcome="failed"}'), 2);
  assert.is(await figure(context, 'weir_sessions'), 1);
});

served('are mails, once the mail server has taken them', async (context) => {
  assert.is(await post(`${context.url}/account/forgot-password`, { email: 'ann@example.com' }), 200);
  await context.smtp.received(1);
  await until(async () => (await figure(context, 'weir_mails_total{outcome="sent"}')) === 1, { program: context.weir });
  assert.is(await figure(context, 'weir_mails_waiting'), 0);
});

served('are reloads that the watch sets off, good and bad, and the commits that they make', async (context) => {
  const { here } = context;
  const commits = 'weir_store_commits_total{outcome="kept"}';
  const before = Number(await figure(context, commits));
  here.write('config/more.yaml', 'kind: Stack\nmetadata: {name: nr-5}\nspec: {runtime: "5"}\n');
  const applied = () => sum(context, /^weir_reconciles_total\{result="applied",trigger="(watch|poll)"\}/);
  await until(async () => (await applied()) === 1, { program: context.weir });
  assert.ok(Number(await figure(context, commits)) > before);
  assert.is(await figure(context, 'weir_stacks'), 2);
  here.write('config/more.yaml', 'kind: Stack\nmetadata: {name: nr-5}\nspec: {runtime: 5}\n');
  await until(async () => (await figure(context, 'weir_config_findings{severity="error"}')) === 1, {
    program: context.weir,
  });
  assert.is(await figure(context, 'weir_config_last_reload_successful'), 0);
  assert.is(await figure(context, 'weir_stacks'), 2);
  assert.ok(Number(await figure(context, 'weir_store_journal_bytes')) > 0);
});

served('is told with the version and the process that it runs in', async (context) => {
  assert.is(await sum(context, /^weir_build_info\{version="\d+\.\d+\.\d+"\}/), 1);
  assert.ok(Number(await figure(context, 'process_resident_memory_bytes')) > 1e6);
  assert.ok(Number(await figure(context, 'process_cpu_seconds_total')) > 0);
});

served.run();

async function post(url: string, body: unknown): Promise<number> {
  const { status } = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return status;
}

async function exposition({ url, token }: Context): Promise<readonly string[]> {
  const answer = await fetch(`${url}/api/v1/admin/stats`, {
    headers: { authorization: `Bearer ${token}`, accept: 'application/openmetrics-text' },
  });
  assert.is(answer.status, 200);
  return (await answer.text()).split('\n');
}

async function figure(context: Context, series: string): Promise<number | undefined> {
  const line = (await exposition(context)).find((text) => text.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length));
}

async function sum(context: Context, series: RegExp): Promise<number> {
  const lines = (await exposition(context)).filter((text) => series.test(text));
  return lines.reduce((total, text) => total + Number(text.slice(text.lastIndexOf(' '))), 0);
}
