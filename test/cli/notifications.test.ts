// timeout: 400
// weir serve tells a receiver what became of its tree: through crashes of its own, refused starts, and receivers that hold it up.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Finding } from '../../src/core/model/finding.ts';
import { type Listener, listener, secret } from '../notify/listener.ts';
import { serve } from '../support/serving.ts';
import { until } from '../support/until.ts';
import { stack, type Workspace, workspace } from './world.ts';

interface Context {
  here: Workspace;
  hook: Listener;
}

const env = { WEIR_SECRET_HOOK: secret };

function declaring({ url }: Pick<Listener, 'url'>): string {
  const hook = `{name: ci, url: "${url}", secret: {fromEnv: WEIR_SECRET_HOOK}}`;
  return `kind: Platform\nmetadata: {name: platform}\nspec:\n  reconcile: {settleMs: 50, pollSeconds: 1}\n  notifications: [${hook}]\n`;
}

const telling = suite<Context>('weir serve with a receiver');

telling.before.each(async (context) => {
  context.hook = await listener();
  context.here = await workspace({ 'config/weir.yaml': declaring(context.hook) });
});
telling.after.each(async ({ here, hook }) => {
  await hook.close();
  await here.remove();
});

const told = ({ received }: Listener) => received.map(({ data }) => data.event).join(' ');

telling(
  'tells what was applied, refused and mended, also after kill -9, and shows how it stands',
  async ({ here, hook }) => {
    const { token } = JSON.parse((await here.weir('bootstrap')).stdout);
    const server = await serve(here, [], env);
    await until(() => told(hook) === 'applied', { program: server });
    await hook.close();
    here.write('config/stacks.yaml', stack.replace('runtime', 'runtme'));
    await until(
      () => /notification \S+ \(refused\) for ci could not be delivered yet/.exec(server.output().stderr)?.[0],
      { program: server },
    );
    const ask = async (path: string) => {
      const headers = { authorization: `Bearer ${token}`, accept: 'application/json, application/openmetrics-text' };
      return (await fetch(`${server.url}${path}`, { headers })).text();
    };
    const failing = await until(
      async () => {
        const { status } = JSON.parse(await ask('/api/v1/platform'));
        return status.conditions.find(({ reason }: { readonly reason: string }) => reason === 'ReceiverFails');
      },
      { program: server },
    );
    assert.is(
      `${failing.type} ${failing.status}: ${failing.message}`,
      'NotificationsDelivered False: ci: nothing listens there',
    );
    server.child.kill('SIGKILL');
    await server.ended;
    const up = await listener(hook.port);
    try {
      const again = await serve(here, [], env);
      await until(() => told(up) === 'refused', { program: again });
      const data = up.received[0]?.data;
      assert.equal(up.received[0]?.signedBy, ['first']);
      assert.is(data.errors, 1);
      const named: Finding | undefined = data.findings.find(({ message }: Finding) => message.includes('runtme'));
      assert.equal(named?.source, { file: 'stacks.yaml', line: 5, column: 3 });
      here.write('config/stacks.yaml', stack.replace('Node-RED 4', 'Mended'));
      await until(() => told(up) === 'refused applied recovered', { program: again });
      again.child.kill('SIGTERM');
      const { code, stderr } = await again.ended;
      assert.is(code, 0);
      assert.not.match(stderr, secret);
    } finally {
      await up.close();
    }
  },
);

telling('counts what became of messages', async ({ here, hook }) => {
  const { token } = JSON.parse((await here.weir('bootstrap')).stdout);
  hook.answer(404);
  const server = await serve(here, [], env);
  const headers = { authorization: `Bearer ${token}`, accept: 'application/openmetrics-text' };
  const text = await until(
    async () => {
      const answer = await (await fetch(`${server.url}/api/v1/admin/stats`, { headers })).text();
      const isTold = /^weir_notifications_total\{result="failed"\} 1$/m.test(answer);
      return isTold && answer.includes('weir_notifications_waiting 0\n') ? answer : undefined;
    },
    { program: server },
  );
  assert.match(text, 'weir_notifications_total{result="delivered"} 0\n');
  server.child.kill('SIGTERM');
  assert.is((await server.ended).code, 0);
});

telling(
  'goes on reconciling, and stops in time, though the receiver never answers; it is asked again later',
  async ({ here, hook }) => {
    hook.always('mute');
    const server = await serve(here, [], env);
    await until(() => hook.received.length === 1, { program: server });
    for (const label of ['Two', 'Three']) {
      here.write('config/stacks.yaml', stack.replace('Node-RED 4', label));
      const applied = () => server.output().stderr.match(/the tree was applied/g)?.length;
      const before = applied() ?? 0;
      await until(() => (applied() ?? 0) > before, { program: server });
    }
    const begun = performance.now();
    server.child.kill('SIGTERM');
    assert.is((await server.ended).code, 0);
    assert.ok(performance.now() - begun < 45_000);
    hook.always(204);
    const again = await serve(here, [], env);
    await until(() => hook.received.length >= 4, { program: again });
    const [first, ...rest] = hook.received.map(({ id }) => id);
    assert.is(first, rest[0]);
    assert.is(told(hook), 'applied applied applied applied');
    again.child.kill('SIGTERM');
    await again.ended;
  },
);

telling('tells that it refused to start, and what weir apply did meanwhile', async ({ here, hook }) => {
  assert.is((await here.weir('apply')).code, 0);
  here.write('config/stacks.yaml', stack.replace('runtime', 'runtme'));
  const strict = await here.spawn('serve --port 0 --strict-start', { env });
  assert.is(strict.code, 1);
  assert.is(told(hook), 'applied refused');
  here.write('config/stacks.yaml', stack.replace('Node-RED 4', 'Mended'));
  assert.is((await here.weir('apply')).code, 0);
  const server = await serve(here, [], env);
  await until(() => told(hook) === 'applied refused applied recovered', { program: server });
  assert.is(hook.received[2]?.data.trigger, 'command');
  server.child.kill('SIGTERM');
  await server.ended;
});

telling('tells that something drifted, and who did it', async ({ here, hook }) => {
  const first = await serve(here, [], env);
  await until(() => told(hook) === 'applied', { program: first });
  first.child.kill('SIGTERM');
  await first.ended;
  here.write('config/stacks.yaml', stack.replace('Node-RED 4', 'Otherwise'));
  assert.is((await here.weir('apply')).code, 0);
  here.write('config/stacks.yaml', stack);
  const second = await serve(here, [], env);
  await until(() => told(hook) === 'applied applied drifted applied', { program: second });
  const { drifted, drift } = hook.received[2]?.data ?? {};
  assert.is(drifted, 1);
  assert.is(
    `${drift[0].address} ${drift[0].fields} ${drift[0].left} ${drift[0].by.actor}`,
    'Stack/nr-4 /spec/label false command',
  );
  second.child.kill('SIGTERM');
  await second.ended;
});

telling.run();
