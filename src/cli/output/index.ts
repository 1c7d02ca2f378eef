// The registry of formats: one line each.
import type { Report } from '../report.ts';
import { github } from './github.ts';
import { human } from './human.ts';
import { json } from './json.ts';

/** Renders a report as text. `colours` is for formats that people read. */
export type Format = (report: Report, look: { readonly colours: boolean }) => string;

/** Every format, by the name that `--output` takes. */
export const formats = { human, json, github } as const satisfies Readonly<Record<string, Format>>;

export type FormatName = keyof typeof formats;

/** The names of all formats. */
export const formatNames = Object.keys(formats) as readonly FormatName[];

/** Whether a word names a format. */
export function isFormat(name: string): name is FormatName {
  return Object.hasOwn(formats, name);
}
