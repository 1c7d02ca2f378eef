// The registry of store engines: one line an engine.
import { openStore } from './json-file.ts';
import { openMemoryStore } from './memory.ts';

/** Opens a store, by the engine's name. */
export const engines = {
  'json-file': openStore,
  memory: openMemoryStore,
} as const;

export type EngineName = keyof typeof engines;
