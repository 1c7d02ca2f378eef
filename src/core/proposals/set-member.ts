// Gives a member of a team another role; an admin also brings a user in.
import { created, deleted, updated } from '../model/change.ts';
import { expiredIn } from '../model/invited.ts';
import { membershipIn } from '../model/members.ts';
import type { Proposal } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';
import { Declined } from './declined.ts';
import { newMembership } from './new-team.ts';
import type { Target } from './target.ts';

/** Who gets which role where, by their ids; `by`: who says so. */
export interface MemberWrite extends Pick<Target, 'expected'> {
  readonly team: string;
  readonly user: string;
  readonly role: Resource<'Membership'>['spec']['role'];
  readonly by: string;
}

/** Declines (`not_found`: no such member, and for an admin no such user; `precondition_failed`). */
export function setMember({ team, user, role, by, expected }: MemberWrite): Proposal {
  return (view, context) => {
    const current = membershipIn(view, team, user);
    if (!current && !view.get('User', by)?.spec.admin) throw notThere('member');
    if (!view.get('User', user)) throw notThere('user');
    if (expected && !(current && expected(current))) throw memberMoved();
    if (!current) {
      const gone = expiredIn(view, team, context.now).map(deleted);
      return [created(newMembership({ team, user, role }, context)), ...gone];
    }
    if (current.spec.role === role) return [];
    const generation = current.generation + 1;
    return [updated(current, { ...current, spec: { ...current.spec, role }, generation, updatedAt: context.now })];
  };
}

/** What is said of a user who is not in the team, or nowhere. */
export function notThere(what: 'member' | 'user'): Declined {
  const words =
    what === 'member' ? 'the team has no such member: to bring somebody in, invite them' : 'there is no such user';
  return new Declined('not_found', words);
}

/** What is said of a member who is another than the caller saw. */
export function memberMoved(): Declined {
  return new Declined('precondition_failed', 'the member changed since it was read: read it again, and decide anew');
}
