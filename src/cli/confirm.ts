// Asks on a terminal before something is deleted. Where nobody can be asked, consents and guards alone decide, as they do everywhere.
import type { PlanDocument } from '../core/plan/plan-document.ts';
import { wantedAction } from '../core/plan/wanted-action.ts';
import { type Consents, noConsents } from '../core/rules/rule.ts';
import { NotConfirmed } from './failure.ts';
import { human } from './output/human.ts';
import type { Texts } from './report.ts';
import type { Invocation } from './verb.ts';

/** What is about to be carried out. */
export interface Pending {
  readonly plan: PlanDocument;
  readonly texts?: Texts;
  /** Consents that were given, and that the plan does not know of yet. */
  readonly consents?: Consents;
}

/** Whether somebody was asked, and saw the plan where its report will stand. */
export interface Confirmed {
  readonly asked: boolean;
  readonly planShown: boolean;
}

/**
 * Shows a plan that deletes something, and asks whether to carry it out. Throws `NotConfirmed` for any answer but
 * yes. A plan that is refused anyway is left to whoever refuses it.
 */
export async function confirmDeletions(
  pending: Pending,
  { options, io }: Pick<Invocation, 'options' | 'io'>,
): Promise<Confirmed> {
  const { plan, texts = new Map() } = pending;
  const deletions = plan.changes.filter((change) => wantedAction(change) === 'delete').length;
  if (!io.ask || options.yes || deletions === 0 || isRefused(pending)) return { asked: false, planShown: false };
  const screen = io.stdout.isTerminal ? io.stdout : io.stderr;
  const report = {
    type: 'plan',
    plan,
    result: 'planned',
    texts,
    root: undefined,
    seconds: io.elapsed() / 1000,
  } as const;
  screen.write(`${human(report, { colours: screen.colours })}\n`);
  const what = deletions === 1 ? 'this object' : `these ${deletions} objects`;
  const answer = await io.ask(`Delete ${what}? Only "y" or "yes" goes on. [y/N] `);
  if (!/^\s*y(es)?\s*$/i.test(answer ?? '')) throw new NotConfirmed();
  return { asked: true, planShown: screen === io.stdout };
}

function isRefused({ plan, consents = noConsents }: Pending): boolean {
  const lifted = [
    ...(consents.allowDeletes === undefined ? [] : ['mass-delete', 'vanished']),
    ...(consents.adopt.size === 0 ? [] : ['needs-adopt']),
  ];
  return plan.findings.some(({ severity, rule }) => severity === 'error' && !lifted.includes(rule));
}
