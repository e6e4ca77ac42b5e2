import { type AddressBytes, addressText, parseAddress } from '@tollgate/contracts/addresses';

/** The first `bits` of an address, hex; the rest of the last byte is 0. */
export function networkHex(bytes: AddressBytes, bits: number): string {
  const kept = bytes.slice(0, Math.ceil(bits / 8));
  const last = kept.length - 1;
  if (bits % 8 > 0) kept[last] = (kept[last] as number) & (0xff00 >> (bits % 8));
  return Buffer.from(kept).toString('hex');
}

/** The address family is the number of bytes. */
export interface Network {
  readonly bytes: AddressBytes;
  /** Length of the prefix. */
  readonly bits: number;
}

/**
 * Parses an address or a network such as 10.0.0.0/8 or 2001:db8::/32; IPv4 networks mapped into IPv6 are IPv4.
 * @returns a message for people if it is invalid
 */
export function parseNetwork(text: string): Network | string {
  const [address = '', length, ...more] = text.split('/');
  const bytes = more.length > 0 ? undefined : parseAddress(address);
  if (bytes === undefined) return `${text} is neither an IP address nor a network such as 10.0.0.0/8`;
  const size = bytes.length * 8;
  const mapped = address.includes(':') && size === 32 ? 96 : 0;
  if (length !== undefined && !/^\d{1,3}$/.test(length)) return `/${length} is not a prefix length`;
  const bits = length === undefined ? size : Number(length) - mapped;
  if (bits < 0 || bits > size) return `The prefix length of ${address} is ${mapped} to ${size + mapped}`;
  const masked = maskedBytes(bytes, bits);
  if (masked.every((byte, i) => byte === bytes[i])) return { bytes, bits };
  return `${text} has bits beyond its prefix; write ${networkText({ bytes: masked, bits })}`;
}

/** The address with zeros after the first `bits`. */
export function maskedBytes(bytes: AddressBytes, bits: number): number[] {
  return [...Buffer.from(networkHex(bytes, bits).padEnd(2 * bytes.length, '0'), 'hex')];
}

/** The canonical form, with a prefix length unless it is a single address. */
export function networkText({ bytes, bits }: Network): string {
  const address = addressText(bytes);
  return bits === bytes.length * 8 ? address : `${address}/${bits}`;
}
