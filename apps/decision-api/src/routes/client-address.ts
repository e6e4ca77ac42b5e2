import { BlockList, isIP } from 'node:net';

/**
 * Which addresses before us may say where a request came from: so many of the last ones (the proxy that asks us is the
 * first), or those within networks.
 */
export type TrustedHops = { readonly count: number } | { readonly networks: BlockList };

/** The most hops that are looked at: more than any installation has. */
const MAX_HOPS = 64;

/**
 * The address that a request came from: the last one that a trusted hop saw and that is not trusted itself. What stands
 * before it was written by the caller, and nothing written there changes the answer. A hop that did not write an address
 * (`unknown`, an obfuscated name) counts under the address of the hop behind it.
 *
 * @param forwardedFor `X-Forwarded-For`, several joined by commas; `Forwarded` is never read
 * @param peer who is connected to us
 * @returns an IPv4 or IPv6 address without port, brackets and zone; an IPv4 one mapped into IPv6 as IPv4
 */
export function clientAddress(forwardedFor: string | undefined, peer: string, trusted: TrustedHops): string {
  const hops = forwardedFor === undefined ? [] : forwardedFor.split(',').slice(-MAX_HOPS);
  hops.push(peer);
  let at = 'count' in trusted ? hops.length - 1 - trusted.count : firstUntrusted(hops, trusted.networks);
  for (at = Math.max(0, at); at < hops.length; at++) {
    const address = readAddress(hops[at] as string);
    if (address !== undefined) return address;
  }
  return peer;
}

function firstUntrusted(hops: readonly string[], networks: BlockList): number {
  for (let at = hops.length - 1; at > 0; at--) {
    const address = readAddress(hops[at] as string);
    if (address === undefined || !networks.check(address, familyOf(address))) return at;
  }
  return 0;
}

const V4_WITH_PORT = /^(\d+\.\d+\.\d+\.\d+):\d{1,5}$/;
const IN_BRACKETS = /^\[([^\]]*)\](?::\d{1,5})?$/;
const MAPPED = /^(?:0*:)*:?(?:0*:)*ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** One hop of `X-Forwarded-For`; undefined for what is no address. */
export function readAddress(text: string): string | undefined {
  const trimmed = text.trim();
  const bare =
    (V4_WITH_PORT.exec(trimmed)?.[1] ?? IN_BRACKETS.exec(trimmed)?.[1] ?? trimmed).split('%')[0] ?? '';
  if (isIP(bare) === 0) return undefined;
  return MAPPED.exec(bare)?.[1] ?? bare;
}

/** Networks as `10.0.0.0/8,2001:db8::/32`. @throws Error that names the part that is none */
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
