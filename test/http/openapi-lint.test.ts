// timeout: 600
// The description under the linters that others use: they run by npx, which fetches them once.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runCommand } from '../support/run-command.ts';
import { temporaryFolder, writeFiles } from '../support/temporary-folder.ts';
import { startWorld } from './world.ts';

const lint = suite('the description under linters');
const folder = temporaryFolder();
const file = join(folder.path, 'openapi.json');
const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

lint.before(async () => {
  const world = await startWorld();
  const { text } = await world.ask('GET', '/api/');
  await writeFiles(folder.path, { 'openapi.json': text, 'ruleset.yaml': 'extends: ["spectral:oas"]\n' });
  await world.close();
});
lint.after(folder.remove);

lint('has no problem by the rules of the specification that redocly knows', async () => {
  const { totals, problems } = await told(['@redocly/cli@2.77.0', 'lint', '--extends=spec', '--format=json', file]);
  assert.equal(problems, []);
  assert.equal([totals.errors, totals.warnings, totals.ignored], [0, 0, 0]);
});

lint('has no problem by the OpenAPI rules of spectral but the slash after /api', async () => {
  const ruleset = join(folder.path, 'ruleset.yaml');
  const output = join(folder.path, 'spectral.json');
  const args = ['--ruleset', ruleset, '--format', 'json', '--output', output, '--fail-severity', 'hint', file];
  await run(['@stoplight/spectral-cli@6.16.3', 'lint', ...args]);
  const problems = JSON.parse(await readFile(output, 'utf8'));
  assert.equal(
    problems.map(({ code, severity, path }: Record<string, unknown>) => ({ code, severity, path })),
    [{ code: 'path-keys-no-trailing-slash', severity: 1, path: ['paths', '/api/'] }],
  );
});

lint.run();

async function told(args: readonly string[]) {
  const { stdout, stderr, code } = await run(args);
  const start = stdout.indexOf('{');
  if (start < 0) throw new Error(`it printed no JSON (exit ${code}):\n${stdout}\n${stderr}`);
  return JSON.parse(stdout.slice(start));
}

function run(args: readonly string[]) {
  return runCommand('npx', ['--yes', ...args], { cwd: folder.path, env });
}
