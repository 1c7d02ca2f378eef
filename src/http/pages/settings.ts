// The page of one's own account.
import { makePage } from './page.ts';

const table = (id: string, columns: readonly string[], nothing: string) =>
  `<table hidden><thead><tr>${columns.map((column) => `<th scope="col">${column}</th>`).join('')}<td></td></tr></thead><tbody id="${id}"></tbody></table>
<p id="no-${id}">${nothing}</p>`;

export const settingsPage = makePage({
  title: 'Your account',
  script: 'settings.js',
  main: `<div id="all" hidden>
<section aria-labelledby="profile-title"><h2 id="profile-title" tabindex="-1">Profile</h2>
<form id="profile">
<label for="username">Username</label>
<input id="username" name="username" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="63" required>
<label for="name">Name</label>
<input id="name" name="name" autocomplete="name" maxlength="255">
<label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="email" required>
<div><button type="submit">Save</button></div>
</form></section>
<section id="password-part" aria-labelledby="password-title"><h2 id="password-title" tabindex="-1">Password</h2>
<form id="change-password">
<label for="current">Current password</label>
<input id="current" name="current" type="password" autocomplete="current-password" required>
<label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="8" maxlength="256" required>
<div><button type="submit">Change the password</button></div>
</form></section>
<section aria-labelledby="tokens-title"><h2 id="tokens-title" tabindex="-1">Tokens</h2>
<p id="made" role="status" hidden>Your new token, shown this once: <code id="token" tabindex="0"></code></p>
${table('tokens', ['Name', 'Scope', 'Ends', 'Last used'], 'You have no tokens.')}
<form id="new-token">
<label for="token-name">Name of the token</label>
<input id="token-name" name="name" maxlength="100" required>
<label for="token-expires">Ends (never, if you leave this out)</label>
<input id="token-expires" name="expires" type="datetime-local">
<label for="token-scope">Scope</label>
<select id="token-scope" name="scope"><option value="full">full: all that you may do</option><option value="plan">plan: read plans and the config status, for CI</option></select>
<div><button type="submit">Make a token</button></div>
</form></section>
<section aria-labelledby="sessions-title"><h2 id="sessions-title" tabindex="-1">Sessions</h2>
${table('sessions', ['Browser', 'Address', 'Last seen'], 'You have no sessions.')}
</section>
<section aria-labelledby="invitations-title"><h2 id="invitations-title" tabindex="-1">Invitations</h2>
${table('invitations', ['Team', 'Role', 'From'], 'Nobody has invited you.')}
</section>
<form id="sign-out"><div><button type="submit">Sign out</button></div></form>
</div>`,
});
