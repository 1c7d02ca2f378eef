// The way in that Weir's is measured against: a splice of connections, which reads nothing of what it carries.
import { type AddressInfo, connect, createServer } from 'node:net';

const port = Number(process.argv[2]);
const server = createServer((client) => {
  const target = connect(port, '127.0.0.1');
  client.pipe(target).pipe(client);
  for (const [one, other] of [
    [client, target],
    [target, client],
  ] as const)
    one.on('error', () => other.destroy());
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
// The channel to whoever started it would keep it alive after a mere close.
process.once('SIGTERM', () => process.exit(0));
