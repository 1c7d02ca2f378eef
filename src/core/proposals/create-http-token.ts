// Makes a token for the HTTP endpoints of an instance.
import { kinds } from '../kinds/index.ts';
import { created } from '../model/change.ts';
import type { Proposal } from '../model/proposal.ts';
import { referenceKey } from '../model/references.ts';
import { Declined } from './declined.ts';
import { targetIn } from './target.ts';

/** How many tokens for its endpoints an instance may have at a time. */
export const mostHttpTokens = 100;

/** What a new one is given: a label, the id of the instance, the hash of its text, and its end (RFC 3339, UTC). */
export interface NewHttpToken {
  readonly name: string;
  readonly instance: string;
  readonly hash: string;
  readonly expiresAt: string;
}

/** Declines (`not_found`; `conflict` where the instance has as many as any may have). */
export function createHttpToken({ name, ...given }: NewHttpToken): Proposal {
  return (view, { now, newId }) => {
    const instance = targetIn(view, 'Instance', { id: given.instance });
    const own = view.countHaving('HttpToken', referenceKey({ kind: 'Instance', by: 'id', to: instance.id }));
    if (own >= mostHttpTokens)
      throw new Declined(
        'conflict',
        `no HTTP token can be made, because the instance ${instance.name} has ${own} already, and none may have more than ${mostHttpTokens}: revoke some`,
      );
    const spec = kinds.HttpToken.spec.parse({ ...given, team: instance.spec.team });
    return [created({ kind: 'HttpToken', id: newId(), name, spec, generation: 1, createdAt: now, updatedAt: now })];
  };
}
