// timeout: 600
// Targets that one reader takes for one path and another for another: the gateway refuses them, or reads them as a runtime does.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { join } from 'node:path';
import { parse } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runtimes, stacksWith } from '../../support/stacks.ts';
import { startProxyWorld } from './stand-in.ts';

const stacks = await stacksWith(runtimes.four);
/** What express in the runtime takes for the path of a request. */
const parseurl: (request: { readonly url: string }) => { readonly pathname: string } = createRequire(
  join(stacks, runtimes.four, 'node_modules/express/'),
)('parseurl');

/** A runtime: the connection of its editor is where `ws` in it finds the path, and it tells what path express finds. */
const runtime = createServer((request, response) =>
  response.setHeader('X-Path', parseurl({ url: request.url ?? '' }).pathname).end(),
);
runtime.on('upgrade', (request, socket) => {
  const isEditors = parse(request.url ?? '').pathname === '/i/A/comms';
  socket
    .on('error', () => {})
    .end(`HTTP/1.1 101 Switching Protocols\r\nX-Is: ${isEditors ? 'editor' : 'flow'}\r\n\r\n`);
});

const world = await startProxyWorld();
await world.instance('A', runtime);

const odd = [
  ...Array.from({ length: 0xff - 0x20 }, (_, at) => String.fromCharCode(at + 0x21)),
  ...Array.from({ length: 256 }, (_, at) => `%${at.toString(16).padStart(2, '0')}`),
  ...[
    '//',
    ';x',
    ';/',
    '/.',
    '/./',
    '/..',
    '#x',
    '#/',
    '?#',
    '@',
    '@x',
    ':',
    '://',
    '\\',
    '%23',
    '%3f',
    '%2f',
    '%2e',
    '%u0023',
  ],
];
const targets = odd.flatMap((part) => [
  `/i/A/comms${part}`,
  `/i/A/${part}comms`,
  `/i/A${part}/comms`,
  `/i/A/com${part}ms`,
  `/i/A/x/${part}`,
]);
const all = [...targets, 'http://weir.example/i/A/comms', '//weir.example/i/A/comms', '/i/A/COMMS', '/i/A/comms/', '*'];

/** The head of an answer. */
function head(lines: string): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(world.port, '127.0.0.1', () => socket.write(lines, 'latin1'));
    socket.setEncoding('latin1').on('data', (part: string) => {
      text += part;
      if (text.includes('\r\n\r\n')) socket.destroy();
    });
    socket.on('error', () => {}).once('close', () => resolve(text));
  });
}

/** Asks for each of them, some at a time. */
async function each(work: (target: string) => Promise<void>): Promise<void> {
  const left = [...all];
  const one = async () => {
    for (let target = left.pop(); target !== undefined; target = left.pop()) await work(target);
  };
  await Promise.all(Array.from({ length: 16 }, one));
}

const read = suite('an odd target');
read.after(world.close);

read('leads nobody to the connection of an editor who has none', async () => {
  const opened: string[] = [];
  let flows = 0;
  await each(async (target) => {
    const text = await head(
      `GET ${target} HTTP/1.1\r\nHost: weir.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
    );
    if (/X-Is: editor/i.test(text)) opened.push(target);
    if (/X-Is: flow/i.test(text)) flows += 1;
  });
  assert.equal(opened, []);
  assert.ok(flows > 500, `${flows} were passed on`);
});

read('is the same path to the gateway and to the runtime, or is refused', async () => {
  const differing: string[] = [];
  let same = 0;
  await each(async (target) => {
    const text = await head(`GET ${target} HTTP/1.1\r\nHost: weir.example\r\nConnection: close\r\n\r\n`);
    const [, path] = /^x-path: (.*)\r$/im.exec(text) ?? [];
    if (path === undefined) return;
    if (path === target.split('?', 1)[0]) same += 1;
    else differing.push(`${target} is ${path}`);
  });
  assert.equal(differing, []);
  assert.ok(same > 500, `${same} were passed on`);
});

read.run();
