// A port of the loopback for a server that must be told one (ours listens on port 0): nobody else gets it as long as this process lives.
import { randomInt } from 'node:crypto';
import { createServer, type ListenOptions, type Server } from 'node:net';

/** Below the ports that systems hand out by themselves, to those who listen on port 0 and to those who connect; beside those of instances. */
const first = 10_000;
const amount = 10_000;

/** Reserves one. Where nothing shall listen, reserve one too, and leave it. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < amount; tries += 1) {
    const port = first + randomInt(amount);
    if ((await isReserved(port)) && (await isFree(port))) return port;
  }
  throw new Error('no port is free');
}

/** Processes of tests run side by side: each reservation is a socket whose name only one can have, and that dies with its process. Linux alone has such names. */
async function isReserved(port: number): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  const server = await listen({ path: `\0weir-test-port-${port}` });
  server?.unref();
  return server !== undefined;
}

async function isFree(port: number): Promise<boolean> {
  for (const host of ['127.0.0.1', '0.0.0.0']) {
    const server = await listen({ port, host, exclusive: true });
    if (server === undefined) return false;
    await new Promise((closed) => server.close(closed));
  }
  return true;
}

function listen(options: ListenOptions): Promise<Server | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(undefined));
    server.listen(options, () => resolve(server));
  });
}
