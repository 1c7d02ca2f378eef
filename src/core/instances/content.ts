// What a snapshot holds: flows, credentials as the runtime encrypted them, modules, and the settings that they ran with.
import { z } from 'zod';
import type { SpecOf } from '../kinds/index.ts';
import { keysOf, markOf, partsOf } from '../kinds/kind.ts';
import { optionOverrides, optionValues } from '../kinds/template-options.ts';
import type { Settings } from './settings.ts';

const variables = z.array(z.object({ name: z.string(), value: z.string() }));

/** Those options that this version knows, with values that they may have: a newer one may have kept others. */
const options = z.record(z.string(), z.unknown()).transform((given) => {
  const known = keysOf(optionValues).filter((name) => optionValues[name].safeParse(given[name]).success);
  return optionOverrides.parse(Object.fromEntries(known.map((name) => [name, given[name]])));
});

/** Options without those that hold a secret: a snapshot must not bring back a password that was changed since. */
const settings = z.object({
  runtime: z.string().optional(),
  resources: z
    .object({ memoryMb: z.int().optional(), cpuPercent: z.int().optional(), diskMb: z.int().optional() })
    .optional(),
  options,
  environment: variables,
});

/** A file of persistent context: where it is below the folder of the runtime's context, and its JSON. */
const contextFile = z.object({ path: z.string().refine(isContextPath), text: z.string() });

/**
 * The content of a snapshot, as it is kept; what a newer Weir keeps besides is not looked at. `flows` and `credentials` stand as the runtime writes them;
 * modules by name, with their versions. Without `context` it says nothing of it; an empty one is one.
 */
export const contentForm = z.object({
  format: z.literal(1),
  flows: z.array(z.record(z.string(), z.unknown())),
  credentials: z.record(z.string(), z.unknown()).optional(),
  modules: z.record(z.string(), z.string()),
  settings: settings.optional(),
  context: z.array(contextFile).readonly().optional(),
});

/** The content of a snapshot. */
export type Content = z.output<typeof contentForm>;

/** What an instance keeps by itself: the content of a snapshot without the settings, which Weir knows. */
export type Stored = Omit<Content, 'format' | 'settings'>;

/** Persistent context, as a snapshot keeps it. */
export type Context = NonNullable<Content['context']>;

/** Whether a path is that of a file in a folder, with names that mean the same on every system. */
export function isContextPath(path: string): boolean {
  const [folder = '', name = '', ...more] = path.split('/');
  const isPlain = folder !== '' && !folder.startsWith('.') && name.endsWith('.json') && name !== '.json';
  return isPlain && more.length === 0 && !path.includes('\\') && !path.includes('\0');
}

/** How large the content of a snapshot may be, in bytes. */
export const mostContentBytes = 32 * 1024 * 1024;

/** How large its files may be together: runtimes indent what stands there. */
export const mostFileBytes = 2 * mostContentBytes;

/** A snapshot of what an instance keeps, and of what it was last started with; where it never was, only the first. */
export function contentOf(stored: Stored, { started }: Pick<SpecOf<'Instance'>, 'started'>): Content {
  return { format: 1, ...stored, ...(started ? { settings: settingsToKeep(started) } : {}) };
}

/** Settings as a snapshot has them. */
export function settingsToKeep({ runtime, resources, options, environment }: Settings): Content['settings'] {
  const open = Object.entries(options).filter(([name]) => !secretOptions.has(name));
  return { runtime, resources, options: Object.fromEntries(open), environment: [...environment] };
}

const secretOptions: ReadonlySet<string> = new Set(
  keysOf(optionValues).filter((name) => holdsSecret(optionValues[name])),
);

function holdsSecret(schema: z.core.$ZodType): boolean {
  if (markOf(schema).secret) return true;
  const parts = partsOf(schema);
  return parts.type === 'object' && Object.values(parts.fields).some(holdsSecret);
}

/** The text of a content: the same for the same, so that it is kept once. */
export function contentText({ format, flows, credentials, modules, settings: ran, context }: Content): string {
  const names = Object.keys(modules).sort();
  const sorted = Object.fromEntries(names.map((name) => [name, modules[name]]));
  return JSON.stringify({ format, flows, credentials, modules: sorted, settings: ran, context });
}

/** The content in a text; nothing where there is none in it. */
export function contentIn(text: string): Content | undefined {
  try {
    return contentForm.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** What makes a deploy: other flows or other credentials. The text is digested. */
export function deployText({ flows, credentials = {} }: Pick<Stored, 'flows' | 'credentials'>): string {
  return JSON.stringify([flows, credentials]);
}
