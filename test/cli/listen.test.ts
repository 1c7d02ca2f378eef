// The port of the server: the one that is wanted, or one that is really ours.
import { createServer, type Server } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { listen, withPort } from '../../src/cli/listen.ts';

const ports = suite('a port');
const host = '127.0.0.1';

/** Listens as the server does. */
async function open(port: number, servers: Server[]): Promise<void> {
  const server = createServer();
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  server.once('error', reject);
  const app = { server, addHook: () => {}, listen: () => server.listen(port, host, () => resolve('')) && promise };
  await listen(app, { host, port });
  servers.push(server);
}

ports('that was free and is taken a moment later is given up for another, where any will do', async () => {
  const servers: Server[] = [];
  const tried: number[] = [];
  try {
    await withPort({ host, port: 0 }, async (port) => {
      tried.push(port);
      // Somebody else was faster, twice.
      if (tried.length < 3) await open(port, servers);
      await open(port, servers);
    });
    assert.is(tried.length, 3);
    const last = tried.at(-1) ?? 0;
    const wanted = await withPort({ host, port: last }, (port) => open(port, servers)).catch((error) => error.message);
    assert.is(
      wanted,
      `port ${last} on ${host} is taken by another process: stop that one, or name another port with --port`,
    );
  } finally {
    for (const server of servers) server.close();
  }
});

ports('is not looked for again where something else is wrong', async () => {
  let tries = 0;
  const failed = await withPort({ host, port: 0 }, async () => {
    tries += 1;
    throw new Error('else');
  }).catch((error) => error.message);
  assert.equal([failed, tries], ['else', 1]);
});

ports.run();
