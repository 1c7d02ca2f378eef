// What is told of a store that was read, in lines for people.
import { damageWords } from '../../store/damage.ts';
import type { StoreReport } from '../report.ts';
import { escaped } from './escape.ts';
import { amount } from './findings-text.ts';
import type { Style } from './style.ts';

/** Everything that is wrong, then what was read, and what the logs end with. */
export function storeText(report: StoreReport, style: Style): string {
  const { damage, heads } = report.checked;
  const problems = damage.map((one) => `${style('error', 'damaged')}: ${escaped(damageWords(one))}\n`).join('');
  const ends = heads ? `the audit log ends with ${heads.audit}\nthe history ends with ${heads.history}\n` : '';
  return `${problems}${style('strong', escaped(`${report.store}: ${storeVerdict(report)}`))}\n${ends}`;
}

/** `whole: 12 commits, 2 snapshots …`, or how much is not. */
export function storeVerdict({ checked }: StoreReport): string {
  const { damage, position, snapshots, journals, segments, records, blobs } = checked;
  const parts = [
    ...(position === undefined ? [] : [amount(position, 'commit')]),
    amount(snapshots, 'snapshot'),
    `${journals} of the journal`,
    `${amount(segments, 'segment')} with ${records.audit} entries of the audit log and ${records.history} of the history`,
    `${amount(blobs.named, 'blob')}${blobs.unnamed > 0 ? ` and ${blobs.unnamed} that nothing names` : ''}`,
  ];
  const verdict = damage.length === 0 ? 'whole' : `not whole, ${amount(damage.length, 'place')} damaged`;
  return `${verdict}: ${parts.join(', ')}`;
}
