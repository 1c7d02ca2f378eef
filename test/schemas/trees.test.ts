// The trees of this repository, opened in an editor as they are: every line that names a schema finds it, and nothing is red.
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseAllDocuments } from 'yaml';
import { type Editor, startEditor } from './language-server.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
// What other programs read, and what is wrong on purpose: no editor can judge those by our schemas.
const exclude = ['refused', 'ci', 'kubernetes'].map((folder) => `examples/${folder}/**`);
const files = globSync('{config,examples}/**/*.yaml', { cwd: root, exclude }).sort();
const read = (file: string) => readFileSync(`${root}${file}`, 'utf8');

const trees = suite('config and examples');

let editor: Editor;
trees.before(async () => {
  editor = await startEditor();
});
trees.after(() => editor.close());

trees('are there', () => {
  for (const tree of ['config', 'single-team', 'environments', 'enterprise-saml', 'ldap-groups', 'kubernetes-values'])
    assert.ok(
      files.some((file) => file.endsWith(`${tree}/weir.yaml`)),
      tree,
    );
});

trees('show nothing red in an editor', async () => {
  const shown = await Promise.all(files.map((file) => editor.open(pathToFileURL(`${root}${file}`).href, read(file))));
  files.forEach((file, index) => {
    assert.equal(
      (shown[index] ?? []).map(({ message, range }) => `${range.start.line + 1}: ${message}`),
      [],
      file,
    );
  });
});

const isOverlay = (file: string) => file.includes('/overlays/');
const documentLine = /^\n?# yaml-language-server: \$schema=(\.\.\/)+schemas\/document\.schema\.json\n/;
const overlayLine = /^\n?# yaml-language-server: \$schema=(\.\.\/)+schemas\/overlay\.schema\.json\n/;

trees('name their schema in each document', async () => {
  for (const file of files) {
    const text = read(file);
    const documents = text.split(/^---$/m);
    for (const document of documents) assert.match(document, isOverlay(file) ? overlayLine : documentLine, file);
    const uri = pathToFileURL(`${root}${file}`).href;
    const line = text.split('\n').findIndex((each) => each.startsWith('kind:'));
    assert.match(await editor.hover(uri, { line, character: 2 }), 'What is declared.', file);
  }
});

trees('have their keys in one order', () => {
  const order = ['apiVersion', 'kind', 'metadata', 'lifecycle', 'spec'];
  for (const file of files)
    for (const document of parseAllDocuments(read(file))) {
      const keys = Object.keys(document.toJS());
      assert.equal(
        keys,
        order.filter((key) => keys.includes(key)),
        file,
      );
      assert.ok(keys.includes('apiVersion') || isOverlay(file), file);
    }
});

trees.run();
