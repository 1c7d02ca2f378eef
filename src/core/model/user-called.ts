// Whom people mean by a username or an email address. No username has an "@", so there is never a doubt which it is.
import { keptEmail } from '../kinds/scalars.ts';
import type { Resource } from './resource.ts';
import { first } from './state.ts';
import type { View } from './view.ts';

/** The user with this username or email address, whatever the case of the letters. */
export function userCalled(view: View, text: string): Resource<'User'> | undefined {
  return text.includes('@') ? first(view.having('User', `email=${keptEmail(text)}`)) : view.named('User', text);
}
