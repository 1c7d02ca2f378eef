// A page of snapshots, whatever they were taken of: the newest first, unless somebody sorts otherwise.
import { z } from 'zod';
import type { Resource } from '../core/model/resource.ts';
import type { View } from '../core/model/view.ts';
import { listBody, pageOf, pageQuery, type SortKey, searchQuery, sortedBy, sortQuery } from './paging.ts';
import { shownSnapshot } from './views/snapshot.ts';

/** What a list of snapshots may be asked for. */
export const snapshotListQuery = z.strictObject({ ...pageQuery, ...searchQuery, ...sortQuery(['createdAt', 'name']) });

/** The page that was asked for, of some snapshots. Throws `invalid_request` for a cursor that is none. */
export function snapshotPage(
  snapshots: Iterable<Resource<'Snapshot'>>,
  query: z.output<typeof snapshotListQuery>,
  view: View,
) {
  const text = query.q?.toLowerCase();
  const found = [...snapshots].filter(({ name }) => text === undefined || name.toLowerCase().includes(text));
  const order = query.sort ?? '-createdAt';
  const key = ({ id, name, createdAt }: Resource<'Snapshot'>): SortKey =>
    order.endsWith('name') ? [name.toLowerCase(), id] : [createdAt, id];
  const page = pageOf(sortedBy(found, key), query, order, key);
  return listBody('snapshots', page, (snapshot) => shownSnapshot(snapshot, view));
}
