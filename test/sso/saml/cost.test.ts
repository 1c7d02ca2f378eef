// What a response may cost: however it is made, the guard spends less than a quarter of a second on it.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { largestEnvelope } from '../../../src/sso/saml/envelope.ts';
import { guardResponse } from '../../../src/sso/saml/guard.ts';
import { cpuTime } from '../../support/cpu-time.ts';
import { attributes, expecting, posted, written } from './signer.ts';

const room = Math.floor((largestEnvelope * 3) / 4) - written().length - 200;
const advice = (inside: string) => written({ inAssertion: `<saml:Advice>${inside}</saml:Advice>` });
const filled = (text: string, most = room) => text.repeat(Math.min(most, Math.floor(room / text.length)));
const counted = (count: number, text: (n: number) => string, between = '') =>
  Array.from({ length: count }, (_, n) => text(n)).join(between);
const inName = (text: string) => written().replace('<saml:NameID', `<saml:NameID${text}`);
const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#';

const cost = (encoded: string, known = expecting()) => cpuTime(() => guardResponse(encoded, known), 4);

/** What is a quarter of a second where nothing else is said; four times that on a machine that is far slower. */
const mostMs = 1000;

/** These are right, as large as they may be, and pass: nothing is saved by refusing them early. */
const genuine: Readonly<Record<string, string>> = {
  'one long text': advice(filled('x')),
  'references alone': advice(filled('&amp;')),
  'line breaks alone': advice(filled('\n')),
  'space in a tag': inName(' '.repeat(room)),
  'space in an end tag': written().replace('</saml:NameID', `</saml:NameID${' '.repeat(room)}`),
  'elements alone': advice(filled('<saml:a></saml:a>', 1450)),
  'elements and attributes': advice(filled('<saml:a></saml:a><saml:a b="" c="" d=""></saml:a>', 725)),
  'ids alone': advice(counted(1450, (n) => `<saml:a Id="i${n}"></saml:a>`)),
  'elements of many names': advice(
    counted(200, (n) => `<saml:a${n}></saml:a${n}>`) + filled('<saml:a></saml:a>', 1200),
  ),
  'elements deep down': advice(filled(`${'<saml:a>'.repeat(60)}${'</saml:a>'.repeat(60)}`, 24)),
  'elements with 60 attributes': advice(
    filled(`<saml:a${counted(60, (n) => ` a${String(n).padStart(2, '0')}=""`)}></saml:a>`, 40),
  ),
  'a namespace for each of them': advice(
    counted(600, (n) => `<a${n % 200}:a xmlns:a${n % 200}="urn:${n}${'x'.repeat(200)}"></a${n % 200}:a>`),
  ),
  '1 450 groups': written({
    attributes: attributes({
      'svc-roles': Array.from({ length: 1450 }, (_, n) => `svc-team-${n}-${'x'.repeat(30)}-owner`),
    }),
  }),
  'prefixes in prefixes': advice(
    filled(counted(30, (n) => `<a${n}:a xmlns:a${n}="u${n}" a${n}:b="">`) + counted(30, (n) => `</a${29 - n}:a>`), 40),
  ),
};

const hostile: Readonly<Record<string, string>> = {
  'tags that never end': filled('<a '),
  'tags that are no tags': filled('<'),
  'ends without beginnings': filled('</a>'),
  'attributes without end': inName(filled(' a="b"')),
  'attributes of 30 000 names': inName(counted(20_000, (n) => ` a${n}=""`)),
  'quotes that never end': inName(` a="${filled('b')}`),
  'references that are none': advice(filled('&')),
  'references to entities': advice(filled('&a;')),
  'ends of a kind': written() + filled(']]'),
  'a list of prefixes': written({ inResponse: filled('<a b:c="" xmlns:b="u"></a>', 800) }).replace(
    `<ds:Transform Algorithm="${exclusive}"></ds:Transform>`,
    `<ds:Transform Algorithm="${exclusive}"><ec:InclusiveNamespaces xmlns:ec="${exclusive}" PrefixList="${'a '.repeat(60_000)}"></ec:InclusiveNamespaces></ds:Transform>`,
  ),
  'thirty prefixes in scope': advice(
    `<b${counted(31, (n) => ` xmlns:a${n}="u${n}" a${n}:x=""`)}>${filled('<a0:a></a0:a>', 1450)}</b>`,
  ),
  'a long value': written().replace('<ds:SignatureValue>', `<ds:SignatureValue>${filled('A\n')}`),
  'a long digest': written().replace('<ds:DigestValue>', `<ds:DigestValue>${filled(' ')}`),
  'a value of spaces that ends in no base64': written().replace(
    '<ds:SignatureValue>',
    `<ds:SignatureValue>${filled(' ')}!`,
  ),
  'a digest of line breaks that ends in no base64': written().replace(
    '<ds:DigestValue>',
    `<ds:DigestValue>${filled('\n')}!`,
  ),
  'a value that is base64 for very long': written().replace('<ds:SignatureValue>', `<ds:SignatureValue>${filled('A')}`),
  'a long id': written().replaceAll('_response', 'a'.repeat(room / 3)),
  'a long address': written().replace('ann@', `${'a'.repeat(room)}@`),
  'a long time': written().replace('2026-11-21T12:00:00Z', '2'.repeat(room)),
};

const costs = suite('the cost');

for (const [says, xml] of Object.entries(genuine))
  costs(`is bearable for a response of ${says}`, async () => {
    const answer = guardResponse(posted(xml), expecting());
    assert.is(answer.outcome, 'genuine', answer.outcome === 'refused' ? answer.reason : '');
    const spent = await cost(posted(xml));
    assert.ok(spent < mostMs, `${spent} ms`);
  });

for (const [says, xml] of Object.entries(hostile))
  costs(`is bearable for ${says}`, async () => {
    const answer = guardResponse(posted(xml), expecting());
    assert.ok(answer.outcome === 'refused' && answer.step !== 'fault');
    assert.ok(answer.reason.length < 2000, 'the log is not filled either');
    const spent = await cost(posted(xml));
    assert.ok(spent < mostMs, `${spent} ms`);
  });

costs('does not grow with the number of certificates', async () => {
  const [certificate = ''] = expecting().certificates;
  const certificates = [...Array.from({ length: 60 }, () => certificate.replace('MII', 'AII')), certificate];
  assert.is(guardResponse(posted(written()), expecting({ certificates })).outcome, 'genuine');
  assert.ok((await cost(posted(written()), expecting({ certificates }))) < mostMs);
});

costs.run();
