// A process of its own with a server and stand-ins for runtimes: so that its descriptors can be counted. Argument: the limits, as JSON. Prints where it is.
import { createServer, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { startProxyWorld, treeOf } from './stand-in.ts';

const { platform, ...limits } = JSON.parse(process.argv[2] ?? '{}');
const world = await startProxyWorld(treeOf(['teamEndpointSecurity', 'protectedInstances'], platform), limits);

const runtime = () => {
  const server = createServer((request, response) => {
    if (request.url?.endsWith('/slow')) return;
    if (request.url?.endsWith('/large')) return void response.end(Buffer.alloc(8_000_000));
    response.writeHead(404, { 'X-Weir-Nothing': '1' }).end();
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
    const path = request.url ?? '';
    socket.on('error', () => {});
    // What a runtime keeps open is not what is counted.
    socket.once('end', () => setTimeout(() => socket.destroy(), 100)).once('close', () => socket.destroy());
    if (!path.endsWith('/x')) socket.resume();
    if (path.endsWith('/never')) return;
    if (path.endsWith('/refused')) return void socket.end('HTTP/1.1 403 Forbidden\r\nX-A: b\r\n\r\nno');
    // One that says no, and never ends what it says.
    if (path.endsWith('/drips')) return void socket.write('HTTP/1.1 403 Forbidden\r\nContent-Length: 9\r\n\r\nno');
    if (path.endsWith('/nothing')) return void socket.end('HTTP/1.1 404 Not Found\r\nX-Weir-Nothing: 1\r\n\r\n');
    if (path.endsWith('/broken')) return void socket.destroy();
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n');
    socket.pipe(socket);
  });
  return server;
};

await world.instance('A', runtime());
await world.instance('Open', runtime(), { endpointAccess: 'open' });
await world.instance('Shut', runtime(), { protected: true });
await world.instance('Stopped');
const { cookie } = await world.browser('max');
process.stdout.write(`${JSON.stringify({ port: world.port, tokens: world.tokens, cookie })}\n`);
