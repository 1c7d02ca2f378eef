// A password that somebody chooses: looked at first, and then hashed, never inside a commit.
import { passwordProblem } from '../auth/password.ts';
import { invalidRequest } from './errors.ts';
import type { Services } from './services.ts';

/** The hash of a new password. Throws `invalid_request` for one that will not do (at `path` of the body), `TooManyPasswords` where too many wait. */
export function hashOfNew(
  password: string,
  { passwords }: Pick<Services, 'passwords'>,
  path = '/password',
): Promise<string> {
  const problem = passwordProblem(password);
  if (problem === undefined) return passwords.hash(password);
  const message = `${path.slice(1)} cannot be this, because ${problem}`;
  throw invalidRequest([{ rule: 'schema', severity: 'error', message, path }]);
}
