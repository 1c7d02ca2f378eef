// A platform with an instance that runs a real runtime, and people of every role.
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { type Serving, serve } from '../../support/serving.ts';
import { runtimes, stacksWith } from '../../support/stacks.ts';
import { temporaryFolder, writeFiles } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { weir } from '../../support/weir.ts';

/** Everybody's. */
export const password = 'correct horse battery';

/** A platform of its own, with an instance that runs. */
export async function startPlatform(domain?: string, version: string = runtimes.four) {
  const stacks = await stacksWith(version);
  const folder = temporaryFolder();
  const hostnames = domain === undefined ? '' : `  customHostnames: {domain: ${domain}}\n`;
  await writeFiles(join(folder.path, 'config'), {
    'weir.yaml': `kind: Platform\nmetadata: {name: platform}\nspec:\n  driver: {stacksDirectory: ${JSON.stringify(stacks)}}\n${hostnames}  api: {rateLimit: {signInPerMinute: 0}}\n  reconcile: {settleMs: 50, pollSeconds: 3600}\n`,
    'types.yaml': `kind: Stack\nmetadata: {name: nr}\nspec: {runtime: "${version}"}\n---\nkind: InstanceType\nmetadata: {name: small}\nspec: {stacks: [nr], defaultStack: nr}\n---\nkind: TeamType\nmetadata: {name: starter}\nspec:\n  features: {teamEndpointSecurity: true, protectedInstances: true}\n  instanceTypes: [{name: small}]\n---\nkind: Template\nmetadata: {name: plain}\nspec: {environment: [{name: SITE, value: main}]}\n`,
  });
  assert.is((await weir(folder.path, ['apply', 'config'])).code, 0);
  const { token } = JSON.parse((await weir(folder.path, ['bootstrap'])).stdout);
  // People and their browsers know the server as localhost, which hosts below it are, too.
  const server: Serving = await serve(folder, ['config', '--host', 'localhost'], {});
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
  const api = async (method: string, path: string, body?: object): Promise<any> => {
    const headers = { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) };
    const answer = await fetch(`${server.url}/api/v1${path}`, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${path}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const team = await api('POST', '/teams', { name: 'Plant One', type: 'starter' });
  for (const [username, role] of [
    ['max', 'member'],
    ['vera', 'viewer'],
    ['dora', 'dashboard'],
    ['otto', undefined],
  ] as const) {
    const user = await api('POST', '/users', { username, email: `${username}@example.net`, password });
    if (role) await api('PUT', `/teams/${team.id}/members/${user.id}`, { role });
  }
  const { id } = await api('POST', `/teams/${team.id}/instances`, {
    name: 'Line 1',
    instanceType: 'small',
    template: 'plain',
  });
  await until(async () => (await api('GET', `/instances/${id}`)).state === 'running');
  const { url } = await api('GET', `/instances/${id}`);
  return {
    ...{ server, api, token, id, url: url as string, folder: folder.path },
    close: async () => {
      await api('DELETE', `/instances/${id}`);
      await until(
        async () =>
          (await fetch(`${server.url}/api/v1/instances/${id}`, { headers: { authorization: `Bearer ${token}` } }))
            .status === 404,
      );
      server.child.kill('SIGTERM');
      assert.is((await server.ended).code, 0);
      await folder.remove();
    },
  };
}
