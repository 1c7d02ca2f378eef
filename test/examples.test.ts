// The trees that ship, each checked as a user checks it.
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runCommand } from './support/run-command.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const examples = readdirSync(`${root}examples`)
  .filter((name) => !['refused', 'ci', 'kubernetes', 'device-agent'].includes(name))
  .map((name) => `examples/${name}`);

// Secrets are set nowhere here, and a tree must be valid without them.
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('WEIR_')));

/** What a tree may be warned of: a part of the platform that this version or this machine does not have, and what an overlay adds. */
const allowed = ['feature-without-effect', 'driver-unavailable', 'overlay-without-base'];

interface Report {
  readonly valid: boolean;
  readonly documents: number;
  readonly findings: readonly { readonly rule: string; readonly severity: string; readonly message: string }[];
}

const trees = suite('a tree that ships');

/** The environments of a tree, and the tree without any. */
function environmentsOf(tree: string): readonly (string | undefined)[] {
  const overlays = `${root}${tree}/overlays`;
  return [undefined, ...(existsSync(overlays) ? readdirSync(overlays) : [])];
}

const checked = ['config', ...examples].flatMap((tree) => environmentsOf(tree).map((name) => [tree, name] as const));

for (const [tree, environment] of checked)
  trees(`is valid: ${tree}${environment === undefined ? '' : ` in ${environment}`}`, async () => {
    const line = ['validate', tree, '--output', 'json', ...(environment === undefined ? [] : ['--env', environment])];
    const { code, stdout } = await runCommand(process.execPath, ['src/main.ts', ...line], { cwd: root, env });
    const { valid, documents, findings }: Report = JSON.parse(stdout);
    const unexpected = findings.filter(({ rule, severity }) => severity === 'error' || !allowed.includes(rule));
    assert.equal(
      unexpected.map(({ message }) => message),
      [],
    );
    assert.is(valid, true);
    assert.is(code, 0);
    assert.ok(documents > 1);
  });

trees('says in words what it shows', () => {
  for (const tree of examples) assert.ok(existsSync(`${root}${tree}/README.md`), tree);
});

trees('is one of those that are promised', () => {
  assert.equal([...examples].sort(), [
    'examples/enterprise-saml',
    'examples/environments',
    'examples/kubernetes-values',
    'examples/ldap-groups',
    'examples/single-team',
  ]);
});

trees.run();
