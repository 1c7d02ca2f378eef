// What clients read of the API is committed as it is served.
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openApiDocument } from '../../src/http/server.ts';

const committed = suite('schemas/openapi.json');

committed('is as it is generated (else run: npm run schemas)', async () => {
  const text = readFileSync(new URL('../../schemas/openapi.json', import.meta.url), 'utf8');
  assert.ok(text === `${JSON.stringify(await openApiDocument(), undefined, 2)}\n`, 'openapi.json is not current');
});

committed.run();
