import { MAX_PERMITS, type PolicyOf } from '@tollgate/contracts';
import {
  type Algorithm,
  assertCost,
  type CompiledPolicy,
  extraOf,
  littleEndian,
  littleEndianAt,
  reject,
  STATE_EPOCH_MS,
  type Step,
  sharedEqually,
} from './algorithm.js';

export interface CompiledConcurrency extends CompiledPolicy {
  /** How long a permit is held without renewal. */
  readonly leaseMs: number;
}

export interface Permit {
  /** 1 to 2^53 - 1; 0: no holder, so it cannot be renewed or released. */
  readonly holder: number;
  /** When it expires, Unix ms. */
  readonly expiryMs: number;
}

const HOLDER_BYTES = 7;
const EXPIRY_BYTES = 6;
const PERMIT_BYTES = HOLDER_BYTES + EXPIRY_BYTES;

/**
 * Permits are held until released, or for `leaseMs` after they were acquired or renewed, so they recover if the holder
 * dies. A holder that requests again renews its permits and acquires no more. The state is sorted by expiry; permits of one
 * holder are adjacent. A permit that expires more than two leases from now was acquired under a wrong clock and counts as
 * free until then.
 */
export const concurrency: Algorithm<PolicyOf<'concurrency'>, CompiledConcurrency, readonly Permit[]> = {
  kind: 'concurrency',
  wireId: 9,
  stateVersion: 's1',
  endsAtOnce: false,
  isAdditive: false,

  compile(stored) {
    if (stored.throttle?.mode === 'queue') {
      return reject(
        'throttle.mode',
        'it is unknown when a permit becomes free, so requests cannot be delayed; deny them and let callers retry',
      );
    }
    if (stored.consistency?.mode === 'leased') {
      return reject(
        'consistency.mode',
        'a permit belongs to a request, so a node cannot lease permits in advance',
      );
    }
    if (stored.charge !== undefined && stored.charge !== 'always') {
      return reject('charge', 'a permit is held while a request runs, regardless of its outcome');
    }
    const band = extraOf(stored);
    if (!band.ok) return band;
    if (stored.limit + band.extra > MAX_PERMITS) {
      return reject(
        'limit',
        `limit and extra together allow ${stored.limit + band.extra} permits; the maximum is ${MAX_PERMITS}`,
      );
    }
    return { ok: true, policy: policyOf(stored.limit, band.extra, stored.leaseMs) };
  },

  parameters: (policy) => [policy.extra, policy.capacity, policy.leaseMs],

  step(state, policy, cost, nowUs, holder): Step<readonly Permit[]> {
    assertCost(cost);
    const { capacity, extra, leaseMs } = policy;
    const nowMs = Math.floor(nowUs / 1000);
    const held = heldAt(state, leaseMs, nowMs);
    const own = holder === 0 ? 0 : held.filter((permit) => permit.holder === holder).length;
    const needed = own > 0 ? 0 : held.length + cost - capacity - extra;
    const allowed = needed <= 0;
    const takes = allowed && cost > 0;
    const next = takes
      ? withPermits(without(held, holder), { holder, expiryMs: nowMs + leaseMs }, own || cost)
      : held;
    return {
      allowed,
      over: allowed && next.length > capacity,
      state: takes ? next : state,
      remaining: capacity - next.length,
      waitUs: allowed ? 0 : cost > capacity + extra ? -1 : untilFreeUs(held[needed - 1]),
      resetAfterUs: untilFreeUs(next.at(-1)),
    };

    function untilFreeUs(last: Permit | undefined): number {
      return last === undefined ? 0 : last.expiryMs * 1000 - nowUs;
    }
  },

  refund(state, policy, _units, _atUs, nowUs, holder) {
    const held = heldAt(state, policy.leaseMs, Math.floor(nowUs / 1000));
    const left = without(held, holder);
    if (left.length === held.length) return state;
    return left.length > 0 ? left : undefined;
  },

  // Requests are running: with any rule except reset, permits stay held, for at most the new lease.
  rebase(state, from, to, rule, atUs) {
    const atMs = Math.floor(atUs / 1000);
    const held = heldAt(state, from.leaseMs, atMs);
    if (rule === 'reset' || held.length === 0) return undefined;
    return held.map(({ holder, expiryMs }) => ({ holder, expiryMs: Math.min(expiryMs, atMs + to.leaseMs) }));
  },

  encode: (state) => state.map(encodePermit).join(''),
  decode(text) {
    if (text.length % PERMIT_BYTES !== 0) return undefined;
    return Array.from({ length: text.length / PERMIT_BYTES }, (_, index) =>
      decodePermit(text, index * PERMIT_BYTES),
    );
  },

  share: sharedEqually,
  isBurst: () => false,
};

function policyOf(capacity: number, extra: number, leaseMs: number): CompiledConcurrency {
  return { kind: 'concurrency', capacity, extra, leaseMs, horizonMs: leaseMs };
}

function heldAt(state: readonly Permit[] | undefined, leaseMs: number, nowMs: number): readonly Permit[] {
  return (state ?? []).filter(({ expiryMs }) => expiryMs > nowMs && expiryMs <= nowMs + 2 * leaseMs);
}

function withPermits(held: readonly Permit[], permit: Permit, count: number): readonly Permit[] {
  const earlier = held.filter(({ expiryMs }) => expiryMs <= permit.expiryMs);
  return [...earlier, ...Array<Permit>(count).fill(permit), ...held.slice(earlier.length)];
}

function without(held: readonly Permit[], holder: number): readonly Permit[] {
  return holder === 0 ? held : held.filter((permit) => permit.holder !== holder);
}

// Little-endian: the lowest byte of the holder varies most, so a search finds few false prefixes.
function encodePermit({ holder, expiryMs }: Permit): string {
  return littleEndian(holder, HOLDER_BYTES) + littleEndian(expiryMs - STATE_EPOCH_MS, EXPIRY_BYTES);
}

function decodePermit(text: string, at: number): Permit {
  const expiryMs = littleEndianAt(text, at + HOLDER_BYTES, EXPIRY_BYTES) + STATE_EPOCH_MS;
  return { holder: littleEndianAt(text, at, HOLDER_BYTES), expiryMs };
}
