// What members of a team may be.
import { z } from 'zod';

/** The roles (specification 2.2), the highest first. */
export const roles = ['owner', 'member', 'viewer', 'dashboard'] as const;

export type Role = (typeof roles)[number];

/** A role in a team. */
export function role(): z.ZodEnum<{ [R in Role]: R }> {
  return z.enum(roles);
}
