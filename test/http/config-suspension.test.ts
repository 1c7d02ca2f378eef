// Manual mode and a suspended reconciler over the API.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { configStatusView, planView } from '../../src/http/views/config.ts';
import { until } from '../support/until.ts';
import { startWorld, tree } from './world.ts';

const config = '/api/v1/admin/config';
const metrics = { as: 'admin', headers: { accept: 'application/openmetrics-text' } } as const;

const suspending = suite('suspending over the API');

suspending('stops the reconciler, with who and why, and resuming lets it go on', async () => {
  const { ask, root, close, store } = await startWorld();
  const { status, body } = await ask('POST', `${config}/suspend`, { body: { reason: 'database upgrade' } });
  assert.is(status, 200, JSON.stringify(body));
  assert.is(configStatusView.safeParse(body).error, undefined);
  assert.is(body.suspended.reason, 'database upgrade');
  await writeFile(join(root, 'stacks.yaml'), String(tree['stacks.yaml']).replace('Node-RED 4', 'Renamed'));
  const refused = await ask('POST', `${config}/reconcile`);
  assert.equal([refused.status, refused.body.code], [409, 'conflict']);
  assert.match(refused.body.detail, /the reconciler is suspended by .*: database upgrade; resume it first\.$/);
  assert.is((await ask('GET', `${config}/plan`)).body.summary.update, 1);
  assert.is((await ask('GET', '/readyz')).status, 200);
  assert.match((await ask('GET', '/api/v1/admin/stats', metrics)).text, /^weir_config_suspended 1$/m);
  const resumed = await ask('POST', `${config}/resume`);
  assert.equal([resumed.status, resumed.body.suspended], [200, undefined]);
  await until('applied', () => store.read().named('Stack', 'nr-4')?.spec.label === 'Renamed');
  assert.match((await ask('GET', '/api/v1/admin/stats', metrics)).text, /^weir_config_suspended 0$/m);
  const { body: log } = await ask('GET', '/api/v1/admin/audit-log?event=reconciler');
  assert.equal(
    log.auditEntries.map((entry: { event: string; actor: { kind: string } }) => [entry.event, entry.actor.kind]),
    [
      ['reconciler.resumed', 'token'],
      ['reconciler.suspended', 'token'],
    ],
  );
  await close();
});

suspending('tries where it is told to, takes no body, and refuses what is no reason', async () => {
  const { ask, close } = await startWorld();
  const dry = await ask('POST', `${config}/suspend?dryRun=true`, { body: {} });
  assert.equal([dry.status, planView.safeParse(dry.body).error], [200, undefined]);
  assert.is((await ask('GET', config)).body.suspended, undefined);
  assert.is((await ask('POST', `${config}/suspend`)).body.suspended.reason, undefined);
  for (const body of [{ reason: '' }, { reason: 'a\nb' }, { reason: 'x'.repeat(501) }, { why: 'x' }])
    assert.is((await ask('POST', `${config}/suspend`, { body })).status, 400, JSON.stringify(body));
  await close();
});

suspending.run();

const manual = suite('manual mode over the API');

manual('shows what waits, and a reconcile applies it', async () => {
  const weir = String(tree['weir.yaml']).replace('settleMs: 50', 'mode: manual, settleMs: 50');
  const { ask, root, close, store } = await startWorld({ ...tree, 'weir.yaml': weir.replace('3600', '1') });
  await writeFile(join(root, 'stacks.yaml'), String(tree['stacks.yaml']).replace('Node-RED 4', 'Renamed'));
  const pending = await until('pending', async () => (await ask('GET', config)).body.pending);
  const { body } = await ask('GET', config);
  assert.is(configStatusView.safeParse(body).error, undefined);
  assert.equal([body.mode, body.revision.attempted, pending.summary.update], ['manual', pending.revision, 1]);
  const { text } = await ask('GET', '/api/v1/admin/stats', metrics);
  assert.match(text, /^weir_config_pending_changes 1$/m);
  assert.match(text, /^weir_config_mode\{mode="manual"\} 1$/m);
  assert.match(text, /^weir_config_last_reload_successful 1$/m);
  assert.is((await ask('POST', `${config}/reconcile`)).body.summary.update, 1);
  assert.is(store.read().named('Stack', 'nr-4')?.spec.label, 'Renamed');
  assert.is((await ask('GET', config)).body.pending, undefined);
  await close();
});

manual.run();
