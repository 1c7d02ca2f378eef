// The second step of the guard: the text is plain XML of tags and characters, of a size that a parser can be given.
import { mayStand } from './envelope.ts';
import { refuse, shown } from './refusal.ts';

/**
 * The most that a response may have of each; `attributesOfOne` and `names` are of one element, and of elements. Canonicalization walks through all
 * of it for both signatures: these keep a response below a quarter of a second, and leave room for 800 groups, however wordy.
 */
export const most = { elements: 1500, attributes: 2500, depth: 64, attributesOfOne: 64, names: 256 };

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
  let [elements, attributes, end] = [0, 0, start];
  for (const { before, all, closing, name, list, empty, after } of tagsOf(text, start)) {
    if (open.length === 0) checkOutside(before, elements);
    if (closing && (list || empty || open.pop() !== name)) illFormed(all);
    elements += closing ? 0 : 1;
    attributes += countAttributes(list);
    if (!closing && !empty) open.push(name);
    checkCounts({ elements, attributes, depth: open.length, names: names.add(name).size });
    end = after;
  }
  if (elements === 0 || open.length > 0) refuse('markup', 'the response ends before its element is closed');
  checkOutside(text.slice(end), 0);
}

interface Tag {
  /** The text since the tag before. */
  readonly before: string;
  readonly all: string;
  readonly closing: boolean;
  readonly name: string;
  /** Its attributes, as they are written. */
  readonly list: string;
  readonly empty: boolean;
  /** Where the text behind it begins. */
  readonly after: number;
}

function* tagsOf(text: string, start: number): Generator<Tag> {
  const tag = /<(\/?)([^\s<>/="'&]+)((?:\s+[^\s<>/="'&]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/y;
  let at = start;
  for (let next = text.indexOf('<', at); next !== -1; next = text.indexOf('<', at)) {
    tag.lastIndex = next;
    const [all = illFormed(text.slice(next, next + 40)), slash, name = '', list = '', end] = tag.exec(text) ?? [];
    const after = next + all.length;
    yield { before: text.slice(at, next), all, closing: slash === '/', name, list, empty: end === '/', after };
    at = after;
  }
}

function checkOutside(text: string, elements: number): void {
  if (!/^[\t\n\r ]*$/.test(text)) refuse('markup', 'the response has text outside its element');
  if (elements > 0) refuse('markup', 'the response has more than one outermost element');
}

function illFormed(what: string): never {
  refuse('markup', `the response is not well-formed XML at ${shown(what)}`);
}

function countAttributes(list: string): number {
  const names = Array.from(list.matchAll(/\s([^\s<>/="'&]+)\s*=\s*(?:"[^"]*"|'[^']*')/g), ([, name = '']) => name);
  if (names.length > most.attributesOfOne)
    refuse('markup', `an element has ${names.length} attributes, and ${most.attributesOfOne} are the most`);
  if (new Set(names).size < names.length) refuse('markup', 'an element has two attributes of one name');
  return names.length;
}

function checkCounts(counts: Readonly<Record<'elements' | 'attributes' | 'depth' | 'names', number>>): void {
  const { elements, attributes, depth, names } = most;
  const fewer = 'have the identity provider send fewer attributes or groups';
  if (counts.elements > elements) refuse('markup', `the response has more than ${elements} elements: ${fewer}`);
  if (counts.attributes > attributes)
    refuse('markup', `the elements have more than ${attributes} attributes: ${fewer}`);
  if (counts.depth > depth) refuse('markup', `the response nests its elements more than ${depth} deep`);
  if (counts.names > names) refuse('markup', `the response has elements of more than ${names} names`);
}
