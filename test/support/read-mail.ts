// Reads a mail as it came over the wire: headers unfolded and decoded, the parts decoded to text (RFC 5322, 2045 to 2047).

export interface ReadMail {
  /** Each header's values in order, by its name in lower case. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** The first value of a header, or an empty text. */
  header(name: string): string;
  readonly text: string;
  readonly html: string;
  readonly raw: string;
}

/** Reads a mail. Line ends are CRLF in it, and LF in what is answered. */
export function readMail(raw: string): ReadMail {
  const whole = split(raw);
  const parts = leaves(whole);
  const partOf = (type: string) => parts.find((part) => first(part, 'content-type').startsWith(type));
  return {
    headers: whole.headers,
    header: (name) => first(whole, name),
    text: contentOf(partOf('text/plain')),
    html: contentOf(partOf('text/html')),
    raw,
  };
}

interface Part {
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: string;
}

function split(raw: string): Part {
  const end = raw.indexOf('\r\n\r\n');
  const [head, body] = end < 0 ? [raw, ''] : [raw.slice(0, end), raw.slice(end + 4)];
  const headers = new Map<string, string[]>();
  for (const line of head.replaceAll(/\r\n(?=[ \t])/g, '').split('\r\n')) {
    const [, name = '', value = ''] = /^([^:\s]+):\s*(.*)$/.exec(line) ?? [];
    headers.set(name.toLowerCase(), [...(headers.get(name.toLowerCase()) ?? []), decodeWords(value)]);
  }
  return { headers, body };
}

function leaves(part: Part): readonly Part[] {
  const boundary = /^multipart\/.*boundary="?([^";]+)"?/.exec(first(part, 'content-type'))?.[1];
  if (boundary === undefined) return [part];
  const pieces = `\r\n${part.body}`.split(`\r\n--${boundary}`);
  return pieces.slice(1, -1).flatMap((piece) => leaves(split(piece.replace(/^\r\n/, ''))));
}

function contentOf(part: Part | undefined): string {
  if (!part) return '';
  const encoding = first(part, 'content-transfer-encoding').toLowerCase();
  return decoded(part.body, encoding).toString('utf8').replaceAll('\r\n', '\n');
}

function decoded(body: string, encoding: string): Buffer {
  if (encoding === 'base64') return Buffer.from(body, 'base64');
  if (encoding !== 'quoted-printable') return Buffer.from(body, 'latin1');
  return unquoted(body.replaceAll(/=\r\n/g, ''));
}

function unquoted(text: string): Buffer {
  return Buffer.from(
    text.replaceAll(/=([0-9A-F]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );
}

/** `=?UTF-8?Q?…?=` and `=?UTF-8?B?…?=`; between two of them white space means nothing. */
function decodeWords(value: string): string {
  return value
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/(?:=\?utf-8\?[bq]\?[^?]*\?=)+/gi, (words) =>
      Buffer.concat(words.slice(2, -2).split('?==?').map(decodeWord)).toString('utf8'),
    );
}

function decodeWord(word: string): Buffer {
  const [, encoding = '', text = ''] = word.split('?');
  return encoding.toUpperCase() === 'B' ? Buffer.from(text, 'base64') : unquoted(text.replaceAll('_', ' '));
}

function first({ headers }: Part, name: string): string {
  return headers.get(name.toLowerCase())?.[0] ?? '';
}
