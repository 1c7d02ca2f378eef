// The composition root: reads the command line and runs the verb that it names.
import { readFileSync } from 'node:fs';

const manifest: { version: string } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

if (process.argv[2] === '--version') {
  console.log(manifest.version);
} else {
  console.error('usage: weir VERB');
  process.exitCode = 64;
}
