import { MAX_SLOTS, type PolicyOf } from '@tollgate/contracts';
import { type Algorithm, assertCost, type CompiledPolicy, extraOf, refuse, type Step } from './algorithm.js';

export interface CompiledConcurrency extends CompiledPolicy {
  /** How long a slot is held without renewal. */
  readonly leaseMs: number;
}

/** A taken slot. */
export interface Slot {
  /** 1 to 2^53 - 1; 0: taken by nobody who could renew or release it. */
  readonly holder: number;
  /** When it is free again, unix ms. */
  readonly expiryMs: number;
}

const STATE_EPOCH_MS = 1_577_836_800_000;
const HOLDER_BYTES = 7;
const EXPIRY_BYTES = 6;
const SLOT_BYTES = HOLDER_BYTES + EXPIRY_BYTES;

/**
 * Slots that are held until they are released, or for `leaseMs` after they were taken or renewed: they heal when the holder
 * dies. A holder that asks again renews what it has and takes nothing more, also when all slots are taken.
 *
 * The state is the taken slots, the first to expire first; a holder's lie side by side. The clock may step back: a slot is
 * held until its time all the same. One that would be held for more than two leases from now is of a clock that was wrong,
 * and is free: else those whose holders died would be lost for as long. It is held again once it is near enough, so that after
 * a step back a second wait may follow the first.
 *
 * @see docs/adr/0012-algorithms-second-form.md
 */
export const concurrency: Algorithm<PolicyOf<'concurrency'>, CompiledConcurrency, readonly Slot[]> = {
  kind: 'concurrency',
  wireId: 9,
  stateVersion: 's1',

  compile(stored) {
    if (stored.throttle?.mode === 'queue') {
      return refuse(
        'throttle.mode',
        'nobody knows when a slot gets free, so no delay can be told; refuse, and let the caller come back',
      );
    }
    if (stored.consistency?.mode === 'leased') {
      return refuse(
        'consistency.mode',
        'a slot is known by its holder, so a node cannot take slots ahead of time',
      );
    }
    if (stored.charge !== undefined && stored.charge !== 'always') {
      return refuse('charge', 'a slot is held while a request runs, however it ends');
    }
    const band = extraOf(stored);
    if (!band.ok) return band;
    if (stored.limit + band.extra > MAX_SLOTS) {
      return refuse(
        'limit',
        `with its extra it has ${stored.limit + band.extra} slots; ${MAX_SLOTS} is the most`,
      );
    }
    return { ok: true, policy: policyOf(stored.limit, band.extra, stored.leaseMs) };
  },

  parameters: (policy) => [policy.extra, policy.capacity, policy.leaseMs],

  step(state, policy, cost, nowUs, holder): Step<readonly Slot[]> {
    assertCost(cost);
    const { capacity, extra, leaseMs } = policy;
    const nowMs = Math.floor(nowUs / 1000);
    const held = heldAt(state, leaseMs, nowMs);
    const own = holder === 0 ? 0 : held.filter((slot) => slot.holder === holder).length;
    const needed = own > 0 ? 0 : held.length + cost - capacity - extra;
    const allowed = needed <= 0;
    const takes = allowed && cost > 0;
    const next = takes
      ? withSlots(without(held, holder), { holder, expiryMs: nowMs + leaseMs }, own || cost)
      : held;
    return {
      allowed,
      over: allowed && next.length > capacity,
      state: takes ? next : state,
      remaining: capacity - next.length,
      waitUs: allowed ? 0 : cost > capacity + extra ? -1 : untilFreeUs(held[needed - 1]),
      resetAfterUs: untilFreeUs(next.at(-1)),
    };

    function untilFreeUs(last: Slot | undefined): number {
      return last === undefined ? 0 : last.expiryMs * 1000 - nowUs;
    }
  },

  give(state, policy, _units, _atUs, nowUs, holder) {
    const held = heldAt(state, policy.leaseMs, Math.floor(nowUs / 1000));
    const left = without(held, holder);
    if (left.length === held.length) return state;
    return left.length > 0 ? left : undefined;
  },

  // Holders are real: whatever the rule, a slot that is held stays held, for the new lease at most.
  rebase(state, from, to, rule, atUs) {
    const atMs = Math.floor(atUs / 1000);
    const held = heldAt(state, from.leaseMs, atMs);
    if (rule === 'reset' || held.length === 0) return undefined;
    return held.map(({ holder, expiryMs }) => ({ holder, expiryMs: Math.min(expiryMs, atMs + to.leaseMs) }));
  },

  encode: (state) => state.map(encodeSlot).join(''),
  decode(text) {
    if (text.length % SLOT_BYTES !== 0) return undefined;
    return Array.from({ length: text.length / SLOT_BYTES }, (_, index) =>
      decodeSlot(text, index * SLOT_BYTES),
    );
  },

  share: (policy, nodes) =>
    policyOf(
      Math.max(1, Math.floor(policy.capacity / nodes)),
      Math.floor(policy.extra / nodes),
      policy.leaseMs,
    ),
  isBurst: () => false,
};

function policyOf(capacity: number, extra: number, leaseMs: number): CompiledConcurrency {
  return { kind: 'concurrency', capacity, extra, leaseMs, horizonMs: leaseMs };
}

function heldAt(state: readonly Slot[] | undefined, leaseMs: number, nowMs: number): readonly Slot[] {
  return (state ?? []).filter(({ expiryMs }) => expiryMs > nowMs && expiryMs <= nowMs + 2 * leaseMs);
}

function withSlots(held: readonly Slot[], slot: Slot, count: number): readonly Slot[] {
  const earlier = held.filter(({ expiryMs }) => expiryMs <= slot.expiryMs);
  return [...earlier, ...Array<Slot>(count).fill(slot), ...held.slice(earlier.length)];
}

function without(held: readonly Slot[], holder: number): readonly Slot[] {
  return holder === 0 ? held : held.filter((slot) => slot.holder !== holder);
}

// The holder's lowest byte comes first: it differs most, so a search for a holder meets few others that begin alike.
function encodeSlot({ holder, expiryMs }: Slot): string {
  const bytes: number[] = [];
  let rest = holder;
  for (let index = 0; index < HOLDER_BYTES; index++) {
    bytes.push(rest % 256);
    rest = Math.floor(rest / 256);
  }
  rest = expiryMs - STATE_EPOCH_MS;
  for (let index = 0; index < EXPIRY_BYTES; index++) {
    bytes.push(rest % 256);
    rest = Math.floor(rest / 256);
  }
  return String.fromCharCode(...bytes);
}

function decodeSlot(text: string, at: number): Slot {
  const numberAt = (from: number, length: number) => {
    let value = 0;
    for (let index = from + length - 1; index >= from; index--) value = value * 256 + text.charCodeAt(index);
    return value;
  };
  return {
    holder: numberAt(at, HOLDER_BYTES),
    expiryMs: numberAt(at + HOLDER_BYTES, EXPIRY_BYTES) + STATE_EPOCH_MS,
  };
}
