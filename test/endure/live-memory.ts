// What is alive in the memory of a server: its inspector collects all garbage first, so that a leak can be told from what was not collected yet.
import { type Life, waitFor } from './world.ts';

/** With this in its environment a process that is sent SIGUSR1 opens its inspector at any free port. */
export const inspectable = { NODE_OPTIONS: '--inspect-port=127.0.0.1:0' } as const;

/** Looks at a process again and again. */
export interface Inspector {
  /** The bytes of the heap and of buffers that are in use. */
  liveBytes(): Promise<number>;
  close(): void;
}

/** Opens the inspector of a life; nothing where it does not open. */
export async function inspect({ command }: Pick<Life, 'command'>): Promise<Inspector | undefined> {
  command.child.kill('SIGUSR1');
  const urlOf = () => /Debugger listening on (ws:\S+)/.exec(command.output().stderr)?.[1];
  await waitFor(() => urlOf() !== undefined, 10_000);
  const url = urlOf();
  if (url === undefined) return undefined;
  const socket = new WebSocket(url);
  const opened = Promise.withResolvers<boolean>();
  socket.onopen = () => opened.resolve(true);
  socket.onerror = () => opened.resolve(false);
  if (!(await opened.promise)) return undefined;
  const call = callsOn(socket);
  return {
    liveBytes: async () => {
      await call('HeapProfiler.collectGarbage');
      const { usedSize = 0, backingStorageSize = 0 } = await call('Runtime.getHeapUsage');
      return usedSize + backingStorageSize;
    },
    close: () => socket.close(),
  };
}

type Result = Readonly<Record<string, number>>;

/** Calls by the protocol of the inspector (https://chromedevtools.github.io/devtools-protocol/v8). Rejects once the process has ended. */
function callsOn(socket: WebSocket): (method: string) => Promise<Result> {
  const waiting = new Map<number, PromiseWithResolvers<Result>>();
  let count = 0;
  socket.onmessage = ({ data }) => {
    const { id, result = {} } = JSON.parse(String(data));
    waiting.get(id)?.resolve(result);
    waiting.delete(id);
  };
  socket.onclose = () => {
    for (const { reject } of waiting.values()) reject(new Error('the inspector has hung up'));
  };
  return (method) => {
    if (socket.readyState !== WebSocket.OPEN) return Promise.reject(new Error('the inspector has hung up'));
    count += 1;
    const answer = Promise.withResolvers<Result>();
    waiting.set(count, answer);
    socket.send(JSON.stringify({ id: count, method }));
    return answer.promise;
  };
}
