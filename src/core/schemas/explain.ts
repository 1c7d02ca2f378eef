// What `explain` says of a kind or of one of its fields.
import { type DeclaredKindName, kindOf } from '../kinds/index.ts';
import { exampleOf } from './example.ts';
import { envelopeFields, type Field, fieldsOf } from './fields.ts';

/** What explain says of a rule; `guards` are the fields that it looks at, as `TeamType.spec.limits`. */
export interface RuleNote {
  readonly id: string;
  readonly refuses: string;
  readonly guards?: readonly string[];
  /** What it looks at that no document declares, as `Instance.environment`, with the requests that write it. */
  readonly doors?: readonly string[];
}

/**
 * Text for people about a kind, or about the field at `path` (`spec.driver.kind`; `[]` may be left out). Nothing where there is
 * no such field: `explainable` then has what there is.
 */
export function explain(
  kind: DeclaredKindName,
  path?: string,
  { rules = [], width = usualWidth }: ExplainOptions = {},
): string | undefined {
  if (path === undefined || path === '') return explainKind(kind, rules, width);
  const field = allFields(kind).find((each) => plain(each.path) === plain(path));
  return field && explainField(kind, field, rules, width);
}

/** `width`: of the screen, in characters; only a word that is longer goes past it. */
export interface ExplainOptions {
  readonly rules?: readonly RuleNote[];
  readonly width?: number | undefined;
}

/** How wide a text is where no screen says otherwise. */
export const usualWidth = 100;

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

function explainKind(kind: DeclaredKindName, rules: readonly RuleNote[], width: number): string {
  const { summary, singleton, example } = kindOf(kind);
  return sections(
    kind,
    paragraph(singleton ? `${summary} There is one, called "${singleton}".` : summary, width),
    titled('fields: name, type, default, description', fieldLines(fieldsOf(kind), width)),
    titled('rules', ruleLines(rules, kind, width)),
    titled('example', example ?? ''),
  );
}

function explainField(kind: DeclaredKindName, field: Field, rules: readonly RuleNote[], width: number): string {
  const below = allFields(kind).filter(
    ({ path }) => path.startsWith(`${field.path}.`) || path.startsWith(`${field.path}[]`),
  );
  return sections(
    `${kind}.${field.path}`,
    paragraph(field.description, width),
    facts(field, width),
    titled('fields', fieldLines(below, width, field.path)),
    titled('rules', ruleLines(rules, kind, width, plain(field.path))),
    titled('example', exampleOf(kind, field.path) ?? ''),
  );
}

function facts(field: Field, width: number): string {
  const changes = field.immutable === undefined ? 'may change' : `may not change${whenOf(field.immutable)}`;
  const rows = [
    ['type', bare(field.type)],
    ['default', field.required ? 'none: it is required' : defaultText(field)],
    ['changes', changes],
    ...(field.ref ? [['names', field.ref]] : []),
    ...(field.secret ? [['secret', 'by reference only; its value is never shown']] : []),
  ];
  return indented(columns(rows, [9, width - 12], ' ').join('\n'));
}

function whenOf(immutable: string): string {
  return immutable === 'always' ? '' : ` ${immutable}`;
}

function defaultText(field: Field): string {
  if (field.default !== undefined) return JSON.stringify(field.default);
  return field.type === 'object' ? 'as its fields say, or absent' : 'absent';
}

/** A row a field, below its parent: name, type, default, and how its description begins. */
function fieldLines(fields: readonly Field[], width: number, below = 'spec'): string {
  const depth = (path: string) => path.split('.').length;
  const rows = fields.map((field) => [
    `${'\u00a0\u00a0'.repeat(depth(field.path) - depth(below) - 1)}${field.path.split('.').at(-1)?.replaceAll('[]', '')}`,
    withoutNote(bare(field.type)),
    noteOf(field),
    firstSentence(bare(field.description)),
  ]);
  const longest = (column: number) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0));
  const words = (column: number) => rows.flatMap((row) => (row[column] ?? '').split(' '));
  // As wide as its longest word, so that all rows stay aligned.
  const fit = (column: number, most: number) =>
    Math.max(Math.min(longest(column), most), ...words(column).map(({ length }) => length));
  const [name, type, note] = [longest(0), fit(1, typeWidth), fit(2, noteWidth)];
  const rest = Math.max(leastWidth, width - 2 - name - type - note - 6);
  return columns(rows, [name, type, note, rest]).join('\n');
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
/** What a description gets on the narrowest of screens. */
const leastWidth = 20;

/** Rows of cells side by side, each of which goes on in further lines where it is longer than its column. */
export function columns(
  rows: readonly (readonly string[])[],
  widths: readonly number[],
  gap = '  ',
): readonly string[] {
  return rows.flatMap((row) => {
    const cells = widths.map((width, column) => wrapped(row[column] ?? '', width));
    const height = Math.max(...cells.map((lines) => lines.length));
    return Array.from({ length: height }, (_, at) =>
      widths
        .map((width, column) => (cells[column]?.[at] ?? '').padEnd(width))
        .join(gap)
        .replaceAll('\u00a0', ' ')
        .trimEnd(),
    );
  });
}

/** A text in lines of at most so many characters, broken between words; only a word that is longer has a longer line. */
export function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function noteOf({ required, default: otherwise }: Field): string {
  if (required) return 'required';
  // A list is broken between its items.
  return otherwise === undefined ? '-' : JSON.stringify(otherwise).replaceAll('","', '", "');
}

function ruleLines(rules: readonly RuleNote[], kind: DeclaredKindName, width: number, path?: string): string {
  const here = path === undefined ? kind : `${kind}.${path}`;
  return rules
    .filter(({ guards = [] }) => guards.some((guard) => overlaps(guard, here)))
    .flatMap(({ id, refuses }) =>
      wrapped(`${id}: refuses ${refuses}`, width - 4).map((line, at) => (at ? `  ${line}` : line)),
    )
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

/** Text in lines, two in from the left. */
export function paragraph(text: string, width = usualWidth): string {
  return indented(wrapped(bare(text), width - 2).join('\n'));
}
