// The page of one's own account.
import { makePage, messages } from './page.ts';

const section = (id: string, title: string, content: string) =>
  `<section id="${id}-part" aria-labelledby="${id}-title"><h2 id="${id}-title" tabindex="-1">${title}</h2>
${content}
</section>`;

const list = (id: string, nothing: string) =>
  `${messages}
<ul id="${id}" role="list" aria-labelledby="${id}-title"></ul>
<p id="no-${id}" hidden>${nothing}</p>`;

const profile = `<form id="profile">
<label for="username">Username</label>
<input id="username" name="username" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="63" aria-describedby="username-hint" required>
<small id="username-hint">Letters, digits, ".", "_" and "-".</small>
<label for="name">Name</label>
<input id="name" name="name" autocomplete="name" maxlength="255">
<label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="email" maxlength="254" aria-describedby="email-hint" required>
<small id="email-hint"></small>
<div id="proof" hidden>
<label for="currentPassword">Current password</label>
<input id="currentPassword" name="currentPassword" type="password" autocomplete="current-password" maxlength="1024" aria-describedby="proof-hint">
<small id="proof-hint">A new address needs it.</small>
</div>
<div id="pending" hidden><button type="button" id="keep">Keep the present address</button></div>
${messages}
<div><button type="submit">Save</button></div>
</form>`;

const password = `<form id="change-password">
<input id="whose" name="whose" autocomplete="username" hidden>
<label for="current">Current password</label>
<input id="current" name="current" type="password" autocomplete="current-password" maxlength="1024" required>
<label for="new">New password</label>
<input id="new" name="new" type="password" autocomplete="new-password" minlength="8" maxlength="256" aria-describedby="new-hint" required>
<small id="new-hint">At least 8 characters. Your other sessions end; your tokens stay.</small>
${messages}
<div><button type="submit">Change the password</button></div>
</form>`;

const tokens = `<p>With a token programs do what you may do. Whoever has it can use it.</p>
${list('tokens', 'You have no tokens.')}
<form id="new-token">
<label for="token-name">Name of a new token</label>
<input id="token-name" name="name" autocomplete="off" maxlength="100" required>
<label for="token-expires">Ends</label>
<input id="token-expires" name="expiresAt" type="datetime-local" aria-describedby="token-expires-hint">
<small id="token-expires-hint">In your time zone. Without it the token never ends.</small>
<label for="token-scope">Scope</label>
<select id="token-scope" name="scope"><option value="full">full: all that you may do</option><option value="plan">plan: plans and the config status only, for CI</option></select>
${messages}
<div><button type="submit">Make a token</button></div>
</form>
<div id="made" hidden>
<label for="token">Your new token</label>
<textarea id="token" rows="2" readonly autocomplete="off" spellcheck="false" aria-describedby="token-hint"></textarea>
<small id="token-hint">Copy it now: it is shown this once, and nobody can read it again.</small>
</div>`;

const account = `<form id="delete-account">
<p>Your tokens and sessions go with it, and your team, where nobody else is in it and nothing runs there. It cannot be undone.</p>
<label for="deletion-password">Current password</label>
<input id="deletion-password" name="currentPassword" type="password" autocomplete="current-password" maxlength="1024" required>
${messages}
<div><button type="submit">Delete the account</button></div>
</form>`;

export const settingsPage = makePage({
  title: 'Your account',
  script: 'settings.script.js',
  main: `<div id="all" hidden>
${section('profile', 'Profile', profile)}
${section('password', 'Password', password)}
${section('tokens', 'Tokens', tokens)}
${section('sessions', 'Sessions', list('sessions', 'You have no sessions.'))}
${section('invitations', 'Invitations', list('invitations', 'Nobody has invited you.'))}
${section('account', 'Delete your account', account)}
<form id="sign-out">${messages}<div><button type="submit">Sign out</button></div></form>
</div>`,
});
