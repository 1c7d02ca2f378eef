// The names of groups that give a role in a team: svc-<team slug>-<role>, both ways (specification 2.9).
import { type Role, roles } from '../kinds/roles.ts';

/** What the name of a group says. */
export interface GroupName {
  /** The slug of a team. */
  readonly slug: string;
  readonly role: Role;
}

/** The form, as people are told it. */
export const groupForm = `svc-<team slug>-<role>, where <role> is ${roles.slice(0, -1).join(', ')} or ${roles.at(-1)}`;

/** What a name says; nothing where it is not of the form. Slugs hold dashes, so the role is what follows the last one. Case counts. */
export function readGroupName(name: string): GroupName | undefined {
  const [, slug = '', word] = /^svc-(.+)-([^-]+)$/s.exec(name) ?? [];
  const role = roles.find((one) => one === word);
  return role === undefined ? undefined : { slug, role };
}

/** A name without so many UTF-16 units at its front and its end (specification 2.8); nothing where none would be left. */
export function stripGroupName(name: string, prefixLength: number, suffixLength: number): string | undefined {
  // Not `slice(prefix, -suffix)`: that is empty where the suffix is 0.
  const end = name.length - suffixLength;
  return end > prefixLength ? name.slice(prefixLength, end) : undefined;
}
