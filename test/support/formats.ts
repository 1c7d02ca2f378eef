// Reads what a command printed as the format that it claims to be; throws where it is none.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DOMParser } from '@xmldom/xmldom';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import * as assert from 'uvu/assert';
import type { FormatName } from '../../src/cli/output/index.ts';
import { runCommand } from './run-command.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Checks that a text is a whole document of a format. `sarif` needs the schema of `sarifSchema`. */
export function checkFormat(format: FormatName, text: string, schema: ValidateFunction): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: nothing that steers a terminal.
  assert.not.match(text, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/, `${format} steers nothing`);
  checks[format](text, schema);
}

const checks: Readonly<Record<FormatName, (text: string, schema: ValidateFunction) => void>> = {
  human: () => {},
  json: (text) => assert.type(JSON.parse(text), 'object'),
  sarif: (text, schema) => {
    assert.ok(schema(JSON.parse(text)), JSON.stringify(schema.errors, undefined, 1));
  },
  junit: (text) => {
    const suites = xml(text).documentElement;
    assert.is(suites?.tagName, 'testsuites');
    for (const level of ['testsuites', 'testsuite'])
      for (const element of elements(text, level)) {
        const has = (name: string) => String(element.getElementsByTagName(name).length);
        assert.is(element.getAttribute('tests'), has('testcase'));
        assert.is(element.getAttribute('failures'), has('failure'));
        assert.is(element.getAttribute('errors'), has('error'));
      }
    assert.ok(elements(text, 'testcase').length > 0, 'a server without tests in it takes a report for broken');
  },
  github: (text) => {
    assert.match(text, /^(::(error|warning|notice) (file=[^,:]+,line=\d+,[^:]*,)?title=[^,:]+::[^\n]+\n)*$/);
  },
  gitlab: (text) => {
    const entries = JSON.parse(text);
    assert.ok(Array.isArray(entries));
    for (const { description, check_name, fingerprint, severity, location } of entries) {
      assert.match(`${description}\n${check_name}`, /^[^\n]+\n[^\n]+$/);
      assert.match(fingerprint, /^[0-9a-f]{32}$/);
      assert.match(severity, /^(info|minor|major|critical|blocker)$/);
      assert.match(location.path, /^(?!\/|\.\/).+/);
      assert.ok(Number.isInteger(location.lines.begin) && location.lines.begin > 0);
    }
    const prints = entries.map(({ fingerprint }) => fingerprint);
    assert.is(new Set(prints).size, prints.length, 'fingerprints are unique');
  },
  markdown: (text) => {
    assert.match(text, /^<!-- weir -->\n### \S[^\n]*\n/);
    for (const table of text.split('\n\n').filter((part) => part.startsWith('|'))) {
      const widths = table
        .trimEnd()
        .split('\n')
        .map((row) => row.split('|').length);
      assert.is(new Set(widths).size, 1, table);
    }
  },
};

/** Parses XML; every complaint of the parser is an error. */
export function xml(text: string): Document {
  const complain = (level: string, message: string) => {
    throw new Error(`${level}: ${message}`);
  };
  return new DOMParser({ errorHandler: complain }).parseFromString(text, 'text/xml');
}

/** The elements of an XML text by their name. */
export function elements(text: string, name: string): Element[] {
  return Array.from(xml(text).getElementsByTagName(name));
}

/** The JSON Schema of SARIF 2.1.0 by OASIS, as Microsoft's package brings it; it is fetched by npm. */
export async function sarifSchema(): Promise<ValidateFunction> {
  const folder = temporaryFolder();
  const { code, stdout, stderr } = await runCommand(
    'npm',
    ['pack', '--silent', '--pack-destination', folder.path, '@microsoft/jest-sarif@1.0.0-beta.0'],
    { cwd: folder.path },
  );
  assert.is(code, 0, stderr);
  const unpacked = await runCommand('tar', ['xzf', stdout.trim().split('\n').at(-1) ?? ''], { cwd: folder.path });
  assert.is(unpacked.code, 0, unpacked.stderr);
  const schema = await readFile(join(folder.path, 'package/lib/schemas/sarif-2.1.0-rtm.5.json'), 'utf8');
  await folder.remove();
  const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
  addFormats.default(ajv);
  // It is written in draft 4, and uses nothing of it that later drafts read otherwise but the name of `$id`.
  const { $schema: _, id: __, ...rest } = JSON.parse(schema);
  assert.not.match(schema, 'exclusiveMinimum');
  return ajv.compile(rest);
}
