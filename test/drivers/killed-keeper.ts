// The process that local-stored.test.ts kills: it writes one set of flows after another into the folder of an instance.
import { writeSync } from 'node:fs';
import { folderOf } from '../../src/drivers/local/folder.ts';
import { writeStored } from '../../src/drivers/local/stored.ts';
import { storedOf } from './stored-sample.ts';

const [instances = ''] = process.argv.slice(2);

for (let count = 0; ; count += 1) {
  await writeStored(folderOf(instances, 'a'), { stored: storedOf(count), encryptedWith: 's', credentialSecret: 's' });
  writeSync(1, `${count}\n`);
}
