// The grammar of what a directory may send (RFC 4511), checked to the last byte before ldapts reads it: ldapts follows lengths that lie, some for ever.
import { Trouble } from './trouble.ts';

/** One whole message. */
export interface Frame {
  /** The message without its controls: what they say is read here. */
  readonly bytes: Buffer;
  readonly messageId: number;
  /** The tag of its operation, such as 0x65 for the end of a search. */
  readonly operation: number;
  /** The result code, of messages that have one. */
  readonly result?: number;
  /** The cookie of paged results (RFC 2696); empty when there is no further page. */
  readonly cookie?: Buffer;
}

export const tags = { bindResponse: 0x61, entry: 0x64, searchDone: 0x65, reference: 0x73, extendedResponse: 0x78 };

/** Reads a whole message; throws trouble when it is not one that a directory may send. */
export function readFrame(bytes: Buffer): Frame {
  const whole = only(partsOf(bytes, { from: 0, to: bytes.length }), 0x30);
  const [id, operation, controls, ...more] = partsOf(bytes, whole);
  if (!id || !operation || more.length > 0 || (controls && controls.tag !== 0xa0)) throw new Trouble('malformed');
  const messageId = wholeNumber(bytes, expect(id, 0x02));
  return {
    bytes: controls ? message(bytes.subarray(whole.from, operation.to)) : bytes,
    messageId,
    operation: operation.tag,
    ...resultOf(bytes, operation),
    ...(controls ? cookieOf(bytes, controls) : {}),
  };
}

/**
 * How long the message that begins a buffer is, header included; nothing while the header is not whole. Throws trouble when it is none, or longer
 * than `most` bytes.
 */
export function frameLength(bytes: Buffer, most: number): number | undefined {
  if (bytes.length > 0 && bytes[0] !== 0x30) throw new Trouble('malformed');
  const header = headerAt(bytes, 0);
  if (header && header.to > most) throw new Trouble('flood');
  return header?.to;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

interface Part extends Span {
  readonly tag: number;
}

function resultOf(bytes: Buffer, operation: Part): { readonly result?: number } {
  const parts = partsOf(bytes, operation);
  switch (operation.tag) {
    case tags.entry:
      checkEntry(bytes, parts);
      return {};
    case tags.reference:
      for (const part of parts) expect(part, 0x04);
      return {};
    case tags.bindResponse:
    case tags.searchDone:
    case tags.extendedResponse: {
      const [result, matched, text, ...more] = parts;
      expect(matched, 0x04);
      expect(text, 0x04);
      if (more.some(({ tag }) => !afterResult.has(tag))) throw new Trouble('malformed');
      return { result: wholeNumber(bytes, expect(result, 0x0a)) };
    }
    default:
      throw new Trouble('malformed');
  }
}

/** Referral, SASL credentials, and the name and value of an extended response: never 0xa0, which is the tag of controls. */
const afterResult: ReadonlySet<number> = new Set([0xa3, 0x87, 0x8a, 0x8b]);

function message(content: Buffer): Buffer {
  const header = Buffer.from([0x30, 0x84, 0, 0, 0, 0]);
  header.writeUInt32BE(content.length, 2);
  return Buffer.concat([header, content]);
}

function checkEntry(bytes: Buffer, [name, attributes, ...more]: readonly Part[]): void {
  expect(name, 0x04);
  if (more.length > 0) throw new Trouble('malformed');
  for (const attribute of partsOf(bytes, expect(attributes, 0x30))) {
    const [type, values, ...others] = partsOf(bytes, expect(attribute, 0x30));
    expect(type, 0x04);
    for (const value of partsOf(bytes, expect(values, 0x31))) expect(value, 0x04);
    if (others.length > 0) throw new Trouble('malformed');
  }
}

function cookieOf(bytes: Buffer, controls: Part): { readonly cookie?: Buffer } {
  let cookie: Buffer | undefined;
  for (const control of partsOf(bytes, controls)) {
    const [type, ...rest] = partsOf(bytes, expect(control, 0x30));
    const { from, to } = expect(type, 0x04);
    const value = rest.at(-1);
    if (rest.some(({ tag }, index) => tag !== 0x04 && (tag !== 0x01 || index > 0)) || rest.length > 2)
      throw new Trouble('malformed');
    if (bytes.toString('latin1', from, to) === pagedResults && value?.tag === 0x04)
      cookie = cookieIn(bytes.subarray(value.from, value.to));
  }
  return cookie ? { cookie } : {};
}

/** The type of the control for paged results (RFC 2696). */
export const pagedResults = '1.2.840.113556.1.4.319';

function cookieIn(value: Buffer): Buffer {
  const [size, cookie] = partsOf(value, only(partsOf(value, { from: 0, to: value.length }), 0x30));
  expect(size, 0x02);
  const { from, to } = expect(cookie, 0x04);
  return Buffer.from(value.subarray(from, to));
}

function only(parts: readonly Part[], tag: number): Part {
  if (parts.length !== 1) throw new Trouble('malformed');
  return expect(parts[0], tag);
}

function expect(part: Part | undefined, tag: number): Part {
  if (part?.tag !== tag) throw new Trouble('malformed');
  return part;
}

function wholeNumber(bytes: Buffer, { from, to }: Span): number {
  if (to - from < 1 || to - from > 4) throw new Trouble('malformed');
  const value = bytes.readIntBE(from, to - from);
  if (value < 0) throw new Trouble('malformed');
  return value;
}

/** The parts of a span, which must fill it to the byte. */
function partsOf(bytes: Buffer, { from, to }: Span): Part[] {
  const parts: Part[] = [];
  for (let at = from; at < to; ) {
    const part = headerAt(bytes, at);
    if (!part || part.to > to) throw new Trouble('malformed');
    parts.push(part);
    at = part.to;
  }
  return parts;
}

/** Tag and definite length (X.690, 8.1); nothing when the buffer ends before they do. */
function headerAt(bytes: Buffer, at: number): Part | undefined {
  const [tag, first] = [bytes[at], bytes[at + 1]];
  if (tag === undefined || first === undefined) return undefined;
  if (first < 0x80) return { tag, from: at + 2, to: at + 2 + first };
  const count = first - 0x80;
  if (count < 1 || count > 4) throw new Trouble('malformed');
  if (bytes.length < at + 2 + count) return undefined;
  const from = at + 2 + count;
  return { tag, from, to: from + bytes.readUIntBE(at + 2, count) };
}
