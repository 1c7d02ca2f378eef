// The net under what runs later: listeners of a connection, and what is told of an answer. Whatever one throws would end the process, and every other request.
import type { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Order, Placed } from './upstream/order.ts';

/** Is handed what was thrown: logs it, and ends the connection that it belongs to. */
export type Failed = (error: unknown) => void;

/** From now on no listener of it throws, whoever adds it; the others of the same event are called all the same, because places are given back there. */
export function containEvents(emitter: EventEmitter, failed: Failed): void {
  const emit = emitter.emit.bind(emitter);
  emitter.emit = (event, ...args) => {
    const listeners = emitter.rawListeners(event);
    // An error of which nobody hears is thrown, too.
    if (listeners.length === 0) return attempt(() => emit(event, ...args), failed, false);
    for (const listener of listeners) attempt(() => Reflect.apply(listener, emitter, args), failed, undefined);
    return true;
  };
}

/** A pool whose orders are told of their answers in the same way: what is thrown there fails the one order. */
export function containedPool<P extends { place(order: Order): Placed }>(pool: P, failed: Failed): P {
  return { ...pool, place: (order) => pool.place({ ...order, recipient: contained(order.recipient, failed) }) };
}

/** What becomes of a request whose answer could not be passed on. */
export function failedLater(log: (message: string) => void, id: string, response: ServerResponse): Failed {
  return (error) => {
    log(`passing on an answer of the instance ${id} failed: ${traceOf(error)}`);
    response.destroy();
  };
}

function contained({ head, piece, failed: troubled }: Order['recipient'], failed: Failed): Order['recipient'] {
  return {
    head: (found) => attempt(() => head(found), failed, false),
    // Nothing is held up for it: its connection is being cut.
    piece: (found) => attempt(() => piece(found), failed, true),
    failed: (trouble) => attempt(() => troubled(trouble), failed, undefined),
  };
}

/** What was done; `otherwise` where it threw, of which `failed` is told. */
export function attempt<T>(act: () => T, failed: Failed, otherwise: T): T {
  try {
    return act();
  } catch (error) {
    failed(error);
    return otherwise;
  }
}

/** What is logged of something that was thrown, and that nobody foresaw. */
export function traceOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? String(error)) : String(error);
}
