// What is written of a user, by themselves and by admins.
import { z } from 'zod';
import { passwordProblem } from '../auth/password.ts';
import { emailAddress, optionalName } from '../core/kinds/scalars.ts';
import { username } from '../core/proposals/create-user.ts';
import { describedAs } from './json-schema.ts';

/** A username. */
export const usernameField = () =>
  username().describe('What the user signs in as: letters, digits, ".", "_" and "-", unique whatever their case.');

/** An address. */
export const emailField = (description = 'The email address, unique; kept in lower case.') =>
  emailAddress().describe(description);

/** The name for people. */
export const nameField = () => optionalName().describe('The name that people read.');

/** A new password: refused where anybody would guess it (specification 2.7). */
export const newPasswordField = (description = 'The password.') =>
  describedAs(
    z
      .string()
      .max(1024, { abort: true })
      .superRefine((password, context) => {
        const problem = passwordProblem(password);
        if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
      }),
    { type: 'string', format: 'password', minLength: 8, maxLength: 256, writeOnly: true },
  ).describe(description);

/** A password that is there, to be compared. */
export const givenPasswordField = (description: string) =>
  describedAs(z.string().max(1024), { type: 'string', format: 'password', maxLength: 1024, writeOnly: true }).describe(
    description,
  );
