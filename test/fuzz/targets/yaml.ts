// Trees: YAML by both ways, and everything behind it that judges a tree on its own. Nothing throws, and every finding has a place in the text.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { offlineFacts } from '../../../src/cli/facts.ts';
import { desireSteps } from '../../../src/core/plan/desired-tree.ts';
import { judgeSteps } from '../../../src/core/plan/judge.ts';
import { parse } from '../../../src/manifests/parse.ts';
import { agree, readPlainly } from '../../manifests/both-ways.ts';
import { gist, holds, type Target } from '../target.ts';

const file = 'weir.yaml';
const facts = { ...offlineFacts(), certificateDaysLeft: () => 90 };

export const yaml: Target = {
  words: [
    ...[
      '---\n',
      '...\n',
      '%YAML 1.1\n',
      '&a ',
      '*a',
      '!!str ',
      '!x ',
      '<<: ',
      '? ',
      ': ',
      '- ',
      '|\n',
      '>-\n',
      '# x',
      '{}',
      '[]',
      '{a: ',
      '[b, ',
    ],
    ...[
      'kind: Stack\n',
      'metadata: {name: a}\n',
      'spec:\n',
      'previousNames: [a]',
      'lifecycle: {protect: true}',
      'runtime: 1.10',
      'yes',
      'off',
      '0x1F',
    ],
    ...[
      'replaces: a',
      'stacks: [a, a]',
      'features: {teamLibrary: true}',
      'fromEnv: WEIR_SECRET_A',
      'options: {npmrc: {value: a}}',
      'emailDomain: A.b',
    ],
  ],
  seeds: () => textsIn(resolve(import.meta.dirname, '../../../examples')),
  mostMs: 4000,
  check: (input) => {
    const text = input.toString('utf8');
    const { documents, findings, broken } = parse(file, text);
    agree(text.replace(/^\uFEFF/, ''));
    const files = [{ path: file, documents, broken, text }];
    const readPublicFile = () => ({ problem: 'there is no such file' });
    const tree = result(desireSteps({ documents, files, findings, readPublicFile }));
    const judged = result(judgeSteps(tree, facts, {}));
    const all = [...tree.findings, ...judged];
    const lines = text.split('\n');
    for (const { source, message } of all) {
      if (source?.file !== file) continue;
      const { line, column, endLine, endColumn } = source;
      const isOrdered = line < endLine || (line === endLine && column <= endColumn);
      holds(
        line >= 1 && column >= 1 && isOrdered && endLine <= lines.length,
        `a place outside of the text: ${message}`,
      );
    }
    const plain = readPlainly(text) === undefined ? 'engine' : 'plain';
    // One way for each problem that is told, and one for each set of rules: not for each mixture of problems.
    const [first] = all;
    const rules = [...new Set(all.map(({ rule }) => rule))].sort();
    return first
      ? `${plain} ${rules} ${gist(first.message.replace(/^\S+ /, '')).slice(0, 30)}`
      : `${plain} ${documents.length}`;
  },
};

function result<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

function textsIn(folder: string): string[] {
  const paths = readdirSync(folder, { recursive: true }).map(String).sort();
  return paths.filter((path) => path.endsWith('.yaml')).map((path) => readFileSync(join(folder, path), 'utf8'));
}
