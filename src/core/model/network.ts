// What of a network address is one client.

/** What of an address is one client: of IPv6 the first 64 bits, because whoever has one has all of them; an IPv4 address in IPv6 clothes is itself. */
export function networkOf(address: string): string {
  const [, four] = /^::ffff:(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})$/i.exec(address) ?? [];
  if (four !== undefined || !address.includes(':')) return four ?? address;
  const [before = '', after] = address.split('%', 1)[0]?.split('::') ?? [];
  const groups = before === '' ? [] : before.split(':');
  const rest = after === undefined || after === '' ? 0 : after.split(':').length;
  while (after !== undefined && groups.length + rest < 8) groups.push('0');
  if (rest > 0) groups.push(...(after ?? '').split(':'));
  return `${groups.slice(0, 4).join(':')}::/64`;
}
