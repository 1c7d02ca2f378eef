// weir explain: what a kind or a field means.
import { declaredKindNames, kindOf } from '../core/kinds/index.ts';
import { suggest } from '../core/model/suggest.ts';
import { explain, explainable } from '../core/schemas/explain.ts';
import { UsageError } from '../options.ts';
import { kindIn } from './consents.ts';
import { exitCodes } from './exit-codes.ts';
import { ruleNotes } from './rule-notes.ts';
import type { Verb } from './verb.ts';

export const explainField: Verb = {
  usage: '[KIND[.FIELD]]',
  words: { least: 0, most: 1 },
  options: [],
  details:
    'Without a word it lists the kinds. A field is written as it stands in the document: TeamType.spec.limits.members.',
  examples: ['weir explain', 'weir explain Stack', 'weir explain SsoConfig.spec.ldap.tls'],
  async run({ args: [word], io }) {
    io.stdout.write(word === undefined ? kindList() : explanation(word));
    return exitCodes.fine;
  },
};

function kindList(): string {
  const width = Math.max(...declaredKindNames.map((kind) => kind.length));
  const rows = declaredKindNames.map((kind) => `  ${kind.padEnd(width)}  ${kindOf(kind).summary}`);
  return `${rows.join('\n')}\n\nweir explain KIND says more of one.\n`;
}

function explanation(word: string): string {
  const [kindWord = '', ...steps] = word.split('.');
  const kind = kindIn(kindWord);
  const path = steps.join('.').replaceAll(/\[\d*\]/g, '');
  const text = explain(kind, path, ruleNotes) ?? explain(kind, `spec.${path}`, ruleNotes);
  if (text !== undefined) return text;
  const nearest = suggest(path, explainable(kind)) ?? suggest(`spec.${path}`, explainable(kind));
  throw new UsageError(
    `${kind} has no field ${JSON.stringify(path)}${nearest === undefined ? `: "weir explain ${kind}" lists them` : `: did you mean ${kind}.${nearest}?`}`,
  );
}
