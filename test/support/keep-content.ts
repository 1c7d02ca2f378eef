// Contents of snapshots, kept as a server keeps them.
import { keepBytes, type Shelves } from '../../src/control/contents.ts';
import { type Content, contentText } from '../../src/core/instances/content.ts';
import type { HeldBlob } from '../../src/store/store.ts';

/** Keeps a content as a blob. */
export function keepContent(shelves: Pick<Shelves, 'store'>, content: Content): Promise<HeldBlob> {
  return keepBytes(shelves, new TextEncoder().encode(contentText(content)));
}
