// A lost password: asking for a link, and following it.
import { $, ask, onSubmit, query, showProblem, tell } from './common.js';

const main = $('ask').parentElement;
const token = query.get('token');
$('ask').hidden = true;

onSubmit('ask', async ({ email }, form) => {
  const { detail } = await ask('POST', '/account/forgot-password', { email });
  form.hidden = true;
  tell(main, 'status', `${detail} Its link works once, for 30 minutes.`);
  $('then').querySelector('a').focus();
});

onSubmit('set', async ({ password }, form) => {
  await ask('POST', '/account/reset-password', { token, password });
  form.hidden = true;
  tell(main, 'status', 'Your password is changed, and you are signed out everywhere. You can sign in now.');
  $('then').querySelector('a').focus();
});

const offered = await ask('GET', '/account/registration').catch(() => undefined);
if (offered && !offered.passwordReset)
  tell(main, 'alert', 'No password can be reset by mail here: ask an administrator to set one.');
else if (token) await followLink();
else show('ask', 'email');

/** Nobody thinks of a password for a link that opens nothing; then a new link can be asked for. */
async function followLink() {
  try {
    await ask('GET', `/account/reset-link?token=${encodeURIComponent(token)}`);
    show('set', 'password');
  } catch (problem) {
    showProblem(main, problem);
    // Whatever else went wrong may go well when the page is loaded again.
    if (problem.status !== 400) return;
    show('ask', 'email');
  }
  // A link that works once is nothing for the history.
  history.replaceState(null, '', location.pathname);
}

function show(form, field) {
  $(form).hidden = false;
  $(field).focus();
}
