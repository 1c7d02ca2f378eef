// What weir doctor says of the key of a store: which it is, where, who may read it, and what it opens.
import type { Patient } from './doctor-patient.ts';
import type { Examined } from './examined.ts';

/** Looks at the keys, and at what wants them. */
export function checkOfKeys({ keys }: Patient): Examined {
  const { place, present, mode, wanted, former, formerPath, problem } = keys;
  const what = { name: 'key', purpose: 'opens the secrets of the store, and its backups' };
  if (problem !== undefined) return { ...what, state: 'missing', detail: problem };
  const [first, ...others] = present;
  if (first === undefined)
    return { ...what, state: 'note', detail: `${place}: none yet; it is made as the store is first written to` };
  const bits = mode === undefined ? '' : ` (mode ${mode.toString(8).padStart(4, '0')})`;
  const also = wanted.filter((id) => id !== first);
  const unused = others.filter((id) => !wanted.includes(id));
  const detail = [
    `${first} in ${place}${bits}`,
    'backups made now open with it, and do not hold it unless made --with-key',
    ...(also.length > 0 ? [`some files still want ${also.join(', ')}, which is there, too`] : []),
    ...(unused.length > 0 ? [`no file wants ${unused.join(', ')}, which is there, too`] : []),
    ...(former.length > 0 ? [`older backups open with ${former.join(', ')} in ${formerPath}`] : []),
  ].join('; ');
  if (((mode ?? 0) & 0o004) !== 0)
    return { ...what, state: 'lacking', detail: `${detail}; everybody here may read it`, remedy: `chmod 600 ${place}` };
  if (also.length === 0) return { ...what, state: 'fine', detail };
  return {
    ...what,
    state: 'note',
    detail,
    remedy: 'to have it done with: stop the server, and run "weir store rekey"',
  };
}
