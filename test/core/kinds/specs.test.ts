// The nouns as documents meet them: what is required, what is assumed, what is refused.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type DeclaredKindName, declaredKindNames, kindNames, kindOf, kinds } from '../../../src/core/kinds/index.ts';
import { keptEmail } from '../../../src/core/kinds/scalars.ts';
import { fieldsOf } from '../../../src/core/schemas/fields.ts';

/** The least that each kind asks for. */
const least: Readonly<Record<DeclaredKindName, object>> = {
  Platform: {},
  AdminSettings: {},
  Stack: { runtime: '5.0.7' },
  InstanceType: {},
  TeamType: {},
  Template: {},
  SsoConfig: { emailDomain: 'example.com', provider: 'saml' },
};

function problemsOf(kind: DeclaredKindName, spec: object): string[] {
  const { error } = kindOf(kind).spec.safeParse({ ...least[kind], ...spec });
  return (error?.issues ?? []).map((issue) => [...issue.path, ...('keys' in issue ? issue.keys : [])].join('.'));
}

const all = suite('every kind');

all('needs nothing but a stack’s runtime and an SSO configuration’s domain and provider', () => {
  for (const kind of declaredKindNames) {
    assert.ok(kindOf(kind).spec.safeParse(least[kind]).success, kind);
    for (const field of Object.keys(least[kind])) {
      const { [field]: _, ...rest } = least[kind] as Record<string, unknown>;
      assert.not.ok(kindOf(kind).spec.safeParse(rest).success, `${kind}.${field}`);
    }
  }
});

all('takes an explicit default as the same as none', () => {
  for (const kind of declaredKindNames) {
    const { spec } = kindOf(kind);
    const decoded = spec.parse(least[kind]);
    assert.equal(spec.parse(decoded), decoded, kind);
  }
  const sections = {
    email: { smtp: {} },
    ai: { assistantService: {} },
    vendorCatalogue: {},
    tables: {},
    customHostnames: {},
  };
  const full = kinds.Platform.spec.parse(sections);
  assert.equal(kinds.Platform.spec.parse(full), full);
});

all('refuses a field that it does not know, at every depth', () => {
  for (const kind of declaredKindNames) assert.equal(problemsOf(kind, { unknown: 1 }), ['unknown'], kind);
  assert.equal(problemsOf('Platform', { reconcile: { maxDeletes: { many: 1 } } }), ['reconcile.maxDeletes.many']);
  assert.equal(problemsOf('TeamType', { features: { teamLibary: true } }), ['features.teamLibary']);
  assert.equal(problemsOf('Template', { options: { theme: { valu: 'x' } } }), ['options.theme.valu']);
});

all('describes each of its fields', () => {
  for (const kind of kindNames)
    for (const { path, description } of fieldsOf(kind)) assert.match(description, /^[A-Z].*[.]/, `${kind}.${path}`);
});

all('has a name in lists and a route of its own', () => {
  assert.is(new Set(kindNames.map((kind) => kindOf(kind).plural)).size, kindNames.length);
  assert.is(new Set(kindNames.map((kind) => kindOf(kind).path)).size, kindNames.length);
  for (const kind of kindNames) assert.is(kindOf(kind).kind, kind);
});

all.run();

const platform = suite('Platform');

platform('is a community installation with the local driver when it says nothing', () => {
  assert.equal(kinds.Platform.spec.parse({}), {
    licence: 'community',
    driver: { kind: 'local', stacksDirectory: 'stacks', isolation: 'auto', firstUserId: 200_000 },
    ai: { enabled: false },
    billing: { enabled: false },
    sessions: { expiryHours: 168, idleHours: 32 },
    reconcile: {
      prune: true,
      maxDeletes: { count: 10, percent: 20 },
      settleMs: 200,
      pollSeconds: 10,
      drift: 'revert',
      mode: 'auto',
    },
    exclude: [],
    api: { describePublicly: false, trustProxy: false, rateLimit: { signInPerMinute: 60, requestsPerMinute: 0 } },
    notifications: [],
    auditTo: [],
    gateway: { perInstance: 2048, perClient: 1024 },
  });
});

platform('settles for at least 50 ms and polls at least each second', () => {
  assert.equal(problemsOf('Platform', { reconcile: { settleMs: 49, pollSeconds: 0 } }), [
    'reconcile.settleMs',
    'reconcile.pollSeconds',
  ]);
  assert.equal(problemsOf('Platform', { reconcile: { settleMs: 50, pollSeconds: 1 } }), []);
});

platform('lets a hundred percent be deleted, and not more', () => {
  assert.equal(problemsOf('Platform', { reconcile: { maxDeletes: { count: 0, percent: 100 } } }), []);
  assert.equal(problemsOf('Platform', { reconcile: { maxDeletes: { percent: 101 } } }), [
    'reconcile.maxDeletes.percent',
  ]);
});

platform('refuses a password inside an address', () => {
  assert.equal(problemsOf('Platform', { tables: { url: 'postgres://weir:secret@db/tables' } }), ['tables.url']);
  assert.equal(problemsOf('Platform', { tables: { url: 'postgres://weir@db:5432/tables' } }), []);
  assert.equal(problemsOf('Platform', { ai: { assistantService: { url: 'https://a:b@ai.example.com' } } }), [
    'ai.assistantService.url',
  ]);
  assert.equal(problemsOf('Platform', { ai: { assistantService: { url: 'http://ai.example.com:8080/v1' } } }), []);
});

platform('tells receivers at http and https addresses, each once, and of everything unless it says what', () => {
  const hook = { name: 'ci', url: 'http://10.0.0.7:8080/hook', secret: { fromEnv: 'WEIR_SECRET_HOOK' } };
  const decoded = kinds.Platform.spec.parse({ notifications: [hook] });
  assert.equal(decoded.notifications[0]?.events, ['applied', 'refused', 'drifted', 'recovered']);
  const problems = (...notifications: object[]) => problemsOf('Platform', { notifications });
  assert.equal(problems(hook, { ...hook, name: 'chat', events: ['refused'] }), []);
  assert.equal(problems(hook, hook), ['notifications.1.name']);
  for (const url of ['ftp://ci.example.com', 'ci.example.com/hook', 'https://ann:pw@ci.example.com', 'http://[::1/x'])
    assert.equal(problems({ ...hook, url }), ['notifications.0.url'], url);
  assert.equal(problems({ ...hook, events: ['refused', 'failed'] }), ['notifications.0.events.1']);
  assert.equal(problems({ ...hook, secret: 'whsec_abc' }), ['notifications.0.secret']);
  assert.equal(problems({ name: 'ci', url: hook.url }), ['notifications.0.secret']);
});

platform(
  'gives the audit log to receivers at http and https addresses, each once, and to a file by its whole path',
  () => {
    const hook = { name: 'siem', url: 'https://siem.example.com/weir', secret: { fromEnv: 'WEIR_SECRET_HOOK' } };
    const problems = (...auditTo: object[]) => problemsOf('Platform', { auditTo });
    assert.equal(problems(hook, { ...hook, name: 'other' }), []);
    assert.equal(problems(hook, hook), ['auditTo.1.name']);
    for (const url of ['ftp://siem.example.com', 'https://ann:pw@siem.example.com', 'http://[::1/x'])
      assert.equal(problems({ ...hook, url }), ['auditTo.0.url'], url);
    assert.equal(problems({ ...hook, secret: 'whsec_abc' }), ['auditTo.0.secret']);
    assert.equal(problems({ name: 'siem', url: hook.url }), ['auditTo.0.secret']);
    const file = (auditFile: object) => problemsOf('Platform', { auditFile });
    assert.equal(kinds.Platform.spec.parse({ auditFile: {} }).auditFile, { maxMegabytes: 100, keep: 10 });
    for (const path of ['/var/log/weir/audit.jsonl', '/a', 'C:\\logs\\audit.jsonl', '/with space/ä.jsonl'])
      assert.equal(file({ path }), [], path);
    for (const path of ['audit.jsonl', './audit.jsonl', '', '/', '/var/log/', '/a\n', '~/audit', 'C:audit'])
      assert.equal(file({ path }), ['auditFile.path'], path);
    assert.equal(file({ maxMegabytes: 0, keep: 0 }), ['auditFile.maxMegabytes', 'auditFile.keep']);
    assert.equal(file({ maxMegabytes: 10_241, keep: 1001 }), ['auditFile.maxMegabytes', 'auditFile.keep']);
  },
);

platform('refuses half hours and numbers in quotes', () => {
  assert.equal(problemsOf('Platform', { sessions: { expiryHours: 0.5, idleHours: '32' } }), [
    'sessions.expiryHours',
    'sessions.idleHours',
  ]);
});

platform.run();

const settings = suite('AdminSettings');

settings('allows nothing when it says nothing', () => {
  assert.equal(kinds.AdminSettings.spec.parse({}), {
    registration: false,
    personalTeamOnRegistration: false,
    passwordReset: false,
    userTeamCreation: false,
    externalInvitations: false,
    statisticsTokenAccess: false,
  });
});

settings.run();

const teamType = suite('TeamType');

teamType('is on offer, without limits, with the two opt-out features', () => {
  const { features, ...rest } = kinds.TeamType.spec.parse({});
  assert.equal(rest, { description: '', active: true, order: 0, selfService: true, instanceTypes: [], limits: {} });
  assert.is(Object.keys(features).length, 28);
  const on = Object.entries(features).filter(([, value]) => value);
  assert.equal(
    on.map(([name]) => name),
    ['assistantChat', 'assistantInsights'],
  );
});

teamType('names an instance type once', () => {
  const twice = [{ name: 'small' }, { name: 'large' }, { name: 'small', limit: 2 }];
  assert.equal(problemsOf('TeamType', { instanceTypes: twice }), ['instanceTypes.2.name']);
});

teamType('can forbid by a limit of nothing, but not by less', () => {
  assert.equal(problemsOf('TeamType', { limits: { members: 0 }, instanceTypes: [{ name: 'small', limit: 0 }] }), []);
  assert.equal(problemsOf('TeamType', { limits: { members: -1, devices: 1.5 } }), ['limits.members', 'limits.devices']);
});

teamType.run();

const instanceType = suite('InstanceType');

instanceType('lists a stack once, by a name that a stack can have', () => {
  assert.equal(problemsOf('InstanceType', { stacks: ['nr-4', 'nr-5', 'nr-4'] }), ['stacks.2']);
  assert.equal(problemsOf('InstanceType', { stacks: ['NR_4', 4] }), ['stacks.0', 'stacks.1']);
});

instanceType.run();

const stack = suite('Stack');

stack('takes any text as what runs, and no number', () => {
  for (const runtime of ['5.0.7', 'registry.example.com/flows:5.0@sha256:abc', '{"image":"x"}'])
    assert.equal(problemsOf('Stack', { runtime }), []);
  assert.equal(problemsOf('Stack', { runtime: 1.1 }), ['runtime']);
  assert.equal(problemsOf('Stack', { runtime: '' }), ['runtime']);
});

stack.run();

const template = suite('Template');

template('leaves absent options absent', () => {
  assert.equal(kinds.Template.spec.parse({}), { description: '', active: true, options: {}, environment: [] });
});

template('has every option, each with its own type', () => {
  const wrong = {
    disableEditor: 'yes',
    editorPath: 'editor',
    dashboardPath: '/a b',
    codeEditor: 'vim',
    theme: '',
    pageTitle: 1,
    headerTitle: true,
    timeZone: 'Europe/Berln',
    paletteAllowInstall: 1,
    excludedNodes: 'nodes/90-exec.js',
    paletteModules: [{ name: 'Not A Package' }],
    catalogues: ['catalogue.json'],
    npmrc: '//registry/:_authToken=x',
    apiMaxLength: '5 mb',
    debugMaxLength: 0,
    httpAuth: { username: 'x', password: 'literal' },
    httpCors: { origins: ['*', '*'] },
    healthCheckIntervalMs: 10,
  };
  assert.is(Object.keys(wrong).length, 18);
  for (const [option, value] of Object.entries(wrong)) {
    const [problem = 'none'] = problemsOf('Template', { options: { [option]: { value } } });
    assert.ok(problem.startsWith(`options.${option}.value`), `${option}: ${problem}`);
  }
});

template('takes what the runtime understands', () => {
  const right = {
    editorPath: { value: '/' },
    timeZone: { value: 'America/Argentina/Buenos_Aires' },
    excludedNodes: { value: '90-exec.js, 10-file.js', locked: true },
    paletteModules: { value: [{ name: '@scope/node-red-x' }, { name: 'node-red-y', version: '1.10' }] },
    npmrc: { value: { fromFile: 'npmrc' } },
    apiMaxLength: { value: '512kb' },
    httpAuth: { value: { username: 'x', password: { fromEnv: 'WEIR_SECRET_HTTP' } } },
    theme: { locked: true },
  };
  const { options } = kinds.Template.spec.parse({ options: right });
  assert.equal(options.paletteModules, {
    value: [
      { name: '@scope/node-red-x', version: '*' },
      { name: 'node-red-y', version: '1.10' },
    ],
    locked: false,
  });
  assert.equal(options.theme, { locked: true });
});

template('gives an environment variable a value once', () => {
  const environment = [{ name: 'SITE', value: 'a' }, { name: 'SITE', value: 'b' }, { name: '1ST' }];
  assert.equal(problemsOf('Template', { environment }), ['environment.2.name', 'environment.1.name']);
  assert.equal(kinds.Template.spec.parse({ environment: [{ name: 'SITE' }] }).environment, [
    { name: 'SITE', value: '', locked: false },
  ]);
});

template.run();

const sso = suite('SsoConfig');

sso('keeps the domain in lower case and can be found by it', () => {
  const spec = kinds.SsoConfig.spec.parse({ emailDomain: 'Example.COM', provider: 'saml' });
  assert.is(spec.emailDomain, 'example.com');
  assert.equal(kindOf('SsoConfig').keys?.(spec), ['domain=example.com']);
});

sso('knows a domain in both forms, and keeps the one that DNS has', () => {
  for (const emailDomain of ['bücher.example', 'BÜCHER.Example', 'xn--bcher-kva.example', 'bu\u0308cher.example'])
    assert.is(
      kinds.SsoConfig.spec.parse({ emailDomain, provider: 'saml' }).emailDomain,
      'xn--bcher-kva.example',
      emailDomain,
    );
  assert.is(keptEmail('ann@bücher.example'), 'ann@xn--bcher-kva.example', 'so that it finds its people');
});

sso('takes no address of a machine for a domain, in whatever signs', () => {
  for (const emailDomain of ['192.0.2.1', '１９２.０.２.１', '192.0.2', 'a.0x7f', '[2001:db8::1]', '2001:db8::1'])
    assert.equal(problemsOf('SsoConfig', { emailDomain }), ['emailDomain'], emailDomain);
});

sso('takes one domain only', () => {
  for (const emailDomain of [
    'a.com,b.com',
    'a.com b.com',
    '@a.com',
    'a..com',
    'com',
    '-a.com',
    `${'a'.repeat(64)}.com`,
  ])
    assert.equal(problemsOf('SsoConfig', { emailDomain }), ['emailDomain'], emailDomain);
  assert.equal(problemsOf('SsoConfig', { emailDomain: 'sub.xn--mnchen-3ya.example' }), []);
});

sso('is a draft that may be incomplete, but not of another form', () => {
  assert.equal(problemsOf('SsoConfig', { saml: { signOnUrl: 'soon', issuer: 'tbd' } }), []);
  assert.equal(problemsOf('SsoConfig', { provider: 'ldap', ldap: { server: 'ask Ann', baseDn: '?' } }), []);
  assert.equal(problemsOf('SsoConfig', { saml: { signOnUrl: 1 } }), ['saml.signOnUrl']);
  assert.equal(problemsOf('SsoConfig', { saml: { certificate: '' } }), ['saml.certificate']);
});

sso('assumes what the specification says', () => {
  assert.equal(kinds.SsoConfig.spec.parse({ ...least.SsoConfig, saml: {}, ldap: {} }), {
    label: '',
    emailDomain: 'example.com',
    active: false,
    provider: 'saml',
    saml: { groupAssertionName: 'svc-roles' },
    ldap: {
      userSearchFilter: '(uid=${username})',
      tls: { mode: 'none', verifyServerCertificate: true },
      groupPrefixLength: 0,
      groupSuffixLength: 0,
    },
    provisionNewUsers: false,
    sessions: {},
    groups: { manageRoles: false, scope: 'all', teams: [], allowOtherTeams: false, missing: 'keep' },
    onDeactivation: { tokens: 'keep' },
  });
});

sso('takes secrets by reference to its own variables and files only', () => {
  const at = (password: unknown) => problemsOf('SsoConfig', { ldap: { password } });
  assert.equal(at({ fromEnv: 'WEIR_SECRET_LDAP' }), []);
  for (const fromFile of ['ldap', 'ldap/password', '..data/ldap', 'a..b']) assert.equal(at({ fromFile }), [], fromFile);
  for (const wrong of [
    'literal',
    { fromEnv: 'PATH' },
    { fromEnv: 'WEIR_SECRET_A', fromFile: 'a' },
    {},
    { fromVault: 'a' },
    { fromFile: '/etc/passwd' },
    { fromFile: '../a' },
    { fromFile: 'a/../../b' },
    { fromFile: 'a/..' },
  ])
    assert.is(at(wrong).length, 1, JSON.stringify(wrong));
});

sso.run();
