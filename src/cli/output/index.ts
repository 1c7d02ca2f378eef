// The registry of formats: one line each.
import type { Report } from '../report.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import { human } from './human.ts';
import { json } from './json.ts';
import { junit } from './junit.ts';
import { markdown } from './markdown.ts';
import { sarif } from './sarif.ts';
import type { Surface } from './surface.ts';

/** Renders a report as text: a whole document of its format, whatever the report. */
export type Format = (report: Report, surface: Surface) => string;

/** Every format, by the name that `--output` takes. */
export const formats = { human, json, sarif, junit, github, gitlab, markdown } as const satisfies Readonly<
  Record<string, Format>
>;

export type FormatName = keyof typeof formats;

/** The names of all formats. */
export const formatNames = Object.keys(formats) as readonly FormatName[];

/** Whether a word names a format. */
export function isFormat(name: string): name is FormatName {
  return Object.hasOwn(formats, name);
}
