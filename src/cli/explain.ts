// weir explain: what a kind or a field means.
import { declaredKindNames, kindOf } from '../core/kinds/index.ts';
import { suggest } from '../core/model/suggest.ts';
import { cut, explain, explainable, listWidth, paragraph } from '../core/schemas/explain.ts';
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
    io.stdout.write(word === undefined ? overview() : explanation(word));
    return exitCodes.fine;
  },
};

function overview(): string {
  const kinds = declaredKindNames.map((kind) => [kind, kindOf(kind).summary] as const);
  const rules = ruleIds.map((id) => [id, helpFor(id).about] as const);
  return `kinds\n${listed(kinds)}\n\nrules and warnings\n${listed(rules)}\n\nweir explain KIND, weir explain KIND.FIELD and weir explain RULE say more of one.\n`;
}

function listed(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${cut(text, listWidth - width - 4)}`).join('\n');
}

function explanation(word: string): string {
  const id = ruleIds.find((one) => one === word.toLowerCase());
  if (id !== undefined) return ruleText(id);
  const [kindWord = '', ...steps] = word.split('.');
  const kind = kindOrRule(kindWord, steps.length === 0);
  const path = steps.join('.').replaceAll(/\[\d*\]/g, '');
  const text = explain(kind, path, ruleNotes) ?? explain(kind, `spec.${path}`, ruleNotes);
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
function ruleText(id: string): string {
  const { about, why, help } = helpFor(id);
  const guards = ruleNotes.find((note) => note.id === id)?.guards ?? [];
  const parts = [
    id,
    paragraph(about),
    ...(why === undefined ? [] : [`why\n${paragraph(why)}`]),
    `what to do\n${paragraph(help)}`,
    ...(guards.length === 0 ? [] : [`fields\n${guards.map((guard) => `  ${guard}`).join('\n')}`]),
  ];
  return `${parts.join('\n\n')}\n`;
}
