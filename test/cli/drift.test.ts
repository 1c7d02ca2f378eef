// timeout: 400
// Drift as people meet it: somebody applied another tree while no server ran. What the commands, the API and the metrics then say.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mintOn, type Serving, serve } from '../support/serving.ts';
import { stack, type Workspace, workspace } from './world.ts';

const platform = 'kind: Platform\nmetadata: {name: platform}\nspec: {reconcile: {pollSeconds: 3600, drift: report}}\n';
const other = stack.replace('Node-RED 4', 'By hand');

const drift = suite<{ here: Workspace; servers: Serving[] }>('drift');

drift.before.each(async (context) => {
  const files = { 'config/weir.yaml': platform, 'other/weir.yaml': platform, 'other/stacks.yaml': other };
  context.here = await workspace({
    ...files,
    'other/sizes.yaml': 'kind: InstanceType\nmetadata: {name: small}\nspec:\n  stacks: [nr-4]\n',
  });
  context.servers = [];
});
drift.after.each(async ({ here, servers }) => {
  for (const server of servers) await stopped(server);
  await here.remove();
});

async function stopped(server: Serving): Promise<void> {
  server.child.kill('SIGTERM');
  await server.ended;
}

drift('that is left shows in plan, status, history, log and metrics, and is reverted on demand', async (context) => {
  const { here } = context;
  const person = JSON.parse((await here.weir('bootstrap')).stdout);
  await stopped(await serve(here));
  assert.is((await here.weir('apply other')).code, 0);

  const offline = await here.weir('plan');
  assert.match(offline.stdout, /~ update Stack\/nr-4 .*\n +because the state changed, not the document\n/);

  const server = await serve(here);
  context.servers.push(server);
  const said =
    /1 object had been changed by others and was left so: Stack\/nr-4 \(label, by command at \S+ \(revision [0-9a-f]{12}\)\)/;
  assert.match(server.output().stderr, said);
  assert.match((await here.weir('status')).stdout, new RegExp(`Drifted +True +Left: ${said.source}`));

  const token = await mintOn(server.url, person, { name: 'all', scope: 'full' });
  here.write('token', token);
  const ask = (path: string, more: RequestInit & { headers?: Record<string, string> } = {}) =>
    fetch(`${server.url}/api/v1/admin/${path}`, {
      ...more,
      headers: { authorization: `Bearer ${token}`, ...more.headers },
    });
  const accept = { headers: { accept: 'application/openmetrics-text' } };
  const metrics = await (await ask('stats', accept)).text();
  assert.match(metrics, /^weir_config_drifted_objects\{outcome="left"\} 1$/m);
  assert.match(metrics, /^weir_config_condition\{type="Drifted",status="True"\} 1$/m);
  const { history } = (await (await ask('config/history')).json()) as {
    history: { drift?: { address: string; left: boolean }[] }[];
  };
  assert.equal(
    history[0]?.drift?.map(({ address, left }) => [address, left]),
    [['Stack/nr-4', true]],
  );
  const { changes } = (await (await ask('config/plan')).json()) as { changes: { address: string; cause: string }[] };
  assert.equal(
    changes.map(({ address, cause }) => [address, cause]),
    [['Stack/nr-4', 'drift']],
  );

  const applied = await here.weir(`apply --server ${server.url} --token-file token`);
  assert.is(applied.code, 0, applied.stderr);
  assert.match(applied.stdout, /label: "By hand" → "Node-RED 4"/);
  assert.match(await (await ask('stats', accept)).text(), /^weir_config_drifted_objects\{outcome="reverted"\} 1$/m);
  assert.match(
    (await here.weir(`status --server ${server.url} --token-file token`)).stdout,
    /Drifted +False +Reverted: 1 object/,
  );
});

drift.run();
