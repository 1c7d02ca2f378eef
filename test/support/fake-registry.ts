// A registry of npm packages for tests: it has what it is given, and is as slow or broken as it is told.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TemporaryFolder, temporaryFolder, writeFiles } from './temporary-folder.ts';

/** A registry that listens. */
export interface FakeRegistry {
  readonly url: string;
  /** What was asked for. */
  readonly asked: readonly string[];
  /** Forgets what was asked for. */
  forget(): void;
  close(): Promise<void>;
}

/** Package → version → its files; `package.json` is made. */
export type Packages = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>;

/** Starts one. */
export async function fakeRegistry(packages: Packages): Promise<FakeRegistry> {
  const folder = temporaryFolder();
  const tarballs = new Map<string, Buffer>();
  for (const [name, versions] of Object.entries(packages))
    for (const [version, files] of Object.entries(versions))
      tarballs.set(`/${name}/${version}.tgz`, await packed(folder, { name, version }, files));
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '');
    asked.push(path);
    const versions = packages[path.slice(1)];
    const tarball = tarballs.get(path);
    if (tarball) response.end(tarball);
    else if (versions) response.end(JSON.stringify(packument(path.slice(1), Object.keys(versions))));
    else response.writeHead(404).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const packument = (name: string, versions: readonly string[]) => ({
    name,
    'dist-tags': { latest: versions.at(-1) },
    versions: Object.fromEntries(versions.map((version) => [version, manifest(name, version)])),
  });
  const manifest = (name: string, version: string) => {
    const path = `/${name}/${version}.tgz`;
    const sum = createHash('sha512')
      .update(tarballs.get(path) ?? '')
      .digest('base64');
    const more = JSON.parse(packages[name]?.[version]?.['package.json'] ?? '{}');
    return { name, version, ...more, dist: { tarball: `${url}${path}`, integrity: `sha512-${sum}` } };
  };
  return {
    url,
    asked,
    forget: () => {
      asked.length = 0;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await folder.remove();
    },
  };
}

async function packed(
  { path }: TemporaryFolder,
  { name, version }: { readonly name: string; readonly version: string },
  files: Readonly<Record<string, string>>,
): Promise<Buffer> {
  const source = join(path, `${name}-${version}`);
  const manifest = { name, version, ...JSON.parse(files['package.json'] ?? '{}') };
  await writeFiles(join(source, 'package'), { ...files, 'package.json': JSON.stringify(manifest) });
  const tarball = join(path, `${name}-${version}.tgz`);
  execFileSync('tar', ['-czf', tarball, '-C', source, 'package']);
  return readFileSync(tarball);
}
