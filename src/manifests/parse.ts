// One YAML text → documents with positions, or findings: strict YAML 1.2, all problems at once. No other file knows the YAML engine's options.
import type { CST, Document as YamlDocument } from 'yaml';
import { Composer, isScalar, Lexer, Parser, Schema } from 'yaml';
import type { Document } from '../core/model/document.ts';
import type { Finding } from '../core/model/finding.ts';
import { refusedCharacters } from './characters.ts';
import type { Composed, Problem } from './compose.ts';
import { compose, MAX_DEPTH, MAX_PROBLEMS, tooDeep } from './compose.ts';
import type { Lines } from './places.ts';
import { linesOf, nodeAt, rangeOf, sourceOf, trimmedEnd, writtenAt } from './places.ts';
import { readPlainly } from './plain-yaml.ts';
import { shown } from './words.ts';
import { explain } from './yaml-words.ts';

/** What a file holds. `broken`: documents are missing here, because they could not be read. */
export interface Parsed {
  readonly documents: readonly Document[];
  readonly findings: readonly Finding[];
  readonly broken: boolean;
}

/**
 * Reads a text. `file` is its path relative to the tree. Findings carry the rule `syntax`. A document with one is still listed when its value is
 * surely what was written (a key given twice: the first counts), so that its other problems show in the same run.
 */
export function parse(file: string, text: string): Parsed {
  const steps = parseInSteps(file, text);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The same, giving way now and then, so that a large file does not hold up everything else. */
export function* parseInSteps(file: string, text: string): Generator<void, Parsed> {
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const characters = refusedCharacters(body);
  const plain = characters.problems.length === 0 ? readPlainly(body) : undefined;
  const lines = linesOf(file, body);
  if (plain) return { documents: plain.map((document) => documentOf(lines, document)), findings: [], broken: false };
  return yield* parseByEngine(lines, characters);
}

/** Reads with the YAML engine: what is not plain, and what is wrong. `text` is without a byte order mark. */
export function* parseByEngine(
  lines: Lines,
  { readable, problems }: ReturnType<typeof refusedCharacters> = refusedCharacters(lines.text),
): Generator<void, Parsed> {
  const sheet: Sheet = { lines, damaged: problems.length > 0, documents: [], broken: problems.length > 0, problems };
  const composer = new Composer(options);
  yield* feed(sheet, composer, readable);
  for (const document of composer.end()) take(sheet, document);
  const { errors, warnings } = composer.streamInfo();
  for (const error of [...errors, ...warnings]) sheet.problems.push(explain(error, lines.text, null));
  if (errors.length > 0) sheet.broken = true;
  return { documents: sheet.documents, findings: findingsOf(sheet), broken: sheet.broken };
}

interface Sheet {
  readonly lines: Lines;
  /** Characters were replaced: what is read is not what was written. */
  readonly damaged: boolean;
  readonly documents: Document[];
  broken: boolean;
  readonly problems: Problem[];
}

const schema = new Schema({ schema: 'core', resolveKnownTags: false });

// `yaml` looks for duplicate keys in quadratic time, so `compose` does it. One schema serves all documents: without known tags none is added.
const options = { version: '1.2', schema, uniqueKeys: false, strict: true } as const;

const STEP = 500;

function* feed(sheet: Sheet, composer: Composer, text: string): Generator<void> {
  const parser = new Parser();
  let tokens = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) accept(sheet, composer, token);
    // The cap stands before anything is built of it: the parser stops at the first level too many.
    if (parser.stack.length > MAX_DEPTH + 1 && isTooDeep(parser.stack)) {
      sheet.problems.push({ start: parser.offset - 1, end: parser.offset, message: tooDeep });
      sheet.broken = true;
      return;
    }
    tokens += 1;
    if (tokens % STEP === 0) yield;
  }
  for (const token of parser.end()) accept(sheet, composer, token);
}

function isTooDeep(stack: readonly CST.Token[]): boolean {
  return (
    stack.filter(({ type }) => type === 'block-map' || type === 'block-seq' || type === 'flow-collection').length >
    MAX_DEPTH
  );
}

function accept(sheet: Sheet, composer: Composer, token: CST.Token): void {
  if (token.type === 'directive' && !/^%YAML[ \t]+1\.2[ \t]*$/.test(token.source)) {
    const message = `the directive ${shown(token.source.trim())} cannot be used, because only YAML 1.2 is read: leave it out`;
    sheet.problems.push({ start: token.offset, end: token.offset + token.source.length, message });
    return;
  }
  for (const document of composer.next(token)) take(sheet, document);
}

function take(sheet: Sheet, document: YamlDocument.Parsed): void {
  const { contents, errors, warnings } = document;
  if (errors.length + warnings.length > 0) {
    const problems = [...errors, ...warnings].map((error) => explain(error, sheet.lines.text, contents));
    sheet.problems.push(...withoutEchoes(sheet.lines, problems));
    sheet.broken = true;
    return;
  }
  if (isScalar(contents) && contents.source === '' && contents.type === 'PLAIN' && contents.tag === undefined) return;
  const composed = compose(contents);
  for (const problem of composed.problems) sheet.problems.push(problem);
  if (composed.problems.some(({ damaging }) => damaging === true)) sheet.broken = true;
  else if (!sheet.damaged) sheet.documents.push(documentOf(sheet.lines, composed));
}

function documentOf(lines: Lines, { value, places }: Pick<Composed, 'value' | 'places'>): Document {
  return {
    file: lines.file,
    value,
    locate(pointer, part) {
      const { node, exact } = nodeAt(places, pointer);
      const [start, end] = rangeOf(places, node, exact ? part : 'value');
      return sourceOf(lines, start, trimmedEnd(lines.text, start, end));
    },
    raw(pointer) {
      const { node, exact } = nodeAt(places, pointer);
      return exact ? writtenAt(places, node, lines.text) : undefined;
    },
  };
}

/** One mistake makes `yaml` complain several times: the first complaint about a line helps, and a vague one only when it is the first of all. */
function withoutEchoes(lines: Lines, problems: readonly Problem[]): Problem[] {
  const seen = new Set<number>();
  const sorted = problems.toSorted((a, b) => a.start - b.start).slice(0, MAX_PROBLEMS);
  return sorted.filter(({ start, vague }, index) => {
    const { line } = sourceOf(lines, start, start);
    const first = !seen.has(line) && (index === 0 || vague !== true);
    seen.add(line);
    return first;
  });
}

function findingsOf({ lines, problems }: Sheet): Finding[] {
  const sorted = problems.toSorted((a, b) => a.start - b.start || a.end - b.end);
  return sorted.slice(0, MAX_PROBLEMS).map(({ start, end, message, earlier }) => {
    const first = earlier === undefined ? '' : `: the first stands in line ${sourceOf(lines, earlier, earlier).line}`;
    return {
      rule: 'syntax',
      severity: 'error',
      message: message + first,
      source: sourceOf(lines, start, Math.min(Math.max(end, start + 1), lines.text.length)),
    };
  });
}
