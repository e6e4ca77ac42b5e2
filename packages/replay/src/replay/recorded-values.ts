import type { Catalogue } from '@tollgate/contracts';
import { getOrAdd } from '@tollgate/contracts/maps';
import { dimensionValue, maskedBytes, networkHex, networkText } from '@tollgate/limiter/rules';
import { parseSubjectPattern, type SubjectPattern } from '@tollgate/policy';
import type { TrafficSubject } from '../traffic/block.js';
import type { ReplayPolicy } from './policy.js';

/** Addresses of a recording are at least as precise, bits. */
const IPV6_BITS = 64;

/** A value that a policy names exactly: in a rule for a subject, or as a label with an amount. */
export interface NamedValue {
  readonly dimension: string;
  /** As sent in a request; of an IPv6 address, the first of its /64. */
  readonly value: string;
}

/** A named value in a recording with keyed hashes. */
export interface NamedHash extends NamedValue {
  readonly hash: string;
}

/** What is known of a recorded value that is not known exactly. */
export type UnclearValue =
  /** `any`: nothing. `unnamed`: it is none of the named values. */
  | { readonly dimension: string; readonly kind: 'any' | 'unnamed' }
  | { readonly dimension: string; readonly kind: 'network'; readonly hex: string };

/** The subject of a request, as far as a recording tells. */
export interface SentSubject {
  /** Values as sent; of an IPv6 address, the first of its /64. */
  readonly values: Readonly<Record<string, string>>;
  readonly unclear: readonly UnclearValue[];
}

/** Finds the values that requests sent. */
export class RecordedValues {
  /** By dimension and written form: values that are written as hashes. */
  private readonly named = new Map<string, string>();

  /**
   * @param policies of the replay @param hashes undefined: values are recorded as in counter keys; otherwise as keyed hashes,
   * and these are those of the named values, by tenant
   */
  constructor(
    policies: readonly ReplayPolicy[],
    private readonly hashes: ReadonlyMap<string, readonly NamedHash[]> | undefined,
  ) {
    for (const [tenant, list] of hashes ?? []) {
      for (const { dimension, value, hash } of list) this.named.set(nameOf(tenant, dimension, hash), value);
    }
    if (hashes !== undefined) return;
    for (const { dimension, value } of new NamedValues(policies).all()) {
      this.named.set(nameOf('', dimension, dimensionValue(dimension, value) ?? ''), value);
    }
  }

  /** Whether values are recorded as keyed hashes. */
  get isHashed(): boolean {
    return this.hashes !== undefined;
  }

  sentBy({ tenant, values }: TrafficSubject): SentSubject {
    const known: Record<string, string> = Object.create(null);
    const unclear: UnclearValue[] = [];
    for (const [dimension, written] of values) {
      const value = this.valueOf(tenant, dimension, written);
      if (value === undefined) {
        const areNamed = this.hashes === undefined || this.hashes.has(tenant);
        unclear.push({ dimension, kind: areNamed ? 'unnamed' : 'any' });
        continue;
      }
      known[dimension] = value;
      const hex = dimension === 'ip' ? ipv6NetworkOf(value) : undefined;
      if (hex !== undefined) unclear.push({ dimension, kind: 'network', hex });
    }
    return { values: known, unclear };
  }

  private valueOf(tenant: string, dimension: string, written: string): string | undefined {
    if (this.hashes !== undefined) return this.named.get(nameOf(tenant, dimension, written));
    if (written.startsWith('=')) return written.slice(1);
    if (!written.startsWith('~')) return this.named.get(nameOf('', dimension, written));
    if (written.includes('.')) return written.slice(1);
    return networkText({ bytes: [...Buffer.from(written.slice(1).padEnd(32, '0'), 'hex')], bits: 128 });
  }
}

const nameOf = (tenant: string, dimension: string, written: string) => `${tenant}\n${dimension}\n${written}`;

function ipv6NetworkOf(address: string): string | undefined {
  const written = dimensionValue('ip', address);
  return written === undefined || written.includes('.') ? undefined : written.slice(1);
}

/** Whether the pattern may match a value. The known ones, which the engine's rules match, aside. */
export function mayMatch(pattern: SubjectPattern, value: UnclearValue): boolean {
  if (value.kind === 'any') return true;
  if (pattern.kind !== 'network') return value.kind === 'unnamed' && pattern.kind === 'wildcard';
  const { bytes, bits } = pattern.network;
  if (value.kind === 'unnamed') return bits < (bytes.length === 4 ? 32 : IPV6_BITS);
  if (value.kind !== 'network' || bytes.length !== 16 || bits <= IPV6_BITS) return false;
  return networkHex(bytes, IPV6_BITS) === value.hex;
}

/** The values that policies name: exact patterns of rules for subjects, and labels with amounts. */
export class NamedValues {
  private readonly ofPlatform: NamedValue[] = [];
  private readonly ofTenants = new Map<string, NamedValue[]>();

  constructor(policies: readonly ReplayPolicy[]) {
    for (const { catalogueText, tenants } of policies) {
      const { subjectRules = [], tiers } = JSON.parse(catalogueText) as Catalogue;
      this.ofPlatform.push(...subjectRules.flatMap(exactOf));
      const byTier = new Map(tiers.map(({ key, versions }) => [key, versions.flatMap(labelsOf)]));
      for (const { tenant, tier, subjectRules: own = [] } of tenants) {
        const named = [...own.flatMap(exactOf), ...(byTier.get(tier) ?? [])];
        if (named.length > 0) getOrAdd(this.ofTenants, tenant, (): NamedValue[] => []).push(...named);
      }
    }
  }

  /** Those for the requests of a tenant, once each. */
  of(tenant: string): NamedValue[] {
    const all = [...this.ofPlatform, ...(this.ofTenants.get(tenant) ?? [])];
    return [...new Map(all.map((one) => [`${one.dimension}\n${one.value}`, one])).values()];
  }

  all(): NamedValue[] {
    return [...this.ofPlatform, ...[...this.ofTenants.values()].flat()];
  }
}

function exactOf({ dimension, pattern }: { dimension: string; pattern: string }): NamedValue[] {
  const parsed = parseSubjectPattern(dimension, pattern);
  if (typeof parsed === 'string' || parsed.pattern.kind === 'wildcard') return [];
  if (parsed.pattern.kind === 'exact') return [{ dimension, value: parsed.pattern.value }];
  const { bytes, bits } = parsed.pattern.network;
  const size = bytes.length * 8;
  if (bits < (size === 32 ? 32 : IPV6_BITS)) return [];
  const recorded = size === 32 ? bytes : maskedBytes(bytes, IPV6_BITS);
  return [{ dimension, value: networkText({ bytes: recorded, bits: size }) }];
}

function labelsOf({ limits }: Catalogue['tiers'][number]['versions'][number]): NamedValue[] {
  return limits.flatMap(({ amounts }) =>
    (amounts?.labels ?? []).map(({ label }) => ({ dimension: amounts?.by ?? '', value: label })),
  );
}
