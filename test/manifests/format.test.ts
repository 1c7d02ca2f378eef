// Formatting: what is canonical, that comments stay with what they are about, and that nothing changes its meaning.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { declaredKindNames, kindOf } from '../../src/core/kinds/index.ts';
import { format } from '../../src/manifests/format.ts';
import { parse } from '../../src/manifests/parse.ts';

function formatted(text: string): string {
  const result = format('a.yaml', text);
  if ('findings' in result) throw new Error(result.findings[0]?.message);
  return result.text;
}

const formatting = suite('a formatted file');

formatting('has keys in the order of the schemas, two spaces, and each comment where it belongs', () => {
  const before = `# yaml-language-server: $schema=x

# about this file
spec:
    # about the size
    resources: {memoryMb: 128,   cpuPercent: 20}   # its tail
    # about the runtime
    runtime: "4.1"
    label: x   # what people see


    active: true
    # replaces: nr-3
metadata:
      labels: {b: "1", a: "2"}
      # about the name
      name: a
kind: Stack   # the kind
---
kind: TeamType
metadata: {name: t}
spec:
  instanceTypes:
  # small
  - limit: 2   # two
    name: small

  - name: big
  description: >
    folded
    text
`;
  const after = `# yaml-language-server: $schema=x

# about this file
kind: Stack # the kind
metadata:
  # about the name
  name: a
  labels: {b: "1", a: "2"}
spec:
  label: x # what people see

  active: true
  # about the runtime
  runtime: "4.1"
  # about the size
  resources: {memoryMb: 128, cpuPercent: 20} # its tail
  # replaces: nr-3
---
kind: TeamType
metadata: {name: t}
spec:
  description: >
    folded text
  instanceTypes:
    # small
    - name: small
      limit: 2 # two

    - name: big
`;
  assert.is(formatted(before), after);
  assert.is(formatted(after), after);
});

formatting('leaves the order of lists and of free keys alone', () => {
  const text = `kind: InstanceType
metadata:
  name: a
  labels:
    z: "1"
    a: "2"
spec:
  stacks: [z, a]
  defaultStack: z
`;
  assert.is(formatted(text), text);
});

formatting('keeps its line ends, and leaves documents with aliases in their order', () => {
  assert.is(formatted('metadata:\r\n    name: a\r\nkind: Stack\r\n'), 'kind: Stack\r\nmetadata:\r\n  name: a\r\n');
  const aliases = 'spec:\n    label: &l x\n    runtime: *l\nmetadata: {name: a}\nkind: Stack\n';
  assert.is(formatted(aliases), aliases.replaceAll('    ', '  '));
});

formatting('is what ships, but for the order of keys that teaches', () => {
  for (const folder of ['../../config', '../../examples/single-team'])
    for (const name of readdirSync(join(import.meta.dirname, folder)).filter((one) => one.endsWith('.yaml'))) {
      const text = readFileSync(join(import.meta.dirname, folder, name), 'utf8');
      assert.equal(formatted(text).split('\n').sort(), text.split('\n').sort(), name);
    }
});

formatting('is refused for what is no YAML', () => {
  const result = format('a.yaml', 'kind: [');
  assert.ok('findings' in result && result.findings.length > 0 && result.findings[0]?.rule === 'syntax');
});

formatting('formats whatever there may be in a file without documents', () => {
  for (const text of ['', '# only a remark\n', '\n\n', '---\n', '--- # a\n# b\n---\n']) formatted(formatted(text));
});

/** The examples of the kinds, as values. */
const examples = declaredKindNames.map((kind) => parse('a.yaml', kindOf(kind).example ?? '').documents[0]?.value);

/** Block YAML of a value with its keys in any order, any indentation, and a comment above and behind some keys. */
function sow(
  value: unknown,
  random: () => number,
  indent: string,
  about: (readonly [string, string])[],
  isItem = false,
): string[] {
  const step = ' '.repeat(1 + Math.floor(random() * 4));
  if (Array.isArray(value) && value.length > 0)
    return value.flatMap((item) => {
      const inner = sow(item, random, `${indent}  `, about, true);
      return inner.length === 0 ? [`${indent}- ${JSON.stringify(item)}`] : [`${indent}-`, ...inner];
    });
  if (typeof value !== 'object' || value === null || Array.isArray(value) || Object.keys(value).length === 0) return [];
  const entries = Object.entries(value).map((entry) => [random(), entry] as const);
  return entries
    .toSorted(([a], [b]) => a - b)
    .flatMap(([, [key, inner]], index) => {
      const remark = `# remark ${about.length}`;
      // Above the first key of an item a remark speaks of the item.
      const has = random() < 0.3 && !(isItem && index === 0);
      if (has) about.push([remark, key]);
      const below = sow(inner, random, indent + step, about);
      const tail = below.length === 0 ? ` ${JSON.stringify(inner)}` : '';
      return [
        ...(has ? [indent + remark] : []),
        `${indent}${key}:${tail}${random() < 0.1 ? '  # tail' : ''}`,
        ...below,
      ];
    });
}

/** Numbers from 0 to 1 that a seed decides (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

function valuesIn(yaml: string): unknown[] {
  return parse('a.yaml', yaml).documents.map(({ value }) => value);
}

formatting('means what it meant, keeps every comment at its key, and is the same the second time', () => {
  for (let seed = 0; seed < 200; seed += 1) {
    const about: (readonly [string, string])[] = [];
    // The head comment is the document's.
    const text = `# head\n\n${sow(examples[seed % examples.length], randomFrom(seed), '', about).join('\n')}\n`;
    const after = formatted(text);
    const seen = `seed ${seed}\n${text}\n=>\n${after}`;
    assert.equal(valuesIn(after), valuesIn(text), seen);
    assert.is(formatted(after), after, seen);
    assert.ok(after.startsWith('# head\n\n'), seen);
    assert.is((after.match(/# /g) ?? []).length, (text.match(/# /g) ?? []).length, seen);
    const lines = after.split('\n').map((line) => line.trim());
    const isFirst = (remark: string) => text.split('\n')[2] === remark;
    for (const [remark, key] of about.filter(([remark]) => !isFirst(remark))) {
      const rest = lines.slice(lines.indexOf(remark) + 1);
      const next = rest.find((line) => !line.startsWith('#') && line !== '') ?? '';
      assert.ok(next.replace(/^- /, '').startsWith(`${key}:`), `${remark} is not at ${key}: ${seen}`);
    }
  }
});

formatting.run();
