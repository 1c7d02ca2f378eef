// weir sso explain: what a sign-in through single sign-on would do, and why, without doing it.
import { explainSso } from '../control/explain-sso.ts';
import { emailAddress } from '../core/kinds/scalars.ts';
import { type Options, UsageError } from '../options.ts';
import { cannotBe } from './accounts.ts';
import { exitCodes } from './exit-codes.ts';
import { publish } from './publish.ts';
import { withView } from './sso-configuration.ts';
import type { Verb } from './verb.ts';
import { factsAt } from './workbench.ts';

export const ssoExplain: Verb = {
  usage: '--config NAME --user EMAIL [--groups A,B,C]',
  words: { least: 0, most: 0 },
  options: ['config', 'user', 'groups', 'store', 'secretKeyFile', 'output'],
  notes: {
    groups: 'the groups that the provider gives, separated by commas; left out: it gives no groups at all',
  },
  details: `Judges a sign-in exactly as the server does, and keeps nothing: who it would be, which teams and which flag their groups would give and take, and
why. A configuration that is a draft is explained as if it were active. Reads the last durable state and takes no lock: it may be run beside
a server.`,
  examples: ['weir sso explain --config example-com --user ann@example.com --groups svc-core-owner,weir-admins'],
  async run({ options, io }) {
    const question = questionOf(options);
    const explanation = await withView(options, io, (view) =>
      explainSso(view, question, io.now(), factsAt(options, io)),
    );
    publish({ type: 'explanation', explanation }, options.output, io);
    return exitCodes.fine;
  },
};

function questionOf({ config, user, groups }: Options) {
  if (config === undefined || user === undefined)
    throw new UsageError('name a configuration and a user: weir sso explain --config NAME --user EMAIL');
  const email = emailAddress().safeParse(user);
  if (!email.success) throw new UsageError(cannotBe('--user', user, email.error));
  const named = groups?.split(',').map((group) => group.trim());
  return { config, email: email.data, groups: named?.filter((group) => group !== '') };
}
