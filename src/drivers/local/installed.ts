// What is installed for an instance: its runtime, and the modules in its user directory, read from their own manifests.
import { join } from 'node:path';
import type { Installed, InstalledModule } from '../driver.ts';
import { plainText } from './beneath.ts';
import type { Folder } from './folder.ts';
import { openAlong, within } from './open-folder.ts';
import { lookInto, runtimePackage } from './stack.ts';

/** Reads it, whether the instance runs or not; what cannot be read is not there. */
export async function readInstalled({ home }: Folder, stacks: string, runtime: string): Promise<Installed> {
  const found = isPlain(runtime) ? await lookInto(join(stacks, runtime)) : 'missing';
  const wanted = Object.entries(record((await manifestIn(home))?.dependencies)).filter(([name]) => isModule(name));
  const modules: InstalledModule[] = [];
  for (const [name, range] of wanted.slice(0, mostModules)) {
    const version = (await manifestIn(home, ['node_modules', ...name.split('/')]))?.version;
    modules.push({
      name,
      wanted: text(range) ?? '',
      ...(text(version) === undefined ? {} : { version: text(version) }),
    });
  }
  const byName = modules.sort((a, b) => (a.name < b.name ? -1 : 1));
  if (typeof found === 'string') return { modules: byName };
  return { runtime: { name: runtimePackage, version: found.version }, modules: byName };
}

/** How many modules of an instance are looked at, and how long a manifest may be, in bytes, and a version, in characters. */
const mostModules = 500;
const mostBytes = 1024 * 1024;
const mostText = 200;

function isPlain(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._+-]*$/.test(name);
}

/** The name of a package, and no way out of the folder. */
function isModule(name: string): boolean {
  return name.length <= 214 && /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/i.test(name);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value.slice(0, mostText) : undefined;
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** The manifest in a folder that is reached from the home; nothing where a link is on the way, which may lead anywhere. */
async function manifestIn(home: string, names: readonly string[] = []) {
  const folder = await openAlong(home, names).catch(() => undefined);
  if (!folder) return undefined;
  try {
    return record(JSON.parse((await plainText(within(folder), 'package.json', mostBytes)) ?? ''));
  } catch {
    return undefined;
  } finally {
    await folder.handle.close();
  }
}
