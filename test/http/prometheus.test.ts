// timeout: 1200
// The metrics before the real Prometheus: promtool reads them, and a server of it scrapes Weir with the statistics token.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { debian, suiteWith } from '../support/debian.ts';
import { freePort } from '../support/free-port.ts';
import { type RunningCommand, runCommand, startCommand } from '../support/run-command.ts';
import { addressOf } from '../support/serving.ts';
import { type TemporaryFolder, temporaryFolder, writeFiles } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { launcher, plainEnvironment, seed } from '../support/weir.ts';

const commands = debian(['prometheus'], ['prometheus', 'promtool']);
const accept = 'application/openmetrics-text;version=1.0.0';

const files = {
  'config/weir.yaml': 'kind: Platform\nmetadata: {name: platform}\n',
  'config/settings.yaml': 'kind: AdminSettings\nmetadata: {name: default}\nspec: {statisticsTokenAccess: true}\n',
  'config/types.yaml': 'kind: TeamType\nmetadata: {name: starter}\n---\nkind: TeamType\nmetadata: {name: pro}\n',
};

interface Context {
  folder: TemporaryFolder;
  weir: RunningCommand & { readonly url: string };
  token: string;
}

const scraping = suiteWith<Context>(commands, 'Prometheus');

scraping.before(async (context) => {
  const folder = temporaryFolder();
  context.folder = folder;
  await writeFiles(folder.path, files);
  const run = (...args: string[]) =>
    runCommand(process.execPath, [launcher, ...args], { cwd: folder.path, env: plainEnvironment() });
  assert.is((await run('apply')).code, 0);
  const bootstrap = await run('bootstrap');
  await seed(join(folder.path, '.weir'), ['a', 'b', 'c'].map(team));
  context.weir = await serve(folder.path);
  const authorization = `Bearer ${JSON.parse(bootstrap.stdout).token}`;
  const minted = await fetch(`${context.weir.url}/api/v1/admin/stats-token`, {
    method: 'POST',
    headers: { authorization },
  });
  assert.is(minted.status, 201);
  context.token = Object(await minted.json()).token;
});

scraping.after(async ({ folder, weir }) => {
  weir.child.kill('SIGTERM');
  assert.is((await weir.ended).code, 0);
  await folder.remove();
});

scraping('has nothing to say against the metrics, by promtool', async ({ weir, token }) => {
  const text = await expositionOf(weir.url, token);
  const { code, stdout, stderr } = await runCommand(commands?.promtool ?? '', ['check', 'metrics'], {
    input: asPlainText(text),
  });
  assert.is(stdout + stderr, '');
  assert.is(code, 0);
});

scraping(
  'scrapes with the token, as OpenMetrics, and answers how many teams there are',
  async ({ folder, weir, token }) => {
    const port = await freePort();
    const config = await configOf(folder.path, weir.url, token);
    const checked = await runCommand(commands?.promtool ?? '', ['check', 'config', config]);
    assert.is(checked.code, 0, checked.stdout + checked.stderr);
    const prometheus = startCommand(
      commands?.prometheus ?? '',
      [
        `--config.file=${config}`,
        `--storage.tsdb.path=${join(folder.path, 'tsdb')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { cwd: folder.path },
    );
    const ask = (query: string) => queried(`http://127.0.0.1:${port}`, query);
    try {
      const teams = await until(() => ask('weir_teams'), { program: prometheus });
      assert.equal(teams, { '{"type":"pro"}': 0, '{"type":"starter"}': 3 });
      assert.equal(await ask('sum(weir_teams)'), { '{}': 3 });
      // It asks for OpenMetrics by its own Accept, and would take neither JSON nor OpenMetrics without its end.
      assert.equal(await ask('up{job="weir"}'), { '{}': 1 });
      assert.equal(await ask('weir_config_last_reload_successful'), { '{}': 1 });
      assert.equal(await ask('weir_store_state == 1'), { '{"state":"ready"}': 1 });
      assert.is(Object.values((await ask('weir_disk_free_bytes / weir_disk_size_bytes < bool 1')) ?? {})[0], 1);
      assert.is(Object.keys((await ask('weir_store_bytes{part=~"journal|blobs"}')) ?? {}).length, 2);
      assert.equal(await ask('weir_store_sync_failures_total'), { '{}': 0 });
      assert.equal(await ask('weir_reconciles_total > 0'), { '{"result":"unchanged","trigger":"start"}': 1 });
      const scrapes = 'weir_http_request_duration_seconds_count{route="/api/v1/admin/stats"}';
      await until(() => ask(`${scrapes} >= 2`), { program: prometheus });
      const rate = await ask(
        `histogram_quantile(0.9, weir_http_request_duration_seconds_bucket{route="/api/v1/admin/stats"})`,
      );
      assert.ok(Number(Object.values(rate ?? {})[0]) > 0);
      await assertKind(`http://127.0.0.1:${port}`, 'weir_http_requests', 'counter');
      await assertKind(`http://127.0.0.1:${port}`, 'weir_teams', 'gauge');
      await assertKind(`http://127.0.0.1:${port}`, 'weir_store_sync_duration_seconds', 'histogram');
      await assertKind(`http://127.0.0.1:${port}`, 'weir_store_commit_duration_seconds', 'histogram');
    } finally {
      prometheus.child.kill('SIGTERM');
      await prometheus.ended;
    }
  },
);

scraping('is told 401 where the token has been revoked', async ({ weir, token }) => {
  const answer = await fetch(`${weir.url}/api/v1/admin/stats`, {
    headers: { authorization: `Bearer ${token}x`, accept },
  });
  assert.is(answer.status, 401);
});

scraping.run();

function team(name: string) {
  return { kind: 'Team', name, spec: { displayName: name, type: 'starter' } } as const;
}

async function serve(cwd: string): Promise<Context['weir']> {
  const running = startCommand(process.execPath, [launcher, 'serve', '--port', '0'], {
    cwd,
    env: plainEnvironment(),
  });
  const url = await addressOf(running);
  return { ...running, url };
}

async function expositionOf(url: string, token: string): Promise<string> {
  const ask = () => fetch(`${url}/api/v1/admin/stats`, { headers: { authorization: `Bearer ${token}`, accept } });
  // The second tells of the first.
  await (await ask()).text();
  const answer = await ask();
  assert.is(answer.headers.get('content-type'), 'application/openmetrics-text; version=1.0.0; charset=utf-8');
  return answer.text();
}

/** promtool reads the text format that came before OpenMetrics, in which a counter is called as its series are. */
function asPlainText(openMetrics: string): string {
  const counters = [...openMetrics.matchAll(/^# TYPE (\S+) counter$/gm)].map(([, name]) => name);
  assert.ok(counters.length > 5);
  return counters.reduce<string>(
    (text, name) => text.replace(new RegExp(`^# (HELP|TYPE) ${name} `, 'gm'), `# $1 ${name}_total `),
    openMetrics,
  );
}

/** As the README shows it. */
async function configOf(folder: string, url: string, token: string): Promise<string> {
  await writeFile(join(folder, 'weir.token'), token, { mode: 0o600 });
  const config = `global: {scrape_interval: 1s, scrape_timeout: 1s}
scrape_configs:
  - job_name: weir
    metrics_path: /api/v1/admin/stats
    authorization: {credentials_file: weir.token}
    static_configs: [{targets: ["${new URL(url).host}"]}]
`;
  await writeFile(join(folder, 'prometheus.yml'), config);
  assert.is(await readFile(join(folder, 'weir.token'), 'utf8'), token);
  return join(folder, 'prometheus.yml');
}

/** The values of a query by labels, without those that Prometheus adds; nothing where there is no answer or no series yet. */
async function queried(base: string, query: string): Promise<Readonly<Record<string, number>> | undefined> {
  const answer = await fetch(`${base}/api/v1/query?query=${encodeURIComponent(query)}`).catch(() => undefined);
  if (!answer?.ok) return undefined;
  const { data } = Object(await answer.json());
  const series = data.result.map(({ metric, value }: { metric: Record<string, string>; value: [number, string] }) => {
    const { __name__, job, instance, ...labels } = metric;
    return [JSON.stringify(labels), Number(value[1])];
  });
  return series.length === 0 ? undefined : Object.fromEntries(series.sort());
}

/** What Prometheus has understood a metric to be. */
async function assertKind(base: string, metric: string, type: string): Promise<void> {
  const { data } = Object(await (await fetch(`${base}/api/v1/metadata?metric=${metric}`)).json());
  assert.is(data[metric]?.[0]?.type, type, metric);
}
