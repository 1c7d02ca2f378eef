// Inputs that are kept: one file each, byte for byte, named by what is in it.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Target } from './target.ts';

const folder = join(import.meta.dirname, 'corpus');

/** The inputs that are kept for a target. */
export function keptInputs(name: string): { readonly file: string; readonly input: Buffer }[] {
  const own = join(folder, name);
  const files = existsSync(own) ? readdirSync(own).sort() : [];
  return files.map((file) => ({ file, input: readFileSync(join(own, file)) }));
}

/** Everything to begin with. */
export function firstInputs(name: string, target: Target): Buffer[] {
  return [...target.seeds().map((seed) => Buffer.from(seed as string)), ...keptInputs(name).map(({ input }) => input)];
}

/** Keeps an input; answers its path. */
export function keep(name: string, input: Buffer, prefix = ''): string {
  const path = join(folder, name, `${prefix}${createHash('sha256').update(input).digest('hex').slice(0, 12)}`);
  mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(path, input);
  return path;
}
