// The server that Weir is measured against: bare Fastify, which reads the same requests and sends the same bytes. What is written to it is durable
// before it is answered, one sync for all that came meanwhile; it checks nothing, and knows nothing of what it has written.

import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { fastify } from 'fastify';

// What is sent, by route: the same bytes, headers too.
const routes: readonly Sent[] = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));

interface Sent {
  readonly method: 'GET' | 'PUT';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const journal = await open(`${process.argv[2]}.journal`, 'a');
let waiting: { readonly line: string; readonly done: () => void }[] = [];
let writing = false;

const app = fastify();
for (const { method, url, headers, body } of routes)
  app.route({
    method,
    url,
    handler: async (request, reply) => {
      if (method === 'PUT') await keep(`${JSON.stringify(request.body)}\n`);
      return reply.headers(headers).send(body);
    },
  });
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
// The channel to whoever started it would keep it alive after a mere close.
process.once('SIGTERM', () => process.exit(0));

function keep(line: string): Promise<void> {
  return new Promise((done) => {
    waiting.push({ line, done });
    if (!writing) void writeAll();
  });
}

async function writeAll(): Promise<void> {
  writing = true;
  while (waiting.length > 0) {
    const group = waiting;
    waiting = [];
    await journal.write(group.map(({ line }) => line).join(''));
    await journal.datasync();
    for (const { done } of group) done();
  }
  writing = false;
}
