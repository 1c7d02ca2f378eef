// Makes a team; who makes it is its first owner.
import type { Proposal } from '../model/proposal.ts';
import { chosenTeamType } from './chosen-team-type.ts';
import { freeSlug } from './free-slug.ts';
import { teamWithOwner } from './new-team.ts';

/** What is written. `slug` is the one that was asked for; `derived` is made from the name, and gets a number where it is taken. `by`: who makes it. */
export interface TeamWrite {
  readonly displayName: string;
  readonly slug?: string | undefined;
  readonly derived: string;
  /** By name. */
  readonly type: string;
  readonly by: string;
}

/** Declines (`forbidden`) a type that the maker may not choose. */
export function createTeam({ displayName, slug, derived, type, by }: TeamWrite): Proposal {
  return (view, context) => {
    const chosen = chosenTeamType(view, type, by);
    return teamWithOwner({ displayName, slug: slug ?? freeSlug(view, derived), type: chosen }, by, context);
  };
}
