// timeout: 900
// Regular expressions take time in proportion to what they look at: every one in the sources is proved to, or bounded here.
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { cpuTime } from './support/cpu-time.ts';
import { expressionsIn, type FoundExpression } from './support/expressions.ts';
import { whyNotLinear } from './support/linear.ts';

/** One that cannot be proved, and why it does no harm. */
interface Bounded {
  /** What keeps its input small. */
  readonly because: string;
  /** The most characters that it is given. */
  readonly most: number;
  /** What costs it most. It is given at its full length, and has to be looked through in 20 ms. */
  readonly worst: readonly ((most: number) => string)[];
  /** What a pattern that is made at run time looks like; it is proved in its place. */
  readonly like?: readonly RegExp[];
}

const repeated =
  (unit: string, end = '') =>
  (most: number) =>
    unit.repeat(Math.floor((most - end.length) / unit.length)) + end;

/** By file and by how it is written. */
const bounded: Readonly<Record<string, Readonly<Record<string, Bounded>>>> = {
  'src/auth/common-passwords.ts': {
    '/^(.{1,3})\\1+.{0,2}$/u': {
      because: 'the length of a password is looked at before',
      most: 24,
      worst: [repeated('a', '---'), repeated('ab', '!!!')],
    },
  },
  'src/core/schemas/example.ts': {
    "new RegExp(json.pattern, 'u')": {
      because:
        'it is a pattern of our own kinds, each proved where it is written, and looks at the samples in this file',
      most: 40,
      worst: [repeated('a-', '!')],
      like: [/^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/],
    },
  },
  'src/http/plugins/problems.ts': {
    "new RegExp(`^${url.replace(/[.*+?^$()[\\]{}|\\\\]/g, '\\\\$&').replace(/:\\w+/g, '[^/]+')}$`)": {
      because: 'it is made of the address of a route, and looks at a path; Node takes headers of 16 KiB',
      most: 16_384,
      worst: [repeated('/'), repeated('a'), (most) => `/api/v1/teams/${'a'.repeat(most - 22)}/members`],
      like: [/^\/api\/v1\/teams\/[^/]+\/members\/[^/]+$/, /^\/i\/[^/]+$/],
    },
  },
  'src/store/folder.ts': {
    'new RegExp(`^${prefix}-(\\\\d{12})\\\\.jsonl$`)': {
      because: 'it looks at the names of files in our own folder',
      most: 255,
      worst: [repeated('journal-')],
      like: [/^journal-(\d{12})\.jsonl$/],
    },
  },
  'src/core/kinds/kind.ts': {
    '/^(?!\\/)(?!(.*\\/)?\\.\\.?(\\/|$)).+$/': {
      because: 'matching() looks at the length before',
      most: 255,
      worst: [repeated('/'), repeated('/.', '\n'), repeated('a/', '..')],
    },
  },
};

const root = resolve(import.meta.dirname, '..');
const files = globSync('src/**/*.{ts,js,cjs,mjs}', { cwd: root }).toSorted();
const all = files.flatMap((file) =>
  expressionsIn(readFileSync(join(root, file), 'utf8'), file).map((one) => ({ file, ...one })),
);

const linear = suite('a regular expression');

linear('is found wherever it is made', () => {
  const found = expressionsIn(
    [
      'const part: string = "[a-z]";',
      'const raw = String.raw`\\d+`;',
      'type Form = RegExp;',
      'export const one = (text: string): boolean => /a\\/b[/]/gi.test(text);',
      "const two = new RegExp(`^${part}+` + '$', 'u');",
      'const three = RegExp(raw);',
      'const four = (text: string) => new RegExp(text);',
      '// /not one/',
      'const five = 4 / 2 / 1;',
    ].join('\n'),
    'a.ts',
  );
  const shown = found.map(({ line, expression }) => `${line} ${expression?.source} ${expression?.flags}`);
  assert.equal(shown, ['4 a\\/b[/] gi', '5 ^[a-z]+$ u', '6 \\d+ ', '7 undefined undefined']);
  assert.ok(all.length > 300, `${all.length}`);
});

for (const [source, flags] of [
  ['^[A-Za-z0-9+/\\s]+={0,2}\\s*$', ''],
  ['=+$', ''],
  ['^(a+)+$', ''],
  ['(a|a)*b', ''],
  ['^(a{1,20}){1,30}$', ''],
  ['\\s+(?=b)', ''],
  ['^a*a*(?!b)', ''],
  ['^(?=.*b)', ''],
  ['@.*$', 'g'],
] as const)
  linear(`is not taken for linear where it is not: /${source}/`, () => {
    assert.type(whyNotLinear(source, flags), 'string');
  });

for (const [source, flags] of [
  ['^[a-z]+$', ''],
  ['^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$', ''],
  ['\\)\\s+(?=[()])', 'g'],
  ['[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]', 'g'],
  ['[({{]\\([)]', ''],
] as const)
  linear(`is taken for linear where it is: /${source}/`, () => assert.is(whyNotLinear(source, flags), undefined));

for (const [key, places] of Map.groupBy(
  all.filter(provable),
  ({ expression }) => `/${expression.source}/${expression.flags}`,
))
  linear(`is linear, or bounded in what it looks at: ${key.length > 200 ? `${key.slice(0, 200)}…` : key}`, () => {
    const [{ expression } = { expression: undefined }] = places;
    const open = places.filter(({ file, text }) => !bounded[file]?.[text]);
    const why = open.length > 0 && expression ? whyNotLinear(expression.source, expression.flags) : undefined;
    const where = open.map(({ file, line }) => `${file}:${line}`).join(', ');
    assert.is(
      why,
      undefined,
      `${where}: ${key} is not linear: ${why}. Write it otherwise, or say in this test what bounds it`,
    );
  });

linear('that is made at run time is bounded too', () => {
  const unknown = all.filter(({ file, text, expression }) => !expression && !bounded[file]?.[text]?.like);
  assert.equal(
    unknown.map(({ file, line, text }) => `${file}:${line}: ${text}`),
    [],
  );
});

for (const [file, expressions] of Object.entries(bounded))
  for (const [text, { most, worst, like = [] }] of Object.entries(expressions))
    linear(`is harmless because what it looks at is short: ${file}, ${text}`, async () => {
      const found = all.find((one) => one.file === file && one.text === text);
      assert.ok(found, 'it is not there any more: take it from the list');
      for (const { source, flags } of like) assert.is(whyNotLinear(source, flags), undefined);
      const forms = found.expression ? [new RegExp(found.expression.source, found.expression.flags)] : like;
      assert.ok(forms.length > 0 && worst.length > 0);
      for (const form of forms)
        for (const input of worst) {
          const spent = await cpuTime(() => input(most).replace(form, ''));
          assert.ok(spent < 20, `${spent} ms for ${input(most).slice(0, 40)}…`);
        }
    });

function provable<T extends FoundExpression>(one: T): one is T & Required<FoundExpression> {
  return one.expression !== undefined;
}

linear.run();
