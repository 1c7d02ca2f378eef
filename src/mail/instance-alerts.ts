// The mails to owners about instances that crashed, or are near a limit of their stack, as pure functions.
import { harmless } from './harmless.ts';
import { layOut } from './layout.ts';
import type { Mail } from './mail.ts';
import { type About, link, moment } from './message-parts.ts';

/** What is to be told of an instance: a crash, or that it is near a limit of its stack (bytes and MiB, or percent of one core). */
export type InstanceAlert = {
  readonly id: string;
  readonly name: string;
} & (
  | { readonly cause: 'crash'; readonly times: number; readonly at: string; readonly because: string }
  | { readonly cause: 'safeMode'; readonly because: string }
  /** Of the heap, or of `all` that it started. */
  | { readonly cause: 'memory'; readonly used: number; readonly limit: number; readonly all?: boolean }
  | { readonly cause: 'cpu'; readonly used: number; readonly limit: number }
  | { readonly cause: 'disk'; readonly used: number; readonly limit: number }
);

/** To an owner of a team whose instances need somebody to look at them. */
export function instanceAlerts(
  about: About & { team: { readonly id: string; readonly name: string }; alerts: readonly InstanceAlert[] },
): Mail {
  const { alerts, team } = about;
  const [first] = alerts;
  const one = alerts.length === 1 ? first : undefined;
  const name = harmless(team.name);
  const more = alerts.length - mostAlerts;
  return layOut({
    ...about,
    subject: one ? headline(one) : `${alerts.length} alerts for the team "${name}"`,
    before: [
      ...(one ? [] : [`These instances of the team "${name}" need somebody to look at them:`]),
      ...alerts.slice(0, mostAlerts).map(sentenceOf),
      ...(more > 0 ? [`There ${more === 1 ? 'is 1 more' : `are ${more} more`}.`] : []),
    ],
    link: one
      ? link(about, 'See its log', `/api/v1/instances/${encodeURIComponent(one.id)}/logs`)
      : link(about, 'See the instances of the team', `/api/v1/teams/${encodeURIComponent(team.id)}/instances`),
    after: [
      `You own the team "${name}", whose type has email alerts. Of one instance there is at most one such mail an hour for each cause.`,
    ],
  });
}

/** How many alerts a mail tells one by one. */
const mostAlerts = 20;

function headline(alert: InstanceAlert): string {
  const name = `"${harmless(alert.name)}"`;
  if (alert.cause === 'safeMode') return `${name} is in safe mode`;
  if (alert.cause === 'disk' && alert.used > alert.limit * 1024 ** 2) return `${name} is over its disk limit`;
  if (alert.cause !== 'crash') return `${name} is near its ${limits[alert.cause]} limit`;
  return alert.times === 1 ? `${name} crashed` : `${name} crashed ${alert.times} times`;
}

const limits = { memory: 'memory', cpu: 'processor', disk: 'disk' } as const;

function sentenceOf(alert: InstanceAlert): string {
  const name = `"${harmless(alert.name)}"`;
  switch (alert.cause) {
    case 'crash': {
      const often = alert.times === 1 ? 'crashed on' : `crashed ${alert.times} times, last on`;
      return `${name} ${often} ${moment(alert.at)}, because ${harmless(alert.because)}. Weir tries to start it again.`;
    }
    case 'safeMode':
      return `${name} is in safe mode, because ${harmless(alert.because)}. Its editor works, and its flows do not run: mend them and deploy, which starts them, or restart it.`;
    case 'memory': {
      const used = Math.round(alert.used / 1024 ** 2);
      if (alert.all)
        return `${name} stays near its memory limit: it holds ${used} MiB with all that it started, and is ended when it holds more than ${alert.limit} MiB.`;
      return `${name} stays near its memory limit: its flows hold ${used} MiB, and its stack allows ${alert.limit} MiB.`;
    }
    case 'disk': {
      const used = Math.ceil(alert.used / 1024 ** 2);
      const takes = `it takes up ${used} MiB of the disk, and its stack allows ${alert.limit} MiB`;
      const todo = 'Delete files, or move it to a stack that allows more';
      if (alert.used > alert.limit * 1024 ** 2)
        return `${name} is over its disk limit: ${takes}. ${todo}: Weir stops it where it goes on growing.`;
      return `${name} stays near its disk limit: ${takes}. ${todo}, before it is over the limit and is stopped.`;
    }
    case 'cpu':
      return `${name} stays near its processor limit: it uses ${Math.round(alert.used)} % of one core, and its stack allows ${alert.limit} %.`;
  }
}
