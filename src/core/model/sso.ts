// Which single sign-on configuration an email address, or somebody who types a name, belongs to.
import { keptEmail } from '../kinds/scalars.ts';
import type { DeclaredResource, Resource } from './resource.ts';
import { first } from './state.ts';
import type { View } from './view.ts';

type Config = DeclaredResource<'SsoConfig'>;

/** The active configuration of an address's domain (specification 2.8). */
export function activeSsoOf(view: View, email: string): Config | undefined {
  const kept = keptEmail(email);
  const domain = kept.slice(kept.lastIndexOf('@') + 1);
  const config = first(view.having('SsoConfig', `domain=${domain}`));
  return config?.spec.active ? config : undefined;
}

/** The configuration that a user has to sign in through: admins may still use a local password (specification 2.8). */
export function bindingSso(view: View, { spec }: Resource<'User'>): Config | undefined {
  return spec.admin ? undefined : activeSsoOf(view, spec.email);
}

/**
 * The LDAP configuration whose directory is asked about a name that was typed: an address by its domain, a username that somebody has (`known`) by
 * the domain of their address, and any other by the only active directory that there is. Nothing where no directory is to be asked.
 */
export function directoryFor(view: View, typed: string, known: Resource<'User'> | undefined): Config | undefined {
  const email = typed.includes('@') ? typed : known?.spec.email;
  if (email === undefined) return onlyDirectory(view);
  const config = activeSsoOf(view, email);
  return config && isDirectory(config) ? config : undefined;
}

function onlyDirectory(view: View): Config | undefined {
  const [only, ...more] = [...view.all('SsoConfig')].filter((config) => config.spec.active && isDirectory(config));
  return more.length === 0 ? only : undefined;
}

function isDirectory({ spec }: Config): boolean {
  return spec.provider === 'ldap';
}
