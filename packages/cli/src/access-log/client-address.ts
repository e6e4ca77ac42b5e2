import { isIP } from 'node:net';

/** Whether `text` is an IPv4 or IPv6 address that limits can count by: no host name, no zone (`%eth0`). */
export function isClientAddress(text: string): boolean {
  return isIP(text) !== 0 && !text.includes('%');
}

/**
 * What an address is counted as: IPv4 as it is (also when written as IPv6), IPv6 by its /64, since whoever holds one
 * address of it holds all of them.
 *
 * @param address one that {@link isClientAddress} accepts
 */
export function clientKey(address: string): string {
  if (isIP(address) === 4) return address;
  const groups = ipv6Groups(address);
  const [high = 0, low = 0] = groups.slice(6);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) return `${high >> 8}.${high & 0xff}.${low >> 8}.${low & 0xff}`;
  const network = groups.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}

function ipv6Groups(address: string): number[] {
  // The URL parser writes every form of an address in one way, an IPv4 tail included.
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const before = parseGroups(head);
  const after = tail === undefined ? [] : parseGroups(tail);
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}

function parseGroups(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}
