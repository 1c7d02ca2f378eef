// How the npm of a runtime's own editor reaches a registry: as Weir's does, behind a proxy and with a private authority.
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Folder, writePrivate } from './folder.ts';

/** What npm may be told by variables, as it is called in its files; the one that comes first counts. */
const settings = {
  registry: ['npm_config_registry'],
  proxy: ['npm_config_proxy', 'http_proxy'],
  'https-proxy': ['npm_config_https_proxy', 'https_proxy', 'npm_config_proxy', 'http_proxy'],
  noproxy: ['npm_config_noproxy', 'no_proxy'],
  'strict-ssl': ['npm_config_strict_ssl'],
} as const;

/** The variables that a runtime needs for it, and the files that these name. */
export interface RegistryAccess {
  readonly variables: Readonly<Record<string, string>>;
  readonly files: readonly string[];
}

/**
 * Writes it into a file that npm reads last, so that the option `npmrc` goes before: a proxy may want a password, which flows must not find among their
 * variables, and their own requests must not go through it.
 */
export async function giveRegistryAccess(folder: Folder, env: NodeJS.ProcessEnv): Promise<RegistryAccess> {
  const known = new Map(Object.entries(env).map(([name, value]) => [name.toLowerCase(), value ?? '']));
  const settingOf = (names: readonly string[]) => names.map((name) => known.get(name)).find((value) => value);
  const lines = Object.entries(settings).flatMap(([name, from]) => lineOf(name, settingOf(from)));
  const cafile = await copied(known.get('npm_config_cafile'), join(folder.path, 'npm-ca.pem'));
  const extra = await copied(known.get('node_extra_ca_certs'), join(folder.path, 'extra-ca.pem'));
  const file = join(folder.path, 'npmrc');
  await writePrivate(file, [...lines, ...lineOf('cafile', cafile)].map((line) => `${line}\n`).join(''));
  const variables = { npm_config_globalconfig: file, ...(extra ? { NODE_EXTRA_CA_CERTS: extra } : {}) };
  return { variables, files: [file, cafile, extra].filter((path) => path !== undefined) };
}

/** In quotes nothing of it is a comment, or the next line. */
function lineOf(name: string, value: string | undefined): string[] {
  return value ? [`${name} = ${JSON.stringify(value)}`] : [];
}

/** Where the file of Weir's machine lies for the instance, which may see nothing else of it; nothing where it cannot be read. */
async function copied(from: string | undefined, to: string): Promise<string | undefined> {
  await rm(to, { force: true });
  if (!from) return undefined;
  return copyFile(from, to).then(
    () => to,
    () => undefined,
  );
}
