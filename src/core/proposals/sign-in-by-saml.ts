// Judges a sign-in by SAML: each request is answered once, and each assertion opens one session.
import { kinds } from '../kinds/index.ts';
import { created } from '../model/change.ts';
import type { Context } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';
import type { View } from '../model/view.ts';
import { judgeSsoSignIn, type SsoAttempt, type SsoVerdict } from './sso-sign-in.ts';

/** A genuine response. `assertion` is a digest of the assertion's id and of the configuration; both are remembered until `rememberUntil` (RFC 3339). */
export interface SamlAttempt extends SsoAttempt {
  readonly request: string;
  readonly assertion: string;
  readonly rememberUntil: string;
}

/**
 * The verdict on an attempt. What was answered is noted in the commit that it leads to, also where nobody is signed in: of two that come at the
 * same time one is refused. Pure: it may be asked again when somebody else was first.
 */
export function judgeSamlSignIn(attempt: SamlAttempt, view: View, context: Context): SsoVerdict {
  if (isSpent(attempt, view))
    return { outcome: 'refused', reason: 'replay: this login was answered before', changes: [] };
  const verdict = judgeSsoSignIn(attempt, view, context);
  return { ...verdict, changes: [created(spentBy(attempt, context)), ...verdict.changes] };
}

function isSpent({ request, assertion }: SamlAttempt, view: View): boolean {
  return view.named('SpentLogin', assertion) !== undefined || view.countHaving('SpentLogin', `request=${request}`) > 0;
}

function spentBy({ request, assertion, rememberUntil }: SamlAttempt, { now, newId }: Context): Resource<'SpentLogin'> {
  const spec = kinds.SpentLogin.spec.parse({ request, expiresAt: rememberUntil });
  return { kind: 'SpentLogin', id: newId(), name: assertion, spec, generation: 1, createdAt: now, updatedAt: now };
}
