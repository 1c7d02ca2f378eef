// Notes when tokens were last used: many at once, because this is kept once a minute and not at each use.
import { updated } from '../model/change.ts';
import type { Proposal } from '../model/proposal.ts';

/** `uses`: token id → when it was last used (RFC 3339). Tokens that are gone, or were used later already, stay as they are. */
export function touchTokens(uses: ReadonlyMap<string, string>): Proposal {
  return (view) =>
    [...uses].flatMap(([id, lastUsedAt]) => {
      const token = view.get('Token', id);
      if (!token || (token.spec.lastUsedAt !== null && token.spec.lastUsedAt >= lastUsedAt)) return [];
      return [updated(token, { ...token, spec: { ...token.spec, lastUsedAt } })];
    });
}
