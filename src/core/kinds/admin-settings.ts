// The noun AdminSettings: what people may do by themselves. One a tree.
import { z } from 'zod';
import { defineKind } from './kind.ts';
import { flag } from './scalars.ts';

/** The administration settings (specification 2.7). */
export const adminSettings = defineKind({
  kind: 'AdminSettings',
  plural: 'adminSettings',
  path: 'admin-settings',
  declared: true,
  singleton: 'default',
  summary: 'What people may do by themselves: register, reset a password, create teams, invite others.',
  spec: z.strictObject({
    registration: flag(false, 'Whether visitors may register on the login page. Needs `Platform.spec.email`.'),
    personalTeamOnRegistration: flag(
      false,
      'Whether a team is created for a user who registers; the team types with `selfService` are offered. When false the user creates a team, if that is allowed, or is invited.',
    ),
    passwordReset: flag(
      false,
      'Whether the login page offers a link by mail to set a new password. Needs `Platform.spec.email`.',
    ),
    userTeamCreation: flag(false, 'Whether users may create teams. When false only admins do.'),
    externalInvitations: flag(
      false,
      'Whether people without an account may be invited by mail to sign up and join a team. When false an admin adds users. Needs `Platform.spec.email`.',
    ),
    statisticsTokenAccess: flag(
      false,
      'Whether a statistics token may be made and used to read the platform statistics. Switching it off deletes the token.',
    ),
  }),
  example: `apiVersion: weir/v1
kind: AdminSettings
metadata:
  name: default
spec:
  registration: false
  passwordReset: true
  userTeamCreation: true
`,
});
