// timeout: 400
// The formats for machines and for reviews: what they say, where they point, and that nothing from a file can break out of them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FormatName, formatNames, formats } from '../../../src/cli/output/index.ts';
import { code, prose } from '../../../src/cli/output/markdown-text.ts';
import { planLine } from '../../../src/cli/output/plan-text.ts';
import { helpFor } from '../../../src/cli/output/rule-help.ts';
import type { CheckReport, PlanReport, Report } from '../../../src/cli/report.ts';
import type { Finding } from '../../../src/core/model/finding.ts';
import { rules } from '../../../src/core/rules/index.ts';
import { checkFormat, elements, sarifSchema } from '../../support/formats.ts';
import { runCommand } from '../../support/run-command.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const surface = { colours: false, cwd: '/repository', version: '1.2.3' };
const schema = await sarifSchema();

const finding: Finding = {
  rule: 'stack-in-use',
  severity: 'error',
  message: 'Stack/nr-4: runtime cannot be changed, because 1 instance uses this stack',
  kind: 'Stack',
  name: 'nr-4',
  path: '/spec/runtime',
  source: { file: 'stacks/nr 4#.yaml', line: 5, column: 12, endLine: 5, endColumn: 20 },
};

function check(findings: readonly Finding[], root = 'config'): CheckReport {
  const texts = new Map(
    [...findings.flatMap(({ source }) => source?.file ?? []), 'weir.yaml'].map((file) => [file, '']),
  );
  return { type: 'check', findings, files: 2, documents: 3, texts, root, seconds: 0.125 };
}

const elsewhere: CheckReport = { ...check([finding]), root: undefined };

// Everything that means something somewhere.
const nasty = [
  'a|b `c` ``d`` <script>alert(1)</script> &amp; @octocat #1 !2 GH-3 [x](http://evil.example) ![i](j) *s* __u__ ~~t~~ \\| \\',
  ']]> --> <!-- </testcase> "quoted" \'single\' ${{ github.token }} ::error::x %0A %2C',
  'one\ntwo\r\n::warning::three\u2028\u0000\u0008\u001b[31m\u009b\ud800\ufffe\uffff\u202e:smile: www.evil.example a@b.example /close',
].join(' ');

const nastyFinding: Finding = {
  ...finding,
  message: nasty,
  suggestion: nasty,
  source: { file: `a/${nasty}.yaml`, line: 1, column: 1, endLine: 1, endColumn: 1 },
};

const change: PlanReport['plan']['changes'][number] = {
  address: 'Stack/nr-4',
  kind: 'Stack',
  name: 'nr-4',
  action: 'update',
  source: { file: 'stacks.yaml', line: 1, column: 1, endLine: 1, endColumn: 5 },
  precondition: { id: 'x', generation: 1 },
  fields: [
    {
      path: '/spec/label',
      before: nasty.slice(0, 40),
      after: 'a | <b> `c` @d',
      source: { file: 'stacks.yaml', line: 4, column: 10, endLine: 4, endColumn: 12 },
    },
  ],
  affects: { instances: 2, teams: 1 },
};

const ended = { address: `Session/${nasty}`, action: 'delete', reason: `${nasty} signs in elsewhere` } as const;
const { source: _source, ...others } = change;
const deletion: typeof change = {
  ...others,
  action: 'delete',
  previousSource: { file: 'stacks/nr-4.yaml', line: 3 },
  fields: [
    { path: '/spec/label', before: nasty, after: null },
    { path: '/spec/runtime', before: '4', after: null },
  ],
  affects: {},
};

function planned(changes: readonly (typeof change)[], findings: readonly Finding[] = []): PlanReport {
  const summary = { create: 0, update: 1, delete: 0, rename: 0, adopt: 0, unchanged: 4, blocked: 0 };
  const base = { revision: null, digest: 'd' };
  const consequences = changes.includes(deletion) ? [] : [ended];
  const plan = {
    formatVersion: 1,
    base,
    source: { digest: 'd', files: 1 },
    summary,
    changes,
    consequences,
    findings,
  } as const;
  return { type: 'plan', plan, result: 'planned', texts: new Map(), root: 'config', seconds: 1 };
}

const reports: Readonly<Record<string, Report>> = {
  'no finding': check([]),
  'a finding': check([finding]),
  'a finding without a place': check([{ rule: 'mass-delete', severity: 'error', message: 'too much' }]),
  'a warning': check([{ ...finding, severity: 'warning' }]),
  'the same finding twice': check([finding, finding]),
  'a tree beside the working directory': check([finding], '../other'),
  'a tree elsewhere': elsewhere,
  'the working directory itself': check([finding], ''),
  'what nobody should write': check([nastyFinding]),
  'a plan': planned([change]),
  'a plan of what nobody should write': planned(
    [{ ...change, address: `Stack/${nasty}`, name: nasty }],
    [nastyFinding],
  ),
  'values that nobody should write': planned([
    { ...change, fields: [{ path: '/spec/label', before: `${nasty}\n${nasty}`, after: `${nasty}\nmore\n${nasty}!` }] },
    { ...change, kind: 'InstanceType', fields: [{ path: '/spec/stacks', before: [nasty], after: [`${nasty}!`, 'a'] }] },
    { ...change, kind: 'SsoConfig', fields: [{ path: '/spec/ldap/tls/ca', before: nasty, after: `${nasty}!` }] },
  ]),
  'a deletion of what nobody should write': planned([
    { ...deletion, address: `Stack/${nasty}`, previousSource: { file: `${nasty}.yaml`, line: 1 } },
  ]),
  'a problem': { type: 'problem', code: 'tree_missing', message: `${nasty}\nsecond line` },
  'a refusal': { type: 'refusal', findings: [nastyFinding] },
};

const all = suite('every format');

for (const [name, report] of Object.entries(reports))
  for (const format of formatNames)
    if (format !== 'human' && format !== 'json')
      all(`${format} of ${name} is a whole document`, () => {
        checkFormat(format, rendered(format, report), schema);
      });

all.run();

function rendered(format: FormatName, report: Report): string {
  return formats[format](report, surface);
}

const sarif = suite('sarif');

const resultsOf = (report: Report) => JSON.parse(rendered('sarif', report)).runs[0];

sarif('the last line of a plan counts what goes with it', () => {
  const line = 'Plan: 0 to create, 1 to update, 0 to delete; 4 unchanged';
  assert.is(planLine(planned([change])), `${line}; 1 consequence.`);
  assert.is(planLine(planned([deletion])), `${line}.`);
  assert.match(planLine({ ...planned([change]), result: 'applied' }), /^Applied: .* 4 unchanged; 1 consequence\.$/);
});

sarif('places a finding below %SRCROOT%, with its region and its rule', () => {
  const { results, tool, originalUriBaseIds, columnKind, invocations } = resultsOf(check([finding]));
  assert.is(columnKind, 'utf16CodeUnits');
  assert.equal(Object.keys(originalUriBaseIds), ['%SRCROOT%']);
  assert.equal(invocations, [{ executionSuccessful: true }]);
  const [{ ruleId, ruleIndex, level, locations, partialFingerprints }] = results;
  assert.equal([ruleId, level], ['stack-in-use', 'error']);
  assert.equal(locations[0].physicalLocation, {
    artifactLocation: { uri: 'config/stacks/nr%204%23.yaml', uriBaseId: '%SRCROOT%' },
    region: { startLine: 5, startColumn: 12, endLine: 5, endColumn: 20 },
  });
  assert.is(locations[0].logicalLocations[0].fullyQualifiedName, 'Stack/nr-4/spec/runtime');
  assert.match(partialFingerprints['weirFinding/v1'], /^[0-9a-f]{32}$/);
  const rule = tool.driver.rules[ruleIndex];
  assert.is(rule.id, 'stack-in-use');
  assert.match(rule.help.text, /declare a new stack that replaces it/);
  assert.is(tool.driver.semanticVersion, '1.2.3');
});

sarif('names a file outside the working directory whole, and one of a server by its tree', () => {
  const uri = (report: Report) => resultsOf(report).results[0].locations[0].physicalLocation.artifactLocation;
  assert.equal(uri(check([finding], '../other')), { uri: 'file:///other/stacks/nr%204%23.yaml' });
  assert.equal(uri(elsewhere), { uri: 'stacks/nr%204%23.yaml', uriBaseId: 'TREE' });
  assert.equal(uri(check([finding], '')).uri, 'stacks/nr%204%23.yaml');
});

sarif('knows a finding again when lines move, and tells two equal ones apart', () => {
  const print = (report: Report) =>
    resultsOf(report).results.map((result: { partialFingerprints: object }) => result.partialFingerprints);
  const moved = { ...finding, source: { file: 'stacks/nr 4#.yaml', line: 9, column: 1, endLine: 9, endColumn: 2 } };
  assert.equal(print(check([moved])), print(check([finding])));
  const [first, second] = print(check([finding, finding]));
  assert.not.equal(first, second);
  assert.not.equal(print(check([{ ...finding, name: 'nr-5' }])), print(check([finding])));
});

sarif('tells of a problem as a run that failed', () => {
  const { invocations, results } = resultsOf({ type: 'problem', code: 'tree_missing', message: 'no tree' });
  assert.equal(results, []);
  assert.is(invocations[0].executionSuccessful, false);
  assert.equal(invocations[0].toolExecutionNotifications, [
    { descriptor: { id: 'tree_missing' }, level: 'error', message: { text: 'no tree' } },
  ]);
});

sarif('has help of its own for every rule', () => {
  for (const { id } of rules) assert.not.match(helpFor(id).help, 'Do what the message says', id);
  assert.match(helpFor('unheard-of').about, /unheard-of/);
});

sarif('is accepted by the validator of Microsoft’s multitool', async () => {
  const folder = temporaryFolder();
  for (const [index, report] of Object.values(reports).entries())
    writeFileSync(join(folder.path, `${index}.sarif`), rendered('sarif', report));
  const args = ['--yes', '@microsoft/sarif-multitool@5.7.0', 'validate', '*.sarif', '--output', 'told.json'];
  const { code: ended, stdout, stderr } = await runCommand('npx', args, { cwd: folder.path });
  const told = JSON.parse(readFileSync(join(folder.path, 'told.json'), 'utf8')).runs[0];
  const ids = told.results.map(({ ruleId }: { ruleId: string }) => ruleId);
  // There is no address yet to learn more at (SARIF2005); that is all it has to say.
  assert.equal([...new Set(ids)], ['SARIF2005'], `${stdout}${stderr}`);
  assert.match(stdout, `${Object.keys(reports).length} files scanned`);
  assert.is(ended, 0, stdout);
  await folder.remove();
});

sarif.run();

const junit = suite('junit');

junit('has a failure for each error, and a test that passed for each file without a finding', () => {
  const text = rendered('junit', check([finding, { ...finding, rule: 'schema', severity: 'warning' }]));
  const [failure] = elements(text, 'failure');
  assert.is(failure?.getAttribute('type'), 'stack-in-use');
  assert.match(failure?.textContent ?? '', /uses this stack\n {2}at config\/stacks\/nr 4#\.yaml:5:12$/);
  assert.equal(
    elements(text, 'testcase').map((one) => one.getAttribute('classname')),
    ['config/stacks/nr 4#.yaml', 'config/stacks/nr 4#.yaml', 'config/weir.yaml'],
  );
  assert.is(elements(text, 'system-out').length, 1);
});

junit('has an error where nothing came of it, and a test for each change of a plan', () => {
  const [error] = elements(rendered('junit', { type: 'problem', code: 'x', message: 'a\nb' }), 'error');
  assert.is(error?.textContent, 'a\nb');
  assert.is(elements(rendered('junit', planned([change])), 'testcase')[0]?.getAttribute('name'), 'update Stack/nr-4');
});

junit.run();

const github = suite('github');

github('annotates what a plan would change at the first line that changes it', () => {
  assert.match(
    rendered('github', planned([change])),
    /^::notice file=config\/stacks\.yaml,line=4,endLine=4,col=10,endColumn=12,title=update Stack\/nr-4::affects 1 team, 2 instances%0A~ label: /,
  );
});

github('tells where something stood that is deleted', () => {
  assert.is(
    rendered('github', planned([deletion])),
    '::notice title=delete Stack/nr-4::was stacks/nr-4.yaml:3 (2 fields)\n',
  );
});

github('annotates errors alone where there are any', () => {
  const text = rendered('github', planned([change], [finding]));
  assert.is(text.trimEnd().split('\n').length, 1);
  assert.match(
    text,
    /^::error file=config\/stacks\/nr 4#\.yaml,line=5,endLine=5,col=12,endColumn=20,title=stack-in-use::/,
  );
});

github('lets nothing out of its line or its property', () => {
  const text = rendered('github', check([nastyFinding]));
  assert.is(text.split('\n').length, 2);
  assert.not.match(text, /\r|\p{Cc}(?!$)/u);
  const [, properties = ''] = /^::error (.*?)::/.exec(text) ?? [];
  assert.equal(
    properties.split(',').map((part) => part.split('=')[0]),
    ['file', 'line', 'endLine', 'col', 'endColumn', 'title'],
  );
  assert.match(text, '%0A%3A%3Awarning%3A%3Athree', 'a line feed in a file name');
  assert.match(text, '%250A %252C', 'what is encoded already');
});

github('tells the place in words where the tree lies elsewhere', () => {
  assert.match(rendered('github', elsewhere), /^::error title=stack-in-use::.* \(stacks\/nr 4#\.yaml:5\)\n$/);
});

github.run();

const gitlab = suite('gitlab');

gitlab('grades errors and warnings, and gives each a path and a fingerprint', () => {
  const [first, second] = JSON.parse(rendered('gitlab', check([finding, { ...finding, severity: 'warning' }])));
  assert.equal([first.severity, second.severity], ['critical', 'minor']);
  assert.equal(first.location, { path: 'config/stacks/nr 4#.yaml', lines: { begin: 5, end: 5 } });
  assert.is(first.check_name, 'stack-in-use');
});

gitlab('does not read as if all were well when nothing came of it', () => {
  const [entry] = JSON.parse(rendered('gitlab', { type: 'problem', code: 'tree_missing', message: 'no tree' }));
  assert.equal([entry.check_name, entry.severity, entry.description], ['tree_missing', 'blocker', 'no tree']);
});

gitlab.run();

const markdown = suite('markdown');

markdown('shows a plan as a table, with what changes, whom it touches, and where', () => {
  const text = rendered(
    'markdown',
    planned([{ ...change, fields: [{ path: '/spec/label', before: 'a', after: 'b' }] }]),
  );
  assert.match(text, '### Weir: this would change the platform\n');
  assert.match(
    text,
    '| <code>&#126;</code> | update <code>Stack/nr-4</code> | <code>&#126; label: "a" → "b"</code> | 1 team, 2 instances | <code>config/stacks.yaml:1</code> |\n',
  );
  assert.match(text, '\nPlan: 0 to create, 1 to update, 0 to delete; 4 unchanged; 1 consequence.\n');
});

markdown('has no markup, tag, mention, reference or link from a file', () => {
  for (const report of Object.values(reports)) {
    const text = rendered('markdown', report).replace('<!-- weir -->', '');
    assert.not.match(text.replace(/<\/?(code|details|summary)>|<br>/g, ''), /[<>`]/);
    const visible = text.replace(/<code>.*?<\/code>/g, '');
    assert.not.match(visible, /@|&#64;|https?|www\.|GH-|:smile:|&#35;\d|!\d|\[|\]/);
  }
  assert.is(prose('a @b-c, #12 and <i>'), 'a <code>&#64;b-c,</code> <code>&#35;12</code> and &#60;i&#62;');
  assert.is(code('a|`b`'), '<code>a&#124;&#96;b&#96;</code>');
  assert.is(prose('a\nb'), 'a&#92;nb');
});

markdown('folds what is deleted, and tells where it stood', () => {
  const plain = { ...deletion, fields: deletion.fields.slice(1) };
  assert.match(
    rendered('markdown', planned([plain])),
    '| <code>-</code> | delete <code>Stack/nr-4</code> | <details><summary>1 field</summary><code>- runtime: "4"</code></details> |  | was <code>config/stacks/nr-4.yaml:3</code> |\n',
  );
});

markdown('tells of values what the format for people tells', () => {
  const lists = { path: '/spec/stacks', before: ['a', 'b'], after: ['b', 'c'] };
  const text = rendered('markdown', planned([{ ...change, kind: 'InstanceType', fields: [lists] }]));
  const cell =
    '&#126; stacks: (1 added, 1 removed, 1 unchanged)</code><br><code>&nbsp;&nbsp;&nbsp;&nbsp;- "a"</code><br>';
  assert.match(text, cell);
});

markdown('fits into a comment however long the plan is', () => {
  const many = Array.from({ length: 5000 }, () => change);
  const text = rendered('markdown', planned(many));
  assert.ok(text.length < 65_536);
  assert.match(text, /\n… and \d+ more rows: the other formats tell them all\.\n$/);
});

markdown.run();
