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
  const groups = Array.from(
    { length: 8 },
    (_, i) => ((bytes[2 * i] as number) << 8) | (bytes[2 * i + 1] as number),
  );
  const [from, length] = longestZeros(groups);
  const hex = (part: readonly number[]) => part.map((group) => group.toString(16)).join(':');
  if (length < 2) return hex(groups);
  return `${hex(groups.slice(0, from))}::${hex(groups.slice(from + length))}`;
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
  const text = dottedTailAsGroups(address);
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

/** The first of the longest runs of zeros. */
function longestZeros(groups: readonly number[]): [from: number, length: number] {
  let best: [number, number] = [0, 0];
  for (let from = 0; from < groups.length; from++) {
    let length = 0;
    while (groups[from + length] === 0) length++;
    if (length > best[1]) best = [from, length];
  }
  return best;
}
