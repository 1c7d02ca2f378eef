// The head of a request as it goes to a runtime, in one piece.
import type { RawHeaders } from '../heads.ts';

/** What says where a body ends, besides what the headers say. */
export type BodyFraming = 'chunked' | 'as said' | 'none';

/** Nothing where a path or a header holds what no head may: it would be read as something else. */
export function requestHead(
  method: string,
  path: string,
  headers: RawHeaders,
  framing: BodyFraming,
): string | undefined {
  let lines = '';
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const [name = '', value = ''] = [headers[at], headers[at + 1]];
    if (!isName(name) || !isValue(value)) return undefined;
    lines += `${name}: ${value}\r\n`;
  }
  if (!isName(method) || /[^!-~\x80-\xff]/.test(path)) return undefined;
  return `${method} ${path} HTTP/1.1\r\n${lines}${framed[framing]}Connection: keep-alive\r\n\r\n`;
}

const framed: Readonly<Record<BodyFraming, string>> = {
  chunked: 'Transfer-Encoding: chunked\r\n',
  'as said': '',
  none: 'Content-Length: 0\r\n',
};

function isName(text: string): boolean {
  return /^[\w!#$%&'*+.^`|~-]+$/.test(text);
}

function isValue(text: string): boolean {
  return !/[^\t -~\x80-\xff]/.test(text);
}
