// The team that somebody gets who registers (specification 2.7), and the team types that people may choose from.
import type { Change } from '../model/change.ts';
import type { Context } from '../model/proposal.ts';
import type { DeclaredResource, Resource } from '../model/resource.ts';
import { singleton, type View } from '../model/view.ts';
import { Declined } from './declined.ts';
import { freeSlug } from './free-slug.ts';
import { teamWithOwner } from './new-team.ts';

/** The type that the person chose. `optional`: no team where none was chosen. */
export interface TypeChoice {
  readonly type: string | undefined;
  readonly optional: boolean;
}

/** What the person chose, and how the team is called: `slug` is the one to begin with. */
export interface PersonalTeam extends TypeChoice {
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

/** Why the choice of a type cannot be, in whole words; nothing where it can. */
export function typeProblem(view: View, { type: wanted, optional }: TypeChoice): string | undefined {
  if (!singleton(view, 'AdminSettings').spec.personalTeamOnRegistration)
    return wanted === undefined ? undefined : 'teamType has no place here, because nobody gets a team who registers';
  const types = typesOnOffer(view);
  const names = types.map(({ name }) => name).join(', ');
  if (wanted === undefined)
    return optional || types.length <= 1
      ? undefined
      : `teamType is missing, because there are several: choose one of ${names}`;
  if (types.some(({ name }) => name === wanted)) return undefined;
  return `teamType cannot be this, because no such type is on offer${names === '' ? '' : `: choose one of ${names}`}`;
}

function chosenType(view: View, choice: TypeChoice): DeclaredResource<'TeamType'> | undefined {
  const problem = typeProblem(view, choice);
  if (problem !== undefined) throw new Declined('invalid_request', problem);
  const { type: wanted, optional } = choice;
  if (wanted !== undefined) return view.named('TeamType', wanted);
  const isWanted = !optional && singleton(view, 'AdminSettings').spec.personalTeamOnRegistration;
  return isWanted ? typesOnOffer(view)[0] : undefined;
}
