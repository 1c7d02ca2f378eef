// A field of a plan before and after, so that people see what changes: texts by their lines, lists by their items, certificates by what they are.
import { createHash } from 'node:crypto';
import { type DeclaredKindName, isDeclaredKind, kindOf } from '../../core/kinds/index.ts';
import { markOf, partsOf } from '../../core/kinds/kind.ts';
import { schemaAt } from '../../core/model/children.ts';
import { readable, stepsOf } from '../../core/model/pointer.ts';
import type { PlannedField } from '../../core/plan/plan-document.ts';
import type { Action } from '../../core/plan/wanted-action.ts';
import { certificateSummaries } from '../../lib/certificate.ts';
import { hunksOf, unifiedDiff } from '../../lib/line-diff.ts';
import { escaped } from './escape.ts';
import type { Look, Style } from './style.ts';
import { apart, mostText, valueText, wholeText } from './value-text.ts';

/** A field of a change as rows: the first names it (`~ label: "a" → "b"`), those below it are indented. */
export function fieldRows(
  field: PlannedField,
  { kind, action }: { readonly kind: DeclaredKindName; readonly action: Action },
  style: Style,
): readonly string[] {
  const { path, before, after } = field;
  const name = escaped(path === '/status/managedBy' ? 'managed by' : readable(path));
  const sign = action === 'create' || before === null ? '+' : after === null ? '-' : '~';
  const { note, rows } = sign === '~' ? changed(field, kind) : whole(field, kind, sign);
  const head = `${style(looks[sign] ?? 'faint', sign)} ${name}:${note === '' ? '' : ` ${note}`}`;
  return [head, ...rows.map(([mark, text]) => `    ${style(looks[mark] ?? 'faint', `${mark} ${text}`.trimEnd())}`)];
}

const looks: Readonly<Record<string, Look>> = { '+': 'made', '-': 'gone', '~': 'changed', '>': 'changed' };

/** A row below a field: its mark, and its text. */
type Row = readonly [mark: '+' | '-' | '>' | ' ', text: string];

/** What stands beside the name of a field, and below it. */
interface Told {
  readonly note: string;
  readonly rows: readonly Row[];
}

/** What comes or goes as a whole. */
function whole({ path, before, after, sensitive }: PlannedField, kind: DeclaredKindName, mark: '+' | '-'): Told {
  const value = mark === '+' ? after : before;
  if (typeof value === 'string' && isCertificate(kind, path))
    return { note: '', rows: certificatesOf(value).flatMap(({ rows }) => marked(mark, rows)) };
  const text = valueText(value, sensitive);
  if (!Array.isArray(value) || text.length <= mostInline) return { note: text, rows: [] };
  return { note: '', rows: value.map((item) => [mark, valueText(item)]) };
}

const mostInline = 80;

function changed({ path, before, after, sensitive }: PlannedField, kind: DeclaredKindName): Told {
  if (sensitive) return { note: `${valueText(before, true)} → ${valueText(after, true)}`, rows: [] };
  if (typeof before === 'string' && typeof after === 'string')
    return isCertificate(kind, path) ? changedCertificates(before, after) : changedText(before, after);
  if (Array.isArray(before) && Array.isArray(after))
    return isOrdered(kind, path) ? changedList(before, after) : changedSet(before, after);
  return { note: `${wholeText(before)} → ${wholeText(after)}`, rows: [] };
}

function changedText(before: string, after: string): Told {
  if (/\n/.test(before) || /\n/.test(after)) return { note: '', rows: capped(lineRows(before, after)) };
  const [old, fresh] = apart(before, after);
  const isWhole = [before, after].every((text) => text.length <= mostText);
  if (isWhole && old.length + fresh.length <= mostInline) return { note: `${old} → ${fresh}`, rows: [] };
  const sizes = before.length === after.length ? `${after.length}` : `${before.length} → ${after.length}`;
  return {
    note: `(${sizes} characters)`,
    rows: [
      ['-', old],
      ['+', fresh],
    ],
  };
}

/** As `diff -u` has it, without the names of files. */
function lineRows(before: string, after: string): readonly Row[] {
  const all = unifiedDiff('', before, after).split('\n').slice(2, -1);
  const lines = all.filter((line) => !line.startsWith('\\'));
  const rows: Row[] = [];
  for (let at = 0; at < lines.length; ) {
    const old = run(lines, at, '-');
    const fresh = run(lines, at + old.length, '+');
    rows.push(...replaced(old, fresh));
    at += old.length + fresh.length;
    if (old.length + fresh.length === 0) rows.push([' ', contextOf(lines[at++] ?? '')]);
  }
  const ends = [before, after].map((text) => text.endsWith('\n'));
  if (ends[0] === ends[1]) return rows;
  return [...rows, [' ', ends[0] ? '(the line feed at the end goes)' : '(a line feed is added at the end)']];
}

/** Lines and those that stand in their place: one by one, where they are as many. */
function replaced(before: readonly string[], after: readonly string[]): readonly Row[] {
  const isPaired = before.length === after.length;
  const pairs = isPaired ? before.map((line, index) => shownApart(line, after[index] ?? '')) : [];
  const texts = isPaired
    ? [...pairs.map(([old]) => old), ...pairs.map(([, fresh]) => fresh)]
    : distinct([...before, ...after]);
  return texts.map((text, index) => [index < before.length ? '-' : '+', text]);
}

function run(lines: readonly string[], from: number, mark: string): readonly string[] {
  let to = from;
  while (lines[to]?.startsWith(mark)) to += 1;
  return lines.slice(from, to).map((line) => line.slice(1));
}

/** A line that stays, or where the next ones stand. */
function contextOf(line: string): string {
  return line.startsWith('@@') ? line : cut(line.slice(1));
}

/** Lines need no quotes, unless their ends could not be seen. */
function shownApart(before: string, after: string): readonly [string, string] {
  const pair = apart(before, after, mostInLine);
  const isPlain = [before, after].every((line, index) => pair[index] === `"${line}"` && line.trimEnd() === line);
  return isPlain ? [before, after] : pair;
}

/** Texts that are cut where they are long, unless two would look equal then. */
function distinct(texts: readonly string[]): readonly string[] {
  const short = texts.map(cut);
  const isClear = new Set(short.map((text) => text.normalize('NFKC'))).size === new Set(texts).size;
  return isClear ? short : texts.map((text) => wholeText(text));
}

function cut(line: string): string {
  const text = line.trimEnd() === line ? escaped(line) : wholeText(line);
  return text.length > mostInLine ? `${escaped([...line].slice(0, mostInLine - 1).join(''))}…` : text;
}

const mostInLine = 100;

/** Where order means nothing. */
function changedSet(before: readonly unknown[], after: readonly unknown[]): Told {
  const old = before.map((item) => wholeText(item));
  const fresh = after.map((item) => wholeText(item));
  const [gone, made] = [without(old, fresh), without(fresh, old)];
  const note = counted({ added: made.length, removed: gone.length, unchanged: old.length - gone.length });
  return { note, rows: capped([...marked('-', gone), ...marked('+', made)]) };
}

/** What is left of a list once every item of another is taken out of it, as often as it stands there. */
function without(items: readonly string[], others: readonly string[]): readonly string[] {
  const left = new Map<string, number>();
  for (const other of others) left.set(other, (left.get(other) ?? 0) + 1);
  return items.filter((item) => {
    const count = left.get(item) ?? 0;
    left.set(item, count - 1);
    return count <= 0;
  });
}

/** Where order matters, an item may also move. */
function changedList(before: readonly unknown[], after: readonly unknown[]): Told {
  const old = before.map((item) => wholeText(item));
  const fresh = after.map((item) => wholeText(item));
  const hunks = hunksOf(old, fresh);
  const gone = hunks.flatMap(({ start, end }) => old.slice(start, end));
  const made = hunks.flatMap(({ from, to }) => fresh.slice(from, to));
  const [lost, found] = [without(gone, made), without(made, gone)];
  const rows = hunks.flatMap(({ start, end, from, to }): Row[] => [
    ...marked(
      '-',
      old.slice(start, end).filter((item) => lost.includes(item)),
    ),
    ...fresh.slice(from, to).map((item, index): Row => {
      if (found.includes(item)) return ['+', item];
      return ['>', `${item} (moved from ${old.indexOf(item) + 1} to ${from + index + 1})`];
    }),
  ]);
  const moved = made.length - found.length;
  const unchanged = old.length - lost.length - moved;
  return { note: counted({ added: found.length, removed: lost.length, moved, unchanged }), rows: capped(rows) };
}

function counted(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).filter(([, count]) => count > 0);
  return `(${parts.map(([what, count]) => `${count} ${what}`).join(', ')})`;
}

function changedCertificates(before: string, after: string): Told {
  const [old, fresh] = [certificatesOf(before), certificatesOf(after)];
  const among = (others: readonly Certificate[]) => (one: Certificate) => others.some(({ id }) => id === one.id);
  const gone = old.filter((one) => !among(fresh)(one));
  const made = fresh.filter((one) => !among(old)(one));
  if (gone.length + made.length === 0)
    return { note: '(the same certificates, in another order or written otherwise)', rows: [] };
  const note = counted({ added: made.length, removed: gone.length, unchanged: old.length - gone.length });
  return {
    note,
    rows: [...gone.flatMap(({ rows }) => marked('-', rows)), ...made.flatMap(({ rows }) => marked('+', rows))],
  };
}

interface Certificate {
  readonly id: string;
  readonly rows: readonly string[];
}

/** What is no certificate, or not yet, is never shown as it is: it may be anything. */
function certificatesOf(text: string): readonly Certificate[] {
  const found = certificateSummaries(text);
  if (found)
    return found.map(({ subject, serial, ends, fingerprint }) => ({
      id: fingerprint,
      rows: [escaped(`${subject}, serial ${serial}, until ${ends.slice(0, 10)}`), `  SHA-256 ${fingerprint}`],
    }));
  const id = createHash('sha256').update(text).digest('hex');
  return [{ id, rows: [`a text of ${text.length} characters that is no certificate`, `  SHA-256 ${id}`] }];
}

/** The first row has the mark, those that belong to it are indented. */
function marked(mark: '+' | '-', rows: readonly string[]): readonly Row[] {
  return rows.map((row) => [row.startsWith('  ') ? ' ' : mark, row]);
}

function capped(rows: readonly Row[]): readonly Row[] {
  if (rows.length <= mostRows) return rows;
  return [
    ...rows.slice(0, mostRows - 1),
    [' ', `… and ${rows.length - mostRows + 1} more rows: --output json has all`],
  ];
}

const mostRows = 60;

function isCertificate(kind: DeclaredKindName, path: string): boolean {
  const schema = fieldAt(kind, path);
  return schema !== undefined && markOf(schema).textFile === true;
}

function isOrdered(kind: DeclaredKindName, path: string): boolean {
  const schema = fieldAt(kind, path);
  const parts = schema && partsOf(schema);
  return parts?.type === 'list' && !parts.set;
}

/** The schema of a field; nothing for a kind that a newer server may have and this Weir does not know. */
function fieldAt(kind: DeclaredKindName, path: string) {
  const [root, ...steps] = stepsOf(path);
  return root === 'spec' && isDeclaredKind(kind) ? schemaAt(kindOf(kind).spec, steps) : undefined;
}
