// Drift in words, for conditions and the log.
import type { Drifted } from './config-status.ts';

/** Drift in words: what is otherwise, and who made it so. */
export function driftWords({ address, action, fields, by }: Drifted): string {
  const what =
    action === 'update' ? (fields.length > 0 ? fields.map(lastSteps).join(', ') : 'changed') : others[action];
  const who = by
    ? `, by ${by.actor} at ${by.at}${by.revision === undefined ? '' : ` (revision ${by.revision.slice(0, 12)})`}`
    : '';
  return `${address} (${what}${who})`;
}

/** What the others did, by what would have to be done. */
const others: Readonly<Record<Exclude<Drifted['action'], 'update'>, string>> = {
  create: 'deleted',
  delete: 'made',
  rename: 'renamed',
  adopt: 'taken from its document',
};

function lastSteps(path: string): string {
  return path
    .replace(/^\/spec\//, '')
    .replaceAll('/', '.')
    .replace(/^\./, '');
}
