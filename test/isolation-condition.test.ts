// timeout: 300
// What keeps instances from each other is told by a server: to its log, as a condition, and as a metric.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { until } from './support/until.ts';
import { startWeirServer, type WeirServer } from './support/weir-server.ts';

const told = suite('the isolation of instances');

const tree = (driver: string) => ({
  'config/weir.yaml': `apiVersion: weir/v1\nkind: Platform\nmetadata: {name: platform}\nspec:\n  driver: {${driver}}\n`,
});

/** The condition as the server answers it. */
async function isolationOf(server: WeirServer): Promise<{ readonly status: string; readonly reason: string }> {
  return until(async () => {
    const { body } = await server.admin('GET', '/api/v1/admin/config');
    return body.conditions.find(({ type }: { readonly type: string }) => type === 'Isolation');
  });
}

told('is a condition, and a warning only where nobody chose to have none', async () => {
  const server = await startWeirServer(tree('isolation: none'));
  try {
    const { status, reason } = await isolationOf(server);
    assert.equal([status, reason], ['False', 'None']);
    assert.not.match(server.log(), 'no-isolation');
  } finally {
    await server.stop();
  }
});

told('is as strong as the machine lets it be, and says what is missing', async () => {
  const server = await startWeirServer(tree('kind: local'));
  try {
    const { status, reason } = await isolationOf(server);
    assert.ok(['None', 'User', 'Namespace', 'Cgroup'].includes(reason));
    assert.is(status, reason === 'None' ? 'False' : 'True');
    assert.is(server.log().includes('no-isolation'), reason === 'None');
  } finally {
    await server.stop();
  }
});

if (process.getuid?.() !== 0)
  told('that is written and cannot be had is an error, which says what to do', async () => {
    const server = await startWeirServer(tree('isolation: user'));
    try {
      assert.is((await isolationOf(server)).reason, 'None');
      assert.match(
        server.log(),
        /instances cannot be started: .*"user".*Weir does not run as root: install bubblewrap/,
      );
    } finally {
      await server.stop();
    }
  });

told.run();
