// Notifications to real receivers: who is told what, in which order, how often, and what becomes of it when they fail.
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { deliver } from '../../src/notify/deliver.ts';
import type { Evaluation } from '../../src/store/store.ts';
import { freePort } from '../support/free-port.ts';
import { eventually, until } from '../support/until.ts';
import { type Listener, listener, secret } from './listener.ts';
import { type Office, office } from './office.ts';

interface Context {
  hook: Listener;
  office: Office;
}

function notifications(about: string) {
  const test = suite<Context>(about);
  test.before.each(async (context) => {
    context.hook = await listener();
    context.office = office();
  });
  test.after.each(async ({ hook, office: { close } }) => {
    await close();
    await hook.close();
  });
  return test;
}

const told = ({ received }: Listener) => received.map(({ data }) => `${data.event} ${data.revision}`);

const telling = notifications('a receiver');

telling('is told of each attempt from the one that declared it, in order, signed, once', async ({ hook, office }) => {
  await office.attempt('before');
  office.start();
  await office.declare({ ci: { url: hook.url } });
  await office.attempt('two', 'refused');
  await office.attempt('three', 'unchanged');
  await until('told', () => hook.received.length === 3);
  assert.equal(told(hook), ['applied declared', 'refused two', 'recovered three']);
  for (const one of hook.received) {
    assert.equal(one.signedBy, ['first']);
    assert.is(one.path, '/hook?for=weir');
    assert.is(one.data.platform, 'https://weir.example.com');
    assert.is(one.type, `config.${one.data.event}`);
  }
  assert.is(new Set(hook.received.map(({ id }) => id)).size, 3);
  await until('noted', () => office.waiting() === 0);
  assert.is(office.receiver('ci')?.state, 'well');
  assert.equal(office.results, ['delivered', 'delivered', 'delivered']);
});

telling('is told of what it asks for alone', async ({ hook, office }) => {
  office.start();
  await office.declare({ ci: { url: hook.url, events: ['recovered'] } });
  await office.attempt('two', 'refused');
  await office.attempt('three');
  await until('told', () => hook.received.length === 1);
  assert.equal(told(hook), ['recovered three']);
});

telling('does not wait for another, who does not answer', async ({ hook, office }) => {
  const mute = await listener();
  mute.always('mute');
  office.start();
  await office.declare({ slow: { url: mute.url }, ci: { url: hook.url } });
  await office.attempt('two');
  await until('told', () => hook.received.length === 2);
  assert.is(mute.received.length, 1);
  await office.close();
  await mute.close();
});

telling('that is declared no more is told nothing, and begins anew when it comes back', async ({ hook, office }) => {
  office.start();
  await office.declare({ ci: { url: hook.url } });
  await until('told', () => hook.received.length === 1);
  await office.declare({}, 'without');
  await until('forgotten', () => office.receiver('ci') === undefined);
  await office.attempt('meanwhile');
  await office.declare({ ci: { url: hook.url } }, 'back');
  await until('told again', () => hook.received.length === 2);
  assert.equal(told(hook), ['applied declared', 'applied back']);
});

telling('gets two signatures while keys change', async ({ hook, office }) => {
  const next = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const both = await listener(0, { next, first: secret });
  office.secrets.set('WEIR_SECRET_HOOK', `${next} ${secret}`);
  office.start();
  await office.declare({ new: { url: both.url }, old: { url: hook.url } });
  await until('told', () => both.received.length + hook.received.length === 2);
  assert.equal(both.received[0]?.signedBy, ['next', 'first']);
  assert.equal(hook.received[0]?.signedBy, ['first']);
  await both.close();
});

telling.run();

const failing = notifications('a receiver that fails');

failing('with 503 is tried again with the same id until it takes the message', async ({ hook, office }) => {
  hook.always(503);
  office.start();
  await office.declare({ ci: { url: hook.url } });
  await until('failing', () => office.receiver('ci')?.state === 'failing');
  assert.match(office.receiver('ci')?.reason ?? '', /^it answered 503/);
  hook.always(204);
  await until('delivered', () => office.results.length === 1);
  assert.ok(hook.received.length > 1);
  assert.is(new Set(hook.received.map(({ id }) => id)).size, 1);
  await until('well', () => office.receiver('ci')?.state === 'well');
  assert.is(office.receiver('ci')?.reason, '');
  assert.equal(office.results, ['delivered']);
});

failing('because it is down gets everything in order once it is up', async ({ hook, office }) => {
  const port = await freePort();
  office.start();
  await office.declare({ ci: { url: hook.url.replace(`:${hook.port}/`, `:${port}/`) } });
  for (const revision of ['two', 'three']) await office.attempt(revision);
  await until('failing', () => office.receiver('ci')?.reason === 'nothing listens there');
  assert.is(office.waiting(), 3);
  const up = await listener(port);
  await until('told', () => up.received.length === 3);
  assert.equal(told(up), ['applied declared', 'applied two', 'applied three']);
  await up.close();
});

failing('by never answering is given up on, and tried again', async ({ hook, office }) => {
  hook.answer('mute');
  office.start({ answerMs: 150 });
  await office.declare({ ci: { url: hook.url } });
  await until('taken', () => hook.received.length === 2);
  assert.ok(office.logged.some((line) => line.includes('because it did not answer in time; next try in')));
});

failing('by answering without end has taken the message', async ({ hook, office }) => {
  let cut = false;
  hook.answer((response) => {
    response.writeHead(200);
    const more = setInterval(() => response.write('x'.repeat(1000)), 5);
    response.on('close', () => {
      clearInterval(more);
      cut = true;
    });
  });
  office.start();
  await office.declare({ ci: { url: hook.url } });
  await until('taken', () => office.results.length === 1);
  assert.equal(office.results, ['delivered']);
  await until('the answer is not read on', () => cut);
});

failing('by cutting the connection is tried again', async ({ hook, office }) => {
  hook.answer((response) => response.destroy());
  office.start();
  await office.declare({ ci: { url: hook.url } });
  await until('taken', () => hook.received.length === 2);
});

failing('with 429 is tried again when it says', async ({ hook, office }) => {
  hook.answer((response) => response.writeHead(429, { 'retry-after': '1' }).end());
  office.start();
  const begun = performance.now();
  await office.declare({ ci: { url: hook.url } });
  await until('taken', () => hook.received.length === 2);
  assert.ok(performance.now() - begun >= 990);
});

failing('with a time to try again is asked again then, and after an hour at most', async ({ hook }) => {
  // In whole seconds, as the dates of HTTP are.
  const at = Math.floor(Date.now() / 1000) * 1000;
  const now = new Date(at).toISOString();
  const inSeconds = (seconds: number) => new Date(at + seconds * 1000).toUTCString();
  const { signal } = new AbortController();
  const message = { id: 'msg', body: '{}' };
  const asked = async (retryAfter: string) => {
    hook.answer((response) => response.writeHead(503, { 'retry-after': retryAfter }).end());
    const outcome = await deliver({ url: hook.url, message, keys: [Buffer.alloc(32)], now, answerMs: 10_000, signal });
    return outcome.came === 'later' ? outcome.afterMs : outcome.came;
  };
  assert.is(await asked('90'), 90_000);
  assert.is(await asked('3601'), 3_600_000);
  assert.is(await asked('9'.repeat(400)), 3_600_000);
  assert.is(await asked(inSeconds(30)), 30_000);
  assert.is(await asked(inSeconds(400_000)), 3_600_000);
  assert.is(await asked(inSeconds(-400_000)), 0);
  assert.is(await asked('soon'), undefined);
});

failing('with 404 has this message given up, and is told the next', async ({ hook, office }) => {
  hook.answer(404);
  office.start();
  await office.declare({ ci: { url: hook.url } });
  await until('given up', () => office.results.length === 1);
  await until('failing', () => office.receiver('ci')?.state === 'failing');
  await office.attempt('two');
  await until('well', () => office.receiver('ci')?.state === 'well');
  assert.equal(told(hook), ['applied declared', 'applied two']);
  assert.equal(office.results, ['failed', 'delivered']);
});

failing('by sending elsewhere is not followed', async ({ hook, office }) => {
  const elsewhere = await listener();
  hook.answer((response) => response.writeHead(307, { location: elsewhere.url }).end());
  office.start();
  await office.declare({ ci: { url: hook.url } });
  await until('given up', () => office.results.length === 1);
  assert.equal(office.results, ['failed']);
  assert.is(elsewhere.received.length, 0);
  await eventually(() =>
    assert.match(office.receiver('ci')?.reason ?? '', /^it answered 307: redirects are not followed/),
  );
  await elsewhere.close();
});

failing('because its port belongs to another protocol is not tried again', async ({ office }) => {
  office.start();
  await office.declare({ ci: { url: 'http://127.0.0.1:6667/hook' } });
  await until('given up', () => office.results.length === 1);
  await eventually(() => assert.match(office.receiver('ci')?.reason ?? '', /^the port of its url/));
});

failing('for too long has the message given up', async ({ hook, office }) => {
  hook.always(500);
  office.start({ giveUpMs: 100 });
  await office.declare({ ci: { url: hook.url } });
  await until('given up', () => office.results.length === 1);
  assert.equal(office.results, ['failed']);
  await until('noted', () => office.waiting() === 0);
});

failing('with 410 is told nothing more, after a restart either, until its url changes', async ({ hook, office }) => {
  hook.always(410);
  office.start();
  await office.declare({ ci: { url: hook.url } });
  await until('gone', () => office.receiver('ci')?.state === 'gone');
  await office.attempt('two');
  await office.close();
  office.start();
  await office.attempt('three');
  await sleep(100);
  assert.is(hook.received.length, 1);
  assert.is(office.waiting(), 0);
  hook.always(204);
  await office.declare({ ci: { url: `${hook.url}&again` } }, 'mended');
  await until('told again', () => hook.received.length === 2);
  assert.equal(told(hook), ['applied declared', 'applied mended']);
  await until('well', () => office.receiver('ci')?.state === 'well');
});

failing('because of its url is told at the new one at once', async ({ hook, office }) => {
  const nobody = `http://127.0.0.1:${await freePort()}/hook`;
  office.start({ retryMs: [60_000] });
  await office.declare({ ci: { url: nobody } });
  await until('failing', () => office.receiver('ci')?.state === 'failing');
  await office.declare({ ci: { url: hook.url } }, 'mended');
  await until('told', () => hook.received.length === 2);
  assert.equal(told(hook), ['applied declared', 'applied mended']);
});

failing('because of our secret is told once that is there; the log never shows it', async ({ hook, office }) => {
  office.secrets.delete('WEIR_SECRET_HOOK');
  office.start();
  await office.declare({ ci: { url: hook.url } });
  await until('failing', () => office.receiver('ci')?.reason === 'the variable is not set');
  office.secrets.set('WEIR_SECRET_HOOK', 'correct horse battery staple');
  await until('still failing', () => office.receiver('ci')?.reason.includes('whsec_') === true);
  office.secrets.set('WEIR_SECRET_HOOK', secret);
  await until('told', () => hook.received.length === 1);
  const log = office.logged.join('\n');
  for (const hidden of [secret, 'correct horse', '/hook?for=weir']) assert.not.match(log, hidden);
});

failing.run();

const lasting = notifications('what waits');

lasting('is told after a restart, and what was told is not', async ({ hook, office }) => {
  office.start();
  await office.declare({ ci: { url: hook.url } });
  await until('noted', () => hook.received.length === 1 && office.receiver('ci')?.told !== null);
  await office.close();
  await office.attempt('while it was down');
  hook.answer(500);
  office.start({ retryMs: [60_000] });
  await until('failing', () => office.receiver('ci')?.state === 'failing');
  await office.attempt('while it waited');
  await office.close();
  office.start();
  await until('told', () => hook.received.length === 4);
  const [, failed, ...rest] = hook.received;
  assert.equal(
    rest.map(({ data }) => data.revision),
    ['while it was down', 'while it waited'],
  );
  assert.is(failed?.id, rest[0]?.id);
});

lasting('is bounded: the newest attempts are told, and that others are not is said', async ({ hook, office }) => {
  hook.always(500);
  office.start({ most: 3 });
  await office.declare({ ci: { url: hook.url } });
  await until('failing', () => office.receiver('ci')?.state === 'failing');
  for (let nth = 1; nth <= 8; nth++) await office.attempt(`${nth}`);
  assert.ok(office.waiting() <= 3);
  hook.always(204);
  const taken = () => hook.received.filter(({ data }) => data.revision === '8').length;
  await until('told', () => taken() === 1 && office.results.length === 5);
  assert.equal([...new Set(told(hook))], ['applied declared', 'applied 6', 'applied 7', 'applied 8']);
  assert.equal(office.results, ['delivered', 'dropped', 'delivered', 'delivered', 'delivered']);
});

lasting('is found past what is told first', async ({ hook, office }) => {
  office.start();
  await office.declare({ ci: { url: hook.url } });
  await until('noted', () => hook.received.length === 1 && office.waiting() === 0);
  await office.close();
  for (let nth = 1; nth <= 9; nth++) await office.attempt(`${nth}`);
  office.start();
  await until('told', () => hook.received.length === 10);
  assert.is(told(hook).at(-1), 'applied 9');
  assert.is(new Set(told(hook)).size, 10);
});

lasting('does not keep a stop waiting', async ({ hook, office }) => {
  hook.always('mute');
  office.start({ closeMs: 100, answerMs: 240_000 });
  await office.declare({ ci: { url: hook.url } });
  await until('asked', () => hook.received.length === 1);
  const begun = performance.now();
  await office.close();
  assert.ok(performance.now() - begun < 120_000);
  assert.equal(office.results, []);
});

lasting('is told once in a process although the store keeps nothing of it', async ({ hook }) => {
  const kept = office();
  const { store } = kept;
  const commit: typeof store.commit = (transaction, options) => {
    const [change] = (transaction(store.read()) as Evaluation).changes;
    return change?.kind === 'Receiver'
      ? Promise.reject(new Error('the disk is full'))
      : store.commit(transaction, options);
  };
  const failing = office({ ...store, commit });
  failing.start();
  await failing.declare({ ci: { url: hook.url } });
  await failing.attempt('two');
  await until('told', () => hook.received.length === 2);
  await sleep(50);
  assert.equal(told(hook), ['applied declared', 'applied two']);
  await failing.close();
});

lasting.run();
