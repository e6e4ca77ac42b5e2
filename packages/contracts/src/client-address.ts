const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;

/** IPv4 unchanged (also if mapped into IPv6), all groups of IPv6 without the zone. Undefined for an invalid address. */
export function clientAddress(address: string | undefined): string | undefined {
  return address === undefined ? undefined : written(address, (groups) => groups.join(':'));
}

/** As {@link clientAddress}, IPv6 by its /64, because one client usually controls a whole /64. */
export function clientNetwork(address: string): string | undefined {
  return written(address, (groups) => `${groups.slice(0, 4).join(':')}::`);
}

function written(address: string, ofGroups: (groups: readonly string[]) => string): string | undefined {
  if (IPV4.test(address)) return address;
  const groups = ipv6Groups(address);
  if (groups === undefined) return undefined;
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    return [6, 7].flatMap((i) => [(groups[i] as number) >> 8, (groups[i] as number) & 255]).join('.');
  }
  return ofGroups(groups.map((group) => group.toString(16)));
}

/** Undefined for an invalid address; ignores the zone. */
function ipv6Groups(address: string): number[] | undefined {
  const text = dottedTailAsGroups(address.replace(/%.*$/, ''));
  const [head, tail, ...more] = text.split('::').map((part) => (part === '' ? [] : part.split(':')));
  if (head === undefined || more.length > 0) return undefined;
  const missing = 8 - head.length - (tail?.length ?? 0);
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...Array.from({ length: missing }, () => '0'), ...(tail ?? [])];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return groups.map((group) => Number.parseInt(group, 16));
}

function dottedTailAsGroups(text: string): string {
  const at = text.lastIndexOf(':') + 1;
  const tail = text.slice(at);
  if (at === 0 || !IPV4.test(tail)) return text;
  const [a = 0, b = 0, c = 0, d = 0] = tail.split('.').map(Number);
  return `${text.slice(0, at)}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
}

/** The address that the outermost trusted proxy appended; clients can forge everything before it. */
export function forwardedAddress(header: string | null | undefined, trustedHops: number): string | undefined {
  if (header === null || header === undefined || trustedHops < 1) return undefined;
  return header.split(',').at(-trustedHops)?.trim();
}
