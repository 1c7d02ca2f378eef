// Writes tar (POSIX.1-2001, pax): one entry after another, for archives that any tar can list and unpack.

/** What opens an entry: its header, and a pax header before it where name or size do not fit. `size` is in bytes, `mtime` in seconds. */
export function tarHeader({ path, size, mtime }: TarFile): Uint8Array {
  const place = placeOf(path);
  const fits = place !== undefined && size <= mostOctal;
  if (fits) return headerOf(place, size, mtime, '0');
  const records = paxRecord('path', path) + (size > mostOctal ? paxRecord('size', String(size)) : '');
  const body = Buffer.from(records);
  const pax = { name: 'pax', prefix: '' };
  return Buffer.concat([
    headerOf(pax, body.length, mtime, 'x'),
    body,
    tarPadding(body.length),
    headerOf(
      { name: Buffer.from(path).subarray(0, 90).toString('latin1'), prefix: '' },
      Math.min(size, mostOctal),
      mtime,
      '0',
    ),
  ]);
}

/** A regular file as its entry tells of it. */
export interface TarFile {
  readonly path: string;
  readonly size: number;
  readonly mtime: number;
}

/** The zeros that follow so many bytes of content. */
export function tarPadding(size: number): Uint8Array {
  return Buffer.alloc((block - (size % block)) % block);
}

/** What closes an archive. */
export function tarEnd(): Uint8Array {
  return Buffer.alloc(2 * block);
}

/** Headers and contents are padded to this many bytes. */
export const block = 512;

/** The sum over a header, with spaces where the sum itself stands. */
export function checksumOf(header: Uint8Array): number {
  let sum = 0;
  for (let at = 0; at < block; at += 1) sum += at >= 148 && at < 156 ? 32 : (header[at] ?? 0);
  return sum;
}

const mostOctal = 0o77777777777;

interface Place {
  readonly name: string;
  readonly prefix: string;
}

/** Where ASCII of up to 255 bytes stands in a plain header; nothing for what needs pax. */
function placeOf(path: string): Place | undefined {
  if (!/^[ -~]+$/.test(path)) return undefined;
  if (path.length <= 100) return { name: path, prefix: '' };
  const cut = path.indexOf('/', Math.max(0, path.length - 101));
  const split = cut > 0 && cut <= 155 && path.length - cut - 1 <= 100 && cut < path.length - 1;
  return split ? { name: path.slice(cut + 1), prefix: path.slice(0, cut) } : undefined;
}

function headerOf({ name, prefix }: Place, size: number, mtime: number, type: string): Buffer {
  const header = Buffer.alloc(block);
  header.write(name, 0, 100, 'latin1');
  octal(header, 100, 8, 0o600);
  octal(header, 108, 8, 0);
  octal(header, 116, 8, 0);
  octal(header, 124, 12, size);
  octal(header, 136, 12, Math.max(0, Math.floor(mtime)));
  header.write(type, 156, 1, 'latin1');
  header.write('ustar\x0000', 257, 8, 'latin1');
  header.write(prefix, 345, 155, 'latin1');
  header.write(`${checksumOf(header).toString(8).padStart(6, '0')}\0 `, 148, 8, 'latin1');
  return header;
}

function octal(header: Buffer, at: number, width: number, value: number): void {
  header.write(`${value.toString(8).padStart(width - 1, '0')}\0`, at, width, 'latin1');
}

/** `LENGTH key=value\n`, whose length counts its own digits. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(rest);
  let length = bytes + String(bytes).length;
  length = bytes + String(length).length;
  return `${length}${rest}`;
}
