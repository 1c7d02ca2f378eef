// What is thrown in any phase of a reply is answered as a problem: nothing of the answer that was meant is left, and no word from inside.
import { fastify } from 'fastify';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answers } from '../../src/http/plugins/answers.ts';
import { inScope, problems } from '../../src/http/plugins/problems.ts';

const secret = 'a word from inside';
const logged: string[] = [];
const options = { baseUrl: 'http://weir.example', log: (message: string) => logged.push(message) };

const app = fastify({ logger: false });
answers(app, options);
problems(app, options);
inScope(app, (scope) => {
  const fails = () => {
    throw new Error(secret);
  };
  scope.get('/handler', (_request, reply) => {
    reply.header('etag', '"meant"').header('location', '/meant');
    fails();
  });
  scope.get('/serialization', (_request, reply) => {
    reply.header('location', '/meant').serializer(fails).send({});
  });
  scope.get('/headers', (_request, reply) => {
    reply.code(302).header('location', `https://idp.example/\n${secret}`).send();
  });
  scope.get('/send-once', {
    onSend: async (_request, reply) => (reply.statusCode === 200 ? fails() : undefined),
    handler: async (_request, reply) => reply.header('location', '/meant').send({}),
  });
  scope.get('/send-always', {
    onSend: async (_request, reply) => {
      reply.header('location', '/meant');
      fails();
    },
    handler: async () => ({}),
  });
  scope.get('/headers-always', {
    onSend: async (_request, reply, payload) => {
      reply.header('location', `\n${secret}`);
      return payload;
    },
    handler: async () => ({}),
  });
});
await app.ready();

const phases = suite('phases of a reply');

for (const phase of ['handler', 'serialization', 'headers', 'send-once', 'send-always', 'headers-always'])
  phases(`${phase}: is a problem, and logged`, async () => {
    logged.length = 0;
    const { statusCode, headers, body } = await app.inject({ method: 'GET', url: `/${phase}` });
    assert.is(statusCode, 500, body);
    assert.match(String(headers['content-type']), /^application\/problem\+json/);
    assert.is(JSON.parse(body).code, 'internal');
    assert.not.match(body, /inside|Invalid character|ERR_/);
    assert.equal([headers.location, headers.etag], [undefined, undefined]);
    assert.is(headers['cache-control'], 'no-store');
    assert.ok(headers['x-request-id'] && headers['content-security-policy']);
    assert.match(logged.join('\n'), phase.startsWith('headers') ? /Invalid character/ : /a word from inside/);
  });

phases.after(() => app.close());

phases.run();
