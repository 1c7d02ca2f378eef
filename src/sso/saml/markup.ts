// The second step of the guard: the text is plain XML of tags and characters, of a size that a parser can be given.
import { mayStand } from './envelope.ts';
import { refuse, shown } from './refusal.ts';

/** The most that a response may have of each. Depth, names and attributes are those that make parsers slow. */
export const most = { tags: 20_000, depth: 64, attributes: 64, names: 256 };

/**
 * Refuses declarations of any kind, comments, CDATA, processing instructions (but one XML declaration at the start), references to anything
 * but characters, and what is not well-formed. Looks at the text alone, so nothing here depends on how a parser understands it.
 */
export function checkMarkup(text: string): void {
  const start = declaration.exec(text)?.[0].length ?? 0;
  for (const [mark, what] of Object.entries(forbidden))
    if (text.includes(mark, start))
      refuse('markup', `the response holds "${mark}", and ${what} may not stand in a response`);
  checkReferences(text);
  checkTags(text, start);
}

const declaration =
  /^<\?xml\s+version\s*=\s*(?:"1\.0"|'1\.0')(?:\s+encoding\s*=\s*(?:"utf-8"|'utf-8'))?(?:\s+standalone\s*=\s*(?:"(?:yes|no)"|'(?:yes|no)'))?\s*\?>/i;

const forbidden = {
  '<!': 'a document type, an entity, a comment or CDATA',
  '<?': 'a processing instruction, or an XML declaration other than of version 1.0 in UTF-8,',
  ']]>': 'an end of CDATA',
};

function checkReferences(text: string): void {
  for (const [reference, decimal, hexadecimal] of text.matchAll(
    /&(?:(?:amp|lt|gt|quot|apos|#(\d{1,7})|#x([0-9a-fA-F]{1,6}));)?/g,
  )) {
    const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hexadecimal ?? '20', 16);
    if (reference === '&' || code > 0x10ffff || !mayStand(String.fromCodePoint(code)))
      refuse('markup', `the response refers to ${shown(reference)}, and it may refer to nothing but plain characters`);
  }
}

function checkTags(text: string, start: number): void {
  const open: string[] = [];
  const names = new Set<string>();
  let tags = 0;
  for (const { before, all, closing, name, attributes, empty } of tagsOf(text, start)) {
    if (open.length === 0) checkOutside(before, tags);
    if (closing && (attributes || empty || open.pop() !== name)) illFormed(all);
    if (!closing) checkAttributes(attributes);
    if (!closing && !empty) open.push(name);
    tags += 1;
    checkCounts({ tags, depth: open.length, names: names.add(name).size });
  }
  if (tags === 0 || open.length > 0) refuse('markup', 'the response ends before its element is closed');
  checkOutside(text.slice(text.lastIndexOf('>') + 1), 0);
}

interface Tag {
  /** The text since the tag before. */
  readonly before: string;
  readonly all: string;
  readonly closing: boolean;
  readonly name: string;
  readonly attributes: string;
  readonly empty: boolean;
}

function* tagsOf(text: string, start: number): Generator<Tag> {
  const tag = /<(\/?)([^\s<>/="'&]+)((?:\s+[^\s<>/="'&]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/y;
  let at = start;
  for (let next = text.indexOf('<', at); next !== -1; next = text.indexOf('<', at)) {
    tag.lastIndex = next;
    const [all = illFormed(text.slice(next, next + 40)), slash, name = '', attributes = '', end] = tag.exec(text) ?? [];
    yield { before: text.slice(at, next), all, closing: slash === '/', name, attributes, empty: end === '/' };
    at = next + all.length;
  }
}

function checkOutside(text: string, tags: number): void {
  if (!/^[\t\n\r ]*$/.test(text)) refuse('markup', 'the response has text outside its element');
  if (tags > 0) refuse('markup', 'the response has more than one outermost element');
}

function illFormed(what: string): never {
  refuse('markup', `the response is not well-formed XML at ${shown(what)}`);
}

function checkAttributes(attributes: string): void {
  const names = Array.from(
    attributes.matchAll(/\s([^\s<>/="'&]+)\s*=\s*(?:"[^"]*"|'[^']*')/g),
    ([, name = '']) => name,
  );
  if (names.length > most.attributes)
    refuse('markup', `an element has ${names.length} attributes, and ${most.attributes} are the most`);
  if (new Set(names).size < names.length) refuse('markup', 'an element has two attributes of one name');
}

function checkCounts(counts: { readonly tags: number; readonly depth: number; readonly names: number }): void {
  if (counts.tags > most.tags) refuse('markup', `the response has more than ${most.tags} tags`);
  if (counts.depth > most.depth) refuse('markup', `the response nests its elements more than ${most.depth} deep`);
  if (counts.names > most.names) refuse('markup', `the response has elements of more than ${most.names} names`);
}
