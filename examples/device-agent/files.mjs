// Files that only the agent may read, written whole or not at all. What is not there, or half there, is read as nothing.
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

const orNothing = (read) => {
  try {
    return read();
  } catch {}
};
export const has = existsSync;
export const readText = (path) => orNothing(() => readFileSync(path, 'utf8').trim());
export const readJson = (path) => orNothing(() => JSON.parse(readText(path)));
export const writeJson = (path, value) => writeText(path, JSON.stringify(value, null, 2));
export const writeText = (path, text) => {
  writeFileSync(`${path}.new`, text, { mode: 0o600, flush: true });
  renameSync(`${path}.new`, path);
};
/** Has what was renamed in a folder survive a power cut, where the system can do that. */
export const settle = (folder) =>
  orNothing(() => {
    const opened = openSync(folder, 'r');
    orNothing(() => fsyncSync(opened));
    closeSync(opened);
  });
