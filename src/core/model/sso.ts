// Which single sign-on configuration an email address belongs to.
import type { DeclaredResource, Resource } from './resource.ts';
import { first } from './state.ts';
import type { View } from './view.ts';

/** The active configuration of an address's domain (specification 2.8). */
export function activeSsoOf(view: View, email: string): DeclaredResource<'SsoConfig'> | undefined {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  const config = first(view.having('SsoConfig', `domain=${domain}`));
  return config?.spec.active ? config : undefined;
}

/** The configuration that a user has to sign in through: admins may still use a local password (specification 2.8). */
export function bindingSso(view: View, { spec }: Resource<'User'>): DeclaredResource<'SsoConfig'> | undefined {
  return spec.admin ? undefined : activeSsoOf(view, spec.email);
}
