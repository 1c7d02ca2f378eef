// YAML by both ways: where the short one answers, the engine's says the same.
import * as assert from 'uvu/assert';
import type { Document } from '../../src/core/model/document.ts';
import { refusedCharacters } from '../../src/manifests/characters.ts';
import { type Parsed, parse, parseByEngine } from '../../src/manifests/parse.ts';
import { linesOf } from '../../src/manifests/places.ts';
import { type PlainDocument, readPlainlyInSteps } from '../../src/manifests/plain-yaml.ts';

/** Throws where the two ways differ in values, places or words as written. */
export function agree(text: string): void {
  if (refusedCharacters(text).problems.length > 0 || readPlainly(text) === undefined) return;
  const [short, engine] = [parse('a.yaml', text), byEngine(text)];
  assert.equal(engine.findings, [], text);
  assert.is(
    JSON.stringify(short.documents.map(({ value }) => value)),
    JSON.stringify(engine.documents.map(({ value }) => value)),
    text,
  );
  for (const [index, document] of short.documents.entries()) {
    const other = engine.documents[index];
    if (other) for (const pointer of pointers(document.value, '')) agreeAt(document, other, pointer, text);
  }
}

function agreeAt(one: Document, other: Document, pointer: string, text: string): void {
  for (const part of ['key', 'value'] as const)
    assert.equal(one.locate(pointer, part), other.locate(pointer, part), `${pointer} ${part}\n${text}`);
  assert.is(one.raw(pointer), other.raw(pointer), `${pointer}\n${text}`);
}

function byEngine(text: string): Parsed {
  const steps = parseByEngine(linesOf('a.yaml', text));
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

function* pointers(value: unknown, pointer: string): Generator<string> {
  yield pointer;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, entry] of Object.entries(value))
    yield* pointers(entry, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
}

/** The documents of a text as the fast reader has them, in one go; nothing where it leaves them to the engine. */
export function readPlainly(text: string): PlainDocument[] | undefined {
  const steps = readPlainlyInSteps(text);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
