import * as z from 'zod';

/** Prefix lengths of limits that leave them out: an IPv4 address counts alone, IPv6 by the network that one client usually controls. */
export const DEFAULT_PREFIXES = { ipv4Prefix: 32, ipv6Prefix: 64 } as const;

/** The shortest prefix, of networks that one organization has, to a single address. */
export const PREFIX_RANGES = { ipv4Prefix: [8, 32], ipv6Prefix: [48, 128] } as const;

function prefix(name: keyof typeof PREFIX_RANGES, family: string) {
  const [min, max] = PREFIX_RANGES[name];
  const message = `${name} must be a whole number from ${min} to ${max}`;
  return z
    .int(message)
    .min(min, message)
    .max(max, message)
    .optional()
    .describe(
      `Limits per \`ip\`: length of the prefix that ${family} addresses of one counter share, ${min} to ${max}; ${DEFAULT_PREFIXES[name]} when omitted.`,
    );
}

export const addressFields = {
  ipv4Prefix: prefix('ipv4Prefix', 'IPv4'),
  ipv6Prefix: prefix('ipv6Prefix', 'IPv6'),
};

interface Prefixes {
  readonly ipv4Prefix?: number | undefined;
  readonly ipv6Prefix?: number | undefined;
}

/** The prefix lengths that a limit counts by. */
export function prefixesOf({ ipv4Prefix, ipv6Prefix }: Prefixes): { ipv4Prefix: number; ipv6Prefix: number } {
  return {
    ipv4Prefix: ipv4Prefix ?? DEFAULT_PREFIXES.ipv4Prefix,
    ipv6Prefix: ipv6Prefix ?? DEFAULT_PREFIXES.ipv6Prefix,
  };
}

/** Whether its counters of addresses are those of a limit without prefix lengths. */
export function hasDefaultPrefixes(limit: Prefixes): boolean {
  const { ipv4Prefix, ipv6Prefix } = prefixesOf(limit);
  return ipv4Prefix === DEFAULT_PREFIXES.ipv4Prefix && ipv6Prefix === DEFAULT_PREFIXES.ipv6Prefix;
}

/** Prefix lengths of a limit that does not count by address, with the fix. */
export function findAddressProblems(
  limit: Prefixes & { readonly per: readonly string[] },
): { field: string; message: string }[] {
  if (limit.per.includes('ip')) return [];
  return (['ipv4Prefix', 'ipv6Prefix'] as const)
    .filter((field) => limit[field] !== undefined)
    .map((field) => ({ field, message: `Only a limit per ip has ${field}; leave it out, or add ip to per` }));
}
