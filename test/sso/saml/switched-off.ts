// The guard with one of its steps switched off: it refuses nothing at that step, and goes on.
import { registerHooks } from 'node:module';
import type { guardResponse } from '../../../src/sso/saml/guard.ts';

const folder = new URL('../../../src/sso/saml/', import.meta.url).href;
const door = 'throw new Refusal(step, reason);';

/** A second guard, loaded from the same files, of which one sentence is changed: the one by which a step refuses. */
export async function guardWithout(step: string): Promise<typeof guardResponse> {
  const mark = `?without=${step}`;
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      const ours = context.parentURL?.endsWith(mark) === true && found.url.startsWith(folder);
      return ours ? { ...found, url: found.url + mark } : found;
    },
    load(url, context, next) {
      const found = next(url, context);
      return url === `${folder}refusal.ts${mark}` ? { ...found, source: openDoor(String(found.source), step) } : found;
    },
  });
  try {
    const loaded = await import(`${folder}guard.ts${mark}`);
    return loaded.guardResponse;
  } finally {
    hooks.deregister();
  }
}

function openDoor(source: string, step: string): string {
  if (!source.includes(door)) throw new Error(`"${door}" is not in refusal.ts any more: nothing can be switched off`);
  return source.replace(door, `if (step !== '${step}') ${door}`);
}
