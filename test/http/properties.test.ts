// timeout: 1200
// Whatever is sent, by whomever: the answer is one that is described, and tells nobody what is not theirs.
import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answered, contractOf, type Operation } from './contract.ts';
import { inPlaceOf, marker, secretMarker, startPopulated, words } from './populated.ts';
import { bodiesOf, encode, type Made, nasty, queriesOf } from './requests.ts';
import { type Credential, credentials, type ServerWorld } from './world.ts';

const seed = 20_261_121;
/** Requests for each operation; those that hash a password are slow by design. */
const runs = 60;
const slowRuns = 20;
const slow = /^\/account\/|\/users|\/password/;

interface Asking {
  readonly path: string;
  readonly query: string;
  readonly body: Made;
  readonly type: string;
  readonly by: { readonly token: Credential } | { readonly session: string };
  readonly headers: Readonly<Record<string, string>>;
  readonly dryRun: boolean;
}

const world = await startPopulated();
const contract = contractOf((await world.ask('GET', '/api/')).body);
const sessions = ['ann', 'bob', 'olga', 'max', 'otto'];
await world.close();

const properties = suite('whatever is sent');

for (const operation of contract.operations)
  properties(`${operation.method} ${operation.path} answers as it is described`, async () => {
    const here = await startPopulated();
    try {
      const numRuns = slow.test(operation.path) ? slowRuns : runs;
      const property = fc.asyncProperty(askings(operation), (asking) => check(here, operation, asking));
      told(await fc.check(property, { seed, numRuns, endOnFailure: true }));
      assert.equal(
        here.logged.filter((line) => line.includes('failed:')),
        [],
      );
    } finally {
      await here.close();
    }
  });

properties.run();

function told({ failed, counterexample, errorInstance, counterexamplePath }: fc.RunDetails<[Asking]>): void {
  if (!failed) return;
  const why = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  throw new Error(`seed ${seed}, path ${counterexamplePath}: ${JSON.stringify(counterexample)}\n${why}`);
}

function askings(operation: Operation): fc.Arbitrary<Asking> {
  const { method, path } = operation;
  return fc.record({
    path: pathsOf(path),
    query: queriesOf(contract, operation, words),
    body: method === 'GET' ? fc.constant({ value: undefined }) : bodiesOf(contract, operation, words),
    type: fc.oneof(
      { weight: 12, arbitrary: fc.constant('application/json') },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          'text/plain',
          'application/x-www-form-urlencoded',
          'application/json; charset=utf-8',
          'nonsense',
        ),
      },
    ),
    by: fc.oneof(
      { weight: 3, arbitrary: fc.constant({ session: 'ann' }) },
      { weight: 2, arbitrary: fc.constantFrom(...sessions).map((session) => ({ session })) },
      { weight: 3, arbitrary: fc.constantFrom(...credentials).map((token) => ({ token })) },
    ),
    headers: fc.oneof(
      { weight: 4, arbitrary: fc.constant({}) },
      {
        weight: 1,
        arbitrary: fc.constantFrom<Readonly<Record<string, string>>>(
          { 'idempotency-key': 'k-1' },
          { 'idempotency-key': 'two words' },
          { 'if-match': '"never"' },
          { 'if-match': '*' },
          { 'if-none-match': '*' },
          { accept: 'application/openmetrics-text' },
          { accept: 'text/html;q=9, nonsense' },
        ),
      },
    ),
    dryRun: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  });
}

function pathsOf(path: string): fc.Arbitrary<string> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const values = names.map((name) =>
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...inPlaceOf(path, name)) },
      { weight: 1, arbitrary: fc.constantFrom(...nasty).filter((text) => !['', '.', '..'].includes(text)) },
    ),
  );
  return fc.tuple(...values).map((all) => {
    let index = 0;
    return path.replaceAll(/\{\w+\}/g, () => encode(all[index++] ?? ''));
  });
}

async function check(here: ServerWorld, operation: Operation, asking: Asking): Promise<void> {
  const url = addressOf(operation, asking);
  const mayRead = readsHidden(here, asking.by);
  // A new session for each: the request before may have ended it.
  const session = 'session' in asking.by ? await here.signedIn(asking.by.session) : {};
  const before = here.store.read().position;
  const answer = await send(here, operation, url, asking, session);
  fits(contract.breach(operation, answer));
  assert.ok(answer.status < 500, `${answer.status} ${answer.text}`);
  takesOnlyWhatFits(operation, asking.body, answer);
  const changesNothing = operation.method === 'GET' || url.includes('dryRun=true') || answer.status >= 400;
  if (changesNothing && !mayChangeByReading(asking))
    assert.is(here.store.read().position, before, `it changed something, and answered ${answer.status}`);
  leaksNothing(answer, url, mayRead || readsHidden(here, asking.by));
}

function addressOf({ parameters }: Operation, { path, query, dryRun }: Asking): string {
  const tries = dryRun && parameters.some(({ name }) => name === 'dryRun') && !query.includes('dryRun');
  const all = [query, ...(tries ? ['dryRun=true'] : [])].filter(Boolean).join('&');
  return all === '' ? path : `${path}?${all}`;
}

function send(
  here: ServerWorld,
  { method }: Operation,
  url: string,
  { by, body, type, headers }: Asking,
  session: Readonly<Record<string, string>>,
): Promise<Answered> {
  const sent = body.value === undefined ? undefined : JSON.stringify(body.value);
  return here.ask(method, url, {
    as: 'token' in by ? by.token : 'none',
    headers: { ...session, ...headers, ...(sent === undefined ? {} : { 'content-type': type }) },
    ...(sent === undefined ? {} : { body: sent }),
  });
}

function takesOnlyWhatFits({ body: schema, bodyRequired }: Operation, body: Made, answer: Answered): void {
  const { status, text } = answer;
  if (body.foreign && !refusedBefore(answer)) assert.is(status, 400, `an unknown field was taken: ${text}`);
  if (status < 300 && schema && (body.value !== undefined || bodyRequired))
    fits(contract.misfit(schema, jsonOf(body.value)), 'a body was taken that is described as wrong: ');
}

function fits(wrong: string | undefined, what = ''): void {
  if (wrong !== undefined) assert.unreachable(`${what}${wrong}`);
}

/** Refused for who asks or what for, or for the type of the body: what is in it was not looked at. */
function refusedBefore({ status }: Answered): boolean {
  return [401, 403, 404, 415].includes(status);
}

/** What was sent, as it arrives: JSON knows no lone surrogates or negative zero apart. */
function jsonOf(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

/** A token that has ended is deleted when it is shown, a wrong password is counted, and what a reconcile refuses is history. */
function mayChangeByReading({ by, path }: Asking): boolean {
  return ('token' in by && by.token === 'expired') || /^.account.login$|.password$|.reconcile$/.test(path);
}

/** Whether the caller may by now: an admin, or somebody whom an admin added or invited to the team. */
function readsHidden({ store }: ServerWorld, by: Asking['by']): boolean {
  const name = 'session' in by ? by.session : holders[by.token];
  const view = store.read();
  const user = name === undefined ? undefined : view.get('User', name);
  if (!user) return false;
  const invited = [...view.all('Invitation')].some(
    ({ spec }) => spec.team === 'hidden' && (spec.user === user.id || spec.email === user.spec.email),
  );
  return (
    user.spec.admin ||
    invited ||
    view.having('Membership', `member=hidden/${user.id}`)[Symbol.iterator]().next().done === false
  );
}

const holders: Partial<Record<Credential, string>> = {
  user: 'bob',
  planOfUser: 'bob',
  plan: 'ann',
  admin: 'ann',
  owner: 'olga',
  member: 'max',
  viewer: 'vera',
  dashboard: 'dora',
  otherOwner: 'otto',
};

function leaksNothing({ text, headers }: Answered, url: string, mayRead: boolean): void {
  const all = `${text}${JSON.stringify(headers)}`;
  assert.not.ok(all.includes(secretMarker), `it tells a secret: ${all}`);
  assert.not.match(all, /\$argon2|"hash"|passwordHash/);
  if (!mayRead && !url.includes(marker)) assert.not.ok(all.includes(marker), `it tells of another team: ${all}`);
}
