// The head of a runtime's answer, read strictly: what two readers could take in two ways is no answer (RFC 9112, 2 to 6).
import type { RawHeaders } from '../heads.ts';

/** How the end of an answer is known: after so many bytes, by chunks, or because the connection ends. */
export type Framing = number | 'chunks' | 'close';

/** A head that can be read in one way only. */
export interface AnswerHead {
  readonly status: number;
  readonly raw: RawHeaders;
  readonly framing: Framing;
  /** Whether the connection may carry another request after this answer. */
  readonly persists: boolean;
  /** For how many seconds the runtime keeps the connection, where it says so. */
  readonly keptSeconds: number | undefined;
}

/** Reads a head, without the empty line at its end; nothing where it is malformed. `method` is that of the request. */
export function answerHead(text: string, method: string): AnswerHead | undefined {
  const lines = text.split('\r\n');
  const [, minor, code] = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t -~\x80-\xff]*)?$/.exec(lines[0] ?? '') ?? [];
  if (minor === undefined || code === undefined) return undefined;
  const told: Told = { lengths: 0, length: undefined, codings: 0, coding: '', connection: '', keptSeconds: undefined };
  const raw: string[] = [];
  for (let at = 1; at < lines.length; at += 1) {
    const field = fieldIn(lines[at] ?? '');
    if (field === undefined) return undefined;
    raw.push(field[0], field[1]);
    note(told, field[0], field[1]);
  }
  const status = Number(code);
  const framing = status < 200 ? 0 : framingOf(told, minor, method, status);
  if (framing === undefined) return undefined;
  return { status, raw, framing, persists: persists(told, minor, status, framing), keptSeconds: told.keptSeconds };
}

/** Name and value of a line of a head, or of trailers; nothing where it is none. A line that goes on with the one before it is none. */
export function fieldIn(line: string): readonly [name: string, value: string] | undefined {
  const colon = line.indexOf(':');
  const name = line.slice(0, Math.max(colon, 0));
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return undefined;
  const value = trimmed(line, colon + 1);
  return /[^\t -~\x80-\xff]/.test(value) ? undefined : [name, value];
}

function trimmed(line: string, begin: number): string {
  let [from, to] = [begin, line.length];
  while (from < to && isBlank(line.charCodeAt(from))) from += 1;
  while (to > from && isBlank(line.charCodeAt(to - 1))) to -= 1;
  return line.slice(from, to);
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}

/** What a head says of the body and of the connection. */
interface Told {
  lengths: number;
  length: string | undefined;
  codings: number;
  coding: string;
  connection: string;
  keptSeconds: number | undefined;
}

function note(told: Told, name: string, value: string): void {
  switch (name.length) {
    case 10:
      if (name.toLowerCase() === 'connection') told.connection += `,${value.toLowerCase()}`;
      else if (name.toLowerCase() === 'keep-alive') told.keptSeconds = secondsIn(value);
      return;
    case 14:
      if (name.toLowerCase() !== 'content-length') return;
      told.lengths += 1;
      told.length = value;
      return;
    case 17:
      if (name.toLowerCase() !== 'transfer-encoding') return;
      told.codings += 1;
      told.coding = value.toLowerCase();
  }
}

function secondsIn(value: string): number | undefined {
  const [, seconds] = /\btimeout=(\d{1,9})\b/i.exec(value) ?? [];
  return seconds === undefined ? undefined : Number(seconds);
}

/** A length is told once, in one way, and as a number. Answers that never have a body have none, whatever they tell. */
function framingOf(told: Told, minor: string, method: string, status: number): Framing | undefined {
  const { lengths, length, codings, coding } = told;
  if (lengths > 1 || codings > 1 || (lengths > 0 && codings > 0)) return undefined;
  if (length !== undefined && !/^\d{1,15}$/.test(length)) return undefined;
  if (codings > 0 && (coding !== 'chunked' || minor === '0')) return undefined;
  if (method === 'HEAD' || status === 204 || status === 304) return 0;
  if (codings > 0) return 'chunks';
  return length === undefined ? 'close' : Number(length);
}

/** Where a body could come that was not announced, or was announced and cannot be, the connection carries nothing more. */
function persists({ connection, codings, length }: Told, minor: string, status: number, framing: Framing): boolean {
  const isOdd = framing === 0 && (codings > 0 || (status === 204 && Number(length ?? 0) > 0));
  if (framing === 'close' || isOdd) return false;
  if (connection === '') return minor === '1';
  const options = connection.split(',').map((option) => option.trim());
  return !options.includes('close') && (minor === '1' || options.includes('keep-alive'));
}
