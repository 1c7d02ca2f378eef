// Backups as an attacker or a bad disk would make them: any entries, in any order.
import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { checksumOf, tarEnd, tarHeader, tarPadding } from '../../../src/lib/tar.ts';

/** An entry; `type` as tar has it (0 is a file). */
export interface Entry {
  readonly path: string;
  readonly content: string;
  readonly type?: string;
}

export const heading = {
  weir: 'backup',
  version: 1,
  storeVersion: 1,
  madeBy: '0.1.0',
  at: '2026-01-01T00:00:00.000Z',
  position: 0,
};

/** A backup of these entries, with a heading and a manifest that are right. */
export function archiveOf(entries: readonly Entry[], more: Readonly<Record<string, unknown>> = {}): Buffer {
  const files = entries.map(({ path, content }) => ({
    path,
    bytes: Buffer.byteLength(content),
    sha256: createHash('sha256').update(content).digest('hex'),
  }));
  return packed([
    { path: 'backup.json', content: JSON.stringify({ ...heading, ...more }) },
    ...entries,
    { path: 'manifest.json', content: JSON.stringify({ files }) },
  ]);
}

/** A gzipped tar of exactly these entries. */
export function packed(entries: readonly Entry[]): Buffer {
  const parts = entries.flatMap(({ path, content, type = '0' }) => {
    const size = Buffer.byteLength(content);
    return [typed(tarHeader({ path, size, mtime: 0 }), type), Buffer.from(content), tarPadding(size)];
  });
  return gzipSync(Buffer.concat([...parts, tarEnd()]));
}

/** What is in the gzip. */
export function tarOf(backup: Buffer): Buffer {
  return gunzipSync(backup);
}

function typed(header: Uint8Array, type: string): Uint8Array {
  const bytes = Buffer.from(header);
  bytes.write(type, bytes.length - 512 + 156, 1, 'latin1');
  const last = bytes.subarray(bytes.length - 512);
  last.write(`${checksumOf(last).toString(8).padStart(6, '0')}\0 `, 148, 8, 'latin1');
  return bytes;
}
