// Runs the real command, as a shell would, and puts things into a store behind its back.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type KindName, kindOf } from '../../src/core/kinds/index.ts';
import { created } from '../../src/core/model/change.ts';
import { referencesOf } from '../../src/core/model/references.ts';
import { defaultLifecycle, type Resource } from '../../src/core/model/resource.ts';
import { createState } from '../../src/core/model/state.ts';
import type { View } from '../../src/core/model/view.ts';
import { openStore } from '../../src/store/json-file.ts';
import type { Store } from '../../src/store/store.ts';
import { type CommandResult, runCommand } from './run-command.ts';

/** The script that a shell would run. */
export const launcher = resolve(import.meta.dirname, '../../src/bin/weir.js');

export interface WeirOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** Runs `weir ARGS` in a folder, with nothing of this process's own settings. */
export function weir(
  cwd: string,
  args: readonly string[],
  { env = {}, input = '' }: WeirOptions = {},
): Promise<CommandResult> {
  return runCommand(process.execPath, [launcher, ...args], {
    cwd,
    env: { ...plainEnvironment(), ...env },
    input,
  });
}

/** This process's environment without what changes what Weir does or prints, and with a store that takes no disk in advance. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  const own = /^(WEIR_.*|NO_COLOR|FORCE_COLOR|GITHUB_.*|CI|GITLAB_CI|NODE_OPTIONS)$/;
  const kept = Object.entries(process.env).filter(([name]) => !own.test(name));
  // Hundreds of short-lived stores need no room of their own.
  return { ...Object.fromEntries(kept), WEIR_RESERVE: '0' };
}

/** A resource as an example writes it: references name their targets, and what is absent has its default. */
export interface SeedResource {
  readonly kind: KindName;
  readonly name: string;
  readonly managedBy?: 'api' | 'config';
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec: Readonly<Record<string, unknown>>;
}

/** Puts resources into the store in `folder`, without asking any rule. */
export async function seed(folder: string, resources: readonly SeedResource[]): Promise<void> {
  const store = await openStore(folder, { create: true });
  try {
    await seedStore(store, resources);
  } finally {
    await store.close();
  }
}

/** Puts resources into an open store, without asking any rule. Their ids are `seed-KIND-NAME`, in lower case. */
export async function seedStore(store: Store, resources: readonly SeedResource[]): Promise<void> {
  await store.commit(
    (view) => {
      const made = createState();
      for (const resource of resources) made.apply([created(resourceOf(resource, view, made))]);
      return { changes: resources.map(({ kind, name }) => created(made.named(kind, name) as Resource)) };
    },
    { id: `seed-${resources.map(({ name }) => name).join('-')}` },
  );
}

/** The resources in a JSON file. */
export function readSeed(folder: string, file: string): readonly SeedResource[] {
  return JSON.parse(readFileSync(join(folder, file), 'utf8'));
}

function resourceOf(
  { kind, name, spec, managedBy = 'api', labels = {} }: SeedResource,
  view: View,
  made: View,
): Resource {
  const at = '2026-01-01T00:00:00.000Z';
  const parsed = kindOf(kind).spec.parse(spec);
  const declared = kindOf(kind).declared ? { labels, lifecycle: defaultLifecycle, managedBy } : {};
  for (const { kind: target, by, to, path } of referencesOf({ kind, spec: parsed })) {
    const found = view.named(target, to) ?? made.named(target, to);
    if (by === 'id' && found) put(parsed, path, found.id);
  }
  return {
    kind,
    id: `seed-${kind}-${name}`.toLowerCase(),
    name,
    spec: parsed,
    generation: 1,
    createdAt: at,
    updatedAt: at,
    ...declared,
  } as Resource;
}

/** Sets a field of a top-level pointer such as `/spec/stack`. */
function put(spec: Record<string, unknown>, path: string, id: string): void {
  spec[path.slice('/spec/'.length)] = id;
}
