// Follows a tree of a test's own, and waits for what is told of it.
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { read } from '../../src/manifests/read.ts';
import { isMissing, type Missing, type Tree } from '../../src/manifests/tree.ts';
import { type Watch, type WatchOptions, watch } from '../../src/manifests/watch.ts';
import { temporaryFolder, writeFiles } from './temporary-folder.ts';
import { until } from './until.ts';

export const manifest = 'kind: Platform\nmetadata: {name: platform}\n';

/** A document that declares a stack. */
export const stack = (name: string) => `kind: Stack\nmetadata: {name: ${name}}\nspec: {runtime: r}\n`;

/** A tree that declares one stack, `one`. */
export const start = { 'weir.yaml': manifest, 'stacks/a.yaml': stack('one') };

/** A tree that is followed. */
export interface Following {
  readonly root: string;
  readonly watching: Watch;
  /** Waits until the last reading told of declares these names, and until at least so many were told. */
  becomes(names: string, times?: number): Promise<void>;
  last(): Tree | Missing;
  count(): number;
  triggers(): string[];
  findings(): unknown[];
}

export interface Settings extends Partial<WatchOptions> {
  readonly links?: Record<string, string>;
  readonly filesOf?: () => string[];
}

/** Writes a tree, follows it while a test runs, and ends. */
export async function following(
  files: Record<string, string>,
  settings: Settings,
  test: (following: Following) => Promise<void>,
): Promise<void> {
  const root = join(temporaryFolder().path, 'config');
  await writeFiles(root, files);
  for (const [link, target] of Object.entries(settings.links ?? {})) symlinkSync(target, join(root, link));
  await followed(root, settings, test);
}

/** Follows what is at a path. */
export async function followed(
  root: string,
  { links: _, filesOf, ...settings }: Settings,
  test: (following: Following) => Promise<void>,
): Promise<void> {
  const seen: { reading: Tree | Missing; trigger: string }[] = [];
  const watching = watch(root, {
    settleMs: 50,
    pollSeconds: 600,
    read: (previous) => read(root, { previous, filesOf }),
    log: (line) => assert.unreachable(line),
    ...settings,
    onChange: async (reading, trigger) => {
      seen.push({ reading, trigger });
      await settings.onChange?.(reading, trigger);
    },
  });
  const last = () => seen.at(-1)?.reading ?? { root, missing: 'folder', message: 'nothing was told yet' };
  const before = () => seen.length;
  let known = 0;
  try {
    await until(() => seen.length > 0);
    known = before();
    await delay(80);
    await test({
      root,
      watching,
      last,
      count: before,
      triggers: () => seen.map(({ trigger }) => trigger),
      findings: () => seen.flatMap(({ reading }) => (isMissing(reading) ? [] : reading.findings)),
      async becomes(names, times = known + 1) {
        await until(`${names} is told`, () => seen.length >= times && told(last()) === names, {
          now: () => `${told(last())}, told ${seen.length} times`,
        });
        known = seen.length;
      },
    });
  } finally {
    await watching.close();
  }
}

/** The names that a reading declares, but for the platform's. */
export function told(reading: Tree | Missing): string {
  if (isMissing(reading)) return `missing: ${reading.missing}`;
  const names = reading.documents.map(({ value }) => Object(Object(value).metadata).name);
  return names.filter((name) => name !== 'platform').join(' ');
}
