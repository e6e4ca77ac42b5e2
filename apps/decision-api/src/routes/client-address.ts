import { BlockList, isIP } from 'node:net';
import { canonicalAddress } from '@tollgate/contracts/addresses';

/** Number of trusted hops before this server, or their networks. */
export type TrustedHops = { readonly count: number } | { readonly networks: BlockList };

const MAX_HOPS = 64;

/**
 * Returns the last address that a trusted hop reported and that is not trusted itself; clients control everything
 * before it. For a hop without an address (`unknown`), returns the address of the hop after it.
 * @param forwardedFor `X-Forwarded-For`; `Forwarded` is ignored
 * @returns the canonical address; `peer` if none of them is an address
 */
export function clientAddress(forwardedFor: string | undefined, peer: string, trusted: TrustedHops): string {
  const hops = forwardedFor === undefined ? [] : forwardedFor.split(',').slice(-MAX_HOPS);
  hops.push(peer);
  let at = 'count' in trusted ? hops.length - 1 - trusted.count : firstUntrusted(hops, trusted.networks);
  for (at = Math.max(0, at); at < hops.length; at++) {
    const address = canonicalAddress(hops[at] as string);
    if (address !== undefined) return address;
  }
  return peer;
}

function firstUntrusted(hops: readonly string[], networks: BlockList): number {
  for (let at = hops.length - 1; at > 0; at--) {
    const address = canonicalAddress(hops[at] as string);
    if (address === undefined || !networks.check(address, familyOf(address))) return at;
  }
  return 0;
}

/** Parses `10.0.0.0/8,2001:db8::/32`. @throws Error that names the invalid part */
export function parseNetworks(text: string): BlockList {
  const networks = new BlockList();
  for (const part of text.split(',').map((one) => one.trim())) {
    const [address = '', length = ''] = part.split('/');
    const bits = isIP(address) === 4 ? 32 : 128;
    const prefix = length === '' ? bits : Number(length);
    if (isIP(address) === 0 || !Number.isInteger(prefix) || prefix < 0 || prefix > bits)
      throw new Error(`${part.slice(0, 50)} is no network such as 10.0.0.0/8`);
    networks.addSubnet(address, prefix, familyOf(address));
  }
  return networks;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}
