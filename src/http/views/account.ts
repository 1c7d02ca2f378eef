// How signing in and registering look in answers.
import { z } from 'zod';
import { type Change, changesOf } from '../../core/model/change.ts';
import type { DeclaredResource } from '../../core/model/resource.ts';
import { samlAddresses } from '../../core/model/saml-addresses.ts';
import { first } from '../../core/model/state.ts';
import type { View } from '../../core/model/view.ts';
import { typesOnOffer } from '../../core/proposals/personal-team.ts';
import { isRegistrationOpen } from '../../core/proposals/register.ts';
import { isResetOffered } from '../../core/proposals/request-password-reset.ts';
import { Problem } from '../errors.ts';
import { component } from '../json-schema.ts';
import type { Services } from '../services.ts';
import { shownUser, type userView } from './user.ts';

/** What was done, for people. */
export const doneView = component('Done', z.strictObject({ detail: z.string().describe('What was done, in words.') }));

/** What visitors may do. */
export const registrationView = component(
  'Registration',
  z.strictObject({
    enabled: z.boolean().describe('Whether anybody may register. With an invitation one may in any case.'),
    personalTeam: z.boolean().describe('Whether whoever registers gets a team of their own, and chooses its type.'),
    teamTypes: z
      .array(
        z.strictObject({
          name: z.string().describe('The name, which is sent as `teamType`.'),
          description: z.string().describe('What it is for.'),
          order: z.int().describe('Its place in the list: lower comes first.'),
        }),
      )
      .describe('The team types that may be chosen, in the order in which they are shown.'),
    passwordReset: z.boolean().describe('Whether a link to set a new password can be mailed.'),
  }),
);

/** What visitors may do now. */
export function shownRegistration(
  view: View,
  personal: boolean,
  { mailer }: Pick<Services, 'mailer'>,
): z.output<typeof registrationView> {
  return {
    enabled: isRegistrationOpen(view) && mailer.configured(),
    personalTeam: personal,
    teamTypes: typesOnOffer(view).map(({ name, spec: { description, order } }) => ({ name, description, order })),
    passwordReset: isResetOffered(view) && mailer.configured(),
  };
}

/** The user whom changes made or are about, as they are now. */
export function shownOwner(changes: readonly Change[], { door }: Pick<Services, 'door'>): z.output<typeof userView> {
  const view = door.store.read();
  const link = first(changesOf(changes, 'ActionToken'));
  const id = first(changesOf(changes, 'User'))?.id ?? link?.before?.spec.user ?? '';
  const user = view.get('User', id);
  if (!user) throw new Problem('not_found', { detail: 'The account has been deleted.' });
  return shownUser(user, view);
}

/** How an address signs in. */
export const signInWayView = component(
  'SignInWay',
  z.strictObject({
    provider: z.enum(['local', 'saml', 'ldap']).describe('By a password of this platform, at SAML, or by LDAP.'),
    redirect: z.string().optional().describe('Where to go for SAML.'),
  }),
);

/** Where people begin to sign in by a SAML configuration. */
export function ssoRedirect(config: DeclaredResource<'SsoConfig'>, baseUrl: string): string {
  return samlAddresses(config, baseUrl).loginUrl;
}

/** What visitors may do, in an example. */
export const exampleRegistration: z.output<typeof registrationView> = {
  enabled: true,
  personalTeam: true,
  teamTypes: [{ name: 'starter', description: 'For a first project.', order: 10 }],
  passwordReset: true,
};
