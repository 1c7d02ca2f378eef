// The policy: one table that says who may do what. What is not in it, nobody may.
import { singleton, type View } from '../model/view.ts';
import type { Caller } from './actor.ts';

/** Who may do something. A token gives what its user may do now; one of scope `plan` only what says `planTokens`. */
interface Access {
  readonly who: 'anyone' | 'user' | 'admin';
  readonly planTokens?: true;
  /** When anyone may. */
  readonly openWhile?: (view: View) => boolean;
  /** In half a sentence, for help and the description of the API. */
  readonly may: string;
}

const table = {
  probe: { who: 'anyone', may: 'ask whether the process lives and is ready' },
  'describe-api': {
    who: 'user',
    openWhile: (view) => singleton(view, 'Platform').spec.api.describePublicly,
    may: 'read what the API offers',
  },
  'read-config-status': { who: 'admin', planTokens: true, may: 'see which revision is applied and how it stands' },
  'plan-config': { who: 'admin', planTokens: true, may: 'see what a given tree would change' },
  'plan-own-config': { who: 'admin', may: 'see what the server’s own tree would change' },
  'reconcile-config': { who: 'admin', may: 'have the server apply its own tree' },
  'read-config-history': { who: 'admin', may: 'see what was applied and refused' },
  'export-config': { who: 'admin', may: 'read all declared objects as documents' },
  'read-catalogue': { who: 'user', may: 'read team types, instance types, stacks and templates' },
  'write-catalogue': { who: 'admin', may: 'change team types, instance types, stacks and templates' },
  'read-sso-configs': { who: 'admin', may: 'read single sign-on configurations' },
  'write-sso-configs': { who: 'admin', may: 'change single sign-on configurations' },
  'read-settings': { who: 'admin', may: 'read the administration settings and what the platform is' },
  'write-settings': { who: 'admin', may: 'change the administration settings' },
} as const satisfies Record<string, Access>;

/** Everything that can be done. Each route names one. */
export type Action = keyof typeof table;

/** Who may do what. */
export const policy: Readonly<Record<Action, Access>> = table;

/** What is said to a caller. `unauthorized`: sign in first; `forbidden`: signing in again would not help. */
export type Decision = 'allowed' | 'unauthorized' | 'forbidden';

/** Whether a caller may do something. */
export function decide(action: Action, caller: Caller, view: View): Decision {
  const { who, planTokens, openWhile } = policy[action];
  if (who === 'anyone' || openWhile?.(view)) return 'allowed';
  if (caller.kind === 'anonymous') return 'unauthorized';
  if (who === 'admin' && !caller.user.spec.admin) return 'forbidden';
  const narrow = caller.by === 'token' && caller.token.spec.scope === 'plan';
  return narrow && !planTokens ? 'forbidden' : 'allowed';
}
