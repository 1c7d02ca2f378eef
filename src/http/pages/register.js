// Registering: where the platform is open to it, or with an invitation.
import { $, ask, make, onSubmit, query, showNotice, showProblem } from './common.js';

const invitation = query.get('invitation');
const offered = await ask('GET', '/account/registration').catch(showProblem);

if (invitation) {
  const invited = await ask('GET', `/account/invitation?token=${encodeURIComponent(invitation)}`).catch(showProblem);
  if (invited) {
    $('email').value = invited.email;
    $('email').readOnly = true;
    showNotice(`You are invited to the team ${invited.team.name}.`);
  }
}
if (offered && !offered.enabled && !invitation) {
  showProblem({ detail: 'This platform is not open to registration: ask an administrator for an invitation.' });
  $('registration').hidden = true;
}
const types = offered?.personalTeam && !invitation ? offered.teamTypes : [];
$('type').hidden = types.length === 0;
for (const { name, description } of types)
  $('teamType').append(make('option', description ? `${name}: ${description}` : name, { value: name }));

onSubmit('registration', async ({ username, email, name, password, teamType }, form) => {
  const extra = { ...(invitation ? { invitation } : {}), ...(types.length > 0 ? { teamType } : {}) };
  await ask('POST', '/account/register', { username, email, name, password, ...extra });
  form.hidden = true;
  showNotice(
    invitation
      ? 'You are registered, and in the team. You can sign in now.'
      : 'You are registered. We sent you a mail: follow its link, then sign in.',
  );
  $('then').hidden = false;
  $('then').querySelector('a').focus();
});
