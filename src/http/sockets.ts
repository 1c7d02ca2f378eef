// Every connection that clients hold, whatever is spoken on it or not yet: counted against one limit, of which a part is kept for probes and signing in.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '../core/model/network.ts';

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

/** What one network has; what is in its reserved part is in none of the others. */
interface Network {
  readonly name: string;
  usual: number;
  readonly idle: Set<Held>;
  readonly reserved: Set<Held>;
}

/** How long a connection of the reserved part lives, in milliseconds: so nobody can hold it. */
const reservedMs = 5000;

/** The part of a limit that is kept for probes and signing in. */
export function reservedOf(limit: number): number {
  return Math.min(64, Math.ceil(limit / 8));
}

/**
 * Follows the connections of a server. Over the limit the connection goes that has asked nothing for longest; where all are busy, one that comes has a
 * few seconds for a probe or to sign in. One network (an address, of IPv6 the first 64 bits) has at most half of what there is, and a quarter of what
 * is kept for that.
 */
export function followSockets(server: Server, { limit, upstreams, trustsProxy, onCut }: SocketLimits): Sockets {
  const open = new Map<Socket, Held>();
  const [idle, reserved] = [new Set<Held>(), new Set<Held>()];
  const networks = new Map<string, Network>();
  const kept = reservedOf(limit);
  const free = limit - kept;
  /** So much of the usual part, or of the reserved one: behind a proxy all are one network. */
  const most = (part: number) => (trustsProxy() ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(part)));
  const taken = () => open.size + upstreams();
  const usual = () => taken() - reserved.size;

  const forget = (held: Held) => {
    const { socket, network } = held;
    if (!open.delete(socket)) return;
    if (!reserved.has(held)) network.usual -= 1;
    for (const set of [idle, reserved, network.idle, network.reserved]) set.delete(held);
    if (network.usual + network.reserved.size === 0 && networks.get(network.name) === network)
      networks.delete(network.name);
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
    if (reserved.has(held)) return;
    for (const set of [idle, held.network.idle])
      if (held.underWay > 0) set.delete(held);
      else if (open.has(held.socket)) set.add(held);
  };
  const networkAt = (name: string) => {
    const network = networks.get(name) ?? { name, usual: 0, idle: new Set<Held>(), reserved: new Set<Held>() };
    networks.set(name, network);
    return network;
  };

  const isFull = (network: Network) => network.usual >= most(free / 2);
  /** Cuts what is in the way of one more in the usual part, where something is that asks nothing. */
  const makeRoom = (network: Network) => {
    if (isFull(network)) cutOldest(network.idle, 'network');
    else if (usual() >= free) cutOldest(idle, 'sockets');
  };
  const add = (held: Held) => {
    held.network.usual += 1;
    for (const set of [idle, held.network.idle]) set.add(held);
  };
  /** In the reserved part somebody always goes: of the same network, or of the one that has most, so that nobody holds all of it. */
  const addReserved = (held: Held) => {
    const { network } = held;
    if (network.reserved.size >= most(kept / 4)) cutOldest(network.reserved, 'network');
    if (reserved.size >= kept || taken() > limit) cutOldest(largestIn(reserved), 'sockets');
    for (const set of [reserved, network.reserved]) set.add(held);
    // What was cut may have been the last of its network.
    networks.set(network.name, network);
    const end = setTimeout(() => held.socket.destroy(), reservedMs);
    held.socket.once('close', () => clearTimeout(end));
  };

  server.on('connection', (socket: Socket) => {
    const network = networkAt(networkOf(socket.remoteAddress ?? ''));
    makeRoom(network);
    networks.set(network.name, network);
    const held: Held = { socket, network, underWay: 0 };
    const isUsual = !isFull(network) && usual() < free && taken() < limit;
    open.set(socket, held);
    socket.once('close', () => forget(held));
    if (isUsual) add(held);
    else addReserved(held);
    if (taken() > limit) cutOldest(new Set([held]), 'sockets');
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
    hasRoom: () => usual() < free && taken() < limit,
    counts: () => ({ clients: open.size, reserved: reserved.size }),
  };
}

/** The reserved connections of the network that has most of them. */
function largestIn(reserved: ReadonlySet<Held>): ReadonlySet<Held> {
  let found: ReadonlySet<Held> = new Set();
  for (const { network } of reserved) if (network.reserved.size > found.size) found = network.reserved;
  return found;
}
