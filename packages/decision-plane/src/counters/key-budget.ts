import { randomInt } from 'node:crypto';
import { getOrAdd } from '@tollgate/contracts/maps';
import { isField } from '@tollgate/limiter/rules';

const PAGE_BITS = 12;

/** The unit of allocation. */
const CHUNK_BITS = 6;
const CHUNK_SLOTS = 1 << CHUNK_BITS;

/** Chunks in a slab: 768 KiB. */
const SLAB_BITS = 12;
const MAX_FILL = 0.9;
const GROWTH = 1.2;
const BYTES_PER_SLOT = 3;
const SLAB_BYTES = BYTES_PER_SLOT << (CHUNK_BITS + SLAB_BITS);

interface Slab {
  /** High 16 bits of a fingerprint, never 0; 0: empty. */
  readonly high: Uint16Array;
  readonly low: Uint8Array;
}

interface Page {
  readonly chunks: number[];
  size: number;
}

/**
 * A set of texts, stored as 36 bits of a keyed hash: a false positive has a probability of size ÷ 2^36. Uses about 3.6
 * bytes per text, in slabs that never move. 12 bits select a page, the other 24 are stored in it by open addressing; a
 * position follows from them and the page's length, so that a page can grow without the texts.
 */
export class FingerprintSet {
  private readonly pages: Page[] = Array.from({ length: 1 << PAGE_BITS }, () => ({ chunks: [], size: 0 }));
  private readonly slabs: Slab[] = [];
  private chunks = 0;
  private readonly maxChunks: number;
  private moved = new Uint32Array(0);
  private readonly secrets = [randomOdd(), randomOdd()] as const;
  /** Of the last text that `has` was called with. */
  private page: Page = { chunks: [], size: 0 };
  private high = 0;
  private low = 0;
  private slab: Slab = { high: new Uint16Array(0), low: new Uint8Array(0) };
  private slot = 0;

  constructor(maxBytes: number) {
    this.maxChunks = Math.floor(maxBytes / SLAB_BYTES) << SLAB_BITS;
  }

  get fill(): number {
    return this.chunks / this.maxChunks;
  }

  has(text: string): boolean {
    this.read(text);
    const { page } = this;
    return page.size > 0 && this.seek(page, this.high, this.low);
  }

  /** Adds the text that {@link has} was last called with and returned false for. @returns whether there was space */
  add(): boolean {
    const { page, high, low } = this;
    const slots = page.chunks.length << CHUNK_BITS;
    if (page.size >= MAX_FILL * slots && !this.grow(page) && page.size + 1 >= slots) return false;
    this.put(page, high, low);
    page.size++;
    return true;
  }

  // Secret multipliers keep callers from constructing collisions; two, because 32 bits are too few.
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

  /** Whether the page has the fingerprint; if not, sets `slab` and `slot` to its place. */
  private seek(page: Page, high: number, low: number): boolean {
    const slots = page.chunks.length << CHUNK_BITS;
    for (
      let position = positionOf(high, low, slots);
      ;
      position = position + 1 === slots ? 0 : position + 1
    ) {
      const chunk = page.chunks[position >> CHUNK_BITS] as number;
      const slab = this.slabs[chunk >> SLAB_BITS] as Slab;
      const slot = slotOf(chunk, position);
      const stored = slab.high[slot];
      if (stored === high && slab.low[slot] === low) return true;
      if (stored !== 0) continue;
      this.slab = slab;
      this.slot = slot;
      return false;
    }
  }

  private put(page: Page, high: number, low: number): void {
    if (this.seek(page, high, low)) return;
    this.slab.high[this.slot] = high;
    this.slab.low[this.slot] = low;
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

function positionOf(high: number, low: number, slots: number): number {
  return Math.floor((((high << 8) | low) / 2 ** 24) * slots);
}

function slotOf(chunk: number, position: number): number {
  return ((chunk & ((1 << SLAB_BITS) - 1)) << CHUNK_BITS) | (position & (CHUNK_SLOTS - 1));
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
const DEFAULT_KEYS_PER_TENANT = 100_000;

/** Space for the keys of all tenants: ten million of them. */
const DEFAULT_MAX_BYTES = 40 * 1024 * 1024;

/** From this fill on, the rest is reserved for tenants with few keys. */
const RESERVE_FROM = 0.9;
const FEW_KEYS = 1000;

/** `tenant`: keys of the tenant. `space`: memory of this node. `memory`: memory of the counter server. */
export type BudgetSpent = 'tenant' | 'space' | 'memory';

/** What a counter takes besides its key, Redis' tables included: docs/adr/0071-memory-pressure.md. */
const COUNTER_BYTES = 110;
const FIELD_BYTES = 40;

/** Bytes of a new counter in the store, roughly. */
function bytesOf(key: string): number {
  return isField(key) ? FIELD_BYTES : COUNTER_BYTES + key.length;
}

/** The memory of the counter servers. */
export interface ServerMemory {
  /** Bytes of new counters that a tenant may create on this node within an hour. @param key of one of its counters */
  tenantBytes(key: string): number;
  created(key: string, bytes: number): void;
}

export interface KeyBudgetOptions {
  keysPerTenant?: number | undefined;
  maxBytes?: number;
  /** Default: unbounded. */
  memory?: ServerMemory | undefined;
  /** Called once per hour and tenant. */
  onSpent: (tenant: string, spent: BudgetSpent) => void;
}

interface Spending {
  keys: number;
  /** Of keys that are new since the last hour. */
  bytes: number;
  isReported: boolean;
}

const NOTHING_SPENT: Readonly<Spending> = { keys: 0, bytes: 0, isReported: false };

/**
 * Limits the distinct counter keys of a tenant on this node within an hour, and while the store's memory is short, the bytes of its new
 * counters. Further keys share one counter, so that invented identifiers cannot fill the store. Keys of the last hour are not new: the
 * known users of a tenant keep their counters in a flood. A new key is taken for a known one with a probability of n ÷ 2^36, where n is
 * the number of keys of the hour.
 */
export class KeyBudget {
  private readonly keysPerTenant: number;
  private known: FingerprintSet | undefined;
  /** Of the last hour. */
  private previous: FingerprintSet | undefined;
  private spendings = new Map<string, Spending>();
  private hour = -1;
  private periods = 0;

  constructor(private readonly options: KeyBudgetOptions) {
    this.keysPerTenant = options.keysPerTenant ?? DEFAULT_KEYS_PER_TENANT;
  }

  /** Number of the budget at `nowMs`: a key stays admitted until it changes. */
  periodAt(nowMs: number): number {
    this.beginHour(nowMs);
    return this.periods;
  }

  /** If not, the limit's overflow counter is used. @param key contains the tenant's name */
  admit(tenant: string, key: string, nowMs: number): boolean {
    this.beginHour(nowMs);
    this.known ??= new FingerprintSet(this.options.maxBytes ?? DEFAULT_MAX_BYTES);
    if (this.known.has(key)) return true;
    const spending = getOrAdd(this.spendings, tenant, () => ({ ...NOTHING_SPENT }));
    const isNew = this.previous?.has(key) !== true;
    const spent = this.spentFor(spending, this.known, isNew ? key : undefined);
    if (spent !== undefined || !this.known.add()) return this.deny(tenant, spending, spent ?? 'space');
    spending.keys++;
    if (isNew) {
      const bytes = bytesOf(key);
      spending.bytes += bytes;
      this.options.memory?.created(key, bytes);
    }
    return true;
  }

  /** As {@link admit}, without charging the budget. */
  isAdmitted(tenant: string, key: string, nowMs: number): boolean {
    this.beginHour(nowMs);
    const { known, previous } = this;
    if (known?.has(key) === true) return true;
    const newKey = previous?.has(key) === true ? undefined : key;
    return this.spentFor(this.spendings.get(tenant) ?? NOTHING_SPENT, known, newKey) === undefined;
  }

  /** The budget that a key would exceed; undefined: none. @param newKey the key, unless it was known in the last hour */
  private spentFor(
    { keys, bytes }: Readonly<Spending>,
    known: FingerprintSet | undefined,
    newKey: string | undefined,
  ): BudgetSpent | undefined {
    if (keys >= this.keysPerTenant) return 'tenant';
    if (keys >= FEW_KEYS && known !== undefined && known.fill >= RESERVE_FROM) return 'space';
    const { memory } = this.options;
    if (newKey === undefined || memory === undefined) return undefined;
    return bytes >= memory.tenantBytes(newKey) ? 'memory' : undefined;
  }

  private beginHour(nowMs: number): void {
    const hour = Math.floor(nowMs / HOUR_MS);
    if (hour === this.hour) return;
    this.previous = hour === this.hour + 1 ? this.known : undefined;
    this.hour = hour;
    this.periods++;
    this.known = undefined;
    this.spendings = new Map();
  }

  private deny(tenant: string, spending: Spending, spent: BudgetSpent): false {
    if (!spending.isReported) {
      spending.isReported = true;
      this.options.onSpent(tenant, spent);
    }
    return false;
  }
}
