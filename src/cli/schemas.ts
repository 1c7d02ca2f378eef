// weir schemas: what editors read to complete and check documents.
import { resolve } from 'node:path';
import { generatedFiles } from '../core/schemas/generate.ts';
import { openApiDocument } from '../http/server.ts';
import { exitCodes } from './exit-codes.ts';
import { writeFiles } from './files.ts';
import type { Verb } from './verb.ts';

export const schemas: Verb = {
  usage: '',
  words: { least: 0, most: 0 },
  options: ['out'],
  out: 'folder',
  notes: { out: 'the folder to write to (default schemas)' },
  details: `Name the schema in the first line of a document, and an editor with a YAML language server completes and checks it:
# yaml-language-server: $schema=../schemas/document.schema.json`,
  examples: ['weir schemas', 'weir schemas --out config/.schemas'],
  async run({ options, io }) {
    const folder = options.out ?? 'schemas';
    const api = `${JSON.stringify(await openApiDocument(), undefined, 2)}\n`;
    const files = Object.entries({ ...generatedFiles(), 'openapi.json': api }).map(([path, content]) => ({
      path,
      content,
    }));
    await writeFiles(resolve(io.cwd, folder), files);
    io.stderr.write(`wrote ${files.length} files to ${folder}\n`);
    return exitCodes.fine;
  },
};
