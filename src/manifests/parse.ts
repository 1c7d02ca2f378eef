// One YAML text → documents with positions, or findings: strict YAML 1.2, all problems at once. No other file knows the YAML engine's options.
import type { CST, Node, YAMLError, Document as YamlDocument } from 'yaml';
import { Composer, isScalar, Lexer, Parser, Schema } from 'yaml';
import type { Document } from '../core/model/document.ts';
import type { Finding } from '../core/model/finding.ts';
import { refusedCharacters } from './characters.ts';
import type { Composed, Problem } from './compose.ts';
import { compose, MAX_DEPTH, MAX_PROBLEMS, tooDeep } from './compose.ts';
import type { Lines } from './places.ts';
import { linesOf, nodeAt, rangeOf, sourceOf, trimmedEnd, writtenAt } from './places.ts';
import { type PlainDocument, readPlainlyInSteps } from './plain-yaml.ts';
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
  const plain = characters.problems.length === 0 ? yield* readPlainlyInSteps(body) : undefined;
  const lines = linesOf(file, body);
  if (plain) return { documents: yield* documentsOf(lines, plain), findings: [], broken: false };
  return yield* parseByEngine(lines, characters);
}

/** Reads with the YAML engine: what is not plain, and what is wrong. `text` is without a byte order mark. */
export function* parseByEngine(
  lines: Lines,
  { readable, problems }: ReturnType<typeof refusedCharacters> = refusedCharacters(lines.text),
): Generator<void, Parsed> {
  // A long text that is no YAML at all makes complaints without end: those about its beginning will do.
  if (readable.length > LARGE) {
    const head = yield* fill({ lines, problems: [...problems] }, readable.slice(0, SAMPLE));
    if (head.complaints >= MAX_PROBLEMS) return { documents: [], findings: findingsOf(head), broken: true };
  }
  const sheet = yield* fill({ lines, problems }, readable);
  return { documents: sheet.documents, findings: findingsOf(sheet), broken: sheet.broken };
}

const LARGE = 256 * 1024;
const SAMPLE = 64 * 1024;

function* fill({ lines, problems }: Pick<Sheet, 'lines' | 'problems'>, text: string): Generator<void, Sheet> {
  const damaged = problems.length > 0;
  const sheet: Sheet = { lines, damaged, documents: [], broken: damaged, problems, complaints: 0 };
  const composer = new Composer(options);
  yield* feed(sheet, composer, text);
  for (const document of composer.end()) take(sheet, document);
  const { errors, warnings } = composer.streamInfo();
  complain(sheet, [...errors, ...warnings], null);
  return sheet;
}

/** Notes what the engine found wrong. Of a text that is no YAML at all it makes a complaint of every character: the first ones tell. */
function complain(sheet: Sheet, errors: readonly YAMLError[], contents: Node | null): void {
  const problems = errors.slice(0, MAX_PROBLEMS).map((error) => explain(error, sheet.lines.text, contents));
  for (const problem of withoutEchoes(sheet.lines, problems)) sheet.problems.push(problem);
  sheet.complaints += errors.length;
  sheet.broken ||= errors.length > 0;
}

interface Sheet {
  readonly lines: Lines;
  /** Characters were replaced: what is read is not what was written. */
  readonly damaged: boolean;
  readonly documents: Document[];
  broken: boolean;
  readonly problems: Problem[];
  /** How often the engine complained. */
  complaints: number;
}

const schema = new Schema({ schema: 'core', resolveKnownTags: false });

// `yaml` looks for duplicate keys in quadratic time, so `compose` does it. One schema serves all documents: without known tags none is added.
const options = { version: '1.2', schema, uniqueKeys: false, strict: true } as const;

const STEP = 500;

/** How many words and signs one document may hold: composing it cannot be sliced, and takes about 200 ms for so many. */
const MAX_TOKENS = 500_000;

const tooLong = `one document cannot hold more than ${MAX_TOKENS} words and signs: split it into several`;

function* feed(sheet: Sheet, composer: Composer, text: string): Generator<void> {
  const parser = new Parser();
  let tokens = 0;
  let document: CST.Token | undefined;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) accept(sheet, composer, token);
    if (parser.stack[0] !== document) {
      document = parser.stack[0];
      tokens = 0;
    }
    tokens += 1;
    // The caps stand before anything is built: the parser stops at the first level, or word, too many.
    const message = refusal(parser.stack, tokens);
    if (message !== undefined) {
      sheet.problems.push({ start: parser.offset - 1, end: parser.offset, message });
      sheet.broken = true;
      return;
    }
    if (tokens % STEP === 0) yield;
  }
  for (const token of parser.end()) accept(sheet, composer, token);
}

function refusal(stack: readonly CST.Token[], tokens: number): string | undefined {
  if (stack.length > MAX_DEPTH + 1 && isTooDeep(stack)) return tooDeep;
  return tokens > MAX_TOKENS && stack.length > 0 ? tooLong : undefined;
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
    complain(sheet, [...errors, ...warnings], contents);
    return;
  }
  if (isScalar(contents) && contents.source === '' && contents.type === 'PLAIN' && contents.tag === undefined) return;
  const composed = compose(contents);
  for (const problem of composed.problems) sheet.problems.push(problem);
  if (composed.problems.some(({ damaging }) => damaging === true)) sheet.broken = true;
  else if (!sheet.damaged) sheet.documents.push(documentOf(sheet.lines, composed));
}

function* documentsOf(lines: Lines, found: readonly PlainDocument[]): Generator<void, readonly Document[]> {
  const documents: Document[] = [];
  for (const one of found) if (documents.push(documentOf(lines, one)) % 256 === 0) yield;
  return documents;
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
