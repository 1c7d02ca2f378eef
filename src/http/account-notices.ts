// Mails people what was changed of their accounts, and admins who else became one, so that they learn of it when it was not them.
import { activeAdmin } from '../core/kinds/user.ts';
import { type Change, changesOf } from '../core/model/change.ts';
import type { Resource } from '../core/model/resource.ts';
import type { View } from '../core/model/view.ts';
import type { Mail } from '../mail/mail.ts';
import {
  emailChangeAsked,
  emailChanged,
  emailIsNow,
  madeAdmin,
  passwordChanged,
  ssoActivated,
  tokenMade,
} from '../mail/messages.ts';
import type { ServerOptions } from './services.ts';

type Around = Pick<ServerOptions, 'door' | 'mailer' | 'baseUrl' | 'clock'>;

/** Follows what is kept, whoever changed it: people, groups, or the reconciler. No change waits for its mail. Answers how to stop. */
export function followAccounts(around: Around): () => void {
  const { store } = around.door;
  return store.subscribe((entry) => {
    if (entry === 'reset' || !around.mailer.configured()) return;
    for (const mail of noticesOf(entry.changes, store.read(), around)) around.mailer.send(mail);
  });
}

/** The mails that changes give rise to. */
function* noticesOf(changes: readonly Change[], view: View, around: Around): Generator<Mail> {
  const when = { baseUrl: around.baseUrl, at: around.clock() };
  for (const { before, after } of changesOf(changes, 'User'))
    if (before && after) yield* changedUser(before, after, changes, when);
  yield* askedAddresses(changes, view, when);
  yield* newTokens(changes, view, when);
  yield* newAdmins(changes, view, when);
  yield* activatedSso(changes, view, when);
}

type When = { readonly baseUrl: string; readonly at: string };

/** Nothing of a password that is gone. Where a link takes the old address back, the mail there has it: see `account-mails.ts`. */
function* changedUser(
  before: Resource<'User'>,
  after: Resource<'User'>,
  changes: readonly Change[],
  when: When,
): Generator<Mail> {
  const about = { ...when, username: after.name };
  const { email, passwordHash } = after.spec;
  if (before.spec.email !== email) {
    const isUndoable = changesOf(changes, 'ActionToken').some(
      ({ after: link }) => link?.spec.purpose === 'restore-email' && link.spec.user === after.id,
    );
    if (!isUndoable) yield emailChanged({ ...about, to: before.spec.email, newEmail: email });
    yield emailIsNow({ ...about, to: email });
  }
  if (passwordHash !== undefined && before.spec.passwordHash !== passwordHash)
    yield passwordChanged({ ...about, to: before.spec.email });
}

/** A link to another address than the user has, which is what a change of address begins with. */
function* askedAddresses(changes: readonly Change[], view: View, when: When): Generator<Mail> {
  for (const { after: link } of changesOf(changes, 'ActionToken')) {
    const user = link?.spec.purpose === 'verify-email' ? view.get('User', link.spec.user) : undefined;
    if (!link || !user || link.spec.email === user.spec.email) continue;
    yield emailChangeAsked({ ...when, to: user.spec.email, username: user.name, newEmail: link.spec.email });
  }
}

function* newTokens(changes: readonly Change[], view: View, when: When): Generator<Mail> {
  for (const { before, after } of changesOf(changes, 'Token')) {
    const user = after && !before ? view.get('User', after.spec.user) : undefined;
    if (!after || !user?.spec.emailVerified) continue;
    const { scope, expiresAt } = after.spec;
    yield tokenMade({ ...when, to: user.spec.email, username: user.name, token: after.name, scope, expiresAt });
  }
}

function* newAdmins(changes: readonly Change[], view: View, when: When): Generator<Mail> {
  for (const { before, after } of changesOf(changes, 'User')) {
    if (!after?.spec.admin || before?.spec.admin) continue;
    for (const to of adminAddresses(view)) yield madeAdmin({ ...when, to, username: after.name });
  }
}

function* activatedSso(changes: readonly Change[], view: View, when: When): Generator<Mail> {
  for (const { before, after } of changesOf(changes, 'SsoConfig')) {
    if (!after?.spec.active || before?.spec.active) continue;
    const about = { name: after.name, domain: after.spec.emailDomain };
    for (const to of adminAddresses(view)) yield ssoActivated({ ...when, to, ...about });
  }
}

/** The addresses of those who may look into it. */
function adminAddresses(view: View): string[] {
  return [...view.having('User', activeAdmin)].flatMap(({ spec }) => (spec.emailVerified ? [spec.email] : []));
}
