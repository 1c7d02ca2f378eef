// What `explain` says of a kind or of one of its fields.
import { type DeclaredKindName, kindOf } from '../kinds/index.ts';
import { exampleOf } from './example.ts';
import { envelopeFields, type Field, fieldsOf } from './fields.ts';

/** What explain says of a rule; `guards` are the fields that it looks at, as `TeamType.spec.limits`. */
export interface RuleNote {
  readonly id: string;
  readonly refuses: string;
  readonly guards?: readonly string[];
}

/**
 * Text for people about a kind, or about the field at `path` (`spec.driver.kind`; `[]` may be left out). Nothing where there is
 * no such field: `explainable` then has what there is.
 */
export function explain(kind: DeclaredKindName, path?: string, rules: readonly RuleNote[] = []): string | undefined {
  if (path === undefined || path === '') return explainKind(kind, rules);
  const field = allFields(kind).find((each) => plain(each.path) === plain(path));
  return field && explainField(kind, field, rules);
}

/** The paths that can be explained for a kind. */
export function explainable(kind: DeclaredKindName): readonly string[] {
  return [...new Set(allFields(kind).map(({ path }) => plain(path)))];
}

function allFields(kind: DeclaredKindName): readonly Field[] {
  return [...envelopeFields(), ...fieldsOf(kind)];
}

function plain(path: string): string {
  return path.replaceAll('[]', '').replaceAll('.*', '');
}

function explainKind(kind: DeclaredKindName, rules: readonly RuleNote[]): string {
  const { summary, singleton, example } = kindOf(kind);
  return sections(
    kind,
    paragraph(singleton ? `${summary} There is one, called "${singleton}".` : summary),
    titled('fields: name, type, default, description', fieldLines(fieldsOf(kind))),
    titled('rules', ruleLines(rules, kind, undefined)),
    titled('example', example ?? ''),
  );
}

function explainField(kind: DeclaredKindName, field: Field, rules: readonly RuleNote[]): string {
  const below = allFields(kind).filter(
    ({ path }) => path.startsWith(`${field.path}.`) || path.startsWith(`${field.path}[]`),
  );
  return sections(
    `${kind}.${field.path}`,
    paragraph(field.description),
    facts(field),
    titled('fields', fieldLines(below, field.path)),
    titled('rules', ruleLines(rules, kind, plain(field.path))),
    titled('example', exampleOf(kind, field.path) ?? ''),
  );
}

function facts(field: Field): string {
  const changes = field.immutable === undefined ? 'may change' : `may not change${whenOf(field.immutable)}`;
  const rows = [
    ['type', bare(field.type)],
    ['default', field.required ? 'none: it is required' : defaultText(field)],
    ['changes', changes],
    ...(field.ref ? [['names', field.ref]] : []),
    ...(field.secret ? [['secret', 'by reference only; its value is never shown']] : []),
  ];
  return rows.map(([label = '', text = '']) => `  ${label.padEnd(9)} ${text}`).join('\n');
}

function whenOf(immutable: string): string {
  return immutable === 'always' ? '' : ` ${immutable}`;
}

function defaultText(field: Field): string {
  if (field.default !== undefined) return JSON.stringify(field.default);
  return field.type === 'object' ? 'as its fields say, or absent' : 'absent';
}

/** One line a field, below its parent: name, type, default, and how its description begins. */
function fieldLines(fields: readonly Field[], below = 'spec'): string {
  const depth = (path: string) => path.split('.').length;
  const rows = fields.map((field) => [
    `${'  '.repeat(depth(field.path) - depth(below) - 1)}${field.path.split('.').at(-1)?.replaceAll('[]', '')}`,
    cut(withoutNote(bare(field.type)), typeWidth),
    cut(noteOf(field), noteWidth),
    firstSentence(bare(field.description)),
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) => widths.map((width, column) => `${row[column]?.padEnd(width)}  `).join('') + row[3])
    .map((line) => cut(line, listWidth - 2).trimEnd())
    .join('\n');
}

/** A type without what stands in brackets behind it. */
function withoutNote(type: string): string {
  return type.endsWith(')') ? (type.split(' (')[0] ?? type) : type;
}

/** A text up to its first full stop. */
function firstSentence(text: string): string {
  const end = text.indexOf('. ');
  return end < 0 ? text : text.slice(0, end + 1);
}

const typeWidth = 20;
const noteWidth = 12;

/** How wide a list with one line for each of its rows may be. */
export const listWidth = 100;

/** The beginning of a text that is longer than `width`, with a mark that there is more. */
export function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1).trimEnd()}\u2026`;
}

function noteOf({ required, default: otherwise }: Field): string {
  if (required) return 'required';
  return otherwise === undefined ? '-' : JSON.stringify(otherwise);
}

function ruleLines(rules: readonly RuleNote[], kind: DeclaredKindName, path: string | undefined): string {
  const here = path === undefined ? kind : `${kind}.${path}`;
  return rules
    .filter(({ guards = [] }) => guards.some((guard) => overlaps(guard, here)))
    .map(({ id, refuses }) => `${id}: refuses ${refuses}`)
    .join('\n');
}

function overlaps(guard: string, here: string): boolean {
  return guard === here || guard.startsWith(`${here}.`) || here.startsWith(`${guard}.`);
}

function bare(text: string): string {
  return text.replaceAll('`', '');
}

function sections(...parts: readonly string[]): string {
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function titled(title: string, body: string): string {
  return body === '' ? '' : `${title}\n${indented(body.trimEnd())}`;
}

function indented(text: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? line : `  ${line}`))
    .join('\n');
}

/** Text in lines of at most 96 characters, two in from the left. */
export function paragraph(text: string): string {
  const lines: string[] = [];
  for (const word of bare(text).split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + word.length < 96) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return indented(lines.join('\n'));
}
