// Changes a team: its name, slug and type.
import { updated } from '../model/change.ts';
import type { Finding } from '../model/finding.ts';
import { groupLinksOf } from '../model/group-links.ts';
import type { Proposal } from '../model/proposal.ts';
import { addressOf } from '../model/resource.ts';
import type { View } from '../model/view.ts';
import { chosenTeamType } from './chosen-team-type.ts';
import { type Target, targetIn } from './target.ts';

/** What changes; what is absent stays. `type` is a name; `by`: who changes it. */
export interface TeamUpdate extends Target {
  readonly displayName?: string | undefined;
  readonly slug?: string | undefined;
  readonly type?: string | undefined;
  readonly by: string;
}

/** Declines (`not_found`, `precondition_failed`; `forbidden` for a type that only admins give). The type that the team has may be named by anyone. */
export function updateTeam({ displayName, slug, type, by, ...target }: TeamUpdate): Proposal {
  return (view, { now }) => {
    const team = targetIn(view, 'Team', target);
    const isKept = type === undefined || view.get('TeamType', team.spec.type)?.name === type;
    const spec = {
      displayName: displayName ?? team.spec.displayName,
      type: isKept ? team.spec.type : chosenTeamType(view, type, by),
    };
    const name = slug ?? team.name;
    const isSame = name === team.name && spec.displayName === team.spec.displayName && spec.type === team.spec.type;
    if (isSame) return [];
    return [updated(team, { ...team, name, spec, generation: team.generation + 1, updatedAt: now })];
  };
}

/** What another slug does to groups of identity providers that are named after the one that the team (by id) has (specification 2.2). */
export function slugWarnings(view: View, id: string, slug: string | undefined): Finding[] {
  const team = view.get('Team', id);
  if (!team || slug === undefined || slug === team.name) return [];
  return groupLinksOf(view, team.name).map((config) => {
    const listed = config.spec.groups.scope === 'all' ? '' : `, and name ${slug} in groups.teams`;
    const what = `groups called svc-${team.name}-<role> do not decide any more who is in the team, because ${addressOf(config)} finds it by its slug: call them svc-${slug}-<role> at the identity provider${listed}`;
    const message = `Team/${slug}: ${what}`;
    return { rule: 'slug-in-groups', severity: 'warning', message, kind: 'Team', name: slug, path: '/slug' };
  });
}
