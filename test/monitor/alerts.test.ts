// timeout: 400
// Mails to the owners of instances that crash or stay near a limit: once, in the right words, to the right people, by a real mail server.
import { setImmediate as settled } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startConverge } from '../../src/control/converge.ts';
import { looksInARow } from '../../src/core/instances/near-limit.ts';
import { deleted } from '../../src/core/model/change.ts';
import type { Resource } from '../../src/core/model/resource.ts';
import type { Facts } from '../../src/core/rules/facts.ts';
import { stubDriver } from '../../src/drivers/stub.ts';
import type { Mail, MailOutcome, MailTold } from '../../src/mail/mail.ts';
import { createMailer } from '../../src/mail/smtp.ts';
import { type Alerts, type AlertsOptions, createAlerts } from '../../src/monitor/alerts.ts';
import { apply, living, put, root, type World, write } from '../control/world.ts';
import { catalogueWith, edit, instance, member, newTeamsWorld, team } from '../core/rules/teams-world.ts';
import { settingsFor } from '../mail/desk.ts';
import { startSmtp } from '../support/smtp.ts';
import { eventually, until } from '../support/until.ts';

interface Desk {
  readonly world: World;
  readonly alerts: Alerts;
  readonly mails: (Mail & { readonly told: MailTold })[];
  readonly logged: string[];
  /** Causes of alerts that were mailed. */
  readonly counted: string[];
  /** Sets the time of day. */
  at(time: string): void;
  again(more?: Partial<AlertsOptions>): Alerts;
  /** Looks once, where the instances use so much (MiB, percent of a core). */
  look(
    used?: Readonly<Record<string, readonly [memory: number, cpu?: number, run?: string, all?: number]>>,
    alerts?: Alerts,
  ): Promise<void>;
  /** Has the mail server take all that was sent, and waits until that is noted. */
  taken(outcome?: MailOutcome | readonly MailOutcome[], mayWorkLater?: boolean): Promise<Mail[]>;
}

const email = `${root}spec:\n  email: {from: weir@example.com, smtp: {host: 127.0.0.1}}\n`;

async function deskWith({ platform = email, feature = true } = {}): Promise<Desk> {
  const world = await newTeamsWorld('ann', 'bob', 'eve', 'ned', 'sam');
  const switches = `{name: starter}\nspec:\n  features: {emailAlerts: ${feature}}`;
  await apply(world, { ...catalogueWith('{name: starter}\nspec:', switches), 'weir.yaml': platform });
  const facts: Facts = {
    ...world.door.facts(),
    drivers: new Map([['local', { provides: new Set(['emailAlerts'] as const) }]]),
  };
  await put(world, team(world, 'core'), team(world, 'other'));
  await put(world, member('core', 'ann', 'owner'), member('core', 'bob'), member('core', 'eve', 'owner'));
  // Nobody knows whether this address is his.
  await put(world, member('core', 'ned', 'owner'));
  await put(world, member('other', 'sam', 'owner'));
  const account = (name: string) => living('User', name, { email: `${name}@example.com` });
  for (const name of ['ann', 'eve', 'sam']) await write(world, edit(account(name), { emailVerified: true }));
  await write(world, edit(account('eve'), { suspended: true }));
  const mails: Desk['mails'] = [];
  const logged: string[] = [];
  const counted: string[] = [];
  let now = '2026-11-21T12:00:00.000Z';
  const again = (more: Partial<AlertsOptions> = {}) => {
    const alerts = createAlerts({
      door: { ...world.door, facts: () => facts },
      mailer: { send: (mail, told = () => {}) => mails.push({ ...mail, told }) },
      baseUrl: 'https://weir.example.com',
      clock: () => now,
      newId: world.context('api').newId,
      log: (level, message) => logged.push(`${level} ${message}`),
      onAlert: (cause) => counted.push(cause),
      ...more,
    });
    alerts.start();
    return alerts;
  };
  const alerts = again();
  const look: Desk['look'] = (used = {}, which = alerts) =>
    which.look(
      new Map(
        Object.entries(used).map(([name, [memory, cpuPercent, run = 'first', all = memory]]) => [
          `Instance-${name}`,
          { at: 0, memoryBytes: all * 1024 ** 2, heapBytes: memory * 1024 ** 2, cpuPercent, run },
        ]),
      ),
    );
  return {
    world,
    alerts,
    mails,
    logged,
    counted,
    again,
    look,
    at: (time) => {
      now = `2026-11-21T${time}.000Z`;
    },
    taken: async (outcome = 'sent', mayWorkLater = outcome === 'dropped') => {
      const sent = mails.splice(0);
      const position = () => world.store.health().position;
      const before = position();
      const outcomes = typeof outcome === 'string' ? sent.map(() => outcome) : outcome;
      for (const [nth, { told }] of sent.entries()) told(outcomes[nth] ?? 'sent', mayWorkLater);
      await settled();
      if (sent.length > 0 && (!mayWorkLater || outcomes.includes('sent')))
        await until('it is noted', () => position() !== before);
      return sent.map(({ told: _, ...mail }) => mail);
    },
  };
}

/** An instance of a team that runs, and may use 100 MiB and half a core. */
function running(world: World, slug: string, name: string): Resource<'Instance'> {
  const made = instance(world, slug, name);
  const resources = { memoryMb: 100, cpuPercent: 50 };
  const started = { at: '2026-11-21T11:00:00.000Z', runtime: '4', resources, options: {}, environment: [] };
  return { ...made, spec: { ...made.spec, state: 'running', started } };
}

/** Lets it crash, and run again. */
async function crash(
  { world }: Desk,
  name: string,
  count: number,
  at: string,
  message = 'it ended',
  slug = 'core',
): Promise<void> {
  const crashes = { count, at: `2026-11-21T${at}.000Z`, reason: 'Exited', message };
  assert.equal(await write(world, edit(instance(world, slug, name), { crashes })), []);
}

/** Stays for so many looks. */
async function stay(
  { look }: Desk,
  used: Parameters<Desk['look']>[0],
  looks = looksInARow,
  on?: Alerts,
): Promise<void> {
  for (let nth = 0; nth < looks; nth++) await look(used, on);
}

const about = suite('alerts');

about('tell the owners who are not shut out that an instance crashed, once', async () => {
  const desk = await deskWith();
  await put(desk.world, running(desk.world, 'core', 'pumps'), running(desk.world, 'core', 'lamps'));
  await desk.look();
  assert.equal(desk.mails, []);
  await crash(desk, 'pumps', 1, '11:59:30', 'it ended by itself with the exit code 1');
  await desk.look();
  await desk.look();
  const [mail, ...more] = await desk.taken();
  assert.equal(more, []);
  assert.equal([mail?.to, mail?.subject], ['ann@example.com', '"pumps" crashed']);
  assert.is(
    mail?.text,
    `"pumps" crashed on 21 November 2026, 11:59 UTC, because it ended by itself with the exit code 1. Weir tries to start it again.

See its log:
https://weir.example.com/api/v1/instances/Instance-pumps/logs

You own the team "core", whose type has email alerts. Of one instance there is at most one such mail an hour for each cause.

-- 
Sent by Weir, https://weir.example.com
`,
  );
  await desk.look();
  assert.equal([desk.mails, desk.counted], [[], ['crash']]);
});

about('tell of one instance and cause at most once an hour, and then of all that was', async () => {
  const desk = await deskWith();
  await put(desk.world, running(desk.world, 'core', 'pumps'));
  await crash(desk, 'pumps', 1, '12:00:00');
  await desk.look();
  await desk.taken();
  await crash(desk, 'pumps', 3, '12:40:00', 'it was killed');
  desk.at('12:59:59');
  await desk.look();
  assert.equal(desk.mails, []);
  desk.at('13:00:00');
  await desk.look();
  const [mail] = await desk.taken();
  assert.is(mail?.subject, '"pumps" crashed 2 times');
  assert.match(
    mail?.text ?? '',
    '"pumps" crashed 2 times, last on 21 November 2026, 12:40 UTC, because it was killed.',
  );
  desk.at('15:00:00');
  await desk.look();
  assert.equal(desk.mails, []);
});

about('tell one team of many instances in one mail, and each team of its own', async () => {
  const desk = await deskWith();
  const names = Array.from({ length: 23 }, (_, nth) => `line-${nth}`);
  await put(desk.world, ...names.map((name) => running(desk.world, 'core', name)), running(desk.world, 'other', 'own'));
  for (const name of [...names, 'own']) await crash(desk, name, 1, '11:59:00');
  await desk.look();
  const mails = await desk.taken();
  assert.equal(mails.map(({ to, subject }) => [to, subject]).sort(), [
    ['ann@example.com', '23 alerts for the team "core"'],
    ['sam@example.com', '"own" crashed'],
  ]);
  const text = mails.find(({ to }) => to.startsWith('ann'))?.text ?? '';
  assert.match(text, '"line-19" crashed on');
  assert.not.match(text, 'line-20');
  assert.match(text, 'There are 3 more.');
  assert.match(text, 'https://weir.example.com/api/v1/teams/Team-core/instances\n');
  await desk.look();
  assert.equal(desk.mails, []);
});

about('tell of memory and processor that stay near the limit of the stack, not of a peak', async () => {
  const desk = await deskWith();
  await put(desk.world, running(desk.world, 'core', 'pumps'), running(desk.world, 'core', 'lamps'));
  await stay(desk, { pumps: [95, 10], lamps: [20, 300] }, looksInARow - 1);
  await desk.look({ pumps: [20, 10], lamps: [20, 1] });
  assert.equal(desk.mails, []);
  await stay(desk, { pumps: [95, 10], lamps: [20, 48] });
  const [mail] = await desk.taken();
  assert.match(
    mail?.text ?? '',
    '"pumps" stays near its memory limit: its flows hold 95 MiB, and its stack allows 100 MiB.',
  );
  assert.match(
    mail?.text ?? '',
    '"lamps" stays near its processor limit: it uses 48 % of one core, and its stack allows 50 %.',
  );
  await stay(desk, { pumps: [99, 10], lamps: [20, 40] }, 50);
  assert.equal(desk.mails, []);
});

about(
  'tell of an instance that was put into safe mode, once each time, and not of one that somebody put there',
  async () => {
    const desk = await deskWith();
    await put(desk.world, running(desk.world, 'core', 'pumps'), running(desk.world, 'core', 'lamps'));
    const enter = async (name: string, reason: 'FastEnds' | 'Requested', at: string) => {
      const safeMode = { since: `2026-11-21T${at}.000Z`, reason, message: 'it ended 5 times' };
      assert.equal(await write(desk.world, edit(instance(desk.world, 'core', name), { safeMode })), []);
    };
    await enter('pumps', 'FastEnds', '11:59:00');
    await enter('lamps', 'Requested', '11:59:00');
    await desk.look();
    const [mail, ...more] = await desk.taken();
    assert.equal([more, mail?.subject, desk.counted], [[], '"pumps" is in safe mode', ['safeMode']]);
    assert.match(
      mail?.text ?? '',
      '"pumps" is in safe mode, because it ended 5 times. Its editor works, and its flows do not run:',
    );
    desk.at('14:00:00');
    await desk.look();
    assert.equal(desk.mails, []);
    await enter('pumps', 'FastEnds', '13:59:00');
    await desk.look();
    assert.is((await desk.taken()).length, 1);
  },
);

about('go out for a day when no mail server takes them, and once when one does', async () => {
  const desk = await deskWith();
  await put(desk.world, running(desk.world, 'core', 'pumps'));
  await crash(desk, 'pumps', 1, '11:59:30');
  await desk.look();
  assert.is((await desk.taken('failed', true)).length, 1);
  await desk.look();
  assert.equal(desk.mails, [], 'not at once');
  for (const time of ['12:05:00', '15:00:00', '23:55:00']) {
    desk.at(time);
    await desk.look(undefined, time === '15:00:00' ? desk.again() : undefined);
    assert.is((await desk.taken('failed', true)).length, 1, time);
  }
  desk.at('23:59:59');
  const next = desk.again();
  await desk.look(undefined, next);
  assert.is((await desk.taken('sent')).length, 1);
  await desk.look(undefined, next);
  assert.equal(desk.mails, []);
});

about('are told where one owner has them, although another one could not be reached', async () => {
  for (const outcomes of [
    ['sent', 'dropped'],
    ['dropped', 'sent'],
  ] as const) {
    const desk = await deskWith();
    await put(desk.world, member('core', 'bob', 'owner'));
    await write(desk.world, edit(living('User', 'bob', { email: 'bob@example.com' }), { emailVerified: true }));
    await put(desk.world, running(desk.world, 'core', 'pumps'));
    await crash(desk, 'pumps', 1, '11:59:30');
    await desk.look();
    assert.is((await desk.taken(outcomes, true)).length, 2);
    desk.at('12:30:00');
    await desk.look();
    assert.equal(desk.mails, [], outcomes.join());
  }
});

about('are not repeated where every mail server refuses them for good', async () => {
  const desk = await deskWith();
  await put(desk.world, running(desk.world, 'core', 'pumps'));
  await crash(desk, 'pumps', 1, '11:59:30');
  await desk.look();
  assert.is((await desk.taken('failed')).length, 1);
  desk.at('12:30:00');
  await desk.look();
  assert.equal(desk.mails, []);
});

about('that have nobody to go to are over, and come to nobody who owns the team later', async () => {
  const desk = await deskWith();
  await put(desk.world, team(desk.world, 'lone'), member('lone', 'ned', 'owner'), running(desk.world, 'lone', 'fans'));
  await crash(desk, 'fans', 1, '11:59:30', 'it ended', 'lone');
  await desk.look();
  const alerts = () => desk.world.store.read().get('Instance', 'Instance-fans')?.spec.alerts;
  await until('it is noted that it was told', () => alerts()?.crash !== undefined);
  const ned = desk.world.store.read().get('User', 'User-ned');
  assert.ok(ned);
  await write(desk.world, edit(ned, { emailVerified: true }));
  desk.at('12:30:00');
  await desk.look();
  assert.equal(desk.mails, []);
});

about('tell of all that an instance started, where its heap is far from its limit', async () => {
  const desk = await deskWith();
  await put(desk.world, running(desk.world, 'core', 'pumps'));
  await stay(desk, { pumps: [20, 1, 'first', 360] });
  assert.equal(desk.mails, []);
  await stay(desk, { pumps: [20, 1, 'first', 380] });
  const [mail] = await desk.taken();
  assert.match(
    mail?.text ?? '',
    '"pumps" stays near its memory limit: it holds 380 MiB with all that it started, and is ended when it holds more than 406 MiB.',
  );
});

about('tell of a limit again when it had been well below, and an hour has passed', async () => {
  const desk = await deskWith();
  await put(desk.world, running(desk.world, 'core', 'pumps'));
  await stay(desk, { pumps: [95] });
  assert.is((await desk.taken())[0]?.subject, '"pumps" is near its memory limit');
  await stay(desk, { pumps: [20] });
  await stay(desk, { pumps: [95] });
  assert.equal(desk.mails, []);
  desk.at('13:00:00');
  await desk.look({ pumps: [95] });
  assert.is((await desk.taken()).length, 1);
  // Another run begins anew.
  await stay(desk, { pumps: [95, 1, 'second'] }, looksInARow - 1);
  desk.at('14:30:00');
  assert.equal(desk.mails, []);
  await desk.look({ pumps: [95, 1, 'second'] });
  assert.is(desk.mails.length, 1);
});

about('are not repeated after a restart of Weir, nor forgotten by it', async () => {
  const desk = await deskWith();
  await put(desk.world, running(desk.world, 'core', 'pumps'), running(desk.world, 'core', 'lamps'));
  await crash(desk, 'lamps', 1, '11:59:00');
  await stay(desk, { pumps: [95], lamps: [1] });
  await desk.taken();
  await desk.alerts.close();
  const second = desk.again();
  await desk.look({}, second);
  await stay(desk, { pumps: [95], lamps: [1] }, 20, second);
  assert.equal(desk.mails, []);
  await second.close();
  await crash(desk, 'lamps', 2, '13:10:00');
  desk.at('13:30:00');
  const third = desk.again();
  await desk.look({}, third);
  assert.is((await desk.taken())[0]?.subject, '"lamps" crashed');
});

about('are told by the next process where this one stops before a mail server took them', async () => {
  const desk = await deskWith();
  await put(desk.world, running(desk.world, 'core', 'pumps'));
  await crash(desk, 'pumps', 1, '11:59:00');
  await desk.look();
  const closed = desk.alerts.close();
  await desk.taken('dropped');
  await closed;
  await desk.look();
  assert.equal([desk.mails, desk.counted], [[], []]);
  const second = desk.again();
  await desk.look({}, second);
  assert.is((await desk.taken()).length, 1);
});

about('are noted before this process ends, where the mail server takes them meanwhile', async () => {
  const desk = await deskWith();
  await put(desk.world, running(desk.world, 'core', 'pumps'));
  await crash(desk, 'pumps', 1, '11:59:00');
  await desk.look();
  const closed = desk.alerts.close();
  for (const { told } of desk.mails.splice(0)) told('sent', false);
  await closed;
  await desk.look({}, desk.again());
  assert.equal(desk.mails, []);
});

about('are given up where no address takes them, and tried again where mail was not tried', async () => {
  const desk = await deskWith();
  await put(desk.world, running(desk.world, 'core', 'pumps'), running(desk.world, 'core', 'lamps'));
  await crash(desk, 'pumps', 1, '11:59:00');
  await desk.look();
  await desk.taken('failed');
  await crash(desk, 'lamps', 1, '11:59:00');
  await desk.look();
  await desk.taken('dropped');
  desk.at('12:04:59');
  await desk.look();
  assert.equal(desk.mails, []);
  desk.at('12:05:00');
  await desk.look();
  assert.equal(
    desk.mails.map(({ subject }) => subject),
    ['"lamps" crashed'],
  );
  assert.equal(desk.counted, []);
});

about('are sent only where the feature has an effect, and then only of what is new', async () => {
  for (const wishes of [{ feature: false }, { platform: root }]) {
    const desk = await deskWith(wishes);
    await put(desk.world, running(desk.world, 'core', 'pumps'));
    await crash(desk, 'pumps', 1, '11:59:00');
    await stay(desk, { pumps: [95] }, 2 * looksInARow);
    assert.equal(desk.mails, []);
    desk.at('23:00:00');
    const switches = '{name: starter}\nspec:\n  features: {emailAlerts: true}';
    await apply(desk.world, { ...catalogueWith('{name: starter}\nspec:', switches), 'weir.yaml': email });
    await desk.look({ pumps: [95] });
    assert.is(desk.mails[0]?.subject, '2 alerts for the team "core"');
  }
});

about('are no more of an instance that is gone or stopped', async () => {
  const desk = await deskWith();
  await put(desk.world, running(desk.world, 'core', 'pumps'), running(desk.world, 'core', 'lamps'));
  await crash(desk, 'pumps', 1, '11:59:00');
  await write(desk.world, (view) => {
    const found = view.get('Instance', 'Instance-pumps');
    return found ? [deleted(found)] : [];
  });
  await desk.look({ pumps: [95] });
  await stay(desk, { lamps: [95] });
  await desk.taken();
  await write(desk.world, edit(instance(desk.world, 'core', 'lamps'), { state: 'stopped' }));
  await desk.look();
  assert.equal(desk.world.store.read().get('Instance', 'Instance-lamps')?.spec.alerts?.memory?.near, false);
  assert.equal(desk.mails, []);
});

about('are not mailed again and again where that they were cannot be kept', async () => {
  const desk = await deskWith();
  await put(desk.world, running(desk.world, 'core', 'pumps'));
  await crash(desk, 'pumps', 1, '11:59:00');
  const store = { ...desk.world.store, commit: () => Promise.reject(new Error('the disk is full')) };
  const alerts = desk.again({
    door: {
      ...desk.world.door,
      store,
      facts: () => ({
        ...desk.world.door.facts(),
        drivers: new Map([['local', { provides: new Set(['emailAlerts'] as const) }]]),
      }),
    },
  });
  await desk.look({}, alerts);
  for (const { told } of desk.mails.splice(0)) told('sent', false);
  await until('it was tried', () => desk.logged.length > 0);
  assert.match(desk.logged[0] ?? '', 'error what owners of instances were told cannot be kept: the disk is full');
  await desk.look({}, alerts);
  assert.equal(desk.mails, []);
});

about('reach owners by a real mail server when a driver says that an instance ended', async () => {
  const server = await startSmtp();
  const desk = await deskWith();
  const driver = stubDriver('local', ['emailAlerts']);
  const drivers = new Map([['local', driver]]);
  const door = { ...desk.world.door, facts: () => ({ ...desk.world.door.facts(), drivers }) };
  const { newId } = desk.world.context('api');
  const clock = () => new Date().toISOString();
  const log = () => {};
  const mailer = createMailer({ settings: () => settingsFor(server), log });
  const alerts = desk.again({ door, mailer, clock });
  await put(desk.world, instance(desk.world, 'core', 'pumps'));
  const loop = startConverge({ door, drivers, clock, newId, log });
  try {
    await loop.settled();
    driver.end('Instance-pumps', { reason: 'Killed', message: 'it was ended by the signal SIGKILL' });
    await eventually(() => {
      assert.is(desk.world.store.read().get('Instance', 'Instance-pumps')?.spec.crashes?.count, 1);
    });
    await desk.look({}, alerts);
    const mail = await until('the mail has come', () => server.mails[0]);
    assert.is(mail.header('subject'), '"pumps" crashed');
    assert.match(mail.text, 'because it was ended by the signal SIGKILL');
    await Promise.all([mailer.close(), alerts.close()]);
    const { crashes, alerts: told } = desk.world.store.read().get('Instance', 'Instance-pumps')?.spec ?? {};
    assert.equal([crashes?.count, told?.crash?.count], [1, 1]);
  } finally {
    await loop.close();
    await server.close();
  }
});

about('count a start that fails again and again as one crash', async () => {
  const desk = await deskWith();
  const driver = stubDriver('local');
  const drivers = new Map([['local', driver]]);
  const { newId } = desk.world.context('api');
  let now = Date.parse('2026-11-21T12:00:00.000Z');
  const clock = () => new Date(now++).toISOString();
  const pauses = { firstMs: 1, mostMs: 1, steadyMs: 1000 };
  driver.refuse(() => ({ reason: 'NoPort', message: `there was none at ${now}` }));
  await put(desk.world, instance(desk.world, 'core', 'pumps'));
  const loop = startConverge({ door: desk.world.door, drivers, clock, newId, log: () => {}, pauses });
  await until('it was tried often', () => driver.calls.length > 5);
  await loop.close();
  const { crashes } = desk.world.store.read().get('Instance', 'Instance-pumps')?.spec ?? {};
  assert.equal([crashes?.count, crashes?.reason], [1, 'NoPort']);
});

about.run();
