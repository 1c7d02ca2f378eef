// The start that Weir's is measured against: Fastify, and the lines of the files of a store as JSON, which nobody looks at.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fastify } from 'fastify';

const folder = process.argv[2] ?? '';
const held: unknown[] = [];
for (const name of readdirSync(folder))
  if (/^(journal|snapshot)-\d+\.jsonl$/.test(name))
    for (const line of readFileSync(join(folder, name), 'utf8').split('\n'))
      if (line !== '') held.push(JSON.parse(line));

const app = fastify();
app.get('/api/v1/user', async () => ({ lines: held.length }));
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
// The channel to whoever started it would keep it alive after a mere close.
process.once('SIGTERM', () => process.exit(0));
