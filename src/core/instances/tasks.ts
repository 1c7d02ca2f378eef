// How many tasks all that an instance starts may have together.

/** Processes and their threads, as the system counts them: a Node-RED has about a dozen. Beyond it nothing more can be started, so that a fork bomb stays with its instance. */
export const taskLimit = 1024;
