// Which single sign-on configurations give membership of a team by groups that are named after its slug (specification 2.9).
import type { DeclaredResource } from './resource.ts';
import type { View } from './view.ts';

/** The active configurations whose groups decide who is in the team with this slug. */
export function groupLinksOf(view: View, slug: string): DeclaredResource<'SsoConfig'>[] {
  return [...view.all('SsoConfig')].filter(({ spec: { active, groups } }) => {
    const isInScope = groups.scope === 'all' || groups.teams.includes(slug);
    return active && groups.manageRoles && isInScope;
  });
}
