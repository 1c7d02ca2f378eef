// Metrics of connections: what clients hold, what is under way to instances, and what was refused or cut for which limit.
import { Counter, Gauge, type OpenMetricsContentType, type Registry } from 'prom-client';

/** How much is open at a moment. */
export interface GatewayCounts {
  /** Connections of clients, whatever is spoken on them, and how many of these are in the reserved part. */
  readonly clients: number;
  readonly reserved: number;
  /** Connections to runtimes. */
  readonly upstreams: number;
  /** Requests under way to instances, and open tunnels (WebSockets). */
  readonly requests: number;
  readonly tunnels: number;
}

/** The limits that something can be refused, or a connection be cut, for. */
const limits = ['instance', 'client', 'all', 'reserved', 'sockets', 'network'] as const;

/** What counts. */
export interface GatewayMetrics {
  refused(limit: (typeof limits)[number]): void;
  /** Says who knows what is open. */
  countedBy(counts: () => GatewayCounts): void;
}

/** Registers them. */
export function gatewayMetrics(registry: Registry<OpenMetricsContentType>): GatewayMetrics {
  const registers = [registry];
  const refused = new Counter({
    name: 'weir_connections_refused_total',
    help: 'What was refused, or cut to make room, by limit: of an instance, a client, the server; what came on a reserved connection; connections cut for the limit of all sockets or of one network.',
    labelNames: ['limit'],
    registers,
  });
  for (const limit of limits) refused.inc({ limit }, 0);
  let counts: () => GatewayCounts = () => ({ clients: 0, reserved: 0, upstreams: 0, requests: 0, tunnels: 0 });
  const gauge = (name: string, help: string, of: keyof GatewayCounts) => {
    const made: Gauge = new Gauge({ name, help, registers, collect: () => made.set(counts()[of]) });
  };
  gauge('weir_connections', 'Open connections of clients, whatever is spoken on them.', 'clients');
  gauge(
    'weir_connections_reserved',
    'Open connections that came when there was room for probes and signing in only.',
    'reserved',
  );
  gauge('weir_gateway_upstream_connections', 'Connections to runtimes, open or about to be.', 'upstreams');
  gauge('weir_gateway_requests', 'Requests under way to instances.', 'requests');
  gauge('weir_gateway_tunnels', 'Open WebSockets to instances.', 'tunnels');
  return {
    refused: (limit) => refused.inc({ limit }),
    countedBy: (from) => {
      counts = from;
    },
  };
}
