// A plan for people: what would happen to which object, field by field.
import type {
  PlanDocument,
  PlannedChange,
  PlannedConsequence,
  PlannedField,
  PlanSummary,
} from '../../core/plan/plan-document.ts';
import { type Action, wantedAction } from '../../core/plan/wanted-action.ts';
import type { PlanReport } from '../report.ts';
import { widthOfText } from './cells.ts';
import { fieldCount, formerPlace, guardedCounts, isDeletion, ownRules } from './deletion-text.ts';
import { escaped } from './escape.ts';
import { amount, lines } from './findings-text.ts';
import type { Look, Style } from './style.ts';
import { fieldRows } from './value-diff.ts';

/** The changes of a plan, an empty line after each; deletions that need no more than a line stand together. */
export function changesText({ changes, consequences, adopted = [] }: PlanDocument, style: Style): string {
  const equal = adopted.map(
    ({ address }) =>
      `${sign('adopt', style)} adopt ${escaped(address)} ${style('faint', '(it is equal: nothing changes)')}`,
  );
  const following = consequenceGroups(consequences).map(
    ({ action, text, reason }) =>
      `${sign(action, style)} ${action} ${escaped(text)} ${style('faint', `(because ${escaped(reason)})`)}`,
  );
  const folded = changes.filter(isFolded);
  const sections = [
    ...changes.filter((change) => !isFolded(change)).map((change) => changeRows(change, style)),
    foldedRows(folded, guardedCounts(changes), style),
    equal,
    following,
  ];
  return sections.map((rows) => (rows.length > 0 ? `${lines(rows)}\n` : '')).join('');
}

/** Consequences of one kind that have one reason, on one line: a domain may have thousands of sessions. */
export interface ConsequenceGroup {
  readonly action: PlannedConsequence['action'];
  readonly text: string;
  readonly reason: string;
}

/** What goes with a plan, by what happens to which kind, and why: a few by their addresses, many by their number. */
export function consequenceGroups(consequences: PlanDocument['consequences']): readonly ConsequenceGroup[] {
  const groups = Map.groupBy(consequences, ({ address, action, reason }) =>
    JSON.stringify([action, address.split('/')[0], reason]),
  );
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const { action, reason, address } = first;
    const text = group.length > 1 ? `${group.length} × ${address.split('/')[0]}` : address;
    return [{ action, text, reason }];
  });
}

/** What stands before a change, and how it looks. */
export const signs: Readonly<Record<Action | 'blocked', readonly [string, Look]>> = {
  create: ['+', 'made'],
  update: ['~', 'changed'],
  delete: ['-', 'gone'],
  rename: ['>', 'changed'],
  adopt: ['<', 'changed'],
  blocked: ['!', 'error'],
};

function sign(action: Action | 'blocked', style: Style): string {
  const [text, look] = signs[action];
  return style(look, `  ${text}`);
}

function changeRows(change: PlannedChange, style: Style): readonly string[] {
  const action = wantedAction(change);
  const fields = shownFields(change);
  const title = titleRow(change, style);
  const told = fields.map((field) => fieldRows(field, { kind: change.kind, action }, style));
  const heads = [title, ...told.map(([head]) => `      ${head}`)];
  const places = [change.source, ...fields.map(({ source }) => source)].map(placeText);
  const [first = '', ...placed] = beside(heads, isDeletion(change) ? [formerText(change)] : places, style);
  const below = told.map(([, ...rows]) => rows.map((row) => `      ${row}`));
  return [first, ...notesOf(change, style), ...placed.flatMap((head, index) => [head, ...(below[index] ?? [])])];
}

function titleRow(change: PlannedChange, style: Style): string {
  return `${sign(change.action, style)} ${style('strong', titleOf(change, wantedAction(change)))}`;
}

/** Whether a change is told in one line. */
function isFolded(change: PlannedChange): boolean {
  return isDeletion(change) && notesOf(change, plain).length === 0;
}

/** `blocked`: how many deletions each guard of the whole plan forbids. */
function foldedRows(
  changes: readonly PlannedChange[],
  blocked: ReadonlyMap<string, number>,
  style: Style,
): readonly string[] {
  const sorted = changes.toSorted((a, b) => byAddress.compare(a.address, b.address));
  const titles = sorted.map((change) => titleRow(change, style));
  const rows = beside(titles, sorted.map(formerText), style);
  const notes = [...blocked].map(([rule, count]) => `${amount(count, 'deletion')} blocked by ${rule}`);
  return [...rows, ...notes.map((note) => `      ${style('error', note)} (see below)`)];
}

const byAddress = new Intl.Collator('en', { numeric: true });

/** Where it stood, and how much is folded. */
function formerText(change: PlannedChange): string {
  const place = formerPlace(change);
  return place === undefined ? `(${fieldCount(change)})` : `was ${escaped(place)} (${fieldCount(change)})`;
}

function placeText(place: { readonly file: string; readonly line: number } | undefined): string | undefined {
  return place && `${escaped(place.file)}:${place.line}`;
}

const plain: Style = (_look, text) => text;

/** The fields of a change that are worth a row: none of a deletion, and none that the title tells. */
export function shownFields(change: PlannedChange): readonly PlannedField[] {
  const action = wantedAction(change);
  return action === 'delete' ? [] : change.fields.filter(({ path }) => !isTold(path, action));
}

/** Whether the title says it already. */
function isTold(path: string, action: Action): boolean {
  return path === '/metadata/name' || (path === '/status/managedBy' && action === 'adopt');
}

/** `rename Stack/a → Stack/b`: what a change does, or would do, to which object. */
export function titleOf({ address, previousAddress }: PlannedChange, action: Action): string {
  const from = previousAddress === undefined ? '' : `${escaped(previousAddress)} → `;
  return `${action} ${from}${escaped(address)}`;
}

/** `1 team, 3 instances`: who a change touches; empty for nobody. */
export function affectedText(affects: PlannedChange['affects']): string {
  return affectedNouns
    .flatMap(([key, noun]) => (affects[key] === undefined ? [] : [amount(affects[key], noun)]))
    .join(', ');
}

const affectedNouns = [
  ['teams', 'team'],
  ['instances', 'instance'],
  ['sessions', 'session'],
  ['tokens', 'token'],
  ['memberships', 'membership'],
  ['invitations', 'invitation'],
  ['snapshots', 'snapshot'],
] as const;

function notesOf(change: PlannedChange, style: Style): string[] {
  const { affects, cause } = change;
  const counts = affectedText(affects);
  const rules = ownRules(change);
  return [
    ...(counts === '' ? [] : [`      affects ${counts}`]),
    ...(rules.length > 0 ? [`      ${style('error', `blocked by ${rules.join(', ')}`)} (see below)`] : []),
    ...(cause === 'drift' ? ['      because the state changed, not the document'] : []),
  ];
}

/** What else is to say in a column of its own, right of the longest row that is not unusually long. */
function beside(rows: readonly string[], notes: readonly (string | undefined)[], style: Style): string[] {
  const widths = rows.map((row) => widthOfText(row.replaceAll(colour, '')));
  const column = Math.max(0, ...widths.filter((width) => width <= 70)) + 3;
  return rows.map((row, index) => {
    const note = notes[index];
    if (note === undefined) return row;
    const gap = ' '.repeat(Math.max(3, column - (widths[index] ?? 0)));
    return `${row}${gap}${style('faint', note)}`;
  });
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are made of the escape character.
const colour = /\u001b\[[0-9;]*m/g;

/** The line that a plan ends with. */
export function planLine({ plan, result }: PlanReport): string {
  const { summary } = plan;
  const objects = amount(summary.unchanged + summary.adopt, 'object');
  if (result === 'already') return 'Nothing to do: this plan is applied already.';
  if (result === 'planned' && plan.changes.length === 0) {
    const silent =
      summary.adopt > 0
        ? ` ${amount(summary.adopt, 'equal object')} made through the API will be taken over as ${summary.adopt === 1 ? 'it is' : 'they are'}.`
        : '';
    return `No changes. The state is as the tree declares it (${objects}).${silent}`;
  }
  if (result === 'unchanged') return `No changes. The state is as the tree declares it (${objects}).`;
  const following = plan.consequences.length > 0 ? `; ${amount(plan.consequences.length, 'consequence')}` : '';
  if (result === 'refused') return `Plan: ${todoText(summary)}${following}. Nothing was applied.`;
  return result === 'applied'
    ? `Applied: ${doneText(summary)}${following}.`
    : `Plan: ${todoText(summary)}${following}.`;
}

function todoText({ create, update, delete: deletions, rename, adopt, blocked, unchanged }: PlanSummary): string {
  const parts = [`${create} to create`, `${update} to update`, `${deletions} to delete`];
  if (rename > 0) parts.push(`${rename} to rename`);
  if (adopt > 0) parts.push(`${adopt} to adopt`);
  if (blocked > 0) parts.push(`${blocked} blocked`);
  return `${parts.join(', ')}; ${unchanged} unchanged`;
}

function doneText({ create, update, delete: deletions, rename, adopt, unchanged }: PlanSummary): string {
  const parts = [`${create} created`, `${update} updated`, `${deletions} deleted`];
  if (rename > 0) parts.push(`${rename} renamed`);
  if (adopt > 0) parts.push(`${adopt} adopted`);
  return `${parts.join(', ')}; ${unchanged} unchanged`;
}
