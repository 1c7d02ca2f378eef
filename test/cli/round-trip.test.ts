// timeout: 600
// An installation that was set up through the API becomes a tree, and the tree becomes the same installation.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { PlanDocument } from '../../src/core/plan/plan-document.ts';
import { mintOn, type Serving, serve } from '../support/serving.ts';
import { platform, type Workspace, workspace } from './world.ts';

const root = `${platform}spec:\n  licence: enterprise\n  reconcile: {settleMs: 100, pollSeconds: 3600}\n`;

type Body = Readonly<Record<string, unknown>>;

/** What an admin makes by hand: 200 objects of every kind but the Platform, which the tree always declares. */
function installation(): readonly (readonly [string, Body])[] {
  const many = <T>(count: number, make: (index: number) => T) =>
    Array.from({ length: count }, (_, index) => make(index));
  const stacks = many(60, (n) => ({
    name: `nr-${n}`,
    labels: n % 3 === 0 ? { tier: 'free', 'example.com/zone': `"z: ${n}`.replace(/[^a-z0-9]/g, '') } : {},
    spec: {
      label: [`Node-RED ${n}`, 'yes', '1.10', '# no remark', ' a: b', '- two: {lines}', 'ümläut', "it's"][n % 8],
      runtime: `4.${n}`,
      ...(n % 2 === 0 ? { resources: { memoryMb: 128 + n } } : {}),
      ...(n % 10 === 9 ? { replaces: `nr-${n - 1}`, active: false } : {}),
    },
  }));
  const sizes = many(45, (n) => ({
    name: `size-${n}`,
    spec: { description: `Size ${n}`, order: n, stacks: [`nr-${n}`, 'nr-50'], defaultStack: `nr-${n}` },
  }));
  const templates = many(30, (n) => ({
    name: `template-${n}`,
    spec: {
      description: `Template\n${n}\n`,
      options: { theme: { value: 'dark', locked: n % 2 === 0 }, apiMaxLength: { value: `${n + 1}mb` } },
      environment: many(n % 4, (m) => ({ name: `VAR_${m}`, value: ` ${m}\t`, locked: m === 1 })),
    },
  }));
  const types = many(50, (n) => ({
    name: `type-${n}`,
    labels: { cost: `${n}` },
    spec: {
      description: n === 0 ? '' : `For team ${n}`,
      active: n % 7 !== 6,
      selfService: n % 2 === 0,
      features: { teamLibrary: n % 2 === 1, assistantChat: n % 5 !== 4 },
      instanceTypes: many(n % 5, (m) => ({ name: `size-${m}`, ...(m > 1 ? { limit: m } : {}) })),
      limits: n % 3 === 0 ? {} : { members: n + 1, instances: 2 * n },
    },
  }));
  const sso = many(14, (n) => ({
    name: `sso-${n}`,
    spec:
      n % 2 === 0
        ? { emailDomain: `Saml${n}.example.com`, provider: 'saml', saml: { issuer: `https://idp.example.com/${n}` } }
        : {
            emailDomain: `ldap${n}.example.com`,
            provider: 'ldap',
            ldap: { server: `ldap${n}:389`, baseDn: 'dc=example', password: { fromEnv: `WEIR_SECRET_LDAP_${n}` } },
            groups: { manageRoles: true, scope: 'selected', teams: ['b', 'a'] },
          },
  }));
  return [
    ...stacks.map((body) => ['stacks', body] as const),
    ...sizes.map((body) => ['instance-types', body] as const),
    ...templates.map((body) => ['templates', body] as const),
    ...types.map((body) => ['team-types', body] as const),
    ...sso.map((body) => ['sso-configs', body] as const),
  ];
}

const kinds = ['team-types', 'instance-types', 'stacks', 'templates', 'sso-configs', 'admin-settings', 'platform'];

/** A server, and the right to ask it everything. */
interface Asked extends Serving {
  ask(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly body: never }>;
}

async function started(here: Workspace, args: readonly string[]): Promise<Asked> {
  const person = JSON.parse((await here.weir(`bootstrap ${args.slice(1).join(' ')}`)).stdout);
  const server = await serve(here, args);
  const token = await mintOn(server.url, person, { name: 'all', scope: 'full' });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const ask: Asked['ask'] = async (method, path, body) => {
    const send = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${server.url}/api/v1/${path}`, { method, headers, ...send });
    return { status: answer.status, body: JSON.parse(await answer.text()) as never };
  };
  return { ...server, ask };
}

async function stopped(server: Serving | undefined): Promise<void> {
  server?.child.kill('SIGTERM');
  await server?.ended;
}

/** Everything that the API answers of declared objects, but who keeps them, and since when. */
async function answersOf({ ask, url }: Asked): Promise<unknown> {
  const answers = await Promise.all(
    kinds.map((path) => ask('GET', kinds.indexOf(path) < 5 ? `${path}?limit=1000` : path)),
  );
  return answers.map(({ body }) => JSON.parse(JSON.stringify(body, withoutKeeper).replaceAll(url, 'http://weir')));
}

/** Lists come in the order of creation. */
function withoutKeeper(key: string, value: unknown): unknown {
  if (
    [
      'managedBy',
      'source',
      'sources',
      'generation',
      'observedGeneration',
      'id',
      'createdAt',
      'updatedAt',
      'lastTransitionTime',
    ].includes(key)
  )
    return undefined;
  if (Array.isArray(value) && value.every((item) => typeof item === 'object' && item !== null && 'kind' in item))
    return value.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return value;
}

const round = suite<{ here: Workspace; servers: Asked[] }>('an installation that was set up through the API');

round.before.each(async (context) => {
  context.here = await workspace({ 'empty/weir.yaml': root });
  context.servers = [];
});
round.after.each(async ({ here, servers }) => {
  for (const server of servers) await stopped(server);
  await here.remove();
});

round('becomes a tree that plans to nothing, and that makes the same installation elsewhere', async (context) => {
  const { here } = context;
  const first = await started(here, ['empty']);
  context.servers.push(first);
  const objects = installation();
  for (const [path, body] of objects) {
    const made = await first.ask('POST', path, body);
    assert.is(made.status, 201, JSON.stringify(made.body));
  }
  const settings = { spec: { userTeamCreation: true, statisticsTokenAccess: true } };
  assert.is((await first.ask('PUT', 'admin-settings', settings)).status, 200);
  assert.ok(objects.length + 1 >= 200);

  const exported = await here.weir('export --out exported');
  assert.is(exported.code, 0, exported.stderr);
  assert.match(exported.stderr, new RegExp(`wrote ${objects.length + 2} files`));
  const valid = JSON.parse((await here.weir('validate exported --output json')).stdout);
  assert.is(valid.errors, 0, JSON.stringify(valid.findings));
  const plan: PlanDocument = JSON.parse((await here.weir('plan exported --output json --detailed-exitcode')).stdout);
  assert.equal(plan.changes, []);
  assert.is(plan.summary.adopt, objects.length + 1);
  assert.is((await here.weir('plan exported --detailed-exitcode')).code, 0);

  const second = await started(here, ['exported', '--store', 'other']);
  context.servers.push(second);
  assert.equal(await answersOf(second), await answersOf(first));

  await stopped(context.servers.shift());
  assert.is((await here.weir('apply exported')).code, 0);
  const after: PlanDocument = JSON.parse((await here.weir('plan exported --output json')).stdout);
  assert.equal([after.changes, after.summary.adopt], [[], 0]);
});

round(
  'gives secrets as references to fill in, and asks before a document changes what the API made',
  async (context) => {
    const { here } = context;
    const server = await started(here, ['empty']);
    context.servers.push(server);
    const spec = { emailDomain: 'example.com', provider: 'ldap', ldap: { server: 'ldap:389', password: 'hunter2' } };
    assert.is((await server.ask('POST', 'sso-configs', { name: 'corp', spec })).status, 201);
    assert.is((await here.weir('export --out exported')).code, 0);
    const content = readFileSync(join(here.path, 'exported/sso/corp.yaml'), 'utf8');
    assert.match(
      content,
      /# was given as a value, which is not shown: set WEIR_SECRET_SSO_CONFIG_CORP_LDAP_PASSWORD where Weir runs\n {4}password: \{fromEnv: WEIR_SECRET_SSO_CONFIG_CORP_LDAP_PASSWORD\}/,
    );
    assert.not.match(content, /hunter2/);
    assert.is((await here.weir('validate exported')).code, 0);
    const refused = await here.weir('plan exported');
    assert.is(refused.code, 3);
    assert.match(refused.stdout, /consent with --adopt SsoConfig\/corp/);
    const planned = await here.weir('plan exported --adopt SsoConfig/corp');
    assert.is(planned.code, 0, planned.stdout);
    assert.match(planned.stdout, /ldap\.password: \(a secret, fingerprint [0-9a-f]+\) → \{fromEnv: "WEIR_SECRET_/);
    await stopped(context.servers.shift());
    assert.is((await here.weir('apply exported --adopt SsoConfig/corp')).code, 0);
    assert.is(JSON.parse((await here.weir('plan exported --output json')).stdout).changes.length, 0);
  },
);

round.run();
