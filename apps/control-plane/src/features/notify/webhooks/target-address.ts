import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const MAX_URL_LENGTH = 1000;

const PUBLIC = 'unicast';

/** The only IPv6 range assigned for global use; addresses outside of it may be translated to others. */
const GLOBAL_V6 = ipaddr.parseCIDR('2000::/3');

type TargetProblem = string;

/** The connection uses the address that was checked. */
export interface Target {
  url: URL;
  address: string;
  family: 4 | 6;
}

/** @throws Error without addresses */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<string[]>;

/** Queries DNS directly, because slow name servers would block the thread pool of `dns.lookup`. */
const resolveByDns: Resolve = async (hostname, signal) => {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  signal.addEventListener('abort', () => resolver.cancel(), { once: true });
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const [first] = answers;
  if (addresses.length === 0 && first?.status === 'rejected') throw first.reason;
  return addresses;
};

/** Allows public addresses over TLS, and configured networks also without TLS. */
export class TargetPolicy {
  private readonly allowed: [ipaddr.IPv4 | ipaddr.IPv6, number][];

  /** @param networks CIDR, such as 127.0.0.0/8 */
  constructor(
    networks: readonly string[],
    private readonly resolve: Resolve = resolveByDns,
  ) {
    this.allowed = networks.map((network) => ipaddr.parseCIDR(network));
  }

  /** Returns an error message. Does not resolve the name. */
  checkUrl(text: string): TargetProblem | undefined {
    if (text.length > MAX_URL_LENGTH) return `At most ${MAX_URL_LENGTH} characters`;
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined) return 'Enter a valid URL';
    if (url.username !== '' || url.password !== '') return 'The URL must not contain a user name or password';
    if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'The URL must start with https://';
    const literal = literalAddress(url);
    if (literal !== undefined && !this.isReachable(literal)) return 'The address is not public';
    const isPlain = url.protocol === 'http:';
    if (isPlain && (literal === undefined || !this.isAllowed(literal)))
      return 'The URL must start with https://';
    return undefined;
  }

  /** Checks all addresses of the name: one that is not public rejects the target. */
  async find(
    text: string,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<Target | { problem: TargetProblem }> {
    const problem = this.checkUrl(text);
    if (problem !== undefined) return { problem };
    const url = new URL(text);
    const literal = literalAddress(url);
    const addresses = literal === undefined ? await this.resolve(url.hostname, signal) : [literal];
    const [address] = addresses;
    if (address === undefined) return { problem: 'The name does not resolve to an address' };
    if (!addresses.every((one) => this.isReachable(one)))
      return { problem: 'The name resolves to an address that is not public' };
    return { url, address, family: isIP(address) === 6 ? 6 : 4 };
  }

  private isReachable(address: string): boolean {
    // Zones (fe80::1%eth0) name an interface of this machine.
    if (!ipaddr.isValid(address) || address.includes('%')) return false;
    const parsed = ipaddr.parse(address);
    const isGlobal = parsed.kind() === 'ipv4' || parsed.match(GLOBAL_V6);
    return (parsed.range() === PUBLIC && isGlobal) || this.isAllowed(address);
  }

  private isAllowed(address: string): boolean {
    const parsed = ipaddr.parse(address);
    return this.allowed.some(
      ([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits),
    );
  }
}

/** URL has normalized octal, decimal and short forms. */
function literalAddress({ hostname }: URL): string | undefined {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(bare) === 0 ? undefined : bare;
}
