// A password that somebody chooses: looked at first, and then hashed, never inside a commit.
import { passwordProblem } from '../auth/password.ts';
import type { Finding } from '../core/model/finding.ts';
import { invalidRequest } from './errors.ts';
import type { Services } from './services.ts';

/** The hash of a new password. Throws `invalid_request` for one that will not do (see `passwordFindings`), `TooManyPasswords` where too many wait. */
export async function hashOfNew(password: string, { passwords }: Pick<Services, 'passwords'>): Promise<string> {
  const findings = passwordFindings(password);
  if (findings.length > 0) throw invalidRequest(findings);
  return passwords.hash(password);
}

/** What is wrong with a new password, for who has more to say of the request that holds it as `password`. */
export function passwordFindings(password: string): Finding[] {
  const problem = passwordProblem(password);
  if (problem === undefined) return [];
  return [fieldFinding('password', `password cannot be this, because ${problem}`)];
}

/** A problem of one field of a request's body. */
export function fieldFinding(field: string, message: string): Finding {
  return { rule: 'schema', severity: 'error', message, path: `/${field}` };
}
