// timeout: 400
// weir serve streams its audit log out: through kills, receivers that fail, and files that others rotate; every entry that the API has is there.
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { gotBy } from '../notify/audit-office.ts';
import { type Listener, listener, secret } from '../notify/listener.ts';
import { type Serving, serve } from '../support/serving.ts';
import { until } from '../support/until.ts';
import { type Workspace, workspace } from './world.ts';

interface Context {
  here: Workspace;
  hook: Listener;
  file: string;
}

const env = { WEIR_SECRET_HOOK: secret };

const streaming = suite<Context>('weir serve with who gets its audit log');

streaming.before.each(async (context) => {
  context.hook = await listener();
  context.here = await workspace();
  mkdirSync(join(context.here.path, 'logs'));
  context.file = join(context.here.path, 'logs', 'audit.jsonl');
});
streaming.after.each(async ({ here, hook }) => {
  await hook.close();
  await here.remove();
});

function declaring({ url }: Pick<Listener, 'url'>, file: string): string {
  const to = `auditTo: [{name: siem, url: "${url}", secret: {fromEnv: WEIR_SECRET_HOOK}}]`;
  const reconcile = 'reconcile: {settleMs: 50, pollSeconds: 1}';
  return `kind: Platform\nmetadata: {name: platform}\nspec:\n  ${reconcile}\n  ${to}\n  auditFile: {path: "${file}"}\n`;
}

interface Asking {
  readonly server: Serving;
  readonly token: string;
}

async function ask({ server, token }: Asking, path: string, more: RequestInit = {}): Promise<string> {
  const accept = path.endsWith('/stats') ? 'application/openmetrics-text' : 'application/json';
  const headers = { authorization: `Bearer ${token}`, accept, 'content-type': 'application/json' };
  return (await fetch(`${server.url}${path}`, { headers, ...more })).text();
}

/** Each makes an entry; answers their names. */
async function makeStacks(asking: Asking, from: number, count: number): Promise<void> {
  for (let nth = from; nth < from + count; nth += 1) {
    const body = JSON.stringify({ name: `made-${nth}`, spec: { runtime: '4.1.15' } });
    const { name } = JSON.parse(await ask(asking, '/api/v1/stacks', { method: 'POST', body }));
    assert.is(name, `made-${nth}`);
  }
}

/** The ids of all entries of the API, oldest first. */
async function audited(asking: Asking): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = ''; ; ) {
    const page = JSON.parse(await ask(asking, `/api/v1/admin/audit-log?limit=100${cursor}`));
    ids.push(...page.auditEntries.map(({ id }: { readonly id: string }) => id));
    if (page.meta.next_cursor === undefined) return ids.reverse();
    cursor = `&cursor=${page.meta.next_cursor}`;
  }
}

const conditionOf = async (asking: Asking) => {
  const { conditions } = JSON.parse(await ask(asking, '/api/v1/admin/config'));
  return conditions.find(({ type }: { readonly type: string }) => type === 'AuditDelivered');
};

const idsIn = (path: string): string[] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line).id)
    : [];

/** What came, each the first time. */
const distinct = (ids: readonly string[]) => [...new Set(ids)];

streaming('loses no entry through failures and kill -9, and says that it is behind', async ({ here, hook, file }) => {
  const { token } = JSON.parse((await here.weir('bootstrap')).stdout);
  here.write('config/weir.yaml', declaring(hook, file));
  hook.always(503);
  const first = { server: await serve(here, [], env), token };
  const isDeclared = () => first.server.output().stderr.includes('the tree was applied');
  await until(isDeclared, { program: first.server });
  const before = (await audited(first)).length;
  await makeStacks(first, 0, 20);
  const behind = await until(
    async () => {
      const condition = await conditionOf(first);
      return condition?.status === 'False' && /: 2\d entries wait$/.test(condition.message) ? condition : undefined;
    },
    { program: first.server },
  );
  assert.is(behind.reason, 'Behind');
  assert.match(behind.message, /^webhook\/siem takes nothing since \S+, because it answered 503: \d+ entries wait$/);
  const metrics = await ask(first, '/api/v1/admin/stats');
  assert.match(metrics, /^weir_audit_stream_waiting\{target="webhook\/siem"\} 2\d$/m);
  assert.match(metrics, /^weir_audit_stream_waiting\{target="file"\} 0$/m);
  assert.match(metrics, /^weir_audit_stream_oldest_seconds\{target="webhook\/siem"\} [0-9.]+$/m);
  assert.match(metrics, /^weir_config_condition\{type="AuditDelivered",status="False"\} 1$/m);
  first.server.child.kill('SIGKILL');
  await first.server.ended;
  hook.received.length = 0;
  hook.always(204);
  for (let round = 1; round <= 3; round += 1) {
    const server = await serve(here, [], env);
    await makeStacks({ server, token }, round * 20, 5 + round);
    server.child.kill('SIGKILL');
    await server.ended;
  }
  const last = { server: await serve(here, [], env), token };
  await makeStacks(last, 100, 3);
  const all = await audited(last);
  const wanted = all.slice(before);
  await until(() => gotBy(hook).at(-1) === all.at(-1) && idsIn(file).at(-1) === all.at(-1), { program: last.server });
  assert.equal(distinct(gotBy(hook)).slice(-wanted.length), wanted);
  assert.equal(idsIn(file).slice(-wanted.length), wanted, 'and nothing stands twice in the file');
  assert.ok(hook.received.every(({ signedBy }) => signedBy.includes('first')));
  const well = await until(
    async () => {
      const condition = await conditionOf(last);
      return condition?.status === 'True' ? condition : undefined;
    },
    { program: last.server },
  );
  assert.is(well.reason, 'Delivered');
  renameSync(file, `${file}.moved`);
  await makeStacks(last, 200, 1);
  await until(() => idsIn(file).length === 1, { program: last.server });
  last.server.child.kill('SIGTERM');
  const { code, stderr } = await last.server.ended;
  assert.is(code, 0);
  assert.not.match(stderr, secret);
});

streaming(
  'stops in time though a receiver never answers, and goes on at the next start',
  async ({ here, hook, file }) => {
    const { token } = JSON.parse((await here.weir('bootstrap')).stdout);
    here.write('config/weir.yaml', declaring(hook, file));
    hook.always('mute');
    const first = { server: await serve(here, [], env), token };
    await until(() => first.server.output().stderr.includes('the tree was applied'), { program: first.server });
    await makeStacks(first, 0, 3);
    const all = await audited(first);
    await until(() => hook.received.length === 1 && idsIn(file).at(-1) === all.at(-1), { program: first.server });
    const begun = performance.now();
    first.server.child.kill('SIGTERM');
    const { code, stderr } = await first.server.ended;
    assert.is(code, 0);
    assert.ok(performance.now() - begun < 45_000);
    assert.not.match(stderr, 'does not end, and is cut off');
    hook.always(204);
    hook.received.length = 0;
    const again = await serve(here, [], env);
    await until(() => gotBy(hook).at(-1) === all.at(-1), { program: again });
    assert.equal(gotBy(hook).slice(-3), all.slice(-3));
    const copy = idsIn(file);
    assert.equal(copy, distinct(copy));
    again.child.kill('SIGTERM');
    assert.is((await again.ended).code, 0);
  },
);

streaming.run();
