// Signing in: with a password, or by way of the identity provider of the address's domain.
import { $, ask, nextPath, onSubmit, query, showNotice, showProblem } from './common.js';

const verify = query.get('verify');
if (verify) {
  history.replaceState(null, '', '/account/login');
  try {
    await ask('POST', '/account/verify-email', { token: verify });
    showNotice('Your address is verified. You can sign in now.');
  } catch (problem) {
    showProblem(problem);
  }
}

onSubmit('sign-in', async ({ username, password }) => {
  try {
    await ask('POST', '/account/login', { username, password });
  } catch (problem) {
    if (problem.code !== 'sso_required' || !problem.redirect) throw problem;
    location.assign(problem.redirect);
    return;
  }
  location.assign(nextPath('/account/settings'));
});

// Whose domain signs in elsewhere needs no password here.
$('username').addEventListener('change', async () => {
  const email = $('username').value.trim();
  if (!email.includes('@')) return;
  const sso = await ask('GET', `/account/sso?email=${encodeURIComponent(email)}`).catch(() => undefined);
  $('sso').hidden = !sso?.redirect;
  if (sso?.redirect) $('sso-link').href = sso.redirect;
});

const offered = await ask('GET', '/account/registration').catch(() => undefined);
$('register').hidden = !offered?.enabled;
$('forgot').hidden = !offered?.passwordReset;
