// What an instance may hold, of which each part tells which one it is.
import type { Stored } from '../../src/core/instances/content.ts';

/** The content with a number. */
export function storedOf(count: number): Stored {
  return {
    flows: [{ id: 'tab', type: 'tab', label: `${count}`, info: 'x'.repeat(20_000) }],
    credentials: { node: { count: `${count}` } },
    modules: { 'node-red-x': `${count}.0.0` },
  };
}

/** The numbers of its parts. */
export function numbersIn({ flows, credentials, modules }: Stored): (string | undefined)[] {
  const { count } = Object(credentials?.node);
  return [String(flows[0]?.label), String(count), modules['node-red-x']?.split('.')[0]];
}
