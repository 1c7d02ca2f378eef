// One's own account: profile, password, tokens (each shown once), sessions, and invitations.
import { $, ask, make, onSubmit, showNotice, showProblem, timeOf } from './common.js';

const user = await ask('GET', '/api/v1/user').catch((problem) => {
  if (problem.status === 401) location.replace('/account/login?next=/account/settings');
  else showProblem(problem);
});

if (user) {
  $('all').hidden = false;
  showProfile(user);
  await Promise.all([showTokens(), showSessions(), showInvitations()]);
}

function showProfile({ username, email, name, ssoManaged, admin }) {
  $('username').value = username;
  $('email').value = email;
  $('name').value = name;
  const elsewhere = ssoManaged && !admin;
  $('email').readOnly = elsewhere;
  $('password-part').hidden = elsewhere;
}

onSubmit('profile', async ({ username, email, name }) => {
  const changes = Object.entries({ username, email, name }).filter(([field, value]) => value !== user[field]);
  const changed = await ask('PUT', '/api/v1/user', Object.fromEntries(changes));
  const mailed = email !== user.email && changed.email === user.email;
  Object.assign(user, changed);
  showProfile(user);
  showNotice(mailed ? `Saved. The address changes once you follow the link in the mail to ${email}.` : 'Saved.');
});

onSubmit('change-password', async ({ current, password }, form) => {
  await ask('PUT', '/api/v1/user/password', { current, new: password });
  form.reset();
  showNotice('Your password is changed. Your other sessions are ended.');
  await showSessions();
});

onSubmit('new-token', async ({ name, expires, scope }, form) => {
  const expiresAt = expires ? { expiresAt: new Date(expires).toISOString() } : {};
  const made = await ask('POST', '/api/v1/user/tokens', { name, scope, ...expiresAt });
  form.reset();
  $('made').hidden = false;
  $('token').textContent = made.token;
  $('token').focus();
  await showTokens();
});

onSubmit('sign-out', async () => {
  await ask('POST', '/account/logout');
  location.assign('/account/login');
});

/** Fills a table; the last column has a button that does something to the row. */
function fill(id, rows, cellsOf, word, act, labelOf) {
  const rowOf = (row) => {
    const button = make('button', word, { type: 'button', 'aria-label': `${word} ${labelOf(row)}` });
    button.addEventListener('click', async () => {
      button.disabled = true;
      try {
        await act(row);
        $(id).closest('section').querySelector('h2').focus();
      } catch (problem) {
        showProblem(problem);
        button.disabled = false;
      }
    });
    return make('tr', [...cellsOf(row).map((text) => make('td', text)), make('td', button)]);
  };
  $(id).replaceChildren(...rows.map(rowOf));
  $(id).closest('table').hidden = rows.length === 0;
  $(`no-${id}`).hidden = rows.length > 0;
}

async function showTokens() {
  const { tokens } = await ask('GET', '/api/v1/user/tokens?limit=1000');
  const cells = ({ name, scope, expiresAt, lastUsedAt }) => [name, scope, timeOf(expiresAt), timeOf(lastUsedAt)];
  const revoke = async ({ id, name }) => {
    await ask('DELETE', `/api/v1/user/tokens/${id}`);
    await showTokens();
    showNotice(`The token ${name} is revoked.`);
  };
  fill('tokens', tokens, cells, 'Revoke', revoke, ({ name }) => `the token ${name}`);
}

async function showSessions() {
  const { sessions } = await ask('GET', '/api/v1/user/sessions?limit=1000');
  const cells = ({ agent, address, lastSeenAt, current }) => [
    current ? `${agent} (this one)` : agent,
    address,
    timeOf(lastSeenAt),
  ];
  const end = async ({ id, current }) => {
    await ask('DELETE', `/api/v1/user/sessions/${id}`);
    if (current) location.assign('/account/login');
    else await showSessions();
  };
  fill('sessions', sessions, cells, 'End', end, ({ agent, address }) => `the session of ${agent} at ${address}`);
}

async function showInvitations() {
  const { invitations } = await ask('GET', '/api/v1/user/invitations?limit=1000');
  const cells = ({ team, role, inviter }) => [team.name, role, inviter.name || inviter.username];
  const accept = async ({ id, team }) => {
    await ask('POST', `/api/v1/user/invitations/${id}/accept`);
    await showInvitations();
    showNotice(`You are in the team ${team.name} now.`);
  };
  fill('invitations', invitations, cells, 'Join', accept, ({ team }) => `the team ${team.name}`);
}
