// Work that would hold up everything else, done by a thread of its own: one piece after another, by a thread that goes when it has nothing to do.
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** How long a thread waits for more, in milliseconds. */
const idleMs = 5000;

/** How much memory a thread may take before it is ended, and its work rejects. */
const mostMemoryMb = 1024;

interface Answer<R> {
  readonly result?: R;
  readonly problem?: string;
}

/**
 * Has a module do pieces of work in a thread. `module` is its `import.meta.url`: the thread runs that module too, which calls `inWorker` with the same
 * mark. So there is no other file that a build could leave behind. Buffers that `given` names go over without being copied, and are gone here.
 */
export function workerFor<J, R>(
  module: string,
  mark: string,
  given: (job: J) => readonly ArrayBuffer[] = () => [],
): (job: J) => Promise<R> {
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const rest = () => {
    void worker?.terminate();
    worker = undefined;
  };
  const work = async (job: J): Promise<R> => {
    clearTimeout(idle);
    worker ??= new Worker(new URL(module), {
      workerData: { weirWork: mark },
      resourceLimits: { maxOldGenerationSizeMb: mostMemoryMb },
    });
    try {
      const { result, problem } = await answerOf<J, R>(worker, job, given(job));
      if (problem !== undefined) throw new Error(problem);
      return result as R;
    } catch (error) {
      rest();
      throw error;
    } finally {
      idle = setTimeout(rest, idleMs).unref();
    }
  };
  return (job) => {
    const turn = last.then(() => work(job));
    last = turn.catch(() => {});
    return turn;
  };
}

function answerOf<J, R>(worker: Worker, job: J, given: readonly ArrayBuffer[]): Promise<Answer<R>> {
  return new Promise((resolve, reject) => {
    const over = () => {
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      // Nothing waits for it now: it keeps no process going.
      worker.unref();
    };
    const onMessage = (answer: Answer<R>) => {
      over();
      resolve(answer);
    };
    const onError = (error: Error) => {
      over();
      reject(error);
    };
    const onExit = () => onError(new Error('the thread ended before its work was done'));
    worker.ref();
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    worker.postMessage(job, [...given]);
  });
}

/** Does the pieces of work, where this is the thread for them. Buffers that `handed` names go over without being copied. */
export function inWorker<J, R>(
  mark: string,
  work: (job: J) => R | Promise<R>,
  handed: (result: R) => readonly ArrayBuffer[] = () => [],
): void {
  const port = parentPort;
  if (isMainThread || port === null || workerData?.weirWork !== mark) return;
  port.on('message', async (job: J) => {
    try {
      const result = await work(job);
      port.postMessage({ result }, [...handed(result)]);
    } catch (error) {
      port.postMessage({ problem: error instanceof Error ? error.message : String(error) });
    }
  });
}
