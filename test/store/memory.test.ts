// The in-memory engine: the conformance suite, with each transaction evaluated once, and twice.
import { openMemoryStore } from '../../src/store/memory.ts';
import { conformance } from './conformance.ts';

const quiet = { log: () => {} };

const memory = conformance('the in-memory store', async () => openMemoryStore(quiet));
const rehearsing = conformance('the in-memory store that rehearses', async () =>
  openMemoryStore({ ...quiet, rehearse: true }),
);

memory.run();
rehearsing.run();
