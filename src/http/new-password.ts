// A password that somebody chooses: looked at first, and then hashed, never inside a commit.
import { type PasswordOwner, passwordProblem } from '../auth/password.ts';
import type { Finding } from '../core/model/finding.ts';
import type { Resource } from '../core/model/resource.ts';
import { invalidRequest } from './errors.ts';
import type { Services } from './services.ts';

/**
 * The hash of a new password of `owner`, which was sent as `field`. Throws `invalid_request` for one that will not do (see `passwordFindings`),
 * `TooManyPasswords` where too many wait.
 */
export async function hashOfNew(
  password: string,
  { passwords }: Pick<Services, 'passwords'>,
  owner: PasswordOwner,
  field = 'password',
): Promise<string> {
  const findings = passwordFindings(password, owner, field);
  if (findings.length > 0) throw invalidRequest(findings);
  return passwords.hash(password);
}

/** What is wrong with a new password, for who has more to say of the request that holds it. */
export function passwordFindings(password: string, owner: PasswordOwner, field = 'password'): Finding[] {
  const problem = passwordProblem(password, owner);
  if (problem === undefined) return [];
  return [fieldFinding(field, `${field} cannot be this, because ${problem}`)];
}

/** Whose it will be, of a user who is there. */
export function passwordOwner(user: Resource<'User'> | undefined): PasswordOwner {
  return { username: user?.name, email: user?.spec.email };
}

/** A problem of one field of a request's body. */
export function fieldFinding(field: string, message: string): Finding {
  return { rule: 'schema', severity: 'error', message, path: `/${field}` };
}
