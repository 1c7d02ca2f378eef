// The server that waiting devices are measured against: bare Fastify, which answers each of them after as many seconds as it says, and knows none.
import { setTimeout as sleep } from 'node:timers/promises';
import { fastify } from 'fastify';

const app = fastify();
app.get<{ Querystring: { wait: string } }>('/api/v1/device', async ({ query }, reply) => {
  await sleep(Number(query.wait) * 1000);
  return reply.header('etag', '"bare"').code(304).send();
});
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
// The channel to whoever started it would keep it alive after a mere close.
process.once('SIGTERM', () => process.exit(0));
