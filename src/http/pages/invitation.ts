// The page on which an invitation to a team is taken up.
import { makePage, messages } from './page.ts';

export const invitationPage = makePage({
  title: 'Join a team',
  script: 'invitation.script.js',
  main: `<p id="what"></p>
<form id="accept" hidden>
<p id="as"></p>
${messages}
<div><button type="submit">Join the team</button></div>
<p><a class="sign-in" href="../login">Sign in as somebody else</a></p>
</form>
<p id="sign-in" hidden><a class="sign-in" href="../login">Sign in</a> to join.</p>
<p id="register" hidden><a id="register-link" href="../register">Register</a> to join.</p>
<p id="then" hidden><a href="../settings">Your account</a></p>`,
});
