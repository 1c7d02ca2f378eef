// Every connection that clients hold, whatever is spoken on it or not yet: counted against one limit, of which a part is kept for probes and signing in.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from './client-address.ts';

/** Why a connection was cut, or may ask little. */
export type SocketLimit = 'sockets' | 'network';

/** What the limits follow from. */
export interface SocketLimits {
  /** The most sockets in all: of clients and to runtimes together. */
  readonly limit: number;
  /** How many are held towards runtimes. */
  readonly upstreams: () => number;
  /** Whether the address of a connection may be that of a proxy, behind which everybody is. */
  readonly trustsProxy: () => boolean;
  /** Called for each connection that was cut for another. */
  readonly onCut: (limit: SocketLimit) => void;
}

/** The connections of a server. */
export interface Sockets {
  /** Whether a connection came when there was room for probes and signing in only. */
  isReserved(socket: Socket): boolean;
  /** Whether one more connection to a runtime may be opened. */
  hasRoom(): boolean;
  /** How many clients hold, and how many of these are in the reserved part. */
  counts(): { readonly clients: number; readonly reserved: number };
}

interface Held {
  readonly socket: Socket;
  readonly network: Network;
  /** Requests whose answers have not ended; one that was upgraded has one for good. */
  underWay: number;
}

interface Network {
  readonly name: string;
  count: number;
  readonly idle: Set<Held>;
}

/** How long a connection of the reserved part lives, in milliseconds: so nobody can hold it. */
const reservedMs = 5000;

/** The part of a limit that is kept for probes and signing in. */
export function reservedOf(limit: number): number {
  return Math.min(64, Math.ceil(limit / 8));
}

/**
 * Follows the connections of a server. Over the limit the connection goes that has asked nothing for longest; where all are busy, one that comes has a
 * few seconds for a probe or to sign in. One network (an address, of IPv6 the first 64 bits) has at most half of what there is.
 */
export function followSockets(server: Server, { limit, upstreams, trustsProxy, onCut }: SocketLimits): Sockets {
  const open = new Map<Socket, Held>();
  const [idle, reserved] = [new Set<Held>(), new Set<Held>()];
  const networks = new Map<string, Network>();
  const free = limit - reservedOf(limit);
  const perNetwork = () => (trustsProxy() ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(free / 2)));
  const taken = () => open.size + upstreams();

  const forget = (held: Held) => {
    const { socket, network } = held;
    if (!open.delete(socket)) return;
    for (const set of [idle, reserved, network.idle]) set.delete(held);
    network.count -= 1;
    if (network.count === 0) networks.delete(network.name);
  };
  const cutOldest = (of: ReadonlySet<Held>, why: SocketLimit) => {
    const [held] = of;
    if (!held) return;
    forget(held);
    held.socket.destroy();
    onCut(why);
  };
  const count = (held: Held, by: 1 | -1) => {
    held.underWay += by;
    for (const set of [idle, held.network.idle])
      if (held.underWay > 0) set.delete(held);
      else if (open.has(held.socket)) set.add(held);
  };
  const reserve = (held: Held) => {
    reserved.add(held);
    const end = setTimeout(() => held.socket.destroy(), reservedMs);
    held.socket.once('close', () => clearTimeout(end));
  };
  const networkAt = (name: string) => {
    const network = networks.get(name) ?? { name, count: 0, idle: new Set<Held>() };
    networks.set(name, network);
    return network;
  };

  const hasPlace = ({ count: ofNetwork }: Network) => taken() < free && ofNetwork < perNetwork();
  /** Cuts what is in the way of one more, where something is. */
  const makeRoom = (network: Network) => {
    if (network.count >= perNetwork()) cutOldest(network.idle, 'network');
    if (taken() >= free) cutOldest(idle, 'sockets');
    if (taken() >= limit) cutOldest(reserved, 'sockets');
  };
  const add = (held: Held) => {
    open.set(held.socket, held);
    held.network.count += 1;
    for (const set of [idle, held.network.idle]) set.add(held);
    held.socket.once('close', () => forget(held));
  };

  server.on('connection', (socket: Socket) => {
    const network = networkAt(networkOf(socket.remoteAddress ?? ''));
    makeRoom(network);
    const held: Held = { socket, network, underWay: 0 };
    const isUsual = hasPlace(network);
    add(held);
    if (taken() > limit) cutOldest(new Set([held]), 'sockets');
    else if (!isUsual) reserve(held);
  });
  server.on('request', ({ socket }, response) => {
    const held = open.get(socket);
    if (!held) return;
    count(held, 1);
    response.once('close', () => count(held, -1));
  });
  server.on('upgrade', (request) => {
    const held = open.get(request.socket);
    if (held) count(held, 1);
  });

  return {
    isReserved: (socket) => {
      const held = open.get(socket);
      return held !== undefined && reserved.has(held);
    },
    hasRoom: () => taken() < free,
    counts: () => ({ clients: open.size, reserved: reserved.size }),
  };
}
