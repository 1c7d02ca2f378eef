// The server that Weir is measured against: bare Fastify, which reads the same requests and sends the same bytes.
import { readFileSync } from 'node:fs';
import { fastify } from 'fastify';

// What is sent, by route: the same bytes, headers too.
const routes: readonly Sent[] = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));

interface Sent {
  readonly method: 'GET' | 'PUT';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const app = fastify();
for (const { method, url, headers, body } of routes)
  app.route({ method, url, handler: (_request, reply) => reply.headers(headers).send(body) });
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
// The channel to whoever started it would keep it alive after a mere close.
process.once('SIGTERM', () => process.exit(0));
