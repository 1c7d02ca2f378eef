// The connections to one runtime: at most so many, the one that was used last first, and whoever finds none waits in line.
import { attempt } from '../contained.ts';
import type { Buffers } from './buffers.ts';
import { type Connection, openConnection } from './connection.ts';
import type { Order, Placed } from './order.ts';

/** The connections to one runtime. */
export interface Pool {
  /** Sends a request as soon as there is a connection for it. */
  place(order: Order): Placed;
  /** How many are open. */
  size(): number;
  /** Cuts all of them. */
  destroy(): void;
}

export interface PoolOptions {
  readonly origin: string;
  readonly buffers: Buffers;
  readonly bodyMs: number;
  /** How many connections there may be at once. */
  readonly most: number;
  /** Is told of what was thrown and nobody foresaw: it fails one connection, or one order. */
  readonly log: (error: unknown) => void;
}

/** How often it is looked for what is overdue, in milliseconds: as much later may it be noticed. */
const lookMs = 250;

/** How many are kept that have nothing to do, however long the runtime would keep them. */
const mostIdle = 16;

interface Waiting {
  readonly order: Order;
  readonly until: number;
  placed: Placed | undefined;
}

/** Opens none before there is a request. */
export function createPool({ origin, buffers, bodyMs, most, log }: PoolOptions): Pool {
  const { hostname, port, protocol } = new URL(origin);
  const host = hostname.replace(/^\[|\]$/g, '');
  const all = new Set<Connection>();
  const idle: Connection[] = [];
  const line: Waiting[] = [];
  let timer: NodeJS.Timeout | undefined;

  const cutAfter = (connection: Connection) => (error: unknown) => {
    log(error);
    connection.destroy();
  };
  const look = () => {
    const now = performance.now();
    for (const connection of all) attempt(() => connection.look(now), cutAfter(connection), undefined);
    for (const late of line.filter(({ until }) => now > until)) {
      line.splice(line.indexOf(late), 1);
      attempt(() => late.order.recipient.failed('late'), log, undefined);
    }
    if (all.size > 0 || line.length > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  const open = (): Connection => {
    const way = { host, port: Number(port || (protocol === 'https:' ? 443 : 80)), buffers, bodyMs };
    const opened = openConnection({ ...way, free, gone, log });
    all.add(opened);
    timer ??= setInterval(look, lookMs).unref();
    return opened;
  };
  const free = (connection: Connection) => {
    const next = line.shift();
    if (next) next.placed = connection.send(next.order);
    else if (idle.length < mostIdle) idle.push(connection);
    else connection.destroy();
  };
  const gone = (connection: Connection) => {
    all.delete(connection);
    const at = idle.indexOf(connection);
    if (at >= 0) idle.splice(at, 1);
    const next = all.size < most ? line.shift() : undefined;
    if (!next) return;
    const unopened = (error: unknown) => {
      log(error);
      next.order.recipient.failed('ended');
    };
    next.placed = attempt(() => open().send(next.order), unopened, undefined);
  };
  /** The one that was used last of those that are still good. */
  const kept = (): Connection | undefined => {
    for (let last = idle.pop(); last; last = idle.pop()) {
      if (last.goodUntil() > performance.now()) return last;
      last.destroy();
    }
    return undefined;
  };
  const enqueue = (order: Order): Placed => {
    const waiting: Waiting = { order, until: performance.now() + order.headMs, placed: undefined };
    line.push(waiting);
    return {
      resume: () => waiting.placed?.resume(),
      abandon: () => {
        if (waiting.placed) return waiting.placed.abandon();
        const at = line.indexOf(waiting);
        if (at >= 0) line.splice(at, 1);
      },
    };
  };

  return {
    place: (order) => {
      const connection = order.isFresh ? undefined : kept();
      if (connection) return connection.send(order);
      if (all.size < most) return open().send(order);
      // Room for a new one, where those that are kept will not do.
      idle.pop()?.destroy();
      return enqueue(order);
    },
    size: () => all.size,
    destroy: () => {
      for (const { order } of line.splice(0)) attempt(() => order.recipient.failed('ended'), log, undefined);
      for (const connection of [...all]) attempt(() => connection.destroy(), log, undefined);
      clearInterval(timer);
      timer = undefined;
    },
  };
}
