// Signing in: with a password, or by way of the identity provider of the address's domain.
import { $, ask, at, leave, make, nextAddress, onSubmit, query, showProblem, tell } from './common.js';

const main = $('sign-in').parentElement;
let elsewhere;
// The token of a link that waits for its owner to sign in.
let unconfirmed;
// The server looks whether it is an address of its own.
const next = query.get('next');
const atProvider = (redirect) => (next ? `${redirect}?next=${encodeURIComponent(next)}` : redirect);

onSubmit('sign-in', async ({ username, password }) => {
  if (elsewhere && password === '') return leave(elsewhere);
  // Of a new account the password is enough, and it opens nothing before; a new address takes a session.
  if (unconfirmed) await confirmAddress({ password }).catch(unlessUnauthorized);
  let user;
  try {
    user = await ask('POST', '/account/login', { username, password });
  } catch (problem) {
    if (problem.code !== 'sso_required' || !problem.redirect) throw withNumber(problem);
    return leave(atProvider(problem.redirect));
  }
  if (unconfirmed) await confirmAddress({});
  // Whom single sign-on has just made a user looks at the name that was chosen for them first.
  const isNew = user.ssoManaged && user.createdAt === user.lastSignInAt;
  return leave(isNew ? at('/account/settings') : nextAddress('/account/settings'));
});

// Whose domain signs in elsewhere needs no password here.
$('username').addEventListener('change', async () => {
  const email = $('username').value.trim();
  const way = email.includes('@') ? `/account/sso?email=${encodeURIComponent(email)}` : undefined;
  const sso = way && (await ask('GET', way).catch(() => undefined));
  if (email !== $('username').value.trim()) return;
  elsewhere = sso?.redirect && atProvider(sso.redirect);
  $('password').required = !elsewhere;
  const link = elsewhere && make('a', 'Sign in with your organisation', { href: elsewhere });
  $('way').replaceChildren(...(link ? [make('p', ['This address signs in through single sign-on: ', link])] : []));
});

/** The address becomes that of whoever has just signed in, or has the password that was given when it was registered. What goes wrong is told where they stay. */
async function confirmAddress(proof) {
  await ask('POST', '/account/verify-email', { token: unconfirmed, ...proof });
  unconfirmed = undefined;
}

/** Whoever is refused is not told why, and an administrator finds it by the number: in the log, or in the audit log. */
function withNumber(problem) {
  const { detail, requestId, status } = problem;
  if (!requestId || (status !== 401 && status !== 503)) return problem;
  const help = `If it does not work again, tell your administrator this number: ${requestId}.`;
  return Object.assign(problem, { detail: `${detail} ${help}` });
}

function unlessUnauthorized(problem) {
  if (problem.status !== 401) throw problem;
}

const verify = query.get('verify');
if (verify) {
  // A link that works once is nothing for the history, nor for a second time.
  history.replaceState(null, '', location.pathname);
  try {
    const { email } = await ask('POST', '/account/verify-email', { token: verify });
    tell(main, 'status', `The address ${email} is verified. You can sign in now.`);
  } catch (problem) {
    // The link alone confirms nothing: whoever reads the mail may not be who gave the address.
    if (problem.status === 401) unconfirmed = verify;
    if (problem.status === 401)
      tell(main, 'status', 'Sign in to the account that this address was given for, to confirm it.');
    else showProblem(main, problem);
  }
} else if (next) tell(main, 'status', 'Sign in to go on.');

const offered = await ask('GET', '/account/registration').catch(() => undefined);
$('register').hidden = !offered?.enabled;
$('forgot').hidden = !offered?.passwordReset;
