// One's own account: profile, password, tokens (each shown once), sessions, and invitations.
import { $, askAsUser, at, leave, make, onPress, onSubmit, showProblem, tell, timeOf } from './common.js';

const url = '/api/v1/user';
let user;

/** Each says besides that it is those below it. */
const brands = [
  [/Edg(?:A|iOS)?\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];

onSubmit('profile', async ({ username, email, name, currentPassword }, form) => {
  const changes = Object.entries({ username, email, name }).filter(([field, value]) => value !== user[field]);
  const proof = isNewEmail() ? { currentPassword } : {};
  await update({ ...Object.fromEntries(changes), ...proof }, form, 'Saved.');
});

/** The server compares addresses without regard to the case of their letters. */
function isNewEmail() {
  return $('email').value.trim().toLowerCase() !== user.email;
}

function askForProof() {
  $('proof').hidden = !isNewEmail();
  $('currentPassword').required = isNewEmail();
}

$('email').addEventListener('input', askForProof);

// Giving the present address again takes back the one that waits.
onPress($('keep'), $('profile'), async () => {
  await update({ email: user.email }, $('profile'), 'Your address stays as it is.');
  $('email').focus();
});

async function update(changes, form, words) {
  showProfile(await askAsUser('PUT', url, changes));
  const waits = changes.email && user.pendingEmail;
  tell(
    form,
    'status',
    waits ? `${words} A mail is on its way to ${waits}: open its link, signed in here, to change the address.` : words,
  );
}

function showProfile(shown) {
  user = shown;
  const { username, email, name, ssoManaged, admin, pendingEmail } = user;
  const elsewhere = ssoManaged && !admin;
  for (const [id, value] of Object.entries({ username, email, name, whose: username })) $(id).value = value;
  $('email').readOnly = elsewhere;
  $('password-part').hidden = elsewhere;
  $('pending').hidden = !pendingEmail;
  $('currentPassword').value = '';
  askForProof();
  $('account-part').hidden = elsewhere;
  $('email-hint').textContent = emailHint(elsewhere, pendingEmail);
}

function emailHint(elsewhere, pendingEmail) {
  if (elsewhere) return 'This address signs in through single sign-on, and cannot change here.';
  return pendingEmail
    ? `It becomes ${pendingEmail} once you open the link in the mail to that address. Signing out gives it up.`
    : '';
}

onSubmit('change-password', async ({ current, new: wanted }, form) => {
  await askAsUser('PUT', `${url}/password`, { current, new: wanted });
  form.reset();
  $('whose').value = user.username;
  await showSessions();
  tell(form, 'status', 'Your password is changed, and your other sessions are ended.');
});

let madeId;

onSubmit('new-token', async ({ name, expiresAt, scope }, form) => {
  const end = expiresAt ? { expiresAt: new Date(expiresAt).toISOString() } : {};
  const made = await askAsUser('POST', `${url}/tokens`, { name, scope, ...end });
  form.reset();
  madeId = made.id;
  $('made').hidden = false;
  $('token').value = made.token;
  $('token').focus();
  await showTokens();
});

$('token').addEventListener('focus', () => $('token').select());

async function showTokens() {
  const { tokens } = await askAsUser('GET', `${url}/tokens?limit=1000`);
  list('tokens', tokens, ({ id, name, scope, expiresAt, lastUsedAt }) => ({
    title: name,
    facts: [`scope ${scope}`, `ends ${timeOf(expiresAt)}`, `last used ${timeOf(lastUsedAt)}`],
    buttons: [{ word: 'Revoke', what: `the token ${name}`, act: () => revoke(id, name) }],
  }));
}

async function revoke(id, name) {
  if (!confirm(`Revoke the token ${name}? Programs that use it are refused from then on.`)) return undefined;
  await askAsUser('DELETE', `${url}/tokens/${id}`);
  if (id === madeId) {
    $('made').hidden = true;
    $('token').value = '';
  }
  await showTokens();
  return `The token ${name} is revoked.`;
}

async function showSessions() {
  const { sessions } = await askAsUser('GET', `${url}/sessions?limit=1000`);
  list('sessions', sessions, ({ id, agent, address, createdAt, lastSeenAt, current }) => ({
    title: browserIn(agent) + (current ? ' (this one)' : ''),
    facts: [`from ${address}`, `signed in ${timeOf(createdAt)}`, `last seen ${timeOf(lastSeenAt)}`],
    buttons: [{ word: 'End', what: `the session of ${browserIn(agent)} from ${address}`, act: () => end(id, current) }],
  }));
}

async function end(id, current) {
  await askAsUser('DELETE', `${url}/sessions/${id}`);
  if (current) return leave(at('/account/login'));
  await showSessions();
  return 'The session is ended.';
}

/** `Firefox on Linux`, as far as the browser says so; else what it says. */
function browserIn(agent) {
  const [, name] = brands.find(([form]) => form.test(agent)) ?? [];
  const [system] = /Windows|Android|iPhone|iPad|Mac OS|Linux/.exec(agent) ?? [];
  return name && system ? `${name} on ${system}` : agent || 'unknown';
}

async function showInvitations() {
  const { invitations } = await askAsUser('GET', `${url}/invitations?limit=1000`);
  list('invitations', invitations, ({ id, team, role, inviter, expiresAt }) => ({
    title: team.name,
    facts: [`as ${role}`, `from ${inviter.name || inviter.username}`, `ends ${timeOf(expiresAt)}`],
    buttons: [
      {
        word: 'Join',
        what: `the team ${team.name}`,
        act: () => answer('POST', `${id}/accept`, `You are in the team ${team.name} now.`),
      },
      {
        word: 'Decline',
        what: `the invitation to the team ${team.name}`,
        act: () => answer('DELETE', id, `The invitation to the team ${team.name} is declined.`),
      },
    ],
  }));
}

async function answer(method, path, words) {
  await askAsUser(method, `${url}/invitations/${path}`);
  await showInvitations();
  return words;
}

/** Shows rows. What a button did is told; the button may be gone then, so the heading gets the focus. */
function list(id, rows, partsOf) {
  const part = $(`${id}-part`);
  const buttonOf = ({ word, what, act }) => {
    const button = make('button', word, { type: 'button', 'aria-label': `${word} ${what}` });
    onPress(button, part, async () => {
      const done = await act();
      if (done === undefined) return;
      tell(part, 'status', done);
      $(`${id}-title`).focus();
    });
    return button;
  };
  const itemOf = (row) => {
    const { title, facts, buttons } = partsOf(row);
    const about = [make('strong', title), make('small', facts.join(' · '))];
    return make('li', [make('div', about), make('div', buttons.map(buttonOf))]);
  };
  $(id).replaceChildren(...rows.map(itemOf));
  $(id).hidden = rows.length === 0;
  $(`no-${id}`).hidden = rows.length > 0;
}

onSubmit('delete-account', async ({ currentPassword }) => {
  if (!confirm('Delete your account? It cannot be undone.')) return undefined;
  await askAsUser('POST', `${url}/actions/delete`, { currentPassword });
  return leave(at('/account/login'));
});

onSubmit('sign-out', async () => {
  await askAsUser('POST', '/account/logout');
  return leave(at('/account/login'));
});

/** One part that cannot be shown keeps nothing from the others. */
async function show(id, part) {
  await part().catch((problem) => showProblem($(id), problem));
}

try {
  showProfile(await askAsUser('GET', url));
  $('all').hidden = false;
  await Promise.all([
    show('tokens-part', showTokens),
    show('sessions-part', showSessions),
    show('invitations-part', showInvitations),
  ]);
} catch (problem) {
  showProblem(document.querySelector('main'), problem);
}
