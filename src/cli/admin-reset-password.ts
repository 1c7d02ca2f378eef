// weir admin reset-password: the way back in when a password is lost.
import { createPasswords } from '../auth/password.ts';
import { giveNewPassword } from '../control/first-admin.ts';
import { newId } from '../lib/id.ts';
import { checkedPassword, passwordFrom, showOnce } from './accounts.ts';
import { exitCodes } from './exit-codes.ts';
import type { Verb } from './verb.ts';
import { factsAt, openStoreAt } from './workbench.ts';

export const adminResetPassword: Verb = {
  usage: 'USERNAME',
  words: { least: 1, most: 1 },
  options: ['store', 'secretKeyFile', 'passwordFile'],
  details:
    'For emergencies: works on the store itself, so stop the server first. The new password is printed this once, alone on its line.',
  examples: ['weir admin reset-password admin'],
  async run({ args: [username = ''], options, io }) {
    const password = passwordFrom(options, io, { username });
    const store = await openStoreAt(options, io, { create: false });
    try {
      const user = store.read().named('User', username);
      checkedPassword(password, 'the password', { username, email: user?.spec.email });
      const door = { store, facts: () => factsAt(options, io), clock: io.now, newId };
      await giveNewPassword(door, { username, passwordHash: await createPasswords().hash(password) });
      await showOnce(io, `${password}\n`, `${username} has a new password, which nobody saw: run this again`);
      return exitCodes.fine;
    } finally {
      await store.close();
    }
  },
};
