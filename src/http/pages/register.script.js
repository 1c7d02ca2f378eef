// Registering: where the platform is open to it, or with an invitation.
import { $, ask, make, onSubmit, query, showProblem, tell } from './common.js';

const main = $('registration').parentElement;
// It stays in the address until it is used, so that the page can be loaded again: it opens nothing but this, once, for some days.
let invitation = query.get('invitation');

onSubmit('registration', async ({ username, email, name, password, teamType }, form) => {
  const extra = { ...(invitation ? { invitation } : {}), ...(teamType ? { teamType } : {}) };
  await ask('POST', '/account/register', { username, email, name, password, ...extra });
  history.replaceState(null, '', location.pathname);
  form.hidden = true;
  tell(
    main,
    'status',
    invitation
      ? 'You are registered, and in the team. You can sign in now.'
      : `You are registered. A mail is on its way to ${email}: open its link, then sign in.`,
  );
  $('then').querySelector('a').focus();
});

// Whether it can be sent at all is told first.
if (invitation) $('registration').hidden = true;
try {
  const offered = await ask('GET', '/account/registration');
  const refusal = invitation ? await showInvitation() : undefined;
  if (refusal) showProblem(main, refusal);
  $('registration').hidden = false;
  if (!offered.enabled && !invitation) refuse(refusal);
  showTypes(offered);
} catch (problem) {
  showProblem(main, problem);
}

function refuse(told) {
  $('registration').hidden = true;
  if (!told)
    tell(main, 'alert', 'Nobody can register here without an invitation: ask an administrator for an account.');
}

/** Answers why it opens nothing, where that is so: then it is none. */
async function showInvitation() {
  try {
    const { team, email } = await ask('GET', `/account/invitation?token=${encodeURIComponent(invitation)}`);
    $('email').value = email;
    $('email').readOnly = true;
    tell(main, 'status', `You are invited to the team ${team.name}.`);
    return undefined;
  } catch (problem) {
    invitation = undefined;
    return problem;
  }
}

/** Where there is nothing to choose, nothing is asked. Who is invited needs no team of their own. */
function showTypes({ personalTeam, teamTypes }) {
  const wanted = personalTeam && teamTypes.length > (invitation ? 0 : 1);
  $('type').hidden = !wanted;
  if (!wanted) return;
  const none = invitation ? [make('option', 'none: only the team that invites me', { value: '' })] : [];
  const options = teamTypes.map(({ name, description }) =>
    make('option', description ? `${name}: ${description}` : name, { value: name }),
  );
  $('teamType').append(...none, ...options);
}
