import { Generations } from '../policy/generations.js';
import { FingerprintSet } from './fingerprint-set.js';

const HOUR_MS = 3_600_000;

/** Distinct counter keys of one tenant, per node and hour. */
const DEFAULT_KEYS_PER_TENANT = 100_000;

/** What all tenants' keys may take together: ten million of them. */
const DEFAULT_MAX_BYTES = 40 * 1024 * 1024;

/** When so much of that is taken, what is left is for tenants of few keys: big ones cannot shut out small ones. */
const RESERVE_FROM = 0.9;
const FEW_KEYS = 1000;

/** Admitted keys that need no fingerprint, at least; at most twice as many. */
const RECENT_KEYS = 10_000;

/** Why keys are counted together: the tenant's budget is spent, or this node's space for all tenants. */
export type BudgetSpent = 'tenant' | 'space';

export interface KeyBudgetOptions {
  keysPerTenant?: number;
  maxBytes?: number;
  /** Told once an hour and tenant. */
  onSpent: (tenant: string, spent: BudgetSpent) => void;
}

interface Spending {
  keys: number;
  told: boolean;
}

const NOTHING_SPENT: Readonly<Spending> = { keys: 0, told: false };

/**
 * How many distinct counter keys a tenant may have on this node within an hour; what comes beyond is counted under one
 * shared key, so that invented identifiers cannot fill the store.
 *
 * A key that was admitted is admitted for the rest of its hour. A new one is taken for a known one with a probability of
 * n ÷ 2^36, n being all keys of this hour: of ten million beyond a budget of 100,000, 15 pass.
 */
export class KeyBudget {
  private readonly keysPerTenant: number;
  /** The keys asked about lately: their hashes are made once, and used by every map that they meet after this. */
  private recent = new Generations<true>(RECENT_KEYS);
  private known: FingerprintSet | undefined;
  private spendings = new Map<string, Spending>();
  private hour = -1;

  constructor(private readonly options: KeyBudgetOptions) {
    this.keysPerTenant = options.keysPerTenant ?? DEFAULT_KEYS_PER_TENANT;
  }

  /**
   * Whether the key has a counter of its own; if not, the caller counts under the limit's shared key.
   * @param key holds the tenant's name: keys of two tenants differ
   * @param nowMs of one clock
   */
  admit(tenant: string, key: string, nowMs: number): boolean {
    this.beginHour(nowMs);
    if (this.recent.get(key) === true) return true;
    this.known ??= new FingerprintSet(this.options.maxBytes ?? DEFAULT_MAX_BYTES);
    if (this.known.has(key)) {
      this.recent.set(key, true);
      return true;
    }
    const spending = this.spendingOf(tenant);
    const spent = this.spentFor(spending, this.known);
    if (spent !== undefined || !this.known.add()) return this.refuse(tenant, spending, spent ?? 'space');
    spending.keys++;
    this.recent.set(key, true);
    return true;
  }

  /** Whether {@link admit} would admit the key now. Takes nothing of the budget: for whoever only looks, or gives back. */
  isAdmitted(tenant: string, key: string, nowMs: number): boolean {
    this.beginHour(nowMs);
    const { known } = this;
    if (known === undefined || this.recent.get(key) === true || known.has(key)) return true;
    return this.spentFor(this.spendings.get(tenant) ?? NOTHING_SPENT, known) === undefined;
  }

  /** What there is no more of for a new key of the tenant; undefined: there is enough. */
  private spentFor({ keys }: Readonly<Spending>, known: FingerprintSet): BudgetSpent | undefined {
    if (keys >= this.keysPerTenant) return 'tenant';
    return known.fill >= RESERVE_FROM && keys >= FEW_KEYS ? 'space' : undefined;
  }

  private beginHour(nowMs: number): void {
    const hour = Math.floor(nowMs / HOUR_MS);
    if (hour === this.hour) return;
    this.hour = hour;
    this.known = undefined;
    this.recent = new Generations(RECENT_KEYS);
    this.spendings = new Map();
  }

  private spendingOf(tenant: string): Spending {
    let spending = this.spendings.get(tenant);
    if (spending === undefined) {
      spending = { keys: 0, told: false };
      this.spendings.set(tenant, spending);
    }
    return spending;
  }

  private refuse(tenant: string, spending: Spending, spent: BudgetSpent): false {
    if (!spending.told) {
      spending.told = true;
      this.options.onSpent(tenant, spent);
    }
    return false;
  }
}
