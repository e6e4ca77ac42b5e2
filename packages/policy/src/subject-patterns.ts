import { readAddress } from '@tollgate/contracts/addresses';
import { getOrAdd } from '@tollgate/contracts/maps';
import { type Network, networkHex, networkText, parseNetwork } from '@tollgate/limiter/rules';

/** Matches values of one dimension. */
export type SubjectPattern =
  | { readonly kind: 'exact'; readonly value: string }
  | { readonly kind: 'network'; readonly network: Network }
  | { readonly kind: 'wildcard'; readonly prefix: string };

const ADDRESS_BITS = 128;

/**
 * Parses a value, a prefix and `*`, or for `ip` an address or a network. @param text its canonical form is `text` of the
 * result @returns a message for people if it is invalid
 */
export function parseSubjectPattern(
  dimension: string,
  text: string,
): { readonly pattern: SubjectPattern; readonly text: string } | string {
  if (dimension === 'ip') {
    const network = parseNetwork(text);
    if (typeof network === 'string') return network;
    return { pattern: { kind: 'network', network }, text: networkText(network) };
  }
  const star = text.indexOf('*');
  if (star < 0) return { pattern: { kind: 'exact', value: text }, text };
  if (star < text.length - 1) return `${text}: * stands for any end of a value; write it once, last`;
  return { pattern: { kind: 'wildcard', prefix: text.slice(0, star) }, text };
}

/** Higher for a more specific pattern: an exact value, then networks by their prefix, then wildcards by theirs. */
export function specificityOf(pattern: SubjectPattern): number {
  switch (pattern.kind) {
    case 'exact':
      return 4096;
    case 'network': {
      const { bytes, bits } = pattern.network;
      const size = bytes.length * 8;
      return bits === size ? 4096 : 2048 + bits + ADDRESS_BITS - size;
    }
    case 'wildcard':
      return pattern.prefix.length;
  }
}

/** Values by patterns of one dimension. A lookup costs one map access per distinct length of the prefixes. */
export class PatternIndex<T> {
  private readonly exact = new Map<string, T[]>();
  /** By the prefix's length, longest first. */
  private readonly wildcards: [length: number, byPrefix: Map<string, T[]>][] = [];
  /** By the size of the address, then the prefix's length, longest first. */
  private readonly networks = new Map<number, [bits: number, byPrefix: Map<string, T[]>][]>();

  /** Of equal patterns, the one added last precedes. */
  add(pattern: SubjectPattern, value: T): void {
    switch (pattern.kind) {
      case 'exact':
        getOrAdd(this.exact, pattern.value, () => []).unshift(value);
        return;
      case 'wildcard':
        addByLength(this.wildcards, pattern.prefix.length, pattern.prefix, value);
        return;
      case 'network': {
        const { bytes, bits } = pattern.network;
        const ofSize = getOrAdd(this.networks, bytes.length, () => []);
        addByLength(ofSize, bits, networkHex(bytes, bits), value);
      }
    }
  }

  /** The most specific accepted value. */
  find(text: string, accepts: (value: T) => boolean): T | undefined {
    if (this.networks.size > 0) return this.findNetwork(text, accepts);
    const exact = this.exact.get(text)?.find(accepts);
    if (exact !== undefined) return exact;
    for (const [length, byPrefix] of this.wildcards) {
      if (length > text.length) continue;
      const found = byPrefix.get(text.slice(0, length))?.find(accepts);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  private findNetwork(text: string, accepts: (value: T) => boolean): T | undefined {
    const bytes = readAddress(text);
    if (bytes === undefined) return undefined;
    for (const [bits, byPrefix] of this.networks.get(bytes.length) ?? []) {
      const found = byPrefix.get(networkHex(bytes, bits))?.find(accepts);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

function addByLength<T>(lists: [number, Map<string, T[]>][], length: number, prefix: string, value: T): void {
  let byPrefix = lists.find(([known]) => known === length)?.[1];
  if (byPrefix === undefined) {
    byPrefix = new Map();
    lists.push([length, byPrefix]);
    lists.sort(([a], [b]) => b - a);
  }
  getOrAdd(byPrefix, prefix, () => []).unshift(value);
}
