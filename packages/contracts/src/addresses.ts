/** 4 bytes (IPv4) or 16 (IPv6). */
export type AddressBytes = readonly number[];

/**
 * Reads an address as proxies and frameworks write it: also with a port, in brackets, with a zone or with spaces around
 * it. An IPv4 address that is mapped (`::ffff:192.0.2.1`) or translated (`64:ff9b::192.0.2.1`, RFC 6052;
 * `::ffff:0:192.0.2.1`, RFC 2765) into IPv6 is that IPv4 address, because such clients share one network.
 * @returns undefined if it is not an address
 */
export function readAddress(text: string): AddressBytes | undefined {
  const trimmed = text.trim();
  const [, inBrackets, beforePort] = WITH_PORT.exec(trimmed) ?? [];
  const bytes = parseAddress((inBrackets ?? beforePort ?? trimmed).replace(/%.*$/, ''));
  return bytes !== undefined && TRANSLATED.some((prefix) => startsWith(bytes, prefix))
    ? bytes.slice(12)
    : bytes;
}

/**
 * Reads an address without port, brackets and zone. IPv4 mapped into IPv6 is IPv4.
 * @returns undefined if it is not an address; `192.0.2.01` is not one, because programs read it differently
 */
export function parseAddress(text: string): AddressBytes | undefined {
  if (IPV4.test(text)) return text.split('.').map(Number);
  const groups = ipv6Groups(text);
  if (groups === undefined) return undefined;
  const bytes = groups.flatMap((group) => [group >> 8, group & 255]);
  return startsWith(bytes, MAPPED) ? bytes.slice(12) : bytes;
}

/** IPv4 with dots; IPv6 in the canonical form of RFC 5952, `2001:db8::1`. */
export function addressText(bytes: AddressBytes): string {
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, i) =>
    (((bytes[2 * i] as number) << 8) | (bytes[2 * i + 1] as number)).toString(16),
  );
  return canonicalIpv6(groups.join(':')) as string;
}

/** {@link readAddress}, written by {@link addressText}. */
export function canonicalAddress(text: string): string | undefined {
  // Most are of this form: without parsing and writing, a tenth of the time.
  if (IPV4.test(text)) return text;
  const bytes = readAddress(text);
  return bytes === undefined ? undefined : addressText(bytes);
}

/** As {@link canonicalAddress}, IPv6 by its /64, because one client usually controls a whole /64. */
export function clientNetwork(text: string): string | undefined {
  const bytes = readAddress(text);
  if (bytes === undefined) return undefined;
  return addressText(bytes.length === 4 ? bytes : [...bytes.slice(0, 8), ...ZEROS.slice(0, 8)]);
}

/** The address that the outermost trusted proxy appended; clients can forge everything before it. */
export function forwardedAddress(header: string | null | undefined, trustedHops: number): string | undefined {
  if (header === null || header === undefined || trustedHops < 1) return undefined;
  return header.split(',').at(-trustedHops)?.trim();
}

const WITH_PORT = /^(?:\[([^\]]*)\]|(\d+\.\d+\.\d+\.\d+))(?::\d{1,5})?$/;
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

const IPV6_CHARACTERS = /^[\da-f:.]+$/i;

const ZEROS: AddressBytes = Array<number>(16).fill(0);
const MAPPED: AddressBytes = [...ZEROS.slice(0, 10), 0xff, 0xff];
const TRANSLATED: readonly AddressBytes[] = [
  [0x00, 0x64, 0xff, 0x9b, ...ZEROS.slice(0, 8)],
  [...ZEROS.slice(0, 8), 0xff, 0xff, 0, 0],
];

function startsWith(bytes: AddressBytes, prefix: AddressBytes): boolean {
  return bytes.length === 16 && prefix.every((byte, i) => bytes[i] === byte);
}

function ipv6Groups(address: string): number[] | undefined {
  const [head, tail = []] =
    canonicalIpv6(address)
      ?.split('::')
      .map((part) => (part === '' ? [] : part.split(':'))) ?? [];
  if (head === undefined) return undefined;
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16));
}

/** As URLs write it. */
function canonicalIpv6(text: string): string | undefined {
  // In a URL, a path may follow the address.
  if (!IPV6_CHARACTERS.test(text)) return undefined;
  try {
    return new URL(`http://[${text}]`).hostname.slice(1, -1);
  } catch {
    return undefined;
  }
}
