// A pipe, a socket or a device where a file of the tree should be: told as an error, and never opened, which would let a writer go on or do whatever a device does.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { resolveSecret } from '../../src/manifests/secrets.ts';
import { platform, stack, type Workspace, workspace } from '../cli/world.ts';
import { until } from '../support/until.ts';

/** Makes something that is no regular file; answers what takes it away. Throws where this user may not. */
const kinds: Readonly<Record<string, (path: string) => Promise<() => unknown>>> = {
  'a pipe': async (path) => {
    execFileSync('mkfifo', [path]);
    return () => {};
  },
  'a socket': async (path) => {
    const server = createServer().listen(path);
    await once(server, 'listening');
    return () => server.close();
  },
  'a character device': async (path) => {
    // /dev/zero, which has no end.
    execFileSync('mknod', [path, 'c', '1', '5'], { stdio: 'pipe' });
    return () => {};
  },
  'a block device': async (path) => {
    // One that nothing stands behind.
    execFileSync('mknod', [path, 'b', '240', '0'], { stdio: 'pipe' });
    return () => {};
  },
};

/** Where it stands, of a tree at `config`; with the path that the finding is at. */
const places: Readonly<
  Record<string, { readonly at: string; readonly told: string; readonly lay?: (path: string) => void }>
> = {
  'with the name of a document': { at: 'config/odd.yaml', told: 'odd.yaml' },
  'in place of the root manifest': { at: 'config/weir.yaml', told: 'weir.yaml' },
  'behind a link': {
    at: 'config/odd',
    told: 'link.yml',
    lay: (path) => symlinkSync('odd', join(path, 'config/link.yml')),
  },
  'in an overlay': { at: 'config/overlays/staging/odd.yaml', told: 'overlays/staging/odd.yaml' },
  'as a certificate': {
    at: 'config/odd.pem',
    told: 'sso.yaml',
    lay: (path) =>
      writeFileSync(
        join(path, 'config/sso.yaml'),
        'kind: SsoConfig\nmetadata: {name: corp}\nspec: {emailDomain: a.example, provider: saml, saml: {certificate: {fromFile: odd.pem}}}\n',
      ),
  },
};

const special = suite<{ here: Workspace }>('what is no regular file');

special.before.each(async (context) => {
  context.here = await workspace();
  mkdirSync(join(context.here.path, 'config/overlays/staging'), { recursive: true });
});
special.after.each(({ here }) => here.remove());

for (const [kind, make] of Object.entries(kinds))
  for (const [place, { at, told, lay }] of Object.entries(places))
    special(`is told, and not opened: ${kind} ${place}`, async ({ here }) => {
      const path = join(here.path, at);
      rmSync(path, { force: true });
      const away = await make(path).catch((error: unknown) => {
        if (process.getuid?.() === 0 && process.env.CI) throw error;
        return undefined;
      });
      // Not everybody may make devices.
      if (!away) return;
      lay?.(here.path);
      const writer = kind === 'a pipe' ? await waitingWriter(path) : undefined;
      try {
        const env = at.includes('overlays') ? ' --env staging' : '';
        for (const line of ['validate', 'plan', 'apply', 'fmt --check']) {
          const { code, stdout, stderr } = await here.weir(line + env);
          if (line.startsWith('fmt') && place === 'as a certificate') continue;
          assert.is(code, 1, `${line}: ${stdout}${stderr}`);
          assert.match(stdout + stderr, /error\[(syntax|schema)\] .*not a regular file/, line);
          assert.match(stdout + stderr, `--> ${told}:`, line);
        }
        if (writer) await writer.stillWaits();
      } finally {
        writer?.end();
        await away();
      }
    });

special('is not opened as a secret either', async ({ here }) => {
  const secretDir = join(here.path, 'secrets');
  mkdirSync(secretDir);
  for (const [kind, make] of Object.entries(kinds)) {
    const path = join(secretDir, 'odd');
    const away = await make(path).catch(() => undefined);
    if (!away) continue;
    const writer = kind === 'a pipe' ? await waitingWriter(path) : undefined;
    const resolved = resolveSecret({ fromFile: 'odd' }, { secretDir, env: {} });
    assert.match('message' in resolved ? resolved.message : '', 'because it is not a regular file', kind);
    if (writer) await writer.stillWaits();
    writer?.end();
    await away();
    rmSync(path, { force: true });
  }
});

special('is no matter where its name is that of no document', async ({ here }) => {
  execFileSync('mkfifo', [join(here.path, 'config/pipe')]);
  chmodSync(join(here.path, 'config/pipe'), 0o600);
  here.write('config/weir.yaml', platform);
  here.write('config/stacks.yaml', stack);
  assert.is((await here.weir('validate')).code, 0);
});

special.run();

/** Somebody who writes into a pipe, and waits for a reader: whoever opens it, be it for a moment, lets them go on. */
async function waitingWriter(
  path: string,
): Promise<{ readonly stillWaits: () => Promise<void>; readonly end: () => void }> {
  const writer = spawn('sh', ['-c', 'echo ready; echo x > "$1"', 'sh', path], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let said = '';
  writer.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await until('the writer begins', () => said.startsWith('ready') || undefined);
  // Between its word and its waiting nothing can be seen.
  await sleep(200);
  return {
    stillWaits: async () => {
      await sleep(200);
      // Let go on, it ends: by its own, or by a signal where its reader left again.
      assert.equal([writer.exitCode, writer.signalCode], [null, null], 'nobody opened the pipe');
    },
    end: () => writer.kill('SIGKILL'),
  };
}
