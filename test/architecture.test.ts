// How src/ is laid out: the real tree obeys, and the checker is shown to see each kind of offence.
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { architectureProblems, orphansOf, type SourceTree } from './support/architecture.ts';
import { deadExports, twinFunctions } from './support/exports.ts';
import { importsOf, scanSource } from './support/scan-source.ts';

const repository = resolve(import.meta.dirname, '..');
/** Where the program begins, what pages read as text, and what is there for tests. */
const entries = (path: string) =>
  ['src/bin/weir.js', 'src/main.ts', 'src/drivers/stub.ts'].includes(path) || /^src\/http\/pages\/.*\.js$/.test(path);
const source = suite('src/');

source('has no import against the table of rooms, no cycle, no impure core, no overgrown or unexplained file', () => {
  const tree = readTree();
  assert.ok(tree.size > 0);
  assert.equal(architectureProblems(tree), []);
});

source('is really read: its imports are found', () => {
  const found = [...readTree()].flatMap(([, text]) => importsOf(scanSource(text)).specifiers);
  const written = [...readTree()].flatMap(([, text]) => text.match(/^(?:import|export) .*from '/gm) ?? []);
  assert.ok(found.length >= written.length, `${found.length} imports found, ${written.length} lines begin like one`);
});

source('has no file that nothing uses: the line in a registry was forgotten', () => {
  const tree = readTree();
  assert.equal(orphansOf(tree, [...tree.keys()].filter(entries)), []);
});

// Folders may be deeper than a path can say, and links may stand where folders stood a moment ago.
source('deletes folders with all that is in them in one place', () => {
  const recursive = /\brm(?:Sync|dir|dirSync)?\([^;]*?\brecursive\b/;
  const found = [...readTree()].filter(([, text]) => recursive.test(text)).map(([path]) => path);
  assert.equal(found, ['src/drivers/local/deep.ts'], 'use removeTree or removeLiveTree of drivers/local/deep.ts');
});

/** What is there for others than src/. */
const forOthers = [
  // Tests run platforms on it, which no option can choose.
  'src/drivers/stub.ts: stubDriver',
];

source('offers no function or constant that nothing of it uses', () => {
  assert.equal(deadExports(readTree()), forOthers);
});

source('says no function twice: what two files need has one place in a room that both may import', () => {
  assert.equal(twinFunctions(readTree()), []);
});

source.run();

const table = suite('the table of rooms');

const allowed: Readonly<Record<string, readonly string[]>> = {
  'src/lib/clock.ts': ['node:fs', 'any-ascii'],
  'src/core/kinds/stack.ts': ['zod', '../model/finding.ts', '../model/document.ts', './kind.ts'],
  'src/core/model/state.ts': ['../kinds/index.ts', './finding.ts'],
  'src/core/rules/references.ts': ['../model/state.ts', '../kinds/index.ts'],
  'src/core/plan/plan.ts': ['../rules/index.ts', '../model/view.ts', '../kinds/index.ts'],
  'src/core/proposals/rename-team.ts': ['../rules/index.ts', '../groups/group-name.ts'],
  'src/manifests/read.ts': ['yaml', 'chokidar', 'node:fs', '../core/kinds/index.ts', '../lib/queue.ts'],
  'src/store/json-file.ts': ['lowdb', '../core/model/state.ts'],
  'src/control/submit.ts': [
    '../store/store.ts',
    '../manifests/read.ts',
    '../drivers/driver.ts',
    '../core/plan/plan.ts',
  ],
  'src/http/server.ts': ['fastify', '@fastify/swagger', '../control/submit.ts', '../auth/token.ts', '../sso/saml.ts'],
  'src/jobs/sweep.ts': ['../control/submit.ts', '../store/store.ts', '../mail/mail.ts'],
  'src/mail/smtp.ts': ['nodemailer', '../core/kinds/scalars.ts', '../lib/id.ts', 'node:net'],
  'src/http/routes/account.ts': ['../../mail/messages.ts'],
  'src/cli/serve.ts': ['../http/server.ts', 'yaml', '../options.ts', '../control/loop.ts', '../manifests/read.ts'],
  'src/main.ts': ['./cli/serve.ts', './http/routes/index.ts', './options.ts', './store/index.ts'],
  'src/options.ts': ['zod', './core/kinds/index.ts'],
};

table('lets each room import what it may', () => {
  for (const [path, specifiers] of Object.entries(allowed)) {
    assert.equal(architectureProblems(tree({ [path]: importing(...specifiers) })), [], path);
  }
});

const forbidden: Readonly<Record<string, readonly string[]>> = {
  'src/lib/clock.ts': ['zod', '../core/model/finding.ts'],
  'src/core/kinds/stack.ts': ['node:fs', '../model/state.ts', '../../lib/clock.ts', 'yaml', '../rules/index.ts'],
  'src/core/model/state.ts': ['../rules/index.ts', '../access/policy.ts', 'fastify', 'node:crypto'],
  'src/core/model/finding.ts': ['./state.ts', '../kinds/index.ts'],
  'src/core/rules/references.ts': ['../plan/plan.ts', '../proposals/rename-team.ts'],
  'src/core/plan/plan.ts': ['../proposals/rename-team.ts', '../access/policy.ts'],
  'src/core/access/policy.ts': ['../plan/plan.ts'],
  'src/manifests/read.ts': ['../store/store.ts', 'lowdb', '../control/submit.ts', '../options.ts'],
  'src/store/json-file.ts': ['../manifests/read.ts', 'chokidar', 'yaml'],
  'src/auth/token.ts': ['../sso/saml.ts', '../store/store.ts'],
  'src/drivers/local.ts': ['../store/store.ts', '../http/server.ts'],
  'src/mail/smtp.ts': ['../store/store.ts', '../http/server.ts', '../auth/token.ts', '../control/submit.ts'],
  'src/control/submit.ts': [
    '../http/server.ts',
    '../auth/token.ts',
    '../cli/serve.ts',
    '../mail/mail.ts',
    'fastify',
    'nodemailer',
  ],
  'src/http/server.ts': ['../manifests/read.ts', '../drivers/driver.ts', 'yaml', '../cli/serve.ts', '../main.ts'],
  'src/jobs/sweep.ts': ['../http/server.ts', '../auth/token.ts', 'nodemailer'],
  'src/cli/serve.ts': ['../http/errors.ts', '../http/routes/index.ts', '../main.ts', 'fastify', 'lowdb'],
  'src/cli/log.ts': ['../manifests/open.ts', 'node:fs', 'node:fs/promises'],
  'src/cli/output/snippet.ts': ['../../manifests/open.ts', 'node:fs', 'node:child_process'],
  'src/control/tree.ts': ['../manifests/open.ts'],
  'src/options.ts': ['./store/store.ts', './main.ts'],
  'src/store/package.ts': ['left-pad', 'fs', '../../package.json', '../lib/clock'],
};

table('refuses each import that is not in it', () => {
  for (const [path, specifiers] of Object.entries(forbidden)) {
    for (const specifier of specifiers) {
      const problems = architectureProblems(tree({ [path]: importing(specifier) }));
      assert.is(problems.length, 1, `${path} ← ${specifier}: ${problems.join('; ')}`);
      assert.ok(problems[0]?.startsWith(`${path}: imports `), problems[0]);
    }
  }
});

table('sees every way to import', () => {
  const ways = [
    "import { a } from 'node:fs';",
    "import a, { type B } from 'node:fs';",
    "import type { A } from 'node:fs';",
    "import * as a from 'node:fs';",
    "import 'node:fs';",
    'import {\n  a,\n  // from here\n  b as c,\n}\n  from "node:fs"',
    "export * from 'node:fs';",
    "export type { A } from 'node:fs';",
    "const a = import('node:fs');",
    "const a = import(/* why */ 'node:fs');",
    "type A = import('node:fs').Stats;",
    "const text = `${import('node:fs')}`;",
    "const a = require('node:fs');",
    "const slash = /['\"`]/; import('node:fs')",
    "const half = size / 2 / 3; import('node:fs')",
    "if (x) { y = `a${{ b: '}' }.b}c` } import('node:fs')",
  ];
  for (const way of ways) {
    const problems = architectureProblems(tree({ 'src/core/model/view.ts': `// A view.\n${way}\n` }));
    assert.equal(problems, ['src/core/model/view.ts: imports node:fs, which core/model may not'], way);
  }
});

table('is not fooled by comments and texts', () => {
  const innocent = [
    "// import a from 'node:fs';",
    "/* import('node:fs')\n await process.exit() */",
    'const a = "import b from \'node:fs\'";',
    "const a = `import('node:fs') ${1} await Math.random()`;",
    "const a = /import('node:fs')/;",
    "const a = { from: 'node:fs' };",
    "const a = b.import('node:fs');",
  ];
  for (const way of innocent) {
    assert.equal(architectureProblems(tree({ 'src/core/model/view.ts': `// A view.\n${way}\n` })), [], way);
  }
});

table('refuses what it cannot see', () => {
  const computed = architectureProblems(tree({ 'src/store/a.ts': '// A.\nconst a = await import(name);\n' }));
  assert.match(computed.join(), /name is computed/);
  const broken = architectureProblems(tree({ 'src/store/a.ts': "// A.\nconst a = 'open;\nimport 'fastify';\n" }));
  assert.match(broken.join(), /cannot be scanned, because Error: a text does not end/);
  const unknown = architectureProblems(tree({ 'src/utils/a.ts': '// A.\n', 'src/core/misc/a.ts': '// A.\n' }));
  assert.equal(unknown, ['src/utils/a.ts: stands in no known room', 'src/core/misc/a.ts: stands in no known room']);
});

table.run();

const files = suite('the files');

files('may not import one another in a circle', () => {
  const circle = tree({
    'src/lib/a.ts': importing('./b.ts'),
    'src/lib/b.ts': "// B.\nexport type { C } from './c.ts';\n",
    'src/lib/c.ts': importing('./a.ts', './d.ts'),
    'src/lib/d.ts': importing(),
    'src/lib/own.ts': importing('./own.ts'),
  });
  assert.equal(architectureProblems(circle), [
    'src/lib/a.ts: imports itself: src/lib/a.ts → src/lib/b.ts → src/lib/c.ts → src/lib/a.ts',
    'src/lib/own.ts: imports itself: src/lib/own.ts → src/lib/own.ts',
  ]);
});

files('are seen when nothing uses them', () => {
  const lost = tree({
    'src/main.ts': importing('./lib/a.ts'),
    'src/lib/a.ts': importing(),
    'src/lib/b.ts': importing('./a.ts'),
  });
  assert.equal(orphansOf(lost, ['src/main.ts']), ['src/lib/b.ts']);
});

files('are seen to offer what nobody takes', () => {
  const offers = tree({
    'src/lib/a.ts':
      '// A.\nexport const used = 1;\nexport function dead() {}\nexport const own = 2;\nconst b = own;\n// dead\n',
    'src/lib/b.ts':
      "// B.\nimport { type C, used as other } from './a.ts';\nexport async function* lost() {}\nconst d = 'lost';\n",
    'src/lib/c.ts': '// C.\nexport const later = 1;\n',
    'src/lib/d.ts': "// D.\nconst c = await import('./c.ts');\nexport class Nobody {}\n",
    'src/lib/e.ts': '// E.\nexport const one = 1;\n',
    'src/lib/f.ts': "// F.\nimport * as e from './e.ts';\n",
  });
  assert.equal(deadExports(offers), ['src/lib/a.ts: dead', 'src/lib/b.ts: lost', 'src/lib/d.ts: Nobody']);
});

files('are seen to say the same function', () => {
  const same = 'function same(a: string) {\n  return a;\n}\n';
  const said = tree({
    'src/lib/a.ts': `// A.\n${same}const short = (a: string) => a;\nfunction other() {\n  return 1;\n}\n`,
    'src/lib/b.ts': `// B.\nexport ${same}export const short = (a: string) => a;\nfunction other() {\n  return 2;\n}\n`,
  });
  assert.equal(twinFunctions(said), ['same: src/lib/a.ts, src/lib/b.ts', 'short: src/lib/a.ts, src/lib/b.ts']);
});

files('of core may not ask the world for anything', () => {
  const impure = [
    'Date.now()',
    'new Date()',
    'new Date',
    'Date()',
    'Math.random()',
    'process.env',
    'process?.env',
    "process['env']",
    'await x',
    'async () => 1',
    'console.log(1)',
    'crypto.randomUUID()',
    'performance.now()',
    'setTimeout(f, 1)',
    "fetch('x')",
    'globalThis.process',
  ];
  for (const use of impure) {
    const path = 'src/core/plan/plan.ts';
    const problems = architectureProblems(tree({ [path]: `// A plan.\nexport const a = ${use};\n` }));
    assert.is(problems.length, 1, `${use}: ${problems.join('; ')}`);
    assert.ok(problems[0]?.startsWith(`${path}: is in core, and uses `), problems[0]);
  }
  const pure =
    'new Date(now); x.process.a; { process: 1, async: true, await: 2 }; Date.parse(a); Math.max(1); fetched(2)';
  assert.equal(architectureProblems(tree({ 'src/core/plan/plan.ts': `// A plan.\n${pure}\n` })), []);
  assert.equal(architectureProblems(tree({ 'src/lib/clock.ts': '// A clock.\nexport const a = Date.now();\n' })), []);
});

files('open with a comment, and have at most 300 lines', () => {
  const long = `// Long.\n${'export {};\n'.repeat(300)}`;
  const problems = architectureProblems(
    tree({
      'src/lib/bare.ts': 'export {};\n',
      'src/lib/late.ts': '\n// Late.\n',
      'src/lib/mute.ts': '//\nexport {};\n',
      'src/lib/long.ts': long,
      'src/lib/just.ts': long.replace('export {};\n', ''),
      'src/bin/weir.js': '#!/usr/bin/env node\n// Starts.\n',
      'src/lib/block.ts': '/* Fine. */\n',
    }),
  );
  assert.equal(
    problems.map((problem) => problem.split(':')[0]),
    ['src/lib/bare.ts', 'src/lib/late.ts', 'src/lib/mute.ts', 'src/lib/long.ts'],
  );
  assert.match(problems.at(-1) ?? '', /has 301 lines, more than 300/);
});

files.run();

function tree(sources: Readonly<Record<string, string>>): SourceTree {
  return new Map(Object.entries(sources));
}

function importing(...specifiers: readonly string[]): string {
  return `// A file.\n${specifiers.map((specifier, index) => `import { a${index} } from '${specifier}';\n`).join('')}`;
}

function readTree(): SourceTree {
  const paths = globSync('src/**/*.{ts,js}', { cwd: repository }).map((path) => path.replaceAll('\\', '/'));
  return new Map(paths.sort().map((path) => [path, readFileSync(join(repository, path), 'utf8')]));
}
