// Faults that have nothing to do with each other, planted together in one tree: each is told of once, and nothing else is.
import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Files, problemsIn } from '../../control/world.ts';

/** Parts of the tree: each is a document, in its own file or with others. */
interface Parts {
  readonly [name: string]: string;
}

/** A tree without faults, by lines, so that a fault changes one or two of them. */
const good: Parts = {
  'weir.yaml': `kind: Platform
metadata: {name: platform}
spec:
  licence: enterprise
  sessions:
    expiryHours: 100
  reconcile:
    pollSeconds: 10
`,
  'admin.yaml': `kind: AdminSettings
metadata: {name: default}
spec:
  userTeamCreation: true
  statisticsTokenAccess: true
`,
  'stacks.yaml': `kind: Stack
metadata: {name: one}
spec:
  runtime: "4.1"
  resources:
    memoryMb: 512
    cpuPercent: 50
---
kind: Stack
metadata: {name: two}
spec:
  runtime: "4.2"
  replaces: one
---
kind: Stack
metadata: {name: three}
spec:
  runtime: "4.3"
`,
  'sizes.yaml': `kind: InstanceType
metadata: {name: small}
spec:
  description: small ones
  stacks:
    - one
    - two
    - three
  defaultStack: one
`,
  'teams.yaml': `kind: TeamType
metadata:
  name: starter
spec:
  description: for a start
  instanceTypes:
    - name: small
      limit: 3
  limits:
    members: 5
  features:
    teamLibrary: false
`,
  'template.yaml': `kind: Template
metadata: {name: standard}
spec:
  description: the usual
  options:
    theme: {value: dark}
  environment:
    - name: GREETING
      value: hello
`,
  'saml.yaml': `kind: SsoConfig
metadata: {name: saml}
spec:
  emailDomain: saml.example
  provider: saml
  active: true
  saml:
    signOnUrl: https://login.saml.example/
    issuer: https://login.saml.example/id
    certificate: CERT
`,
  'ldap.yaml': `kind: SsoConfig
metadata: {name: ldap}
spec:
  emailDomain: ldap.example
  provider: ldap
  active: true
  ldap:
    server: ldap.example:389
    username: cn=weir
    password: {fromEnv: WEIR_SECRET_LDAP}
    baseDn: dc=example
    userSearchFilter: (uid=\${username})
`,
};

/** A fault: what of which file becomes what, and a word of the only thing that is to be said of it. */
type Fault = readonly [rule: string, file: string, from: string, to: string, said: string];

const faults: readonly Fault[] = [
  ['schema', 'weir.yaml', '    expiryHours: 100', '    expiryHours: long', 'sessions.expiryHours must be'],
  ['schema', 'weir.yaml', '    pollSeconds: 10', '    pollSeconds: 10\n    frobnicate: 1', '"frobnicate"'],
  ['schema', 'admin.yaml', 'userTeamCreation: true', 'userTeamCreation: yes', 'userTeamCreation must be true or false'],
  [
    'settings-need-email',
    'admin.yaml',
    'statisticsTokenAccess: true',
    'passwordReset: true',
    'passwordReset cannot be on',
  ],
  ['schema', 'stacks.yaml', 'runtime: "4.1"', 'runtime: 4.1', 'runtime must be text'],
  ['schema', 'stacks.yaml', 'cpuPercent: 50', 'cpuPercent: -50', 'resources.cpuPercent cannot be'],
  ['schema', 'stacks.yaml', 'memoryMb: 512', 'memoryMbb: 512', '"memoryMbb"'],
  ['stack-runtime', 'stacks.yaml', 'runtime: "4.2"', 'runtime: a/b', 'runtime cannot be "a/b"'],
  ['references', 'stacks.yaml', 'replaces: one', 'replaces: gone', 'replaces names Stack/gone'],
  ['stack-chain', 'stacks.yaml', 'runtime: "4.3"', 'runtime: "4.3"\n  replaces: three', 'in a circle'],
  ['references', 'sizes.yaml', '    - three', '    - four', 'stacks[2] names Stack/four'],
  ['schema', 'sizes.yaml', '    - two', '    - 2', 'stacks[1] must be text'],
  ['schema', 'sizes.yaml', 'description: small ones', 'descriptoin: small ones', '"descriptoin"'],
  ['price-needs-billing', 'sizes.yaml', '  defaultStack: one', '  defaultStack: one\n  price: {id: p}', 'price'],
  ['schema', 'teams.yaml', '  name: starter', '  nmae: starter', '"nmae"'],
  ['schema', 'teams.yaml', '      limit: 3', '      limit: 3\n      frob: 4', '"frob"'],
  ['references', 'teams.yaml', '    - name: small', '    - name: large', '.name names InstanceType/large'],
  ['schema', 'teams.yaml', '  instanceTypes:', '  instanceTypes:\n    - limit: 7', 'instanceTypes[0].name is missing'],
  ['schema', 'teams.yaml', '    members: 5', '    members: many', 'limits.members must be'],
  ['schema', 'template.yaml', '    - name: GREETING', '    - nam: GREETING', '"nam"'],
  [
    'schema',
    'template.yaml',
    'metadata: {name: standard}',
    'metadata: {name: standard, labels: [a]}',
    'metadata.labels must be',
  ],
  ['sso-complete', 'saml.yaml', '    issuer: https://login.saml.example/id\n', '', 'saml.issuer is missing'],
  ['schema', 'saml.yaml', '  saml:', '  sessions: {x: 1}\n  saml:', '"x"'],
  ['sso-complete', 'saml.yaml', 'certificate: CERT', 'certificate: none', 'saml.certificate is unusable'],
  ['schema', 'saml.yaml', 'emailDomain: saml.example', 'emailDomain: 5', 'emailDomain must be text'],
  ['sso-complete', 'ldap.yaml', 'ldap.example:389', 'ldap.example', 'ldap.server is unusable'],
  ['schema', 'ldap.yaml', '{fromEnv: WEIR_SECRET_LDAP}', 'secret', 'cannot be written out'],
  ['sso-complete', 'ldap.yaml', '    baseDn: dc=example\n', '', 'ldap.baseDn is missing'],
  ['schema', 'ldap.yaml', '  ldap:\n', '  ldap:\n    frob: 1\n', '"frob"'],
  [
    'duplicate-object',
    'z.yaml',
    '',
    'kind: Stack\nmetadata: {name: three}\nspec: {runtime: "4.3"}\n',
    'declared twice',
  ],
  ['schema', 'kind.yaml', '', 'kind: Stak\nmetadata: {name: more}\nspec: {runtime: "4"}\n', 'kind cannot be "Stak"'],
  ['syntax', 'broken.yaml', '', 'kind: Stack\nmetadata: {name: broken}\nspec: {runtime: "4"\n', 'never closed'],
  ['syntax', 'mark.yaml', '', 'kind: Stack\n\uFEFFmetadata: {name: mark}\nspec: {runtime: "4"}\n', 'byte order mark'],
  [
    'syntax',
    'twice.yaml',
    '',
    'kind: Stack\nmetadata: {name: twice}\nspec: {runtime: "4", runtime: "5"}\n',
    'given twice',
  ],
];

function withFaults(chosen: readonly Fault[]): Files {
  const files: Record<string, string> = { ...good };
  for (const [, file, from, to] of chosen) {
    const text = files[file] ?? '';
    assert.ok(text.includes(from), `${file} has ${from}`);
    files[file] = text.replace(from, () => to);
  }
  return files;
}

const planted = suite('planted faults');

planted('have a catalogue of many rules, over a tree that has none', () => {
  assert.equal(problemsIn(good), []);
  assert.ok(faults.length >= 15 && new Set(faults.map(([rule]) => rule)).size >= 8);
});

planted('are told of one by one', () => {
  for (const fault of faults) assert.equal(missedIn([fault]), { missed: [], more: [] }, fault.join(' | '));
});

planted('are all told of in any combination, and nothing else is', async () => {
  await fc.assert(
    fc.property(fc.subarray([...faults], { minLength: 2 }), (chosen) => {
      const { missed, more } = missedIn(chosen);
      if (missed.length + more.length > 0)
        throw new Error(`not told of:\n${missed.join('\n')}\ntold of as well:\n${more.join('\n')}`);
    }),
    { numRuns: 150, includeErrorInReport: true },
  );
});

planted.run();

/** The faults of which nothing is said, and what is said of no fault. */
function missedIn(chosen: readonly Fault[]): { readonly missed: readonly string[]; readonly more: readonly string[] } {
  const more = problemsIn(withFaults(chosen));
  const missed: string[] = [];
  for (const [rule, file, , to, said] of chosen) {
    const at = more.findIndex((one) => one.startsWith(`${file}:`) && one.includes(` ${rule} `) && one.includes(said));
    if (at === -1) missed.push(`${file} ${rule} ${said} (${to})`);
    else more.splice(at, 1);
  }
  return { missed, more };
}
