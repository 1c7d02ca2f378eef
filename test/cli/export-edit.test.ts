// timeout: 400
// A change that the API refuses, because a document declares the object, becomes the edit of that document.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mintOn, serve } from '../support/serving.ts';
import { platform, type Workspace, workspace } from './world.ts';

const files = {
  'config/stacks.yaml': `# The stacks of this house.
kind: Stack   # one of two
metadata:
    name: nr-4
spec:
    # What people see.
    label:   Node-RED 4      # short
    runtime: "4.1.15"
---
kind: Stack
metadata: {name: nr-5}
spec: {runtime: "5"}
`,
  'config/types.yaml': `kind: TeamType
metadata: {name: starter}
spec:
  description: First
  instanceTypes:
    # the usual one
    - name: small
      limit: 2
    - name: large   # for few
  features: {teamLibrary: true}
`,
  'config/sizes.yaml':
    'kind: InstanceType\nmetadata: {name: small}\nspec:\n  stacks:\n    - nr-4   # the tried one\n    - nr-5\n  defaultStack: nr-4\n---\nkind: InstanceType\nmetadata: {name: large}\nspec: {stacks: [nr-4]}\n',
  'config/sso.yaml':
    'kind: SsoConfig\nmetadata: {name: corp}\nspec:\n  emailDomain: example.com\n  provider: ldap\n  ldap:\n    server: ldap:389\n    password: {fromEnv: WEIR_SECRET_LDAP}   # in the vault\n',
  'config/template.yaml':
    'kind: Template\nmetadata: {name: usual}\nspec:\n  options:\n    catalogues:\n      value:\n        # ours first\n        - https://a.example/   # in the house\n        - https://b.example/\n        - https://c.example/\n',
  'config/overlays/live/live.yaml': 'kind: Stack\nmetadata: {name: nr-4}\nspec:\n  label: Live\n',
};

const edits = suite<{ here: Workspace }>('export --with');

edits.before.each(async (context) => {
  context.here = await workspace(files);
});
edits.after.each(({ here }) => here.remove());

async function editOf(here: Workspace, line: string, change: object): Promise<string> {
  here.write('change.json', JSON.stringify(change));
  const { code, stdout, stderr } = await here.weir(`export ${line} --with change.json`);
  assert.is(code, 0, stderr);
  return stdout;
}

edits('prints the lines to change, with their comments, and touches no others', async ({ here }) => {
  const change = { spec: { label: 'Node-RED four', runtime: '4.1.15', resources: { memoryMb: 256 } } };
  assert.is(
    await editOf(here, 'Stack/nr-4', change),
    `--- a/config/stacks.yaml
+++ b/config/stacks.yaml
@@ -4,8 +4,10 @@
     name: nr-4
 spec:
     # What people see.
-    label:   Node-RED 4      # short
+    label: Node-RED four # short
     runtime: "4.1.15"
+    resources:
+        memoryMb: 256
 ---
 kind: Stack
 metadata: {name: nr-5}
`,
  );
});

edits('puts an ordered list into its order, and leaves a set in that of the file', async ({ here }) => {
  const value = ['https://c.example/', 'https://a.example/', 'https://d.example/'];
  assert.is(
    await editOf(here, 'Template/usual', { spec: { options: { catalogues: { value } } } }),
    `--- a/config/template.yaml
+++ b/config/template.yaml
@@ -5,6 +5,6 @@
     catalogues:
       value:
         # ours first
-        - https://a.example/   # in the house
-        - https://b.example/
         - https://c.example/
+        - https://a.example/ # in the house
+        - https://d.example/
`,
  );
  assert.is(await editOf(here, 'InstanceType/small', { spec: { stacks: ['nr-5', 'nr-4'], defaultStack: 'nr-4' } }), '');
});

edits('finds items of lists by their name, and leaves what is a default away', async ({ here }) => {
  const spec = {
    description: 'First',
    instanceTypes: [{ name: 'large' }, { name: 'small', limit: 5 }],
    features: { teamLibrary: false, npmPackages: true },
  };
  const shown = await editOf(here, 'TeamType/starter config', { spec });
  const changed = shown.split('\n').filter((line) => /^[-+] /.test(line));
  assert.equal(changed, [
    '-      limit: 2',
    '+      limit: 5',
    '-  features: {teamLibrary: true}',
    '+  features: {npmPackages: true}',
  ]);
  const fewer = await editOf(here, 'TeamType/starter', {
    spec: { description: 'First', instanceTypes: [{ name: 'small', limit: 2 }], features: { teamLibrary: true } },
    labels: { tier: 'free' },
    lifecycle: { protect: true },
  });
  assert.equal(
    fewer.split('\n').filter((line) => /^[-+] |^[-+]\w/.test(line)),
    [
      '-metadata: {name: starter}',
      '+metadata: {name: starter, labels: {tier: free}}',
      '+lifecycle:',
      '+  protect: true',
      '-    - name: large   # for few',
    ],
  );
  const sets = await editOf(here, 'InstanceType/small', { spec: { stacks: ['nr-4'], defaultStack: 'nr-4' } });
  assert.equal(
    sets.split('\n').filter((line) => /^[-+] /.test(line)),
    ['-    - nr-5'],
  );
});

edits('never prints a secret: it names the variable to set', async ({ here }) => {
  const ldap = { server: 'ldap:389', password: 'hunter2' };
  here.write('change.json', JSON.stringify({ spec: { emailDomain: 'example.com', provider: 'ldap', ldap } }));
  const { stdout, stderr } = await here.weir('export SsoConfig/corp --with change.json');
  assert.not.match(stdout + stderr, /hunter2/);
  assert.match(stdout, /\+ +password: \{fromEnv: WEIR_SECRET_SSO_CONFIG_CORP_LDAP_PASSWORD\} # in the vault/);
  assert.match(stderr, /a tree holds no secrets: set WEIR_SECRET_SSO_CONFIG_CORP_LDAP_PASSWORD where Weir runs/);
  const kept = {
    spec: { emailDomain: 'example.com', provider: 'ldap', ldap: { server: 'ldap:636', password: { set: true } } },
  };
  assert.not.match(await editOf(here, 'SsoConfig/corp', kept), /^[-+].*password/m);
});

edits('edits the overlay where the overlay sets the field', async ({ here }) => {
  const shown = await editOf(here, 'Stack/nr-4 config --env live', { spec: { label: 'Now', runtime: '4.1.15' } });
  assert.match(shown, /^--- a\/config\/overlays\/live\/live\.yaml\n/);
  assert.match(shown, /- {2}label: Live\n\+ {2}label: Now\n/);
  assert.not.match(shown, /stacks\.yaml/);
});

edits('says what cannot be done', async ({ here }) => {
  const asked = async (line: string, change: unknown = { spec: { runtime: '4' } }) => {
    here.write('change.json', JSON.stringify(change));
    const { code, stdout, stderr } = await here.weir(line);
    assert.is(stdout, '', line);
    return `${code} ${stderr}`;
  };
  assert.match(await asked('export --with change.json'), /^64 .*--with needs the object/);
  assert.match(await asked('export Stack --with change.json'), /^64 .*--with needs the object/);
  assert.match(
    await asked('export Stack/nr-6 --with change.json'),
    /^64 .*config declares no Stack\/nr-6: did you mean Stack\/nr-[45]\?/,
  );
  assert.match(await asked('export Stack/nr-4 --with nothing.json'), /^5 .*nothing\.json cannot be read/);
  assert.match(await asked('export Stack/nr-4 --with change.json', { spek: {} }), /^64 .*is not the body of a PUT/);
  assert.match(
    await asked('export Stack/nr-4 --with change.json', { spec: { lable: 'x' } }),
    /^64 .*the change is not valid/,
  );
  // In the words that the API has for the same body.
  assert.match(
    await asked('export Stack/nr-4 --with change.json', { spec: { label: 4 }, labels: 'x', spek: {} }),
    /^64 .*\n.*labels must be an object\n.*it has no field "spek"\n/,
  );
  assert.match(
    await asked('export Stack/nr-4 --with change.json', { spec: { label: 4, runtime: '' } }),
    /^64 .*\n.*label must be text, not a number\n.*runtime cannot be "", because it is empty\n/,
  );
  assert.match(await asked('export Stack/nr-4 nowhere --with change.json'), /^5 /);
  assert.match(await asked('export Stack/nr-4 config'), /^64 .*with --with only/);
  const same = { spec: { label: 'Node-RED 4', runtime: '4.1.15' } };
  assert.match(
    await asked('export Stack/nr-4 --with change.json', same),
    /^0 config has Stack\/nr-4 like that already/,
  );
});

edits(
  'makes of a refused write a diff that git applies, and the server then does what was refused',
  async ({ here }) => {
    here.write('config/weir.yaml', `${platform}spec: {reconcile: {settleMs: 50, pollSeconds: 1}}\n`);
    const person = JSON.parse((await here.weir('bootstrap')).stdout);
    const server = await serve(here);
    try {
      const token = await mintOn(server.url, person, { name: 'all', scope: 'full' });
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const at = `${server.url}/api/v1/team-types/starter`;
      const shown = (await (await fetch(at, { headers })).json()) as { spec: { limits: object } };
      const body = JSON.stringify({ spec: { ...shown.spec, description: 'By hand', limits: { members: 7 } } });
      const refused = await fetch(at, { method: 'PUT', headers, body });
      assert.is(refused.status, 409);
      assert.match(await refused.text(), /config_managed/);
      here.write('change.json', body);
      const { stdout } = await here.weir('export TeamType/starter --with change.json');
      execFileSync('git', ['apply', '-'], { cwd: here.path, input: stdout });
      assert.match(
        readFileSync(join(here.path, 'config/types.yaml'), 'utf8'),
        /description: By hand\n[\s\S]*# the usual one[\s\S]*limits:\n {4}members: 7/,
      );
      const done = await fetch(`${server.url}/api/v1/admin/config/reconcile`, { method: 'POST', headers, body: '{}' });
      assert.is(done.status, 200, await done.text());
      const after = (await (await fetch(at, { headers })).json()) as { spec: { description: string; limits: object } };
      assert.is(after.spec.description, 'By hand');
      assert.equal(after.spec.limits, { members: 7 });
    } finally {
      server.child.kill('SIGTERM');
      await server.ended;
    }
  },
);

edits.run();
