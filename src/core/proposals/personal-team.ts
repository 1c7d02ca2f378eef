// The team that somebody gets who registers (specification 2.7), and the team types that people may choose from.
import type { Change } from '../model/change.ts';
import type { Context } from '../model/proposal.ts';
import type { DeclaredResource, Resource } from '../model/resource.ts';
import { singleton, type View } from '../model/view.ts';
import { Declined } from './declined.ts';
import { freeSlug } from './free-slug.ts';
import { teamWithOwner } from './new-team.ts';

/** What the person chose, and how the team is called: `slug` is the one to begin with. `optional`: no team where no type was chosen. */
export interface PersonalTeam {
  readonly type: string | undefined;
  readonly optional: boolean;
  readonly displayName: string;
  readonly slug: string;
}

/** The types that users may choose for their teams, in the order in which they are shown. */
export function typesOnOffer(view: View): DeclaredResource<'TeamType'>[] {
  const offered = [...view.all('TeamType')].filter(({ spec }) => spec.active && spec.selfService);
  return offered.sort((a, b) => a.spec.order - b.spec.order || (a.name < b.name ? -1 : 1));
}

/**
 * A team with the user as its owner; nothing where the settings want none, or no type is on offer. Declines (`invalid_request`) a choice that
 * there is not, and none where there are several.
 */
export function personalTeam(view: View, owner: Resource<'User'>, wanted: PersonalTeam, context: Context): Change[] {
  const type = chosenType(view, wanted);
  if (!type) return [];
  const { displayName, slug } = wanted;
  return teamWithOwner({ displayName, slug: freeSlug(view, slug), type: type.id }, owner.id, context);
}

function chosenType(view: View, { type: wanted, optional }: PersonalTeam): DeclaredResource<'TeamType'> | undefined {
  if (wanted === undefined && optional) return undefined;
  if (!singleton(view, 'AdminSettings').spec.personalTeamOnRegistration) {
    if (wanted === undefined) return undefined;
    throw new Declined('invalid_request', 'teamType has no place here, because nobody gets a team who registers');
  }
  const types = typesOnOffer(view);
  const names = types.map(({ name }) => name).join(', ');
  if (wanted === undefined && types.length > 1)
    throw new Declined('invalid_request', `teamType is missing, because there are several: choose one of ${names}`);
  const chosen = wanted === undefined ? types[0] : types.find(({ name }) => name === wanted);
  if (!chosen && wanted !== undefined)
    throw new Declined(
      'invalid_request',
      `teamType cannot be this, because no such type is on offer${names === '' ? '' : `: choose one of ${names}`}`,
    );
  return chosen;
}
