// What is said of a document that is not of its kind: where, in which words, and what to write instead.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Files, load, problemsIn, told } from '../../control/world.ts';

const document = (kind: string, name: string, ...spec: string[]) =>
  [`kind: ${kind}`, `metadata: {name: ${name}}`, 'spec:', ...spec.map((line) => `  ${line}`), ''].join('\n');
const stack = (...spec: string[]) => document('Stack', 'a', ...spec);

/** The problems of one file; a Platform stands in `weir.yaml`. Without the file's name and the rule `schema`. */
function said(text: string): string[] {
  const files: Files = text.startsWith('kind: Platform') ? { 'weir.yaml': text } : { 'a.yaml': text };
  return problemsIn(files).map((problem) => problem.replace(/^(a|weir)\.yaml:(\S+) schema /, '$2 '));
}

const fields = suite('a field');

fields('that is not known is named at its key, with those that are, and what was probably meant', () => {
  assert.equal(said(stack('runtime: "4"', 'lable: x')), [
    '5:3 Stack/a: spec has no field "lable" (it has label, active, runtime, resources, replaces) (did you mean label)',
  ]);
  assert.equal(said(stack('runtime: "4"', 'resources:', '  memoryMB: 64')), [
    '6:5 Stack/a: resources has no field "memoryMB" (it has memoryMb, cpuPercent, diskMb) (did you mean memoryMb)',
  ]);
  assert.equal(said(document('TeamType', 't', 'features:', '  teamLibary: true')), [
    '5:5 TeamType/t: features has no field "teamLibary" (did you mean teamLibrary)',
  ]);
  assert.equal(said('kind: Stack\nmetadata: {name: a, namespace: x}\nstatus: {}\nspec: {runtime: "4"}\n'), [
    '2:21 Stack/a: metadata has no field "namespace" (it has name, previousNames, labels)',
    '3:1 Stack/a: a document has no field "status" (it has apiVersion, kind, metadata, lifecycle, spec)',
  ]);
  assert.is(
    said('kind: Stack\nmetadata: {name: a}\nruntime: "4"\nspec: {runtime: "4"}\n')[0],
    '3:1 Stack/a: a document has no field "runtime" (it has apiVersion, kind, metadata, lifecycle, spec): it belongs below spec',
  );
});

fields('that is missing is missed where it should stand', () => {
  assert.equal(said(stack('label: x')), ['4:3 Stack/a: runtime is missing']);
  assert.equal(said('kind: Stack\nmetadata: {name: a}\n'), ['1:1 Stack/a: runtime is missing']);
  assert.equal(said('kind: Stack\nmetadata: {name: a}\nspec:\n'), ['3:1 Stack/a: runtime is missing']);
  assert.equal(said(document('TeamType', 't', 'instanceTypes:', '  - limit: 1')), [
    '5:7 TeamType/t: instanceTypes[0].name is missing',
  ]);
  assert.equal(said('kind: Stack\nspec: {runtime: "4"}\n'), ['1:1 Stack/?: metadata is missing']);
  assert.equal(said('kind: Stack\nmetadata: {}\nspec: {runtime: "4"}\n'), ['2:11 Stack/?: metadata.name is missing']);
});

fields('without a value must have one', () => {
  assert.equal(said(stack('runtime:')), ['4:3 Stack/a: runtime has no value: it must be text']);
  assert.equal(said('kind: Platform\nmetadata: {name: platform}\nspec:\n  email:\n'), [
    '4:3 Platform/platform: email has no value: it must be a mapping',
  ]);
  assert.equal(said('kind: Stack\nmetadata:\nspec: {runtime: "4"}\n'), [
    '2:1 Stack/?: metadata has no value: it must be a mapping',
  ]);
});

fields('called as objects are in JavaScript is as unknown as any other', () => {
  const keys = ['__proto__', 'constructor', 'toString'];
  for (const key of keys) {
    assert.match(said(stack('runtime: "4"', `${key}: {a: 1}`))[0] ?? '', `spec has no field "${key}"`);
    assert.match(
      said(document('TeamType', 't', 'features:', `  ${key}: true`))[0] ?? '',
      `features has no field "${key}"`,
    );
    assert.match(
      said(document('Template', 't', 'options:', `  ${key}: {value: 1}`))[0] ?? '',
      `options has no field "${key}"`,
    );
    assert.match(said(`kind: ${key}\nmetadata: {name: a}\n`)[0] ?? '', `kind cannot be "${key}"`);
  }
  assert.equal(
    said('kind: Stack\nmetadata: {name: a, labels: {__proto__: x, constructor: x}}\nspec: {runtime: "4"}\n'),
    ['2:30 Stack/a: metadata.labels cannot have the key "__proto__", because it must begin with a letter or digit'],
  );
});

fields.run();

const types = suite('a value of another type');

types('is a number where text is wanted: the hint quotes it as it was written', () => {
  assert.equal(said(stack('runtime: 1.10')), [
    '4:12 Stack/a: runtime must be text, and YAML reads 1.10 as a number: quote it (did you mean "1.10")',
  ]);
  assert.equal(said(stack('runtime: true')), [
    '4:12 Stack/a: runtime must be text, and YAML reads true as a boolean: quote it (did you mean "true")',
  ]);
  assert.equal(said('kind: Stack\nmetadata: {name: 5, labels: {a: 0x1F}}\nspec: {runtime: "4"}\n'), [
    '2:18 Stack/?: metadata.name must be text, and YAML reads 5 as a number: quote it (did you mean "5")',
    '2:33 Stack/?: metadata.labels.a must be text, and YAML reads 0x1F as a number: quote it (did you mean "0x1F")',
  ]);
  assert.equal(said(document('InstanceType', 't', 'stacks: [4]')).length, 1);
});

types('is a number in a form that is not read alike by all: the decimal is named', () => {
  const limit = (written: string) => said(document('TeamType', 't', `limits: {members: ${written}}`));
  const meant = { '0777': 777, '08': 8, '00': 0, '0o17': 15, '0x1F': 31, '+5': 5, '1e3': 1000, '-0x1': undefined };
  for (const [written, value] of Object.entries(meant)) {
    const problem = limit(written)[0] ?? '';
    if (value === undefined) assert.match(problem, /members must be a number, not text: write -1/, written);
    else
      assert.match(
        problem,
        new RegExp(`members cannot be written .*: write ${value}.*did you mean ${value}\\)$`),
        written,
      );
  }
  assert.equal(limit('0777'), [
    '4:21 TeamType/t: limits.members cannot be written 0777, because programs do not agree on what a leading 0 means: write 777 (511 if it is octal) (did you mean 777)',
  ]);
  assert.equal(limit('0x1F'), [
    '4:21 TeamType/t: limits.members cannot be written 0x1F, because numbers are written as plain decimals: write 31 (did you mean 31)',
  ]);
  assert.equal(limit('.5'), ['4:21 TeamType/t: limits.members must be a whole number, not .5']);
  for (const written of ['1_000', '0b11', '"5"'])
    assert.match(limit(written)[0] ?? '', /must be a number, not text: write /, written);
  for (const written of ['0', '5', '1000']) assert.equal(limit(written), [], written);
  assert.equal(said('kind: Stack\nmetadata: {name: a}\nspec: {runtime: 0x1F}\n').length, 1, 'a text: quoted as it is');
});

types('is a usual mistake: the message says what to write', () => {
  const stack = (field: string) => said(document('Stack', 'a', 'runtime: "4"', `resources: {${field}}`)).join();
  for (const written of ['512Mi', '512MB', '512M', '"512 MiB"'])
    assert.match(stack(`memoryMb: ${written}`), /the unit stands in the name of the field: write 512 /, written);
  assert.match(stack('memoryMb: 2Gi'), /write 2048 /);
  assert.match(stack('cpuPercent: 50%'), /the unit stands in the name of the field: write 50 /);
  for (const written of ['unlimited', 'none', 'infinity'])
    assert.match(stack(`memoryMb: ${written}`), /must be a number, not text: leave it out for no limit$/, written);
  assert.match(stack('memoryMb: much'), /must be a number, not text$/);
  assert.equal(said(document('SsoConfig', 's', 'emailDomain: a.example', 'provider: ldap', 'ldap: {tls: ldaps}')), [
    '6:15 SsoConfig/s: ldap.tls must be a mapping, not text: write {mode: ldaps} (did you mean {mode: ldaps})',
  ]);
});

types('that is indented too little or too much is told of once, with where it belongs', () => {
  const spec = (...lines: readonly string[]) => said(document('Stack', 'a', 'runtime: "4"', ...lines)).join('\n');
  assert.match(
    spec('resources:', 'memoryMb: 512'),
    /^6:3 [^\n]*: it belongs below resources: is it indented too little\?$/,
  );
  assert.match(
    spec('resources:', '  label: x'),
    /^6:5 [^\n]*: it belongs beside resources: is it indented too much\?$/,
  );
  assert.match(spec('lifecycle: {protect: true}'), /^5:3 [^\n]*: it belongs beside spec: is it indented too much\?$/);
  assert.match(
    said('kind: Stack\nmetadata:\nname: a\nspec: {runtime: "4"}\n').join('\n'),
    /^3:1 [^\n]*: it belongs below metadata: is it indented too little\?$/,
  );
});

types('is one of the words that were booleans in YAML 1.1', () => {
  const active = (word: string) => said(stack('runtime: "4"', `active: ${word}`));
  const truths = { yes: 'true', on: 'true', ON: 'true', Y: 'true', no: 'false', off: 'false', No: 'false', n: 'false' };
  for (const [word, meant] of Object.entries(truths))
    assert.equal(active(word), [
      `5:11 Stack/a: active must be true or false, and YAML 1.2 reads ${word} as text: write ${meant}`,
    ]);
});

types('is in quotes where none belong', () => {
  assert.equal(said(stack('runtime: "4"', 'active: "true"')), [
    '5:11 Stack/a: active must be true or false, not text: write it without quotes (did you mean true)',
  ]);
  assert.equal(said(stack('runtime: "4"', 'resources: {memoryMb: "512"}')), [
    '5:25 Stack/a: resources.memoryMb must be a number, not text: write it without quotes (did you mean 512)',
  ]);
});

types('is told in plain words', () => {
  assert.equal(said(stack('runtime: [a]', 'active: 1', 'resources: {memoryMb: 1.5, cpuPercent: 5s}')), [
    '4:12 Stack/a: runtime must be text, not a list',
    '5:11 Stack/a: active must be true or false, not a number',
    '6:25 Stack/a: resources.memoryMb must be a whole number, not 1.5',
    '6:42 Stack/a: resources.cpuPercent must be a number, not text',
  ]);
  assert.equal(said('kind: Stack\nmetadata: {name: a}\nspec: hello\n'), [
    '3:7 Stack/a: spec must be a mapping, not text',
  ]);
  assert.equal(said('kind: Stack\nmetadata: {name: a, labels: [x]}\nspec: {runtime: "4"}\n'), [
    '2:29 Stack/a: metadata.labels must be a mapping, not a list',
  ]);
});

types('comes with what was probably meant where lists and mappings were confused', () => {
  assert.equal(said('kind: Stack\nmetadata: {name: a, previousNames: b}\nspec: {runtime: "4"}\n'), [
    '2:36 Stack/a: metadata.previousNames must be a list, not text: put it in brackets (did you mean [b])',
  ]);
  assert.equal(said(document('Template', 't', 'options: {theme: dark}', 'environment: {A: b}')), [
    '4:20 Template/t: options.theme must be a mapping, not text: write {value: …}',
    '5:16 Template/t: environment must be a list, not a mapping: write a list of items that each have a name',
  ]);
  assert.equal(said(document('TeamType', 't', 'instanceTypes: [small]')), [
    '4:19 TeamType/t: instanceTypes[0] must be a mapping, not text: write {name: …} (did you mean {name: small})',
  ]);
});

types.run();

const values = suite('a value');

values('outside its bounds is told with the bound', () => {
  assert.equal(
    said(stack('runtime: ""', `label: ${'x'.repeat(1001)}`, 'resources: {memoryMb: 1, cpuPercent: 99999}')),
    [
      '4:12 Stack/a: runtime cannot be "", because it is empty',
      `5:10 Stack/a: label cannot be "${'x'.repeat(56)}…, because it is longer than 1000 characters`,
      '6:25 Stack/a: resources.memoryMb cannot be 1, because it is less than 32',
      '6:40 Stack/a: resources.cpuPercent cannot be 99999, because it is more than 12800',
    ],
  );
});

values('that is none of several is told with all of them', () => {
  assert.equal(said(document('SsoConfig', 't', 'emailDomain: "a,b"', 'provider: SAML')), [
    '4:16 SsoConfig/t: emailDomain cannot be "a,b", because it must be a domain like example.com',
    '5:13 SsoConfig/t: provider cannot be "SAML", because it must be one of saml, ldap (did you mean saml)',
  ]);
  assert.equal(said('apiVersion: weir/v2\nkind: Stack\nmetadata: {name: a}\nspec: {runtime: "4"}\n'), [
    '1:13 Stack/a: apiVersion cannot be "weir/v2", because it must be weir/v1 (did you mean weir/v1)',
  ]);
});

values('of a form is told with the form, in words', () => {
  for (const name of ['NR-4', 'nr.4', '-a', 'é'])
    assert.equal(said(`kind: Stack\nmetadata: {name: ${name}}\nspec: {runtime: "4"}\n`), [
      `2:18 Stack/${name}: metadata.name cannot be "${name}", because it must be lower-case letters, digits and "-", with a letter or digit at both ends`,
    ]);
  assert.equal(said('kind: Stack\nmetadata: {name: a, labels: {"a b": x, c: "d e"}}\nspec: {runtime: "4"}\n'), [
    '2:30 Stack/a: metadata.labels cannot have the key "a b", because it must be up to 63 letters, digits, "-", "_" and ".", with a domain and "/" before it if you like',
    '2:43 Stack/a: metadata.labels.c cannot be "d e", because it must be letters, digits, "-", "_" and ".", with a letter or digit at both ends',
  ]);
});

values('may stand in a set or a named list once: the second is refused, whatever else is wrong', () => {
  assert.equal(said(document('InstanceType', 't', 'stacks:', '  - a', '  - a')), [
    '6:7 InstanceType/t: stacks[1] cannot be "a", because it stands in the list already',
    'a.yaml:5:7 references InstanceType/t: stacks[0] names Stack/a, which nothing declares: name what there is, or declare it first',
  ]);
  assert.equal(
    said(document('TeamType', 't', 'instanceTypes:', '  - name: a', '  - {name: a, limit: -1}', '  - name: a')),
    [
      '6:14 TeamType/t: instanceTypes[1].name cannot be "a", because it stands in the list already',
      '6:24 TeamType/t: instanceTypes[1].limit cannot be -1, because it is less than 0',
      '7:13 TeamType/t: instanceTypes[2].name cannot be "a", because it stands in the list already',
      'a.yaml:5:13 references TeamType/t: instanceTypes[0].name names InstanceType/a, which nothing declares: name what there is, or declare it first',
    ],
  );
  assert.equal(said('kind: Stack\nmetadata: {name: a, previousNames: [b, b]}\nspec: {runtime: "4"}\n').length, 1);
});

values('of a million wrong ones are not all told', () => {
  const text = document('InstanceType', 't', `stacks: [${'1, '.repeat(50_000)}]`);
  const problems = said(text);
  assert.is(problems.length, 101);
  assert.is(problems.at(-1), '1:1 InstanceType/t: there are more problems in this document than are told');
});

values.run();

const lifecycles = suite('lifecycle.ignore');

lifecycles('names fields that are there', () => {
  const ignoring = (...paths: string[]) =>
    said(`kind: TeamType\nmetadata: {name: t}\nlifecycle: {ignore: [${paths.join(', ')}]}\n`);
  assert.equal(
    ignoring('/spec/description', '/spec/limits', '/spec/instanceTypes/small/limit', '/spec/instanceTypes'),
    [],
  );
  assert.equal(ignoring('/spec/descripton', '/spec/limits/mebers', '/spec/active/x', '/spec/__proto__'), [
    '3:22 TeamType/t: lifecycle.ignore[0] cannot be /spec/descripton, because TeamType has no such field (did you mean /spec/description)',
    '3:40 TeamType/t: lifecycle.ignore[1] cannot be /spec/limits/mebers, because TeamType has no such field (did you mean /spec/limits/members)',
    '3:61 TeamType/t: lifecycle.ignore[2] cannot be /spec/active/x, because /spec/active has no parts: name the whole of it (did you mean /spec/active)',
    '3:77 TeamType/t: lifecycle.ignore[3] cannot be /spec/__proto__, because TeamType has no such field',
  ]);
  assert.equal(ignoring('spec.description'), [
    '3:22 TeamType/t: lifecycle.ignore[0] cannot be "spec.description", because it must be a JSON pointer that begins with /spec/',
  ]);
});

lifecycles.run();

const secrets = suite('a secret');

secrets('is a reference, and whatever else stands there is shown nowhere', () => {
  const password = (...value: string[]) =>
    document('SsoConfig', 't', 'emailDomain: a.example', 'provider: ldap', 'ldap:', ...value);
  const instead = 'write {fromEnv: WEIR_SECRET_…} or {fromFile: …} instead';
  const cases: readonly (readonly [written: string, said: string])[] = [
    [
      'password: hunter2',
      `7:15 SsoConfig/t: ldap.password cannot be written out, because a tree holds no secrets: ${instead}`,
    ],
    [
      'password: 12345678',
      `7:15 SsoConfig/t: ldap.password cannot be written out, because a tree holds no secrets: ${instead}`,
    ],
    [
      'password: {value: hunter2}',
      `7:23 SsoConfig/t: ldap.password cannot be written out, because a tree holds no secrets: ${instead}`,
    ],
    [
      'password: {value: 12345678}',
      `7:23 SsoConfig/t: ldap.password cannot be written out, because a tree holds no secrets: ${instead}`,
    ],
    ['password: [hunter2]', `7:15 SsoConfig/t: ldap.password is not a reference to a secret: ${instead}`],
    ['password: {hunter2: 1}', `7:15 SsoConfig/t: ldap.password is not a reference to a secret: ${instead}`],
    [
      'password: {fromEnv: hunter2}',
      '7:15 SsoConfig/t: ldap.password is not a reference to a secret: fromEnv must be a variable whose name begins with WEIR_SECRET_',
    ],
    [
      'password: {fromFile: /etc/hunter2}',
      '7:15 SsoConfig/t: ldap.password is not a reference to a secret: fromFile must be a path below the secret folder, without ".."',
    ],
    ['pasword: hunter2', '7:5 SsoConfig/t: ldap has no field "pasword" (did you mean password)'],
    ['bindPwd: hunter2', '7:5 SsoConfig/t: ldap has no field "bindPwd"'],
  ];
  for (const [written, expected] of cases) {
    const found = load({ 'a.yaml': password(`  ${written}`) }).findings;
    assert.equal(
      found.map((finding) => told(finding).replace('a.yaml:', '').replace(' schema', '')),
      [expected],
    );
    assert.ok(found[0]?.sensitive, `${written}: a screen masks the line`);
    assert.not.match(JSON.stringify(found), /hunter2|12345678/);
  }
  assert.equal(said(password('  password:')), [`7:5 SsoConfig/t: ldap.password has no value: ${instead}`]);
});

secrets('inside an address is not repeated', () => {
  const found = load({
    'weir.yaml': 'kind: Platform\nmetadata: {name: platform}\nspec: {tables: {url: "postgres://weir:hunter2@db/x"}}\n',
  }).findings;
  assert.equal(
    found.map(({ message, sensitive }) => [message, sensitive]),
    [
      [
        'Platform/platform: tables.url cannot be "postgres://***@db/x", because it must be an address like postgres://user@host:5432/name, without a password in it',
        true,
      ],
    ],
  );
});

secrets.run();

const files = suite('a public file');

files('is drawn in, and what is wrong with it is told where it is named', () => {
  const sso = (certificate: string) =>
    document('SsoConfig', 't', 'emailDomain: a.example', 'provider: saml', 'saml:', `  certificate: ${certificate}`);
  assert.equal(problemsIn({ 'sso/a.yaml': sso('{fromFile: ../idp.pem}'), 'idp.pem': 'CERT' }), []);
  assert.equal(said(sso('{fromFile: missing.pem}')), [
    '7:29 SsoConfig/t: saml.certificate cannot be read, because there is no such file: the path is relative to this document',
  ]);
  assert.equal(said(sso('[a]')), ['7:18 SsoConfig/t: saml.certificate must be text or {fromFile: path}, not a list']);
  assert.equal(said(sso('{fromEnv: A}')), [
    '7:18 SsoConfig/t: saml.certificate must be text or {fromFile: path}, not a mapping',
  ]);
});

files.run();

const kinds = suite('a document');

kinds('of no known kind is told with those that there are', () => {
  const all = 'write one of Platform, AdminSettings, Stack, InstanceType, TeamType, Template, SsoConfig';
  assert.equal(said('kind: Stak\nmetadata: {name: a}\n'), [
    `1:7 kind cannot be "Stak", because Weir knows no such kind: ${all} (did you mean Stack)`,
  ]);
  assert.equal(said('kind: stack\n'), [
    `1:7 kind cannot be "stack", because Weir knows no such kind: ${all} (did you mean Stack)`,
  ]);
  for (const kind of ['Team', '5', '{a: b}', '[Stack]'])
    assert.match(said(`kind: ${kind}\n`)[0] ?? '', 'Weir knows no such kind', kind);
  for (const none of ['metadata: {name: a}\n', 'kind:\n']) assert.equal(said(none), [`1:1 kind is missing: ${all}`]);
  for (const other of ['hello\n', '- a\n', '~\n', '5\n'])
    assert.equal(said(other), ['1:1 this document is not a mapping: it has no kind']);
});

kinds('of a kind that there is one of has the one name', () => {
  assert.equal(said(document('AdminSettings', 'main', 'registration: false')), [
    '2:18 AdminSettings/main: metadata.name cannot be main, because there is one AdminSettings only, and it is called "default" (did you mean default)',
  ]);
  assert.equal(said('kind: Platform\nmetadata: {name: prod}\n'), [
    '2:18 Platform/prod: metadata.name cannot be prod, because there is one Platform only, and it is called "platform" (did you mean platform)',
  ]);
});

kinds('of kind Platform stands in weir.yaml, and weir.yaml declares it', () => {
  const platform = 'kind: Platform\nmetadata: {name: platform}\n';
  assert.equal(problemsIn({ 'weir.yaml': stack('runtime: "4"'), 'b.yaml': platform }), [
    'b.yaml:1:7 schema Platform/platform: cannot be declared in b.yaml, because the Platform stands in weir.yaml',
  ]);
  for (const text of ['', '# nothing\n', stack('runtime: "4"')])
    assert.equal(problemsIn({ 'weir.yaml': text }), [
      'weir.yaml:1:1 schema Platform/platform: is missing, because weir.yaml does not declare it: begin weir.yaml with "kind: Platform" and "metadata: {name: platform}"',
    ]);
  const named = (more: string) => `kind: Platform\nmetadata: {name: platform}\nspec: {${more}}\n`;
  for (const text of ['kind: Platfrom\nmetadata: {name: platform}\n', 'kind: Platform\nspec: {}\n', named('driver: 5')])
    assert.is(problemsIn({ 'weir.yaml': text, 'a.yaml': stack('runtime: "a/b"') }).length, 1, text);
  const problems = problemsIn({ 'weir.yaml': named('licence: free'), 'a.yaml': stack('runtime: "a/b"') });
  assert.is(problems.length, 2, 'the driver could be read');
});

kinds('is told of on one line that means what it shows, whatever is written in it', () => {
  const tricks = ['a\nb', 'a\u001b[31mb', 'a\u202eb', 'a\u2028b', 'a\tb'].map((text) => JSON.stringify(text));
  for (const trick of tricks) {
    const texts = [
      `kind: Stack\nmetadata: {name: ${trick}}\nspec: {runtime: ${trick}, ${trick}: 1}\n`,
      `kind: Stack\nmetadata: {name: a, labels: {${trick}: ${trick}}}\nspec: {runtime: ${trick}}\n`,
      `kind: ${trick}\n`,
    ];
    for (const text of texts) assert.not.match(said(text).join(''), /[\p{Cc}\u2028\u202e]/u, text);
  }
});

kinds('tells all that is wrong in one run, in the order in which it stands', () => {
  const text =
    'kind: Stack\nmetadata: {name: A}\nlifecycle: {protect: yes}\nspec: {runtime: 4, lable: x, active: on}\n';
  assert.equal(
    said(text).map((problem) => problem.split(' ')[0]),
    ['2:18', '3:22', '4:17', '4:20', '4:38'],
  );
});

kinds.run();
