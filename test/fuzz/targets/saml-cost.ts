// What a SAML response costs: any text, value, name or gap of it as long as a response may be, and the guard still answers at once.
import { largestEnvelope } from '../../../src/sso/saml/envelope.ts';
import { guardResponse } from '../../../src/sso/saml/guard.ts';
import { attributes, expecting, idp, posted, written } from '../../sso/saml/signer.ts';
import { gist, holds, type Target } from '../target.ts';

/** The first line says which part is long, where the run stands and whether it is signed; then what is repeated, and what ends it. */
interface Recipe {
  /** The number of a part, counted from the start; or the name of an element whose text it is. */
  readonly part: number | string;
  readonly where: (typeof places)[number];
  readonly stage: (typeof stages)[number];
  readonly unit: string;
  readonly end: string;
}

const places = ['before', 'after', 'instead'] as const;

/** `posted`: put into a response after it was signed; `signed`: before, so that later steps read it; `base64`: put into the form field. */
const stages = ['posted', 'signed', 'base64'] as const;

const parts = { attributes: attributes({ 'svc-roles': ['svc-core-member', ''], uid: ['ann'], displayName: ['Ann'] }) };
const certificate = idp.certificate.replaceAll(/-----.*-----|\n/g, '');
const keyInfo = `<ds:KeyInfo><ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>`;
const signing = { response: { key: idp.privateKey, keyInfo }, assertion: { key: idp.privateKey, keyInfo } };
const usual = written(parts, signing);
const inResponse = pieces(written(parts, { response: {}, assertion: {} }, (text) => text.replace(/<!--.*-->/, '')));

/** All that a response of this shape can hold, by what a run of it is likely to cost. */
const runs = [' ', '\n', '=', 'A', '&#32;', '&amp;', '\t \n', '@', '-', '.', 'a:', '/', ' a', 'A=', '9'];
const ends = ['!', '', '=', 'é'];

/** The elements that hold text, and what each is filled with: nothing of it fits what has to stand there. */
const texts = ['DigestValue', 'SignatureValue', 'X509Certificate', 'Issuer', 'NameID', 'Audience', 'AttributeValue'];
const misfits = [' ', '\n', '=', 'A', '&#32;', 'a@'];

export const samlCost: Target = {
  words: [...runs.map(escaped), ...ends, '\n', ...places, ...stages, ' xmlns="x"', '<a/>', '&gt;', 'é'],
  seeds: () => [
    ...Array.from({ length: pieces(usual).length }, (_, part) => seed(part, 'posted')),
    ...Array.from({ length: inResponse.length }, (_, part) => seed(part, 'signed')),
    ...[0, 1, 2].map((part) => seed(part, 'base64')),
    ...texts.flatMap((name) => misfits.map((unit) => `${name} instead posted\n${escaped(unit)}\n!`)),
    ...texts.slice(3).flatMap((name) => misfits.map((unit) => `${name} before signed\n${escaped(unit)}\n!`)),
  ],
  mostMs: 1000,
  check: (input) => {
    const recipe = recipeIn(input.toString());
    const guarded = guardResponse(encodedBy(recipe), expecting());
    if (guarded.outcome === 'genuine') return `${recipe.stage} genuine`;
    holds(guarded.step !== 'fault', `it could not be judged: ${guarded.reason}`);
    holds(guarded.reason.length < 2000, 'the log would be filled');
    return `${recipe.stage} ${guarded.step}: ${gist(guarded.reason)}`;
  },
};

/** One of many: what is repeated and where goes round with the part, so that all of them are seen. */
function seed(part: number, stage: Recipe['stage']): string {
  const [unit = '', end = ''] = [runs[part % runs.length], ends[part % ends.length]];
  return `${part} ${places[part % places.length]} ${stage}\n${escaped(unit)}\n${end}`;
}

function recipeIn(text: string): Recipe {
  const [head = '', unit = '', end = ''] = text.split('\n');
  const [part = '', where = '', stage = ''] = head.split(' ');
  return {
    part: texts.includes(part) ? part : Math.abs(Number.parseInt(part, 10)) || 0,
    where: places.find((one) => one === where) ?? 'instead',
    stage: stages.find((one) => one === stage) ?? 'posted',
    unit: unit.slice(0, 64).replaceAll('\\n', '\n').replaceAll('\\t', '\t') || ' ',
    end: end.slice(0, 64),
  };
}

function escaped(text: string): string {
  return text.replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

function encodedBy(recipe: Recipe): string {
  const { stage, part } = recipe;
  if (stage === 'posted') return posted(withRun(usual, part, recipe, usual.length));
  if (stage === 'base64') return base64By(recipe);
  // The response is respelled first, then its assertion: the parts of both are counted through, and one of them is long.
  let [before, isDone] = [0, false];
  const respelled = (text: string) => {
    const [own, begins] = [pieces(text).length, before];
    before += own;
    const at = typeof part === 'string' ? part : (part % inResponse.length) - begins;
    const isHere = typeof at === 'string' ? new RegExp(`:${at}[ >]`).test(text) : at >= 0 && at < own;
    if (isDone || !isHere) return text;
    isDone = true;
    return withRun(text, at, recipe, usual.length);
  };
  return posted(written(parts, signing, respelled));
}

function base64By({ part, unit, end }: Recipe): string {
  const genuine = posted(usual);
  const run = unit.repeat(Math.floor((largestEnvelope - genuine.length - end.length) / unit.length)) + end;
  const at = [0, Math.floor(genuine.length / 2), genuine.length][Number(part) % 3] ?? 0;
  return genuine.slice(0, at) + run + genuine.slice(at);
}

/** A text with a run in one of its parts that makes a response of `length` just as long as it may be. */
function withRun(text: string, part: Recipe['part'], { where, unit, end }: Recipe, length: number): string {
  const [from, to] = typeof part === 'string' ? textOf(text, part) : pieceAt(text, part);
  const room = Math.floor((largestEnvelope * 3) / 4) - length - Buffer.byteLength(end) - 16;
  const run = unit.repeat(Math.floor(room / Buffer.byteLength(unit))) + end;
  if (where === 'instead') return text.slice(0, from) + run + text.slice(to);
  return where === 'before' ? text.slice(0, from) + run + text.slice(from) : text.slice(0, to) + run + text.slice(to);
}

function pieceAt(xml: string, index: number): readonly [number, number] {
  const all = pieces(xml);
  return all[index % all.length] ?? [0, 0];
}

function textOf(xml: string, name: string): readonly [number, number] {
  const from = xml.indexOf('>', xml.search(new RegExp(`:${name}[ >]`))) + 1;
  return [from, xml.indexOf('<', from)];
}

/** Where each part of a text of XML begins and ends: values of attributes, texts, names, and gaps in tags. */
function pieces(xml: string): readonly (readonly [number, number])[] {
  const found: [number, number][] = [];
  for (const { 0: all, index } of xml.matchAll(/(?<=")[^"<>]*(?=")|(?<=>)[^<]*(?=<)|[\w:]+(?=[\s=>])|\s+(?=\w)|(?=>)/g))
    found.push([index, index + all.length]);
  return found;
}
