// What a request is counted with, beside all others: who tries passwords takes nothing from who only signs out, and the reverse.
import { type Action, policy } from '../../core/access/policy.ts';

/**
 * `requests`: all. `sign-in`: where strangers try passwords and links. `ways-in`: what people ask before they sign in, and signing out.
 * `own-password`: where somebody signed in gives the password that they have. `bad-credential`: tokens and sessions that open nothing.
 */
export type Bucket = 'requests' | 'sign-in' | 'ways-in' | 'own-password' | 'bad-credential';

/** How many bad credentials an address may show for each attempt to sign in: a program goes on asking for a while after its token was revoked. */
export const badCredentialsPerSignIn = 10;

const byAction: Readonly<Partial<Record<Action, Bucket>>> = {
  'sign-in': 'sign-in',
  register: 'sign-in',
  'recover-account': 'sign-in',
  'sign-out': 'ways-in',
  'see-ways-in': 'ways-in',
  'update-self': 'own-password',
  'delete-self': 'own-password',
  'change-password': 'own-password',
};

/** Where a request is counted beside `requests`; a bad credential counts only where a good one is asked for. */
export function bucketOf(action: Action, isBad: boolean): Bucket | undefined {
  return isBad && policy[action].who !== 'anyone' ? 'bad-credential' : byAction[action];
}

/** Whether it is always counted by address: a stranger with an account of their own would get as many guesses as they make tokens. */
export function isOfAddress(bucket: Bucket): boolean {
  return bucket === 'sign-in' || bucket === 'bad-credential';
}
