// What single sign-on says of what it does: one sentence for each thing that it changes, keeps or passes over.

/**
 * One thing that was decided at a sign-in. `effect`: what comes of it; `none` where nothing changes although somebody might expect it. `reason` is a
 * stable word for programs, `message` a sentence for people. `team` is a slug, `group` the name of a group as the provider gave it.
 */
export interface Explained {
  readonly about: 'user' | 'session' | 'admin' | 'team' | 'group';
  readonly effect: 'create' | 'update' | 'delete' | 'none';
  readonly reason: ExplainedReason;
  readonly message: string;
  readonly team?: string;
  readonly group?: string;
}

/** Why: stable words. */
export type ExplainedReason =
  | 'provisioned'
  | 'known'
  | 'taken-over'
  | 'session-length'
  | 'roles-not-managed'
  | 'no-group-attribute'
  | 'not-of-the-form'
  | 'too-short'
  | 'unknown-team'
  | 'team-not-selected'
  | 'lower-role'
  | 'group-gives'
  | 'as-it-was'
  | 'no-group'
  | 'other-team'
  | 'other-team-allowed'
  | 'last-owner'
  | 'limit-reached'
  | 'admin-group'
  | 'not-in-admin-group'
  | 'last-admin';
