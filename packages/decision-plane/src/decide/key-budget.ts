import { randomInt } from 'node:crypto';
import { Generations } from '../policy/generations.js';

const PAGE_BITS = 12;

/** Slots that a page grows by at least, and the unit of allocation. */
const CHUNK_BITS = 6;
const CHUNK_SLOTS = 1 << CHUNK_BITS;

/** Chunks in a slab: 768 KiB. */
const SLAB_BITS = 12;

const MAX_FILL = 0.9;
const GROWTH = 1.2;

const BYTES_PER_SLOT = 3;
const SLAB_BYTES = BYTES_PER_SLOT << (CHUNK_BITS + SLAB_BITS);

interface Slab {
  /** High 16 bits of a fingerprint, never 0; 0: the slot is empty. */
  readonly high: Uint16Array;
  readonly low: Uint8Array;
}

interface Page {
  readonly chunks: number[];
  size: number;
}

/**
 * A set of texts by 36 bits of a hash that nobody outside can foresee: what was added is found; what was not is taken for
 * known with a probability of size ÷ 2^36. About 3.6 bytes a text, in slabs that are never moved, so that nothing is left
 * over for a garbage collector: 12 bits choose a page, the other 24 stand in it, by open addressing. A place follows from the
 * 24 bits and the page's length alone: a page grows by a fifth at a time, without the texts.
 */
export class FingerprintSet {
  private readonly pages: Page[] = Array.from({ length: 1 << PAGE_BITS }, () => ({ chunks: [], size: 0 }));
  private readonly slabs: Slab[] = [];
  private chunks = 0;
  private readonly maxChunks: number;
  /** The fingerprints of a page while it grows. */
  private moved = new Uint32Array(0);
  private readonly secrets = [randomOdd(), randomOdd()] as const;
  /** The text last looked for: its page and its fingerprint's parts. */
  private page: Page = { chunks: [], size: 0 };
  private high = 0;
  private low = 0;

  constructor(maxBytes: number) {
    this.maxChunks = Math.floor(maxBytes / SLAB_BYTES) << SLAB_BITS;
  }

  /** Part of the space that is taken, 0 to 1. */
  get fill(): number {
    return this.chunks / this.maxChunks;
  }

  has(text: string): boolean {
    this.read(text);
    const { page } = this;
    return page.size > 0 && this.isHeld(page);
  }

  /**
   * Adds the text that {@link has} was last asked for, and does not have.
   * @returns false: there is no space for it
   */
  add(): boolean {
    const { page, high, low } = this;
    const slots = page.chunks.length << CHUNK_BITS;
    if (page.size >= MAX_FILL * slots && !this.grow(page) && page.size + 1 >= slots) return false;
    this.put(page, high, low);
    page.size++;
    return true;
  }

  // Multipliers that nobody knows keep a caller from finding texts that meet; two, because 32 bits are too few.
  private read(text: string): void {
    const [first, second] = this.secrets;
    let a = first;
    let b = second;
    const { length } = text;
    for (let i = 0; i < length; i += 2) {
      const codes = text.charCodeAt(i) | (i + 1 < length ? text.charCodeAt(i + 1) << 16 : 0);
      a = Math.imul(a ^ codes, first);
      a ^= a >>> 15;
      b = Math.imul(b ^ codes, second);
      b ^= b >>> 13;
    }
    a ^= length;
    a = mix(a);
    this.page = this.pages[a >>> (32 - PAGE_BITS)] as Page;
    this.low = a & 0xff;
    this.high = mix(b) >>> 16 || 1;
  }

  private isHeld(page: Page): boolean {
    const { high, low } = this;
    const slots = page.chunks.length << CHUNK_BITS;
    for (let place = placeOf(high, low, slots); ; place = place + 1 === slots ? 0 : place + 1) {
      const chunk = page.chunks[place >> CHUNK_BITS] as number;
      const slab = this.slabs[chunk >> SLAB_BITS] as Slab;
      const slot = slotOf(chunk, place);
      const held = slab.high[slot];
      if (held === 0) return false;
      if (held === high && slab.low[slot] === low) return true;
    }
  }

  private put(page: Page, high: number, low: number): void {
    const slots = page.chunks.length << CHUNK_BITS;
    for (let place = placeOf(high, low, slots); ; place = place + 1 === slots ? 0 : place + 1) {
      const chunk = page.chunks[place >> CHUNK_BITS] as number;
      const slab = this.slabs[chunk >> SLAB_BITS] as Slab;
      const slot = slotOf(chunk, place);
      if (slab.high[slot] !== 0) continue;
      slab.high[slot] = high;
      slab.low[slot] = low;
      return;
    }
  }

  private grow(page: Page): boolean {
    const wanted = Math.max(1, Math.round(page.chunks.length * (GROWTH - 1)));
    const added = Math.min(wanted, this.maxChunks - this.chunks);
    if (added === 0) return false;
    if (this.moved.length < page.size) this.moved = new Uint32Array(2 * page.size);
    this.empty(page);
    for (let i = 0; i < added; i++) page.chunks.push(this.newChunk());
    for (let i = 0; i < page.size; i++) {
      const fingerprint = this.moved[i] as number;
      this.put(page, fingerprint >> 8, fingerprint & 0xff);
    }
    return true;
  }

  private empty(page: Page): void {
    let count = 0;
    for (const chunk of page.chunks) {
      const { high, low } = this.slabs[chunk >> SLAB_BITS] as Slab;
      const start = slotOf(chunk, 0);
      for (let slot = start; slot < start + CHUNK_SLOTS; slot++) {
        const top = high[slot] as number;
        if (top !== 0) this.moved[count++] = (top << 8) | (low[slot] as number);
      }
      high.fill(0, start, start + CHUNK_SLOTS);
    }
  }

  private newChunk(): number {
    const chunk = this.chunks++;
    if (chunk >> SLAB_BITS === this.slabs.length) {
      const slots = 1 << (SLAB_BITS + CHUNK_BITS);
      this.slabs.push({ high: new Uint16Array(slots), low: new Uint8Array(slots) });
    }
    return chunk;
  }
}

function placeOf(high: number, low: number, slots: number): number {
  return Math.floor((((high << 8) | low) / 2 ** 24) * slots);
}

function slotOf(chunk: number, place: number): number {
  return ((chunk & ((1 << SLAB_BITS) - 1)) << CHUNK_BITS) | (place & (CHUNK_SLOTS - 1));
}

// The last step of MurmurHash3.
function mix(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

function randomOdd(): number {
  return randomInt(2 ** 31) * 2 + 1;
}

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
