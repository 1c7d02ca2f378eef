// timeout: 400
// One tree in several environments, through the commands and a running server.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { PlanDocument } from '../../src/core/plan/plan-document.ts';
import { mintOn, serve } from '../support/serving.ts';
import { until } from '../support/until.ts';
import { type RunOptions, stack, type Workspace, workspace } from './world.ts';

const over = (label: string) => `kind: Stack\nmetadata: {name: nr-4}\nspec:\n  label: ${label}\n`;

const files = {
  'config/weir.yaml': 'kind: Platform\nmetadata: {name: platform}\nspec: {reconcile: {settleMs: 50, pollSeconds: 1}}\n',
  'config/overlays/staging/stacks.yaml': over('Staged'),
  'config/overlays/production/stacks.yaml': over('Live'),
};

const environments = suite<{ here: Workspace }>('--env');

environments.before.each(async (context) => {
  context.here = await workspace(files);
});
environments.after.each(({ here }) => here.remove());

async function labelIn(here: Workspace, line: string, options?: RunOptions): Promise<unknown> {
  const { stdout, stderr } = await here.weir(`${line} --output json`, options);
  const plan: PlanDocument = JSON.parse(stdout || stderr);
  const label = plan.changes
    .find(({ address }) => address === 'Stack/nr-4')
    ?.fields.find(({ path }) => path === '/spec/label');
  return label && [label.after, label.source?.file, label.source?.line];
}

environments('merges one overlay over the base; without it, or by WEIR_ENV, too', async ({ here }) => {
  assert.equal(await labelIn(here, 'plan'), ['Node-RED 4', 'stacks.yaml', 4]);
  const staged = ['Staged', 'overlays/staging/stacks.yaml', 4];
  assert.equal(await labelIn(here, 'plan --env staging'), staged);
  assert.equal(await labelIn(here, 'plan', { env: { WEIR_ENV: 'staging' } }), staged);
  assert.equal(await labelIn(here, 'apply --env production'), ['Live', 'overlays/production/stacks.yaml', 4]);
  assert.is(JSON.parse((await here.weir('plan --env production --output json')).stdout).changes.length, 0);
  assert.equal(await labelIn(here, 'plan --env staging'), staged);
});

environments(
  'that the tree does not have exits 5 and lists those there are; what is no name exits 64',
  async ({ here }) => {
    for (const verb of ['validate', 'plan', 'apply']) {
      const { code, stderr } = await here.weir(`${verb} --env prod`);
      assert.is(code, 5, verb);
      assert.match(
        stderr,
        /config has no environment "prod" \(it has production, staging\): make the folder overlays\/prod in it, or name another/,
      );
      assert.is((await here.weir(`${verb} --env ../staging`)).code, 64);
    }
  },
);

environments('shows what is wrong in an overlay at its line', async ({ here }) => {
  here.write('config/overlays/staging/stacks.yaml', over('Staged').replace('label', 'lable'));
  const { code, stdout } = await here.weir('validate --env staging');
  assert.is(code, 1);
  assert.match(stdout, /--> config\/overlays\/staging\/stacks\.yaml:4:3|--> overlays\/staging\/stacks\.yaml:4:3/);
  assert.match(stdout, /did you mean "label"/);
  assert.is((await here.weir('validate --env production')).code, 0);
});

environments('is followed by a server, planned against it, and told field by field', async ({ here }) => {
  const person = JSON.parse((await here.weir('bootstrap')).stdout);
  const server = await serve(here, ['--env', 'staging']);
  const { url } = server;
  try {
    const token = await mintOn(url, person, { name: 'ci', scope: 'full' });
    here.write('token', token);
    const shown = async () => {
      const answer = await fetch(`${url}/api/v1/stacks/nr-4`, { headers: { authorization: `Bearer ${token}` } });
      return (await answer.json()) as { spec: { label: string }; status: { source: unknown; sources: object } };
    };
    const { spec, status } = await shown();
    assert.is(spec.label, 'Staged');
    assert.equal(status.source, { file: 'stacks.yaml', line: 1 });
    assert.equal(status.sources, {
      '/spec/label': { file: 'overlays/staging/stacks.yaml', line: 4 },
      '/spec/runtime': { file: 'stacks.yaml', line: 5 },
    });
    writeFileSync(join(here.path, 'config/overlays/staging/stacks.yaml'), over('Again'));
    await until(async () => ((await shown()).spec.label === 'Again' ? true : undefined), { program: server });
    const against = `plan --server ${url} --token-file token`;
    assert.is(await labelIn(here, `${against} --env staging`), undefined);
    assert.equal(await labelIn(here, `${against} --env production`), ['Live', 'overlays/production/stacks.yaml', 4]);
    assert.equal(await labelIn(here, against), ['Node-RED 4', 'stacks.yaml', 4]);
    const typo = await fetch(`${url}/api/v1/admin/config/plan`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        documents: [{ path: 'weir.yaml', content: files['config/weir.yaml'] }],
        environment: 'x',
      }),
    });
    assert.is(typo.status, 400);
    assert.match(await typo.text(), /no file stands below its folder in overlays/);
  } finally {
    server.child.kill('SIGTERM');
    await server.ended;
  }
  assert.ok(readFileSync(join(here.path, 'config/stacks.yaml'), 'utf8') === stack);
});

environments.run();
