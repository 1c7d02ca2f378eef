// Notes when credentials were last used: many at once, because this is kept once a minute and not at each use.
import { type Change, updated } from '../model/change.ts';
import type { Proposal } from '../model/proposal.ts';
import type { View } from '../model/view.ts';

/** How often uses are noted: what is kept may be behind by so much. */
export const usesNotedEveryMs = 60_000;

/** Kinds of credential that remember when they were last used. */
export type CredentialKind = 'Token' | 'Session' | 'StatisticsToken' | 'Device';

/** Which credential, by its id, and when it was used (RFC 3339). */
export interface Use {
  readonly kind: CredentialKind;
  readonly id: string;
  readonly at: string;
}

/** Credentials that are gone, or were used later already, stay as they are. */
export function noteUse(uses: Iterable<Use>): Proposal {
  return (view) => [...uses].flatMap((use) => noted(view, use) ?? []);
}

function noted(view: View, { kind, id, at }: Use): Change | undefined {
  if (kind === 'Session' || kind === 'Device') {
    const seen = view.get(kind, id);
    if (!seen || (seen.spec.lastSeenAt ?? '') >= at) return undefined;
    return updated(seen, { ...seen, spec: { ...seen.spec, lastSeenAt: at } } as typeof seen);
  }
  const token = view.get(kind, id);
  if (!token || (token.spec.lastUsedAt !== null && token.spec.lastUsedAt >= at)) return undefined;
  return updated(token, { ...token, spec: { ...token.spec, lastUsedAt: at } } as typeof token);
}
