// The mails that Weir sends to people about accounts, teams and devices, as pure functions.
import { harmless } from './harmless.ts';
import { layOut } from './layout.ts';
import type { Mail } from './mail.ts';
import { type About, link, moment } from './message-parts.ts';

/** To a new account's address, or to the new address of an account, whose owner signs in to confirm it. */
export function verifyEmail(about: About & { username: string; token: string; expiresAt: string }): Mail {
  return layOut({
    ...about,
    subject: 'Confirm your email address',
    before: [`This address was given for the account "${harmless(about.username)}". If that was you, confirm it:`],
    link: link(about, 'Confirm this address', `/account/login?verify=${encodeURIComponent(about.token)}`),
    after: [`The link can be used once, until ${moment(about.expiresAt)}.`, 'If it was not you, do nothing.'],
  });
}

/** To the owner of an address with which somebody registered again. */
export function addressInUse(about: About & { username: string; at: string }): Mail {
  return layOut({
    ...about,
    subject: 'Somebody registered with your address',
    before: [
      `On ${moment(about.at)} somebody registered with this address. It belongs to the account "${harmless(about.username)}" already, so nothing has changed.`,
      'If it was you, sign in with that account; if you have lost its password, ask for a new one there. If it was not you, nothing has to be done.',
    ],
    link: link(about, 'Sign in', '/account/login'),
    after: [],
  });
}

/** To the owner of an address that somebody gave as the new one of another account. */
export function addressWanted(about: About & { username: string; at: string }): Mail {
  return layOut({
    ...about,
    subject: 'Somebody gave your address for another account',
    before: [
      `On ${moment(about.at)} this address was given as the new one of another account. It belongs to the account "${harmless(about.username)}" already, so nothing has changed.`,
      'If it was you, sign in with the account that has this address, or give that account another one first. If it was not you, nothing has to be done.',
    ],
    link: link(about, 'Sign in', '/account/login'),
    after: [],
  });
}

/** To somebody who asked for a new password. */
export function resetPassword(about: About & { username: string; token: string; expiresAt: string }): Mail {
  return layOut({
    ...about,
    subject: 'Set a new password',
    before: [`A new password was asked for, for the account "${harmless(about.username)}".`],
    link: link(about, 'Set a new password', `/account/reset-password?token=${encodeURIComponent(about.token)}`),
    after: [
      `The link can be used once, until ${moment(about.expiresAt)}.`,
      'If you did not ask for it, do nothing: your password stays as it is.',
    ],
  });
}

/** To somebody who is invited to a team; `known` when the address belongs to a user already, who need not register. */
export function invitation(
  about: About & { inviter: string; team: string; role: string; known: boolean; token: string; expiresAt: string },
): Mail {
  const team = harmless(about.team);
  return layOut({
    ...about,
    subject: `Invitation to the team "${team}"`,
    before: [
      `"${harmless(about.inviter)}" invites you to the team "${team}", with the role "${harmless(about.role)}".`,
      about.known
        ? 'Sign in with the account that you have to accept.'
        : 'You have no account yet: register with this address to accept.',
    ],
    link: link(
      about,
      about.known ? 'See the invitation' : 'Register and accept',
      `/account/invitations/${encodeURIComponent(about.token)}`,
    ),
    after: [
      `The invitation ends on ${moment(about.expiresAt)}.`,
      'If you do not know the sender or do not want to join, do nothing.',
    ],
  });
}

/** To the address that an account has, when its owner wants another: as long as it is not confirmed there, nothing is lost. */
export function emailChangeAsked(about: About & { username: string; newEmail: string; at: string }): Mail {
  return layOut({
    ...about,
    subject: 'A new email address was given for your account',
    before: [
      `On ${moment(about.at)} the address "${harmless(about.newEmail)}" was given for the account "${harmless(about.username)}". It takes the place of this one as soon as it is confirmed there.`,
      'If it was you, nothing has to be done. If not, change your password at once: then it cannot be confirmed any more. Tell an administrator, too.',
    ],
    link: link(about, 'Sign in', '/account/login'),
    after: [],
  });
}

/** To the address that an account had until now. `undo`: the token of the link that takes it back. */
export function emailChanged(
  about: About & {
    username: string;
    newEmail: string;
    at: string;
    undo?: { readonly token: string; readonly expiresAt: string };
  },
): Mail {
  const { undo } = about;
  return layOut({
    ...about,
    subject: 'The email address of your account was changed',
    before: [
      `On ${moment(about.at)} the address of the account "${harmless(about.username)}" was changed from this one to "${harmless(about.newEmail)}".`,
      undo
        ? `If it was you, nothing has to be done. If not, take this address back: the link works until ${moment(undo.expiresAt)}.`
        : notYou,
    ],
    link: undo
      ? link(about, 'Take this address back', `/account/restore-email?token=${encodeURIComponent(undo.token)}`)
      : link(about, 'Sign in', '/account/login'),
    after: undo
      ? [
          'That signs everybody out. Set a new password then, revoke tokens that you do not know, and tell an administrator.',
        ]
      : [],
  });
}

/** To the address that an account has from now on. */
export function emailIsNow(about: About & { username: string; at: string }): Mail {
  return layOut({
    ...about,
    subject: 'This is the email address of your account now',
    before: [`On ${moment(about.at)} this address became that of the account "${harmless(about.username)}".`, notYou],
    link: link(about, 'Sign in', '/account/login'),
    after: [],
  });
}

/** To the owner of a new token, which opens what they may do. */
export function tokenMade(
  about: About & { username: string; token: string; scope: string; expiresAt: string | null; at: string },
): Mail {
  const end = about.expiresAt === null ? 'never ends' : `ends on ${moment(about.expiresAt)}`;
  return layOut({
    ...about,
    subject: 'A token was made for your account',
    before: [
      `On ${moment(about.at)} the token "${harmless(about.token)}" was made for the account "${harmless(about.username)}". It has the scope "${about.scope}" and ${end}.`,
      'If it was you, nothing has to be done. If not, revoke it, change your password, and tell an administrator at once.',
    ],
    link: link(about, 'See your tokens', '/account/settings'),
    after: [],
  });
}

/** To the admins, of whom there is one more. */
export function madeAdmin(about: About & { username: string; at: string }): Mail {
  return layOut({
    ...about,
    subject: `"${harmless(about.username)}" is an admin now`,
    before: [
      `On ${moment(about.at)} the user "${harmless(about.username)}" was given full access to the platform.`,
      'If none of you did that, take the admin flag away at once. The audit log says who gave it.',
    ],
    link: link(about, 'Sign in', '/account/login'),
    after: ['This goes to every admin.'],
  });
}

/** To the admins: from now on somebody else says who the people of a domain are. */
export function ssoActivated(about: About & { name: string; domain: string; at: string }): Mail {
  return layOut({
    ...about,
    subject: `Single sign-on is active for ${harmless(about.domain)}`,
    before: [
      `On ${moment(about.at)} the single sign-on configuration "${harmless(about.name)}" was activated: the people of "${harmless(about.domain)}" sign in through it from now on.`,
      'If none of you did that, deactivate it at once. The audit log says who did.',
    ],
    link: link(about, 'Sign in', '/account/login'),
    after: ['This goes to every admin.'],
  });
}

/** To the owner of an account whose password is another one now. */
export function passwordChanged(about: About & { username: string; at: string }): Mail {
  return layOut({
    ...about,
    subject: 'Your password was changed',
    before: [`On ${moment(about.at)} the password of the account "${harmless(about.username)}" was changed.`, notYou],
    link: link(about, 'Sign in', '/account/login'),
    after: [],
  });
}

/** To an owner of a team one of whose devices shares its token with a copy of itself. */
export function deviceCloned(
  about: About & { device: { readonly id: string; readonly name: string }; team: string; because: string; at: string },
): Mail {
  const [name, team] = [harmless(about.device.name), harmless(about.team)];
  return layOut({
    ...about,
    subject: `Two agents use the token of the device "${name}"`,
    before: [
      `On ${moment(about.at)} it was found that ${harmless(about.because)}.`,
      `Both are still served, and get what the device "${name}" is given, secrets included. Give the device another token: both are shut out then. Put the new one into the agent that shall stay.`,
    ],
    link: link(about, 'See the device', `/api/v1/devices/${encodeURIComponent(about.device.id)}`),
    after: [`You own the team "${team}". This is told once, until the device gets another token.`],
  });
}

const notYou = 'If it was you, nothing has to be done. If not, tell an administrator at once.';
