// Whatever is done to a genuine response, by chance or by plan: it is refused, or it says the very same.
import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { guardResponse } from '../../../src/sso/saml/guard.ts';
import { attributes, expecting, genuine, posted, written } from './signer.ts';

const everything = {
  attributes: attributes({ 'svc-roles': ['svc-core-member', 'svc-other-viewer'], uid: ['ann'], displayName: ['Ann'] }),
};
const xml = written(everything);
const bytes = Buffer.from(xml);
const usual = guardResponse(posted(xml), expecting());

/** A genuine message too, of somebody else and for another request: what an attacker may hold in their hands. */
const own = written({
  ...everything,
  nameId: genuine.nameId.replace('ann', 'mallory'),
  responseId: '_mallorys',
  assertionId: '_mallorysAssertion',
  inResponseTo: '_mallorysRequest',
  confirmation: genuine.confirmation.replace('_request', '_mallorysRequest'),
});

const noise: unknown[] = [];
for (const level of ['log', 'info', 'warn', 'error'] as const)
  console[level] = (...words: unknown[]) => noise.push(words);

function judge(encoded: unknown): void {
  const answer = guardResponse(encoded, expecting());
  if (answer.outcome === 'genuine') assert.equal(answer, usual);
  else assert.ok(answer.step !== 'fault' && answer.reason.length < 2000, `${answer.step}: ${answer.reason}`);
}

const tags = Array.from(xml.matchAll(/<[^>]*>/g), ({ index, 0: text }) => ({ index, text }));
const elements = tags
  .filter(({ text }) => !text.startsWith('</'))
  .map(({ index, text }) => ({ from: index, to: endOf(index, text) }));

function endOf(from: number, text: string): number {
  const name = /[^<\s>]+/.exec(text)?.[0] ?? '';
  let depth = 0;
  for (const tag of tags.filter((one) => one.index >= from)) {
    if (new RegExp(`^<${name}[\\s>]`).test(tag.text)) depth += 1;
    if (tag.text === `</${name}>` && --depth === 0) return tag.index + tag.text.length;
  }
  return xml.length;
}

const place = (text: string | Buffer) => fc.nat({ max: text.length });
const element = fc.constantFrom(...elements);
const cut = (text: string, from: number, to: number, instead = '') => text.slice(0, from) + instead + text.slice(to);

const spice = fc.constantFrom(
  ...[
    '<!---->',
    '<!-- -->',
    '<![CDATA[x]]>',
    '<?x?>',
    '<!DOCTYPE x>',
    '&#0;',
    '&#x41;',
    '&amp;',
    '&e;',
    '<',
    '>',
    '"',
    "'",
    '&',
    '/',
    ' ',
    '\n',
    '\r',
    '\0',
  ],
  ...[
    'ID="_response"',
    ' Id="_assertion"',
    ' xmlns="urn:x"',
    ' xmlns:saml="urn:x"',
    ' xmlns:ds="urn:x"',
    ' xml:id="_a"',
    ' a="b"',
    'xmlns',
    'saml:',
    'ds:',
    '#',
  ],
  ...[
    '<a/>',
    '<saml:NameID>admin@good.example</saml:NameID>',
    '<ds:Object>',
    '</ds:Object>',
    '<saml:Assertion>',
    '</saml:Assertion>',
    '\u2028',
    '\u0085',
    '\ufeff',
    '\u212a',
    'é',
    '𝒜',
  ],
);

const property = (says: string, made: fc.Arbitrary<unknown>, numRuns = 300) =>
  mutations(says, () => fc.assert(fc.property(made, judge), { numRuns }));

const mutations = suite('a genuine response');

mutations('is genuine', () => {
  assert.is(usual.outcome, 'genuine');
  assert.ok(elements.length > 40);
  assert.is(guardResponse(posted(own), expecting({ isPending: () => true })).outcome, 'genuine');
});

property(
  'with bytes changed',
  fc.array(fc.tuple(place(bytes), fc.nat({ max: 255 })), { minLength: 1, maxLength: 4 }).map((changes) => {
    const copy = Buffer.from(bytes);
    for (const [at, byte] of changes) copy[at] = byte;
    return posted(copy);
  }),
);

property(
  'with bits turned, one at a time',
  fc.tuple(fc.nat({ max: bytes.length - 1 }), fc.nat({ max: 7 })).map(([at, bit]) => {
    const copy = Buffer.from(bytes);
    copy[at] = (copy[at] ?? 0) ^ (1 << bit);
    return posted(copy);
  }),
  600,
);

property(
  'with parts left out or written twice',
  fc.tuple(place(xml), place(xml), fc.boolean()).map(([one, two, twice]) => {
    const [from, to] = [Math.min(one, two), Math.max(one, two)];
    return posted(twice ? cut(xml, to, to, xml.slice(from, to)) : cut(xml, from, to));
  }),
);

property(
  'with an element left out, written twice, moved, emptied, or put around another',
  fc.tuple(element, element, fc.nat({ max: 4 })).map(([one, other, how]) => {
    const text = xml.slice(one.from, one.to);
    const without = cut(xml, one.from, one.to);
    if (how === 0) return posted(without);
    if (how === 1) return posted(cut(xml, other.from, other.from, text));
    if (how === 2) return posted(cut(xml, other.to, other.to, text));
    if (how === 3)
      return posted(cut(without, Math.min(other.from, without.length), Math.min(other.from, without.length), text));
    return posted(cut(xml, one.from, one.to, text.replace(/>.*</s, `>${xml.slice(other.from, other.to)}<`)));
  }),
  600,
);

property(
  'with an element of another genuine message put in',
  fc
    .tuple(element, place(own), place(own))
    .map(([one, from, to]) => posted(cut(xml, one.from, one.to, own.slice(Math.min(from, to), Math.max(from, to))))),
);

property(
  'spliced with another genuine message, where tags begin',
  fc
    .tuple(
      fc.constantFrom(...tags),
      fc.constantFrom(...Array.from(own.matchAll(/</g), ({ index }) => index)),
      fc.boolean(),
    )
    .map(([{ index }, at, turned]) =>
      posted(turned ? own.slice(0, at) + xml.slice(index) : xml.slice(0, index) + own.slice(at)),
    ),
);

property(
  'with something put in anywhere',
  fc
    .array(fc.tuple(place(xml), spice), { minLength: 1, maxLength: 3 })
    .map((all) => posted(all.reduce((text, [at, what]) => cut(text, at, at, what), xml))),
  900,
);

property(
  'with something put in where tags begin or end',
  fc
    .array(fc.tuple(fc.constantFrom(...tags), fc.boolean(), spice), { minLength: 1, maxLength: 2 })
    .map((all) =>
      posted(
        all.reduce(
          (text, [{ index, text: tag }, behind, what]) =>
            cut(
              text,
              index + (behind ? tag.length : tag.length - 1),
              index + (behind ? tag.length : tag.length - 1),
              what,
            ),
          xml,
        ),
      ),
    ),
  600,
);

property(
  'with values of attributes exchanged',
  fc.tuple(fc.nat({ max: 60 }), fc.nat({ max: 60 })).map(([one, two]) => {
    const values = Array.from(xml.matchAll(/="([^"]*)"/g), ({ index, 1: value = '' }) => ({ index, value }));
    const [first, second] = [values[one % values.length], values[two % values.length]];
    return posted(
      first && second ? cut(xml, first.index + 2, first.index + 2 + first.value.length, second.value) : xml,
    );
  }),
);

property(
  'with its base64 changed',
  fc
    .tuple(place(posted(xml)), place(posted(xml)), fc.string({ maxLength: 8 }))
    .map(([one, two, text]) =>
      cut(posted(xml), Math.min(one, two), Math.min(one, two) + (Math.abs(one - two) % 8), text),
    ),
);

property(
  'replaced by anything',
  fc.oneof(
    fc.anything(),
    fc.string().map(posted),
    fc.base64String(),
    fc.uint8Array().map((one) => posted(Buffer.from(one))),
  ),
  600,
);

mutations('leaves no word on the screen, whatever was done to it: what libraries say is for the log', () => {
  assert.equal(noise, []);
});

mutations.run();
