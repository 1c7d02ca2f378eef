// weir bootstrap: the first admin of a store, with an API token.
import { createPasswords } from '../auth/password.ts';
import { mintToken } from '../auth/token.ts';
import { makeFirstAdmin } from '../control/first-admin.ts';
import { newId } from '../lib/id.ts';
import { firstUser, passwordFrom, showOnce } from './accounts.ts';
import { exitCodes } from './exit-codes.ts';
import type { Verb } from './verb.ts';
import { factsAt, openStoreAt } from './workbench.ts';

export const bootstrap: Verb = {
  usage: '',
  words: { least: 0, most: 0 },
  options: ['store', 'secretKeyFile', 'username', 'email', 'passwordFile'],
  details: `Works on a store that has no user, and makes the store if it is missing. Prints one line of JSON: username, password and token. They are
shown this once. A server that runs holds its store: stop it first, or let it make the first admin itself.`,
  examples: ['weir bootstrap', 'weir bootstrap --username ann --email ann@example.com --password-file password'],
  async run({ options, io }) {
    const { username, email } = firstUser(options);
    const password = passwordFrom(options, io, { username, email });
    const { token, hash } = mintToken();
    const store = await openStoreAt(options, io, { create: true });
    try {
      const door = { store, facts: () => factsAt(options, io), clock: io.now, newId };
      const passwordHash = await createPasswords().hash(password);
      await makeFirstAdmin(door, { username, email, passwordHash, token: { name: 'bootstrap', hash } });
      const lost = `there is an admin ${username} now, whose password nobody saw: run "weir admin reset-password ${username}"`;
      await showOnce(io, `${JSON.stringify({ username, password, token })}\n`, lost);
      return exitCodes.fine;
    } finally {
      await store.close();
    }
  },
};
