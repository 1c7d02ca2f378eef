// timeout: 900
// A dry run shows what the write then does: the same objects, whatever is sent, on every route that takes a dry run.
import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { kindOf } from '../../src/core/kinds/index.ts';
import type { Change } from '../../src/core/model/change.ts';
import { fieldsOf } from '../../src/core/plan/plan-fields.ts';
import { contractOf, type Operation } from './contract.ts';
import { inPlaceOf, startPopulated, words } from './populated.ts';
import { bodiesOf, encode } from './requests.ts';
import type { ServerWorld } from './world.ts';

const world = await startPopulated();
const contract = contractOf((await world.ask('GET', '/api/')).body);
await world.close();
const tried = contract.operations.filter(({ parameters }) => parameters.some(({ name }) => name === 'dryRun'));

/** These act on what is no resource of the store (files), or apply or plan a whole tree. */
const others = new Set(['putInstanceFile', 'deleteInstanceFile', 'planDocuments', 'reconcile']);

const runs = suite('a dry run');

for (const operation of tried.filter(({ id }) => !others.has(id)))
  runs(`${operation.method} ${operation.path} shows what the write then does`, async () => {
    const here = await startPopulated();
    try {
      const session = await here.signedIn('ann');
      const requests = fc.tuple(pathsOf(operation.path), bodiesOf(contract, operation, words));
      const property = fc.asyncProperty(requests, async ([path, { value }]) => {
        await compare(here, operation, path, value, session);
      });
      await fc.assert(property, { seed: 20_261_122, numRuns: 12, endOnFailure: true });
    } finally {
      await here.close();
    }
  });

runs('tells what goes with a user, and how much that is', async () => {
  const here = await startPopulated();
  try {
    await here.signedIn('bob');
    const { body: plan } = await here.ask('DELETE', '/api/v1/users/bob?dryRun=true');
    assert.equal(plan.changes[0].affects, { sessions: 1, tokens: 3, invitations: 1 });
    assert.is(plan.consequences.length, 5);
    assert.is(plan.summary.delete, 1);
    const reasons = new Set(plan.consequences.map(({ reason }: { readonly reason: string }) => reason));
    assert.equal([...reasons], ['the user bob is deleted']);
  } finally {
    await here.close();
  }
});

runs('of a single sign-on configuration tells whose sessions end', async () => {
  const here = await startPopulated();
  try {
    await here.signedIn('bob');
    const saml = { signOnUrl: 'https://idp.example/sso', issuer: 'idp', certificate: 'a certificate' };
    const spec = { emailDomain: 'example.net', provider: 'saml', active: true, saml };
    const made = { name: 'net', spec };
    // By a session, since an admin has an address of this domain.
    const headers = await here.signedIn('ann');
    const asked = { as: 'none', headers, body: made } as const;
    const { body: plan } = await here.ask('POST', '/api/v1/sso-configs?dryRun=true', asked);
    const own = plan.consequences.filter(({ address }: { readonly address: string }) => address.startsWith('Session/'));
    assert.is(plan.changes[0].affects.sessions, own.length);
    assert.ok(own.length > 0);
    assert.is(own[0].reason, 'example.net signs in through SsoConfig/net now');
  } finally {
    await here.close();
  }
});

runs.run();

async function compare(
  here: ServerWorld,
  { method }: Operation,
  path: string,
  body: unknown,
  session: Readonly<Record<string, string>>,
): Promise<void> {
  const send = (url: string) =>
    here.ask(method as 'POST', url, { as: 'none', headers: session, ...(body === undefined ? {} : { body }) });
  const dry = await send(`${path}?dryRun=true`);
  const kept: Change[] = [];
  const unsubscribe = here.store.subscribe((entry) => {
    if (entry !== 'reset') kept.push(...entry.changes);
  });
  const real = await send(path);
  unsubscribe();
  if (real.status >= 400) {
    assert.equal(kept, []);
    return;
  }
  assert.is(dry.status, 200, dry.text);
  const planned = [...dry.body.changes, ...dry.body.consequences];
  const shown = planned.map(({ address, action }) => `${action} ${nameless(address)}`).sort();
  assert.equal(shown, kept.filter(isShown).map(told).sort());
}

/** What a new object is called by its id has another id each time that it is made. */
function nameless(address: string): string {
  const [kind = '', name = ''] = address.split('/');
  return ['Membership', 'Invitation', 'Session', 'ActionToken'].includes(kind) ? kind : `${kind}/${name}`;
}

function told({ kind, before, after }: Change): string {
  const action = before ? (after ? 'update' : 'delete') : 'create';
  return `${action} ${nameless(`${kind}/${(after ?? before)?.name}`)}`;
}

function isShown({ kind, before, after }: Change): boolean {
  if (kindOf(kind).internal) return false;
  return !before || !after || fieldsOf(before, after).length > 0;
}

function pathsOf(path: string): fc.Arbitrary<string> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return fc.tuple(...names.map((name) => fc.constantFrom(...inPlaceOf(path, name)))).map((all) => {
    let index = 0;
    return path.replaceAll(/\{\w+\}/g, () => encode(all[index++] ?? ''));
  });
}
