// Runtimes that behave badly on purpose, in a stacks directory of their own: small stand-ins for what can go wrong with a real one.
import { join } from 'node:path';
import { writeFiles } from './temporary-folder.ts';

/**
 * A shell's command that leaves a process behind of which nothing tells whose it is: no environment, session, group, parent, folder or open file. Its
 * number is written to the file that the command is given.
 */
export const escapeCommand =
  '(setsid env -i sh -c "cd /; sleep 1000 <&- >&- 2>&- & echo \\$! > \\$0.new; mv \\$0.new \\$0" "$0" >/dev/null 2>&1 &); sleep 0.2';

/** Lowers the limit that its run is known by, for good. */
const lower = 'ulimit -w 0 2>/dev/null || ulimit -x 0';

/** Stays, with the path that it was given in its command line alone; its number is written there. */
export const linger = 'cd /; sh -c "sleep 1000; :" "$0" <&- >&- 2>&- & echo $! > "$0.new"; mv "$0.new" "$0"';

/** Without a tag, environment, session and parent; and without all but a parent. */
export const unmarked = [
  `${lower}; (setsid env -i sh -c "$1" "$0" >/dev/null 2>&1 &); sleep 0.2`,
  `${lower}; exec setsid env -i sh -c "$1; wait" "$0"`,
] as const;
const without = (script: string) =>
  `require('node:child_process').spawn('sh', ['-c', ${JSON.stringify(script)}, at('--userDir') + '/escaped', ${JSON.stringify(linger)}], { stdio: 'ignore' }); serve();`;

/** What each does, once its settings are loaded; `serve()` answers as a runtime does. */
const behaviours = {
  good: 'serve();',
  exits: 'console.log("no way"); process.exit(3);',
  mute: 'setInterval(() => {}, 1000);',
  stubborn: "process.removeAllListeners('SIGTERM'); process.on('SIGTERM', () => {}); serve();",
  parent:
    "require('node:child_process').spawn('sleep', ['1000'], { detached: true, stdio: 'ignore' }).unref(); serve();",
  escapes: `require('node:child_process').spawn('sh', ['-c', ${JSON.stringify(escapeCommand)}, at('--userDir') + '/escaped'], { detached: true, stdio: 'ignore' }).unref(); serve();`,
  unmarks: without(unmarked[0]),
  lowers: without(unmarked[1]),
  forks:
    "serve(); const { spawn } = require('node:child_process'); setTimeout(() => spawn('sh', ['-c', 'i=0; while [ $i -lt 1500 ]; do sleep 1000 & i=$((i+1)); done'], { stdio: 'ignore' }).once('exit', () => writeFileSync(at('--userDir') + '/forked', '')), 1500);",
  stores: `serve(); const fs = require('node:fs'); const piece = Buffer.alloc(1 << 20, 7); const done = [];
    for (const folder of ['/tmp', '/var/tmp', '/dev/shm']) { let bytes = 0; try { for (;; bytes += piece.length) fs.appendFileSync(folder + '/big', piece); } catch ({ code }) { done.push([folder, bytes, code]); } fs.writeFileSync(at('--userDir') + '/stored.json', JSON.stringify(done)); }`,
  hoards: `serve(); const hoard = []; setInterval(() => { if (hoard.length < 40) hoard.push(Buffer.alloc(20 * 1024 * 1024, 1)); }, 5);`,
  nests: `require('node:child_process').spawn(process.execPath, ['-e', 'const hoard = []; setInterval(() => { if (hoard.length < 40) hoard.push(Buffer.alloc(20 * 1024 * 1024, 1)); }, 5);'], { env: {}, stdio: 'ignore' }); serve();`,
  floods:
    "serve(); setInterval(() => process.stdout.write('x'.repeat(999) + '\\n'), 1); for (let i = 0; i < 30000; i++) process.stdout.write('y'.repeat(999) + '\\n');",
  fills:
    "serve(); const { openSync, writeSync } = require('node:fs'); const fd = openSync(at('--userDir') + '/big', 'a'); const piece = Buffer.alloc(1 << 20, 7); setInterval(() => { try { for (let i = 0; i < 8; i++) writeSync(fd, piece); } catch {} }, 1);",
  swells:
    "serve(); const { appendFileSync: add } = require('node:fs'); let count = 0; setInterval(() => { try { add(at('--userDir') + '/big', Buffer.alloc(1 << 20, 7)); } catch (error) { add(at('--userDir') + '/' + error.code + count++, Buffer.alloc(1 << 20, 7)); } }, 600);",
  talks: "serve(); for (let i = 0; i < 100; i++) console.log('line ' + i);",
} as const;

export type Behaviour = keyof typeof behaviours;

const runtime = `
const { createServer } = require('node:http');
const { appendFileSync, writeFileSync } = require('node:fs');
const at = (flag) => process.argv[process.argv.indexOf(flag) + 1];
const settings = require(at('--settings'));
process.on('SIGTERM', () => process.exit(0));
writeFileSync(at('--userDir') + '/seen.json', JSON.stringify({ env: process.env, argv: process.execArgv, settings }));
function serve() {
  const server = createServer((request, response) => {
    request.path = request.url.slice((settings.httpAdminRoot ?? '/').replace(/\\/$/, '').length);
    response.set = (name, value) => (response.setHeader(name, value), response);
    response.json = (body) => response.end(JSON.stringify(body));
    const [alive, onlyEditors] = settings.httpAdminMiddleware;
    alive(request, response, () => onlyEditors(request, response, () => response.end('a flow')));
  });
  server.on('error', () => process.exit(1));
  server.listen(settings.uiPort, settings.uiHost, () => require('@node-red/util').events.emit('flows:started'));
}
`;

/** Makes a stacks directory below a folder, with one runtime for each behaviour. */
export async function fakeStacks(folder: string): Promise<string> {
  const stacks = join(folder, 'stacks');
  const files = Object.entries(behaviours).flatMap(([name, behaviour]) => [
    [`${name}/node_modules/node-red/package.json`, '{"version": "0.0.0"}'],
    [`${name}/node_modules/node-red/red.js`, `${runtime}\n${behaviour}\n`],
    [`${name}/node_modules/@node-red/util/index.js`, "exports.events = new (require('node:events').EventEmitter)();\n"],
  ]);
  await writeFiles(stacks, { ...Object.fromEntries(files), 'broken/node_modules/node-red/package.json': '{' });
  return stacks;
}
