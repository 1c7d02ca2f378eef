// Declared kinds over the API: read by all, written where no document declares them, secrets never shown, tries that keep nothing.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type DeclaredKindName, declaredKindNames, kindOf } from '../../src/core/kinds/index.ts';
import { planView } from '../../src/http/views/config.ts';
import { declaredView } from '../../src/http/views/declared.ts';
import { startWorld, tree } from './world.ts';

const world = await startWorld();
const { ask } = world;

const views = new Map(declaredKindNames.map((kind) => [kind, declaredView(kind)]));

function fits(body: { kind: DeclaredKindName }): void {
  assert.is(views.get(body.kind)?.safeParse(body).error, undefined, JSON.stringify(body));
}

const reading = suite('reading');

reading('shows what a document declares, with where it stands, what depends on it, and how it stands', async () => {
  const { body } = await ask('GET', '/api/v1/instance-types/small', { as: 'user' });
  fits(body);
  const { spec, status, ...rest } = body;
  assert.equal(rest, {
    kind: 'InstanceType',
    name: 'small',
    labels: {},
    lifecycle: { protect: false, onRemove: 'delete', ignore: [] },
  });
  assert.equal(spec, { description: '', active: true, order: 0, stacks: ['nr-4'], defaultStack: 'nr-4' });
  assert.equal(status.managedBy, 'config');
  assert.equal(status.source, { file: 'types.yaml', line: 1 });
  assert.equal(status.sources['/spec/defaultStack'], { file: 'types.yaml', line: 3 });
  assert.equal([status.generation, status.observedGeneration, status.conditions], [1, 1, []]);
  assert.equal(status.usage, { stacks: 1, instances: 0 });
});

reading('shows the effective features of a team type, with reasons', async () => {
  const { body } = await ask('GET', '/api/v1/team-types/starter');
  fits(body);
  const { features } = body.status;
  assert.is(Object.keys(features).length, 28);
  assert.equal(features.teamLibrary, { declared: true, effective: true });
  assert.equal(features.gitIntegration, { declared: false, effective: false });
  assert.equal([features.customHostnames.effective, typeof features.customHostnames.reason], [false, 'string']);
});

reading('shows the defaults of singletons that nobody set as nobody’s', async () => {
  const { body } = await ask('GET', '/api/v1/admin-settings');
  fits(body);
  assert.equal([body.status.managedBy, body.status.generation, body.spec.registration], ['default', 0, false]);
  const platform = (await ask('GET', '/api/v1/platform')).body;
  fits(platform);
  assert.equal([platform.status.managedBy, platform.spec.licence], ['config', 'enterprise']);
});

reading('gives SAML configurations their addresses, and only them', async () => {
  const { status } = (await ask('GET', '/api/v1/sso-configs/corp')).body;
  assert.equal(
    [status.acsUrl, status.entityId, status.metadataUrl],
    ['acs', 'metadata', 'metadata'].map((end) => `http://weir.example/sso/saml/corp/${end}`),
  );
  assert.is((await ask('GET', '/api/v1/sso-configs/folk')).body.status.acsUrl, undefined);
});

reading('keeps those addresses through renames', async () => {
  const other = await startWorld();
  const rename = async (from: string, to: string) => {
    await writeFile(
      join(other.root, 'sso.yaml'),
      String(tree['sso.yaml']).replace('name: corp', `name: ${to}, previousNames: [${from}]`),
    );
    assert.is((await other.ask('POST', '/api/v1/admin/config/reconcile')).status, 200);
  };
  await rename('corp', 'group');
  await rename('group', 'holding');
  assert.is(
    (await other.ask('GET', '/api/v1/sso-configs/holding')).body.status.entityId,
    'http://weir.example/sso/saml/corp/metadata',
  );
  await other.close();
});

reading('says that a secret is missing', async () => {
  const { body } = await ask('GET', '/api/v1/sso-configs/folk');
  fits(body);
  assert.equal(body.spec.ldap.password, { set: true, from: { fromEnv: 'WEIR_SECRET_NOT_THERE' } });
  assert.equal(
    body.status.conditions.map((one: { type: string; status: string }) => [one.type, one.status]),
    [['SecretMissing', 'True']],
  );
  assert.match(body.status.conditions[0].message, /WEIR_SECRET_NOT_THERE/);
});

reading('answers every kind in lists, each item as it is alone', async () => {
  for (const kind of declaredKindNames) {
    const { path, plural, singleton } = kindOf(kind);
    if (singleton !== undefined) continue;
    const { body } = await ask('GET', `/api/v1/${path}`);
    assert.equal(Object.keys(body), ['meta', 'count', plural]);
    assert.is(body.count, body[plural].length);
    for (const item of body[plural]) {
      fits(item);
      assert.equal((await ask('GET', `/api/v1/${path}/${item.name}`)).body, item);
    }
  }
});

reading.run();

const managed = suite('what a document declares');

managed('cannot be changed, made again or deleted here: the answer names file and line', async () => {
  const spec = { label: 'mine', runtime: '4.1' };
  const writes = [
    ['PUT', '/api/v1/stacks/nr-4', { spec }],
    ['PUT', '/api/v1/stacks/nr-4', { spec: { label: 'Node-RED 4', runtime: '4.1' }, labels: { tier: 'one' } }],
    ['PUT', '/api/v1/stacks/nr-4', { spec: { label: 'Node-RED 4', runtime: '4.1' }, lifecycle: { protect: true } }],
    ['POST', '/api/v1/stacks', { name: 'nr-4', spec }],
    ['POST', '/api/v1/stacks', { name: 'nr-4', spec: { label: 'Node-RED 4', runtime: '4.1' } }],
    ['DELETE', '/api/v1/sso-configs/corp', undefined],
  ] as const;
  for (const [method, url, body] of writes) {
    const asked = await ask(method, url, body === undefined ? {} : { body });
    assert.equal([asked.status, asked.body.code], [409, 'config_managed'], `${method} ${url} ${asked.text}`);
    const [violation] = asked.body.violations;
    assert.is(violation.rule, 'config-managed');
    assert.match(violation.message, /(stacks|sso)\.yaml:1 declares it/);
    assert.equal([violation.source.file, violation.source.line], [method === 'DELETE' ? 'sso.yaml' : 'stacks.yaml', 1]);
  }
});

managed('may be put as it is: what it has is answered, and nothing changes', async () => {
  const paths = ['team-types', 'instance-types', 'stacks', 'templates', 'sso-configs'];
  const lists = await Promise.all(paths.map((path) => ask('GET', `/api/v1/${path}`)));
  const urls = lists.flatMap(({ body }, at) => {
    const items: { name: string; status: { managedBy: string } }[] = Object.values(body).find(Array.isArray) ?? [];
    return items
      .filter(({ status }) => status.managedBy === 'config')
      .map(({ name }) => `/api/v1/${paths[at]}/${name}`);
  });
  assert.ok(urls.length >= 5, `the tree declares ${urls}`);
  const { position } = world.store.read();
  for (const url of urls) {
    const { body: shown, headers } = await ask('GET', url);
    const { spec, labels, lifecycle } = shown;
    const ifMatch = { 'if-match': String(headers['etag']) };
    for (const body of [{ spec }, { spec, labels, lifecycle }]) {
      const put = await ask('PUT', url, { body, headers: ifMatch });
      assert.is(put.status, 200, `${url} ${put.text}`);
      assert.equal(put.body, shown);
    }
    const dry = await ask('PUT', `${url}?dryRun=true`, { body: { spec } });
    assert.equal([dry.status, dry.body.changes, dry.body.findings], [200, [], []], `${url} ${dry.text}`);
    const late = await ask('PUT', url, { body: { spec }, headers: { 'if-match': '"another"' } });
    assert.equal([late.status, late.body.code], [412, 'precondition_failed'], url);
  }
  assert.is(world.store.read().position, position, 'nothing was written');
});

managed('is refused by the rules that forbid it too, all at once', async () => {
  const { status, body } = await ask('DELETE', '/api/v1/stacks/nr-4');
  assert.equal([status, body.code], [409, 'config_managed']);
  assert.equal(
    body.violations.map((one: { rule: string }) => one.rule),
    ['config-managed', 'references'],
  );
});

managed('leaves to the API what lifecycle.ignore names, and nothing else', async () => {
  const files = {
    ...tree,
    'stacks.yaml':
      'kind: Stack\nmetadata: {name: nr-4}\nlifecycle: {ignore: [/spec/label]}\nspec: {label: A, runtime: "4.1"}\n',
  };
  const other = await startWorld(files);
  const put = (label: string, runtime: string) =>
    other.ask('PUT', '/api/v1/stacks/nr-4', { body: { spec: { label, runtime } } });
  assert.is((await put('B', '4.1')).status, 200);
  assert.is((await put('B', '4.2')).body.code, 'config_managed');
  assert.equal((await other.ask('GET', '/api/v1/stacks/nr-4')).body.spec.label, 'B');
  assert.equal((await other.ask('GET', '/api/v1/admin/config/plan')).body.changes, []);
  await other.close();
});

managed.run();

const writing = suite('what the API makes');

writing('is made, read, replaced as a whole, and deleted', async () => {
  const made = await ask('POST', '/api/v1/stacks', {
    body: {
      name: 'mine',
      labels: { tier: 'a' },
      spec: { label: 'Mine', runtime: '4.2', resources: { memoryMb: 256 } },
    },
  });
  assert.equal([made.status, made.headers['location']], [201, '/api/v1/stacks/mine'], made.text);
  fits(made.body);
  assert.equal(made.body.status.managedBy, 'api');
  assert.equal((await ask('GET', '/api/v1/stacks/mine')).body, made.body);
  const put = await ask('PUT', '/api/v1/stacks/mine', { body: { spec: { runtime: '4.2' } } });
  assert.equal(
    [put.status, put.body.spec.label, put.body.spec.resources, put.body.labels],
    [200, '', {}, { tier: 'a' }],
  );
  assert.is(put.body.status.generation, 2);
  assert.is(
    (await ask('PUT', '/api/v1/stacks/mine', { body: { spec: { runtime: '4.2', active: true } } })).body.status
      .generation,
    2,
    'a default written out is no change',
  );
  assert.equal(
    (
      await ask('PUT', '/api/v1/stacks/mine', {
        body: { spec: { runtime: '4.2' }, labels: {}, lifecycle: { protect: true } },
      })
    ).body.lifecycle,
    { protect: true, onRemove: 'delete', ignore: [] },
  );
  assert.equal((await ask('DELETE', '/api/v1/stacks/mine')).body.violations[0].rule, 'protected');
  await ask('PUT', '/api/v1/stacks/mine', { body: { spec: { runtime: '4.2' }, lifecycle: {} } });
  const gone = await ask('DELETE', '/api/v1/stacks/mine');
  assert.equal([gone.status, gone.text], [204, '']);
  assert.is((await ask('GET', '/api/v1/stacks/mine')).status, 404);
});

writing('is not made twice', async () => {
  const body = { name: 'twice', spec: { runtime: '4' } };
  assert.is((await ask('POST', '/api/v1/stacks', { body })).status, 201);
  const again = await ask('POST', '/api/v1/stacks', { body });
  assert.equal([again.status, again.body.code], [409, 'conflict']);
  await ask('DELETE', '/api/v1/stacks/twice');
});

writing('obeys the rules of the tree, in the same words', async () => {
  const asked = await ask('POST', '/api/v1/instance-types', {
    body: { name: 'big', spec: { stacks: ['nr-5'], defaultStack: 'nr-5' } },
  });
  assert.equal([asked.status, asked.body.code], [409, 'rule_violated']);
  assert.ok(asked.body.violations.every((one: { rule: string }) => one.rule === 'references'));
  assert.match(
    asked.body.detail,
    /^InstanceType\/big: .*names Stack\/nr-5, which nothing declares: name what there is, or declare it first/,
  );
});

writing('sets what there is one of', async () => {
  const other = await startWorld();
  const put = (body: unknown, headers = {}) => other.ask('PUT', '/api/v1/admin-settings', { body, headers });
  const { etag } = (await other.ask('GET', '/api/v1/admin-settings')).headers;
  assert.is((await put({ spec: {} }, { 'if-match': '"default.7.x"' })).status, 412);
  const { status, body } = await put({ spec: { userTeamCreation: true } }, { 'if-match': String(etag) });
  assert.equal(
    [status, body.spec.userTeamCreation, body.status.managedBy, body.status.generation],
    [200, true, 'api', 1],
  );
  assert.is((await put({ spec: {} }, { 'if-match': String(etag) })).status, 412);
  assert.is((await put({ spec: { registration: true } })).body.violations[0].rule, 'settings-need-email');
  await other.close();
});

writing.run();

const conditional = suite('If-Match');

conditional('lets a write pass that saw what is there, and no other', async () => {
  const made = await ask('POST', '/api/v1/stacks', { body: { name: 'match', spec: { runtime: '4' } } });
  assert.is(made.status, 201);
  const seen = String((await ask('GET', '/api/v1/stacks/match')).headers.etag);
  const put = (label: string, tag: string) =>
    ask('PUT', '/api/v1/stacks/match', { body: { spec: { runtime: '4', label } }, headers: { 'if-match': tag } });
  assert.is((await put('one', seen)).status, 200);
  for (const tag of [seen, '"x"', `W/${seen}`, 'nonsense']) {
    const { status, body } = await put('two', tag);
    assert.equal([status, body.code], [412, 'precondition_failed'], tag);
  }
  assert.is((await put('three', '*')).status, 200);
  assert.is((await ask('DELETE', '/api/v1/stacks/match', { headers: { 'if-match': seen } })).status, 412);
  const now = String((await ask('GET', '/api/v1/stacks/match')).headers.etag);
  assert.is((await ask('DELETE', '/api/v1/stacks/match', { headers: { 'if-match': `"other", ${now}` } })).status, 204);
});

conditional.run();

const trying = suite('?dryRun=true');

trying('answers the plan, blocked or not, and keeps nothing', async () => {
  const before = world.store.read().position;
  const tries = [
    ['POST', '/api/v1/stacks', { name: 'new', spec: { runtime: '4' } }, 'create'],
    ['POST', '/api/v1/stacks', { name: 'nr-4', spec: { runtime: '4' } }, 'blocked'],
    ['PUT', '/api/v1/stacks/nr-4', { spec: { runtime: '4.1' } }, 'blocked'],
    ['DELETE', '/api/v1/stacks/nr-4', undefined, 'blocked'],
    ['PUT', '/api/v1/admin-settings', { spec: { userTeamCreation: true, statisticsTokenAccess: true } }, 'create'],
    ['PUT', '/api/v1/admin-settings', { spec: { registration: true, statisticsTokenAccess: true } }, 'blocked'],
  ] as const;
  for (const [method, url, body, action] of tries) {
    const asked = await ask(method, `${url}?dryRun=true`, body === undefined ? {} : { body });
    assert.is(asked.status, 200, asked.text);
    assert.is(planView.safeParse(asked.body).error, undefined, asked.text);
    assert.equal(
      asked.body.changes.map((one: { action: string }) => one.action),
      [action],
      `${method} ${url}`,
    );
    assert.is(asked.body.changes[0].blockedBy === undefined, action !== 'blocked');
  }
  assert.is(world.store.read().position, before);
});

trying('answers a plan without changes where there is no change that could be made', async () => {
  const stack = { name: 'twice', spec: { runtime: '4' } };
  await ask('POST', '/api/v1/stacks', { body: stack });
  const { status, body } = await ask('POST', '/api/v1/stacks?dryRun=true', { body: stack });
  assert.equal([status, body.changes, body.summary.blocked], [200, [], 1]);
  assert.is(planView.safeParse(body).error, undefined);
  assert.match(body.findings[0].message, /^Stack\/twice cannot be made, because it exists already$/);
  await ask('DELETE', '/api/v1/stacks/twice');
  assert.is((await ask('DELETE', '/api/v1/stacks/twice?dryRun=true')).status, 404);
});

trying('shows field by field what would change', async () => {
  await ask('POST', '/api/v1/stacks', { body: { name: 'try', spec: { runtime: '4', label: 'A' } } });
  const { body } = await ask('PUT', '/api/v1/stacks/try?dryRun=true', { body: { spec: { runtime: '4', label: 'B' } } });
  assert.equal(body.changes[0].fields, [{ path: '/spec/label', before: 'A', after: 'B' }]);
  assert.is((await ask('GET', '/api/v1/stacks/try')).body.spec.label, 'A');
  assert.equal(
    (await ask('PUT', '/api/v1/stacks/try?dryRun=true', { body: { spec: { runtime: '4', label: 'A' } } })).body.changes,
    [],
  );
  await ask('DELETE', '/api/v1/stacks/try');
});

trying.run();

const secrets = suite('secrets');

secrets('are written out or by reference, never shown, and kept when what was read is sent back', async () => {
  const spec = (password: unknown, label = '') => ({
    emailDomain: 'secret.example',
    provider: 'ldap',
    label,
    ldap: { server: 'ldap:389', password },
  });
  const put = (password: unknown, label?: string) =>
    ask('PUT', '/api/v1/sso-configs/vault', { body: { spec: spec(password, label) } });
  const kept = () => world.store.read().named('SsoConfig', 'vault')?.spec.ldap?.password;
  const made = await ask('POST', '/api/v1/sso-configs', { body: { name: 'vault', spec: spec('swordfish') } });
  assert.is(made.status, 201, made.text);
  fits(made.body);
  assert.equal(made.body.spec.ldap.password, { set: true });
  assert.equal(kept(), { value: 'swordfish' });
  const back = await put(made.body.spec.ldap.password, 'changed');
  assert.equal([back.status, kept(), back.body.spec.label], [200, { value: 'swordfish' }, 'changed']);
  assert.equal((await put({ fromEnv: 'WEIR_SECRET_X' })).body.spec.ldap.password, {
    set: true,
    from: { fromEnv: 'WEIR_SECRET_X' },
  });
  assert.equal((await put({ set: true, from: { fromEnv: 'WEIR_SECRET_X' } })).body.spec.ldap.password, {
    set: true,
    from: { fromEnv: 'WEIR_SECRET_X' },
  });
  assert.equal((await put({ fromFile: 'ldap' })).body.spec.ldap.password, { set: true, from: { fromFile: 'ldap' } });
  await put({ value: 'marlin' });
  assert.equal(kept(), { value: 'marlin' });
  assert.is((await put(undefined)).body.spec.ldap.password, undefined);
  for (const wrong of [
    '',
    7,
    null,
    {},
    { set: true },
    { set: false },
    { fromEnv: 'PATH' },
    { value: 'x', fromFile: 'y' },
  ]) {
    const { status, body } = await put(wrong);
    assert.equal(
      [status, body.code, body.violations[0].path],
      [400, 'invalid_request', '/spec/ldap/password'],
      JSON.stringify(wrong),
    );
    assert.not.match(JSON.stringify(body), /marlin|swordfish/);
  }
});

secrets('appear in no answer, plan, export or log', async () => {
  const url = '/api/v1/sso-configs/vault';
  const spec = { emailDomain: 'secret.example', provider: 'ldap', ldap: { password: 'barracuda' } };
  const said = [await ask('PUT', `${url}?dryRun=true`, { body: { spec } }), await ask('PUT', url, { body: { spec } })];
  for (const path of [
    url,
    '/api/v1/sso-configs',
    '/api/v1/admin/config/export',
    '/api/v1/admin/config/plan',
    '/api/v1/admin/config',
  ])
    said.push(await ask('GET', path));
  said.push(await ask('DELETE', `${url}?dryRun=true`));
  for (const { status, text } of said) {
    assert.is(status, 200, text);
    assert.not.match(text, /barracuda|marlin/);
  }
  assert.not.match(world.logged.join('\n'), /barracuda|marlin/);
  assert.match(said[0]?.text ?? '', /print-9/, 'a changed secret is seen by its fingerprint');
});

secrets.run();

const paging = suite('lists');

paging('come in pages, in any order, each item once', async () => {
  const names = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'];
  for (const [at, name] of names.entries())
    assert.is(
      (await ask('POST', '/api/v1/templates', { body: { name, spec: { description: `No. ${at}` } } })).status,
      201,
    );
  for (const sort of ['', '&sort=name', '&sort=-name']) {
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await ask('GET', `/api/v1/templates?limit=2${sort}${cursor}`);
      assert.is(body.count, 5);
      assert.ok(body.templates.length <= 2);
      seen.push(...body.templates.map((one: { name: string }) => one.name));
      if (body.meta.next_cursor === undefined) break;
      cursor = `&cursor=${body.meta.next_cursor}`;
    }
    const sorted = names.toSorted();
    assert.equal(seen, sort === '&sort=-name' ? sorted.reverse() : sorted);
  }
});

paging('hold what a name has in it, whatever the case', async () => {
  const { body } = await ask('GET', '/api/v1/templates?q=ETA');
  assert.equal([body.count, body.templates.map((one: { name: string }) => one.name)], [1, ['beta']]);
  assert.is((await ask('GET', '/api/v1/stacks?q=node-red')).body.count, 1, 'labels are names too');
});

paging('show what was made and deleted since they were asked for last', async () => {
  const names = async () =>
    (await ask('GET', '/api/v1/templates')).body.templates.map(({ name }: { name: string }) => name);
  const before = await names();
  await ask('POST', '/api/v1/templates', { body: { name: 'since', spec: {} } });
  assert.equal((await names()).toSorted(), [...before, 'since'].sort());
  await ask('DELETE', '/api/v1/templates/since');
  assert.equal(await names(), before);
});

paging('refuse the cursor of another order', async () => {
  const { next_cursor } = (await ask('GET', '/api/v1/templates?limit=1&sort=name')).body.meta;
  assert.is((await ask('GET', `/api/v1/templates?limit=1&sort=-name&cursor=${next_cursor}`)).status, 400);
});

paging.after(world.close);
paging.run();
