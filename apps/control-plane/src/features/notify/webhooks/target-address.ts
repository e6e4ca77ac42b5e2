import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const MAX_URL_LENGTH = 1000;

/** What ipaddr.js calls an address that is of no special use. */
const PUBLIC = 'unicast';

/** Of IPv6 only this is given to anybody; what looks free outside of it may be translated into something else. */
const GLOBAL_V6 = ipaddr.parseCIDR('2000::/3');

/** Why a target is refused, in words for people. */
type TargetProblem = string;

/** What a connection is made to: looked up once, so that what was checked is what is connected to. */
export interface Target {
  url: URL;
  address: string;
  family: 4 | 6;
}

/** Finds all addresses of a name, until the signal aborts. @throws Error when there are none */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<string[]>;

/**
 * By DNS alone. `dns.lookup` would run in the thread pool, where a few names whose servers do not answer delay every other
 * lookup of the process.
 */
const resolveByDns: Resolve = async (hostname, signal) => {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  signal.addEventListener('abort', () => resolver.cancel(), { once: true });
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  const [first] = answers;
  if (addresses.length === 0 && first?.status === 'rejected') throw first.reason;
  return addresses;
};

/** Networks that may be reached besides the public ones, and without TLS: for development and closed installations. */
export class TargetPolicy {
  private readonly allowed: [ipaddr.IPv4 | ipaddr.IPv6, number][];

  /** @param networks CIDR, such as 127.0.0.0/8 @throws Error for anything else */
  constructor(
    networks: readonly string[],
    private readonly resolve: Resolve = resolveByDns,
  ) {
    this.allowed = networks.map((network) => ipaddr.parseCIDR(network));
  }

  /** What is wrong with a URL as somebody typed it; undefined when nothing is. Its name is not looked up yet. */
  checkUrl(text: string): TargetProblem | undefined {
    if (text.length > MAX_URL_LENGTH) return `At most ${MAX_URL_LENGTH} characters`;
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined) return 'This is not a URL';
    if (url.username !== '' || url.password !== '') return 'Leave out user name and password';
    if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'The URL must begin with https://';
    const literal = literalAddress(url);
    if (literal !== undefined && !this.isReachable(literal)) return 'This address is not a public one';
    const isPlain = url.protocol === 'http:';
    if (isPlain && (literal === undefined || !this.isAllowed(literal)))
      return 'The URL must begin with https://';
    return undefined;
  }

  /**
   * Looks a target up and checks every address of it: one that is not public refuses them all, as a name that has both is
   * made to get around the check.
   */
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
    if (address === undefined) return { problem: 'The name has no address' };
    if (!addresses.every((one) => this.isReachable(one)))
      return { problem: 'The name leads to an address that is not public' };
    return { url, address, family: isIP(address) === 6 ? 6 : 4 };
  }

  private isReachable(address: string): boolean {
    // A zone (fe80::1%eth0) names an interface of this machine.
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

/** The address that stands in the URL itself; URL has turned octal, decimal and short forms into the usual one already. */
function literalAddress({ hostname }: URL): string | undefined {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(bare) === 0 ? undefined : bare;
}
