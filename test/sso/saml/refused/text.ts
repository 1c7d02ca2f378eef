// Messages that are refused as text: no encoding, no markup, nothing that a parser is sure of.

import { genuine, posted, written } from '../signer.ts';
import { advice, group, inserted, type Refused, raw, xml } from './parts.ts';

export const envelope: readonly Refused[] = [
  { says: 'nothing', encoded: undefined },
  { says: 'two fields', encoded: [posted(xml), posted(xml)] },
  { says: 'a number', encoded: 1 },
  { says: 'an object', encoded: { toString: () => posted(xml) } },
  { says: 'an empty text', encoded: '' },
  { says: 'line breaks alone', encoded: '\r\n\r\n' },
  { says: 'more than 256 KiB', encoded: posted(group('x'.repeat(200_000))) },
  { says: 'a space in base64', encoded: posted(xml).replace('A', ' A') },
  { says: 'junk in base64', encoded: `${posted(xml)}!` },
  {
    says: 'something after the padding',
    encoded: `${posted(`${xml} `.padEnd(xml.length + 3 - (xml.length % 3) + 1))}AAAA`,
  },
  { says: 'the alphabet of URLs', encoded: Buffer.from(group('ÿÿÿ??>>')).toString('base64url') },
  raw('UTF-16, low end first', Buffer.from(xml, 'utf16le')),
  raw('UTF-16 with its mark', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(xml, 'utf16le')])),
  raw('a byte order mark', `\ufeff${xml}`),
  raw('Latin-1', Buffer.from(group('Jörg'), 'latin1')),
  raw('an overlong "a"', Buffer.from(xml.replace('ann@', '\u00c1\u00a1nn@'), 'latin1')),
  raw('half a character', Buffer.concat([Buffer.from(xml), Buffer.from([0xe2, 0x82])])),
  raw('NUL', xml.replace('ann@', 'ann\0@')),
  raw('DEL', group('svc-core-owner\u007f')),
  raw('a control character of the second kind', group('svc-core\u0085owner')),
  raw('a line separator', group('svc-core\u2028owner')),
  raw('a byte order mark inside', group('svc-core\ufeffowner')),
  raw('what is no character', group('svc-core\uffffowner')),
];

const laughs = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join('');
export const markup: readonly Refused[] = [
  raw('a document type', `<!DOCTYPE r>${xml}`),
  raw('an entity', `<!DOCTYPE r [<!ENTITY e "ann">]>${xml.replace('ann@', '&e;@')}`),
  raw('an entity from a file', `<!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/passwd">]>${xml.replace('ann@', '&e;@')}`),
  raw('a billion laughs', `<!DOCTYPE r [<!ENTITY l0 "ha">${laughs}]>${xml.replace('ann@', '&l9;@')}`),
  raw('a comment in the NameID', xml.replace('ann@good.example', 'ann@good.example<!---->')),
  raw(
    'a comment that cuts the domain off',
    written({ nameId: genuine.nameId.replace('good.example', 'good.example.evil.example') }).replace(
      'good.example.evil.example',
      'good.example<!-- -->.evil.example',
    ),
  ),
  inserted('a comment in a DigestValue', '</ds:DigestValue>', '<!-- -->'),
  inserted('a comment in front of everything', '<samlp:Response', '<!-- -->'),
  raw('CDATA in the NameID', xml.replace('ann@good.example', '<![CDATA[ann@good.example]]>')),
  inserted('a processing instruction', '<saml:NameID', '<?php evil ?>'),
  raw('a style sheet', `<?xml-stylesheet href="https://evil.example"?>${xml}`),
  raw('XML 1.1', `<?xml version="1.1"?>${xml}`),
  raw('a declaration of another encoding', `<?xml version="1.0" encoding="UTF-16"?>${xml}`),
  raw('two declarations', `<?xml version="1.0"?><?xml version="1.0"?>${xml}`),
  raw('a declaration behind a space', ` <?xml version="1.0"?>${xml}`),
  raw('NUL by reference', xml.replace('ann@', 'ann&#0;@')),
  raw('a control character by reference', xml.replace('ann@', 'ann&#x85;@')),
  raw('half a pair by reference', xml.replace('ann@', 'ann&#xD800;@')),
  raw('a reference beyond all characters', xml.replace('ann@', 'ann&#x110000;@')),
  raw('an entity that nobody declared', xml.replace('ann@', 'ann&nbsp;@')),
  raw('an ampersand alone', xml.replace('ann@', 'ann&@')),
  raw('an end of CDATA', xml.replace('ann@', 'ann]]&gt;@').replace(']]&gt;', ']]>')),
  raw('1 501 elements', advice('<saml:a></saml:a>'.repeat(1490))),
  raw('2 501 attributes', advice('<saml:a a="" b="" c=""></saml:a>'.repeat(830))),
  raw('65 elements deep', advice(`${'<saml:a>'.repeat(65)}${'</saml:a>'.repeat(65)}`)),
  raw('65 attributes', advice(`<saml:a${Array.from({ length: 65 }, (_, n) => ` a${n}=""`).join('')}></saml:a>`)),
  raw('names without end', advice(Array.from({ length: 250 }, (_, n) => `<saml:a${n}></saml:a${n}>`).join(''))),
  raw('text behind', `${xml}text`),
  raw('text behind that ends like a tag', `${xml}text>`),
  raw('text in front', `text${xml}`),
  raw('two outermost elements', `${xml}${xml}`),
  raw('an outermost element that is closed at once, and another', `<a/>${xml}`),
  raw('an attribute twice', xml.replace('ID="_response"', 'ID="_response" ID="_response"')),
  raw('an attribute without quotes', xml.replace('Version="2.0"', 'Version=2.0')),
  raw('an attribute without a value', xml.replace('Version="2.0"', 'Version="2.0" checked')),
  raw('"<" in an attribute', xml.replace('ID="_response"', 'ID="<_response"')),
  raw('an element that never ends', xml.replace('</samlp:Response>', '')),
  raw('a tag cut off', xml.slice(0, -1)),
  raw(
    'elements that cross',
    xml.replace('</saml:NameID>', '').replace('</saml:Subject>', '</saml:Subject></saml:NameID>'),
  ),
  raw('an end of another case', xml.replace('</saml:NameID>', '</saml:nameid>')),
  raw('no XML', 'Hello'),
  raw('JSON', '{"email": "ann@good.example"}'),
  raw('an empty document', '   '),
];

export const parser: readonly Refused[] = [
  raw('a name that begins with a digit', advice('<1a></1a>')),
  raw('a name with two colons', advice('<saml:a:b></saml:a:b>')),
];
