// What a single sign-on configuration needs before it acts.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { created, updated } from '../../../src/core/model/change.ts';
import { apply, made, newWorld, problemsIn, put, violationsOf, type World, write } from '../../control/world.ts';

const enterprise = 'kind: Platform\nmetadata: {name: platform}\nspec: {licence: enterprise}\n';
const sso = (name: string, spec: string) => `kind: SsoConfig\nmetadata: {name: ${name}}\nspec: ${spec}\n`;
/** The problems of one active configuration under an enterprise licence; only what follows `because`. */
const because = (spec: string) =>
  problemsIn({ 'weir.yaml': enterprise, 'a.yaml': sso('a', spec) }).map((problem) => problem.split('because ')[1]);

const domain = suite('sso-domain-unique');

domain('is one configuration a domain, whatever the case', () => {
  const files = {
    'a.yaml': sso('a', '{emailDomain: Example.com, provider: saml}'),
    'b.yaml': sso('b', '{emailDomain: example.COM, provider: ldap}'),
  };
  assert.equal(problemsIn(files), [
    'a.yaml:3:21 sso-domain-unique SsoConfig/a: emailDomain cannot be example.com, because SsoConfig/b has it already',
    'b.yaml:3:21 sso-domain-unique SsoConfig/b: emailDomain cannot be example.com, because SsoConfig/a has it already',
  ]);
});

domain('may be exchanged by two configurations in one revision', async () => {
  const world = newWorld();
  const tree = (a: string, b: string) => ({
    'a.yaml': sso('a', `{emailDomain: ${a}, provider: saml}`),
    'b.yaml': sso('b', `{emailDomain: ${b}, provider: saml}`),
  });
  await apply(world, tree('one.example', 'two.example'));
  assert.equal(await violationsOf(world, tree('two.example', 'one.example')), []);
  const { summary } = await apply(world, tree('two.example', 'one.example'));
  assert.is(summary.update, 2);
});

domain('is refused in the same words through the API, and against what the API made', async () => {
  const world = newWorld();
  const own = made('SsoConfig', 'own', { emailDomain: 'own.example', provider: 'saml' });
  await put(world, own);
  const files = { 'a.yaml': sso('a', '{emailDomain: own.example, provider: saml}') };
  assert.equal(await violationsOf(world, files), [
    'a.yaml:3:21 sso-domain-unique SsoConfig/a: emailDomain cannot be own.example, because SsoConfig/own has it already',
  ]);
  const twin = made('SsoConfig', 'twin', { emailDomain: 'OWN.example', provider: 'saml' });
  assert.equal(await write(world, () => [created(twin)]), [
    'sso-domain-unique SsoConfig/twin: emailDomain cannot be own.example, because SsoConfig/own has it already',
  ]);
});

domain('tells a few of the others where there are many', () => {
  const files = Object.fromEntries(
    Array.from({ length: 2000 }, (_, at) => [`${at}.yaml`, sso(`s${at}`, '{emailDomain: a.example, provider: saml}')]),
  );
  const problems = problemsIn(files);
  assert.is(problems.length, 2000);
  assert.match(
    problems[0] ?? '',
    /because SsoConfig\/s1, SsoConfig\/s10, SsoConfig\/s100 and 1996 more have it already$/,
  );
});

domain.run();

const complete = suite('sso-complete');

complete('leaves a draft as incomplete as it is', () => {
  assert.equal(because('{emailDomain: a.example, provider: saml}'), []);
  assert.equal(because('{emailDomain: a.example, provider: ldap, ldap: {server: ask Ann}, saml: {issuer: x}}'), []);
});

complete('wants all of SAML, in a usable form', () => {
  const saml = (values: string) => because(`{emailDomain: a.example, provider: saml, active: true, saml: ${values}}`);
  assert.equal(
    because('{emailDomain: a.example, provider: saml, active: true}'),
    [undefined, undefined, undefined].map((_, at) => `saml.${['signOnUrl', 'issuer', 'certificate'][at]} is missing`),
  );
  assert.equal(saml('{signOnUrl: "https://idp.example/sso", issuer: x, certificate: CERT}'), []);
  assert.equal(saml('{signOnUrl: "", issuer: " ", certificate: CERT}'), [
    'saml.signOnUrl is empty',
    'saml.issuer is empty',
  ]);
  for (const url of ['idp.example', 'ftp://idp.example', 'javascript:alert(1)', 'https://'])
    assert.equal(saml(`{signOnUrl: "${url}", issuer: x, certificate: CERT}`), [
      'saml.signOnUrl is unusable: it is not an http or https address',
    ]);
  for (const url of ['https://ann@idp.example/sso', 'https://ann:secret@idp.example', 'https://:secret@idp.example'])
    assert.equal(saml(`{signOnUrl: "${url}", issuer: x, certificate: CERT}`), [
      'saml.signOnUrl is unusable: there is a user name or password in it',
    ]);
  for (const url of [
    'https://idp.example/s\\nso',
    ' https://idp.example/sso',
    'https://idp.example/sso\\t',
    'https://idp.example/a b',
  ])
    assert.equal(saml(`{signOnUrl: "${url}", issuer: x, certificate: CERT}`), [
      'saml.signOnUrl is unusable: there are spaces, line breaks or control characters in it',
    ]);
  assert.equal(saml('{signOnUrl: "https://idp.example/sso", issuer: x, certificate: nonsense}'), [
    'saml.certificate is unusable: it is not PEM',
  ]);
});

const ldapValues = 'server: "ldap.example:389", username: cn=x, password: {fromFile: ldap}, baseDn: dc=x';

complete('wants all of LDAP, in a usable form', () => {
  const ldap = (values: string, more = '') =>
    because(`{emailDomain: a.example, provider: ldap, active: true, ldap: {${values}}${more}}`);
  assert.equal(because('{emailDomain: a.example, provider: ldap, active: true}').length, 4);
  assert.equal(ldap(ldapValues), []);
  assert.equal(ldap(ldapValues, ', groups: {manageRoles: true}'), ['ldap.groupDn is missing']);
  assert.equal(ldap(`${ldapValues}, groupDn: ou=g`, ', groups: {adminGroup: admins}'), []);
  for (const server of ['ldap.example', 'http://ldap.example:389', 'ldap.example:0', 'ldap.example:65536', ':389'])
    assert.equal(
      ldap(ldapValues.replace('ldap.example:389', server)),
      ['ldap.server is unusable: it is not a host and port such as "ldap.example.com:389"'],
      server,
    );
  const addresses = {
    'ldap://ldap.example': 'write "ldap.example:389"',
    'LDAP://ldap.example:3389/': 'write "ldap.example:3389"',
    'ldaps://ldap.example': 'write "ldap.example:636" and tls: {mode: ldaps}',
  };
  for (const [server, advice] of Object.entries(addresses))
    assert.equal(ldap(ldapValues.replace('ldap.example:389', server)), [
      `ldap.server is unusable: it is not a host and port such as "ldap.example.com:389": ${advice}`,
    ]);
  for (const server of ['[::1]:636', '10.0.0.1:389', 'a:1'])
    assert.equal(ldap(ldapValues.replace('ldap.example:389', server)), [], server);
  for (const filter of ['(uid=ann)', 'uid=${username}', '(a=${email})(b=1)', '((uid=${username})', '', ')('])
    assert.equal(
      ldap(`${ldapValues}, userSearchFilter: "${filter}"`),
      ['ldap.userSearchFilter is unusable: it is not one filter in parentheses that holds ${username} or ${email}'],
      filter,
    );
  for (const filter of [
    '(&(mail=${email})(active=TRUE))',
    '(& (o=\u{1f600}) (| (uid=${username}) (mail=${email}) ) )\\n',
  ])
    assert.equal(ldap(`${ldapValues}, userSearchFilter: "${filter}"`), [], filter);
  for (const filter of ['(&(uid=${username})mail=x)', '(&uid=${username})', '(uid~${username})', '(é=${email})'])
    assert.equal(
      ldap(`${ldapValues}, userSearchFilter: "${filter}"`),
      [
        'ldap.userSearchFilter is unusable: it cannot be read as a filter (RFC 4515), such as "(&(objectClass=person)(uid=${username}))"',
      ],
      filter,
    );
  assert.equal(ldap(`${ldapValues}, tls: {ca: nonsense}`), ['ldap.tls.ca is unusable: it is not PEM']);
});

complete('wants no values of the other provider, and places what it says', () => {
  const spec = `{emailDomain: a.example, provider: ldap, active: true, ldap: {${ldapValues}}, saml: {issuer: x}}`;
  assert.equal(because(spec), ['its provider is ldap']);
  const lines =
    'spec:\n  emailDomain: a.example\n  provider: saml\n  active: true\n  saml:\n    issuer: x\n    certificate: nonsense\n';
  const text = `kind: SsoConfig\nmetadata: {name: a}\n${lines}`;
  assert.equal(
    problemsIn({ 'weir.yaml': enterprise, 'a.yaml': text }).map((problem) => problem.split(' ')[0]),
    ['a.yaml:8:5', 'a.yaml:9:18'],
  );
});

/** A world with an enterprise licence. */
async function licensed(): Promise<World> {
  const world = newWorld();
  await apply(world, { 'weir.yaml': enterprise });
  return world;
}

complete('says the same through the API when a draft is made active', async () => {
  const world = await licensed();
  const own = made('SsoConfig', 'own', {
    emailDomain: 'own.example',
    provider: 'saml',
    saml: { issuer: 'x', certificate: 'CERT' },
  });
  await put(world, own);
  assert.equal(await write(world, () => [updated(own, { ...own, spec: { ...own.spec, active: true } })]), [
    'sso-complete SsoConfig/own: cannot be active, because saml.signOnUrl is missing',
  ]);
});

complete('wants teams where groups manage selected ones, in the same words through both doors', async () => {
  const values = { emailDomain: 'a.example', provider: 'saml', active: true };
  const saml = { signOnUrl: 'https://i.example', issuer: 'x', certificate: 'CERT' };
  const by = (groups: object) => ({ ...values, saml, groups: { manageRoles: true, ...groups } });
  const words =
    'groups.scope is selected and groups.teams is empty, so that everybody would be taken out of every team: name teams, choose "scope: all", or switch manageRoles off';
  assert.equal(because(JSON.stringify(by({ scope: 'selected' }))), [words]);
  assert.equal(because(JSON.stringify(by({ scope: 'selected', allowOtherTeams: true }))), [
    words.replace('everybody would be taken out of every team', 'groups would place nobody'),
  ]);
  const world = await licensed();
  assert.equal(await write(world, () => [created(made('SsoConfig', 'a', by({ scope: 'selected', teams: [] })))]), [
    `sso-complete SsoConfig/a: cannot be active, because ${words}`,
  ]);
  for (const groups of [
    { scope: 'all' },
    { scope: 'selected', teams: ['core'] },
    { scope: 'selected', manageRoles: false },
  ])
    assert.equal(because(JSON.stringify(by(groups))), [], JSON.stringify(groups));
});

complete.run();

const licence = suite('sso-licence');
const active =
  '{emailDomain: a.example, provider: saml, active: true, saml: {signOnUrl: "https://i.example", issuer: x, certificate: CERT}}';

licence('is needed by what is active, and not by drafts', () => {
  assert.equal(problemsIn({ 'a.yaml': sso('a', active) }), [
    'a.yaml:3:56 sso-licence SsoConfig/a: cannot be active, because single sign-on needs "licence: enterprise" in Platform/platform',
  ]);
  assert.equal(problemsIn({ 'weir.yaml': enterprise, 'a.yaml': sso('a', active) }), []);
  assert.equal(problemsIn({ 'a.yaml': sso('a', '{emailDomain: a.example, provider: saml}') }), []);
});

licence('cannot be given up while something made through the API is active', async () => {
  const world = await licensed();
  const saml = { signOnUrl: 'https://i.example', issuer: 'x', certificate: 'CERT' };
  const own = made('SsoConfig', 'own', { emailDomain: 'own.example', provider: 'saml', active: true, saml });
  assert.equal(await write(world, () => [created(own)]), []);
  assert.equal(await violationsOf(world, {}), [
    'sso-licence SsoConfig/own: cannot be active, because single sign-on needs "licence: enterprise" in Platform/platform',
  ]);
  assert.equal(await write(newWorld(), () => [created(own)]), [
    'sso-licence SsoConfig/own: cannot be active, because single sign-on needs "licence: enterprise" in Platform/platform',
  ]);
});

licence.run();
