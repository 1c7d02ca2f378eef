// Single sign-on for people: what a sign-in would do, and whether a configuration works.
import type { SsoExplanation } from '../../control/explain-sso.ts';
import type { Explained } from '../../core/groups/explained.ts';
import type { ChecksReport, ExplanationReport } from '../report.ts';
import { escaped } from './escape.ts';
import { amount } from './findings-text.ts';
import type { Look, Style } from './style.ts';

/** The signs of what comes, changes, goes and stays. */
export const effects: Readonly<Record<Explained['effect'], string>> = {
  create: '+',
  update: '~',
  delete: '-',
  none: '=',
};

const looks: Readonly<Record<Explained['effect'], Look>> = {
  create: 'made',
  update: 'changed',
  delete: 'gone',
  none: 'faint',
};

/** Who would be signed in, in half a line. */
export function headline({ config, email, outcome, user }: SsoExplanation): string {
  const by = `through SsoConfig/${config}`;
  if (outcome === 'refused' || !user) return `${escaped(email)} would not be signed in ${by}`;
  return `${escaped(email)} would be signed in ${by} as ${user.isNew && user.id === null ? 'the new user ' : ''}${escaped(user.username)}`;
}

/** An explanation, as sentences. */
export function explanationText({ explanation: told }: ExplanationReport, style: Style): string {
  const { active, config, reason, user, explanation } = told;
  const draft = active ? '' : `SsoConfig/${config} is not active: this is what would be if it were.\n`;
  const first = `${style('strong', `${headline(told)}.`)}\n`;
  if (!user) return `${draft}${first}\n  because ${escaped(reason ?? 'it is not known why')}\n`;
  const rows = explanation.map(
    ({ effect, message }) => `  ${style(looks[effect], effects[effect])} ${escaped(message)}\n`,
  );
  return `${draft}${first}\n${rows.join('')}\n${afterwards(user)}\n`;
}

function afterwards({ admin, memberships }: NonNullable<SsoExplanation['user']>): string {
  const places = memberships.map(({ team, role }) => `${role} of ${escaped(team)}`);
  const where = places.length === 0 ? 'in no team' : places.join(', ');
  return `Afterwards: ${admin ? 'an admin' : 'no admin'}, ${where}. Nothing was changed.`;
}

/** What was looked at, and how it is. */
export function checksText({ config, checks }: ChecksReport, style: Style): string {
  const width = Math.max(0, ...checks.map(({ name }) => name.length));
  const rows = checks.map(({ name, ok, detail }) => {
    const mark = ok ? style('made', 'ok   ') : style('error', 'error');
    const [line = '', ...more] = detail.split('\n').map(escaped);
    const rest = more.map((text) => `\n${' '.repeat(width + 9)}${text}`).join('');
    return `  ${mark}  ${escaped(name).padEnd(width)}  ${line}${rest}\n`;
  });
  const failed = checks.filter(({ ok }) => !ok).length;
  const last = failed === 0 ? 'works, as far as can be seen from here' : `does not work: ${amount(failed, 'error')}`;
  return `${rows.join('')}\n${style('strong', `SsoConfig/${config} ${last}.`)}\n`;
}
