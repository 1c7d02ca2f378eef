// weir store check: a whole store and a damaged one, beside a server, in every form of output; and what backup and restore say of the latter.
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { auditIntactOf } from '../../src/control/audit-intact.ts';
import { openMemoryStore } from '../../src/store/memory.ts';
import { type Serving, serve } from '../support/serving.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { runHere } from './world.ts';

const fixture = join(import.meta.dirname, '../store/fixtures/format-1');
// That of the fixture, which stands in its README.
const token = 'weirp_GeTOHY3yPMjQu30DmyO6NohO6b2oHW7dN9Lz9Amv2OMvDf';

const check = suite<{ here: TemporaryFolder; weir: (line: string) => ReturnType<typeof runHere> }>('store check');

check.before(async (context) => {
  const here = temporaryFolder();
  process.chdir(here.path);
  cpSync(fixture, join(here.path, '.weir'), { recursive: true });
  Object.assign(context, { here, weir: (line: string) => runHere(line.split(' '), here.path) });
});
check.after(async ({ here }) => {
  process.chdir('/');
  await here.remove();
});

check(
  'says that a store is whole, beside a server that goes on, and what the logs end with',
  async ({ here, weir }) => {
    assert.is((await weir('export --out tree')).code, 0);
    const server = await serve(here, ['tree']);
    const { code, stdout } = await weir('store check');
    await stop(server);
    assert.is(code, 0, stdout);
    assert.match(stdout, /\.weir: whole: \d+ commits?, \d+ snapshots?, \d+ of the journal, /);
    assert.match(stdout, /\nthe audit log ends with [0-9a-f]{64}\n/);
    const { store, ok, damage, position, heads } = JSON.parse((await weir('store check .weir -o json')).stdout);
    assert.equal([ok, damage, store], [true, [], join(here.path, '.weir')]);
    assert.ok(position > 0 && /^[0-9a-f]{64}$/.test(heads.audit));
  },
);

check(
  'tells all that is damaged, and exits 5; so do backup and restore, which do their work',
  async ({ here, weir }) => {
    const records = join(here.path, '.weir/records');
    const [segment = '', other = ''] = readdirSync(records).sort();
    const lines = readFileSync(join(records, segment), 'utf8').split('\n');
    writeFileSync(join(records, segment), lines.toSpliced(1, 1).join('\n'));
    rmSync(join(records, other));
    const { code, stdout } = await weir('store check');
    assert.is(code, 5);
    assert.match(stdout, new RegExp(`damaged: .*${segment} at byte \\d+: `));
    assert.match(stdout, new RegExp(`damaged: .*${other} at byte 0: the file is missing, with \\d+ record`));
    assert.match(stdout, /not whole, \d+ places damaged/);
    const json = JSON.parse((await weir('store check --output json')).stdout);
    assert.is(json.ok, false);
    assert.ok(
      json.damage.every(({ path, offset, why }: Record<string, unknown>) => path && Number.isInteger(offset) && why),
    );
    const backup = await weir('backup --out damaged.tar.gz');
    assert.is(backup.code, 5);
    assert.match(backup.stdout, /read back, and the records in it are damaged\n/);
    assert.not.match(backup.stdout, /checked/);
    assert.match(backup.stderr, /the backup was made all the same/);
    const restored = await weir('restore damaged.tar.gz --store restored --secret-key-file .weir/secret.key');
    assert.is(restored.code, 5);
    assert.match(restored.stderr, /everything was restored as the backup has it/);
    assert.is((await weir('status --store restored --secret-key-file .weir/secret.key')).code, 0);
  },
);

check('has the server say so, by a condition', async ({ here }) => {
  const server = await serve(here, ['tree']);
  const headers = { authorization: `Bearer ${token}` };
  const status = await (await fetch(`${server.url}/api/v1/admin/config`, { headers })).json();
  const { conditions } = status as { conditions: Record<string, string>[] };
  const told = conditions.find(({ type }) => type === 'AuditIntact');
  await stop(server);
  assert.equal([told?.status, told?.reason], ['False', 'Damaged']);
  assert.match(told?.message ?? '', /records.* at byte \d+: .*"weir store check" tells all that is wrong/);
});

check('has a condition whose time is when it was first seen so', () => {
  const store = openMemoryStore();
  let now = 't1';
  let damage: { count: number; first: string } | undefined;
  const health = () => ({ ...store.health(), ...(damage && { damage }) });
  const condition = auditIntactOf({ ...store, health }, () => now);
  assert.equal([condition().status, condition().lastTransitionTime], ['True', 't1']);
  now = 't2';
  assert.is(condition().lastTransitionTime, 't1');
  damage = { count: 3, first: 'a file at byte 1: why' };
  assert.equal(condition(), {
    type: 'AuditIntact',
    status: 'False',
    reason: 'Damaged',
    message: 'a file at byte 1: why; and 2 more: "weir store check" tells all that is wrong',
    lastTransitionTime: 't2',
  });
});

check.run();

async function stop({ child, ended }: Serving): Promise<void> {
  child.kill('SIGTERM');
  assert.is((await ended).code, 0);
}
