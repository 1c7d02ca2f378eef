// What the device runs, replaced as a whole: all of it is written beside what runs, then only renamed. Whoever is killed half-way goes on from there at
// the next start; what was replaced stays until its successor has shown that it works.
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { has, readJson, settle, writeJson, writeText } from './files.mjs';

/** `next-…` is being written, `ready` is to be taken over, `previous` is what ran before, and `failed` is on its way out. */
export function setsIn(folder) {
  const at = (...names) => join(folder, ...names);
  const live = (name) => (name === 'state.json' ? at(name) : at('runtime', name));
  const remove = (name) => rmSync(at(name), { recursive: true, force: true, maxRetries: 3 });
  const sweep = () => {
    for (const name of readdirSync(folder)) if (name.startsWith('next-')) remove(name);
  };

  /** Each step can be taken again. It takes no room on the disk: a file that is not there is told by one beside its name. */
  const takeOver = () => {
    const set = readJson(at('ready', 'set.json'));
    const out = set.back ? 'failed' : 'previous';
    for (const name of set.names) {
      const [from, none] = [at('ready', name), at('ready', `${name}.none`)];
      if (!has(from) && !has(none)) continue;
      if (!has(at(out, name)) && has(live(name))) renameSync(live(name), at(out, name));
      if (has(from)) renameSync(from, live(name));
      rmSync(none, { force: true });
    }
    settle(at('runtime'));
    settle(folder);
    remove('ready');
    remove('failed');
  };

  return {
    /** After a start: finishes what was begun. */
    resume: () => {
      sweep();
      if (has(at('ready', 'set.json'))) takeOver();
    },
    /** Whether taking over, or going back, was begun and failed. */
    isUnfinished: () => has(at('ready', 'set.json')),
    /** Writes a set beside what runs. `content`: its files, or nothing where they stay; `install` is called where it needs other modules. */
    prepare: async ({ content, install, state }) => {
      sweep();
      for (const name of ['ready', 'previous', 'failed']) remove(name);
      const next = mkdtempSync(at('next-'));
      try {
        const names = content ? ['flows.json', 'flows_cred.json'] : [];
        if (content) writeJson(join(next, 'flows.json'), content.flows);
        if (content) writeJson(join(next, 'flows_cred.json'), content.credentials ?? {});
        if (content && install) {
          writeJson(join(next, 'package.json'), { private: true, dependencies: content.modules });
          await install(next);
          names.push('package.json', 'package-lock.json', 'node_modules');
        }
        names.push('state.json');
        writeJson(join(next, 'state.json'), state);
        for (const name of ['previous', 'failed']) mkdirSync(at(name), { mode: 0o700 });
        for (const name of names) {
          if (!has(join(next, name))) writeText(join(next, `${name}.none`), '');
          if (!has(live(name))) writeText(at('previous', `${name}.none`), '');
        }
        writeJson(at('previous', 'set.json'), { names, back: true });
        writeJson(join(next, 'set.json'), { names });
        settle(next);
        settle(at('previous'));
        renameSync(next, at('ready'));
        settle(folder);
      } catch (error) {
        for (const name of ['previous', 'failed']) remove(name);
        sweep();
        throw error;
      }
    },
    takeOver,
    /** Puts back what was there before; where nothing is kept of it, what is there stays. */
    goBack: () => {
      // Taking over may have failed half-way.
      if (has(at('ready', 'set.json'))) takeOver();
      if (!has(at('previous', 'set.json'))) return;
      mkdirSync(at('failed'), { recursive: true, mode: 0o700 });
      renameSync(at('previous'), at('ready'));
      takeOver();
    },
    /** What is there works, or nothing was replaced: what was before it is not needed any more. */
    confirm: () => {
      remove('failed');
      if (has(at('previous'))) renameSync(at('previous'), at('failed'));
      remove('failed');
    },
  };
}
