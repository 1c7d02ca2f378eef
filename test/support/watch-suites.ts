// Loaded before a test file: notes which suites of uvu are made, and says at the end which of them were never run, wherever their `.run()` stands.
import { registerHooks } from 'node:module';

const watched = new URL('./watched-uvu.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) => {
    const found = next(specifier, context);
    return specifier === 'uvu' && context.parentURL !== watched
      ? { ...found, url: watched, format: 'module-typescript' }
      : found;
  },
});
