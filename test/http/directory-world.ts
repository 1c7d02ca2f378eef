// A directory inside the test: it knows people by name or address, counts what it is asked, and does not answer when it is told so.
import type { Identity } from '../../src/core/model/identity.ts';
import type { PasswordProvider } from '../../src/sso/provider.ts';

export interface TestDirectory extends PasswordProvider {
  /** What it was asked, as `configuration name`, in order. */
  readonly asked: string[];
  /** People by what they may type; the password of everybody is that of the directory. */
  readonly people: Map<string, Identity>;
  /** `down`: it does not answer. */
  state: 'up' | 'down';
  /** Called before each answer. */
  before: () => Promise<void>;
}

/** The password that the directory takes. */
export const secret = 'the directory knows this';

/** A directory that knows these people by their address and by what stands before the "@". */
export function testDirectory(...people: readonly Identity[]): TestDirectory {
  const known = people.flatMap((one) => [[one.email, one] as const, [one.email.split('@')[0] ?? '', one] as const]);
  const directory: TestDirectory = {
    asked: [],
    people: new Map(known),
    state: 'up',
    before: async () => {},
    authenticate: async ({ name }, { username, password }) => {
      directory.asked.push(`${name} ${username}`);
      await directory.before();
      if (directory.state === 'down') return { outcome: 'unavailable', reason: 'nothing listens at ldap:389' };
      const identity = directory.people.get(username.toLowerCase());
      if (identity && password === secret) return { outcome: 'proved', identity };
      if (identity) return { outcome: 'refused', reason: 'the password is wrong', email: identity.email };
      return { outcome: 'refused', reason: 'the directory has no such user' };
    },
  };
  return directory;
}
