// Keeps the secrets of the server to admins: what a team's instance is given, the team's flows can read.
import type { Change } from '../model/change.ts';
import type { Proposal } from '../model/proposal.ts';
import type { Resource } from '../model/resource.ts';
import { secretsOf } from '../rules/secrets-of.ts';
import { type Issue, issueAt } from './chosen-for-instance.ts';
import { InvalidSpec } from './written-spec.ts';

/**
 * The same proposal, by a user (their id) who may point to a variable or a file of the server in what an instance overrides only as an admin.
 * References that are there already stay. Throws `InvalidSpec`.
 */
export function withOwnSecrets(proposal: Proposal, by: string): Proposal {
  return (view, context) => {
    const changes = proposal(view, context);
    if (view.get('User', by)?.spec.admin) return changes;
    const issues = changes.flatMap(foreignIn);
    if (issues.length > 0) throw new InvalidSpec(issues);
    return changes;
  };
}

function foreignIn({ kind, before, after }: Change): Issue[] {
  if (kind !== 'Instance' || !after) return [];
  const had = before ? referencesIn(before) : new Map<string, string>();
  return [...referencesIn(after)].flatMap(([path, reference]) =>
    had.get(path) === reference ? [] : [issueAt(stepsOf(path), undefined, words)],
  );
}

const words = 'only admins may have an instance read a secret of the server: write the secret out';

/** Where a resource points to secrets of the server, and to which. */
function referencesIn(resource: Resource): Map<string, string> {
  const found = secretsOf(resource).filter(({ secret }) => !('value' in secret));
  return new Map(found.map(({ path, secret }) => [path, JSON.stringify(secret)]));
}

function stepsOf(path: string): string[] {
  return path.split('/').slice(path.startsWith('/spec/') ? 2 : 1);
}
