// weir explain: what a kind or a field means.
import { declaredKindNames, kindOf } from '../core/kinds/index.ts';
import { suggest } from '../core/model/suggest.ts';
import { columns, explain, explainable, paragraph, usualWidth, wrapped } from '../core/schemas/explain.ts';
import { UsageError } from '../options.ts';
import { kindIn } from './consents.ts';
import { exitCodes } from './exit-codes.ts';
import { helpFor, ruleIds } from './output/rule-help.ts';
import { ruleNotes } from './rule-notes.ts';
import type { Verb } from './verb.ts';

export const explainField: Verb = {
  usage: '[KIND[.FIELD] | RULE]',
  words: { least: 0, most: 1 },
  options: [],
  details:
    'Without a word it lists the kinds and the rules. A field is written as it stands in the document: TeamType.spec.limits.members.',
  examples: ['weir explain', 'weir explain Stack', 'weir explain SsoConfig.spec.ldap.tls', 'weir explain mass-delete'],
  async run({ args: [word], io }) {
    const width = Math.max(leastWidth, io.stdout.columns ?? usualWidth);
    io.stdout.write(word === undefined ? overview(width) : explanation(word, width));
    return exitCodes.fine;
  },
};

/** Narrower than that, lines go past the edge of the screen. */
const leastWidth = 80;

function overview(width: number): string {
  const kinds = declaredKindNames.map((kind) => [kind, kindOf(kind).summary] as const);
  const rules = ruleIds.map((id) => [id, helpFor(id).about] as const);
  const more = wrapped('weir explain KIND, weir explain KIND.FIELD and weir explain RULE say more of one.', width);
  return `kinds\n${listed(kinds, width)}\n\nrules and warnings\n${listed(rules, width)}\n\n${more.join('\n')}\n`;
}

function listed(rows: readonly (readonly [string, string])[], width: number): string {
  const longest = Math.max(...rows.map(([name]) => name.length));
  return columns(rows, [longest, width - longest - 4])
    .map((line) => `  ${line}`)
    .join('\n');
}

function explanation(word: string, width: number): string {
  const id = ruleIds.find((one) => one === word.toLowerCase());
  if (id !== undefined) return ruleText(id, width);
  const [kindWord = '', ...steps] = word.split('.');
  const kind = kindOrRule(kindWord, steps.length === 0);
  const path = steps.join('.').replaceAll(/\[\d*\]/g, '');
  const text =
    explain(kind, path, { rules: ruleNotes, width }) ?? explain(kind, `spec.${path}`, { rules: ruleNotes, width });
  if (text !== undefined) return text;
  const nearest = suggest(path, explainable(kind)) ?? suggest(`spec.${path}`, explainable(kind));
  throw new UsageError(
    `${kind} has no field ${JSON.stringify(path)}${nearest === undefined ? `: "weir explain ${kind}" lists them` : `: did you mean ${kind}.${nearest}?`}`,
  );
}

function kindOrRule(word: string, mayBeRule: boolean): ReturnType<typeof kindIn> {
  if (!mayBeRule || declaredKindNames.some((name) => name.toLowerCase() === word.toLowerCase())) return kindIn(word);
  const nearest = suggest(word, [...declaredKindNames, ...ruleIds]);
  const advice = nearest === undefined ? '"weir explain" lists both' : `did you mean ${nearest}?`;
  throw new UsageError(`there is no kind or rule ${JSON.stringify(word)}: ${advice}`);
}

/** What a rule refuses, why, how to mend it, and the fields that it looks at. */
function ruleText(id: string, width: number): string {
  const { about, why, help } = helpFor(id);
  const { guards = [], doors = [] } = ruleNotes.find((note) => note.id === id) ?? {};
  const parts = [
    id,
    paragraph(about, width),
    ...(why === undefined ? [] : [`why\n${paragraph(why, width)}`]),
    `what to do\n${paragraph(help, width)}`,
    ...(guards.length === 0 ? [] : [`fields\n${guards.map((guard) => `  ${guard}`).join('\n')}`]),
    ...(doors.length === 0 ? [] : [`over the API\n${doors.map((door) => `  ${door}`).join('\n')}`]),
  ];
  return `${parts.join('\n\n')}\n`;
}
