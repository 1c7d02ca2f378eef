// What backup and restore say of records that are not what was written.
import { type Damage, damageWords } from '../store/damage.ts';
import { escaped } from './output/escape.ts';

/** Nothing where nothing is damaged; else the first of it, and what that means for what was done. */
export function damageText(damage: readonly Damage[], meaning: string): string {
  if (damage.length === 0) return '';
  const told = damage.slice(0, mostTold).map((one) => `damaged: ${escaped(damageWords(one))}\n`);
  const more = damage.length > mostTold ? `damaged: ${damage.length - mostTold} more places\n` : '';
  return `${told.join('')}${more}the audit log or the history is not what was written: ${meaning}\n`;
}

const mostTold = 20;
