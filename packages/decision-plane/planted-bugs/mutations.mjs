/**
 * Realistic bugs. Each replaces a text that occurs exactly once in its file. `specs` are the suites that must detect
 * it, `kinds` restricts the parity run.
 *
 * @typedef {{ name: string, file: string, before: string, after: string, specs: string[], kinds?: string }} Mutation
 */

const PARITY = 'test/parity.int.spec.ts';
const CARRY_OVER = 'test/carry-over-moments.int.spec.ts';
const EXAMPLES = 'test/worked-examples.int.spec.ts';
const STORE = 'src/store/redis/redis-store.int.spec.ts';
const LUA = 'src/scripts';
const ALGORITHMS = 'src/scripts/parts/algorithms';

/** @type {readonly Mutation[]} */
export const MUTATIONS = [
  {
    name: 'off-by-one',
    file: `${ALGORITHMS}/fixed-window.lua`,
    before: 'if used <= capacity then',
    after: 'if used <= capacity + 1 then',
    specs: [PARITY],
    kinds: 'fixed_window',
  },
  {
    name: 'less-for-less-or-equal',
    file: 'src/algorithms/fixed-window.ts',
    before: 'count + cost <= capacity + extra',
    after: 'count + cost < capacity + extra',
    specs: ['src/algorithms/fixed-window.spec.ts'],
  },
  {
    name: 'missing-tonumber',
    file: `${ALGORITHMS}/fixed-window.lua`,
    before: 'local count, start = tonumber(sub(text, 1, -16)), sub(text, -15, -4)',
    after: 'local count, start = sub(text, 1, -16), sub(text, -15, -4)',
    specs: [PARITY],
    kinds: 'fixed_window,quota',
  },
  {
    name: 'rounding-at-each-call',
    file: `${ALGORITHMS}/virtual-time.lua`,
    before: 'local us = tatUs - EPOCH_US',
    after: 'local us = floor((tatUs - EPOCH_US) / 1000) * 1000',
    specs: [PARITY],
    kinds: 'gcra',
  },
  {
    name: 'expiry-before-the-state-is-over',
    file: `${LUA}/parts/policy.lua`,
    before: 'expiryMs = (period + 2) * periodMs - nowMs + b[p + 5]',
    after: 'expiryMs = (period + 2) * periodMs - nowMs',
    specs: [PARITY],
    kinds: 'fixed_window',
  },
  {
    name: 'refund-without-bound',
    file: `${ALGORITHMS}/virtual-time.lua`,
    before: 'return nowUs + math.max(0, aheadUs - math.min(pendingUs, b[at + 1] * units))',
    after: 'return nowUs + aheadUs - b[at + 1] * units',
    specs: [PARITY],
    kinds: 'token_bucket',
  },
  {
    name: 'additive-bounded-by-the-new-limit',
    file: `${LUA}/parts/prelude.lua`,
    before: 'elseif rule == 3 and used > from then',
    after: 'elseif rule == 3 and used > to then',
    specs: [CARRY_OVER],
    kinds: 'fixed_window',
  },
  {
    name: 'mark-of-another-policy',
    file: `${LUA}/parts/policy.lua`,
    before: "local text = format('%03d', LEAST_MARK + b[p + 3] * PERIODS + period % PERIODS)",
    after: "local text = format('%03d', LEAST_MARK + b[p + 3] * 17 + period % PERIODS)",
    specs: [PARITY],
    kinds: 'fixed_window',
  },
  {
    name: 'charge-on-refusal',
    file: `${LUA}/decide.lua`,
    before: 'local charged, position = all and not peek, firstReply',
    after: 'local charged, position = not peek, firstReply',
    specs: [STORE],
  },
  {
    name: 'look-charged',
    file: `${LUA}/decide.lua`,
    before: 'if not charged or batch[j + 2] == 0 then',
    after: 'if not charged then',
    specs: [STORE],
  },
  {
    name: 'shadow-refuses',
    file: `${LUA}/decide.lua`,
    before: 'if outcome <= 0 and batch[p + 2] % 2 == 0 then',
    after: 'if outcome <= 0 then',
    specs: [STORE],
  },
  {
    name: 'shadow-charged',
    file: 'src/store/memory/memory-receipts.ts',
    before: 'charged: result.allowed && check.look !== true ? check.cost : 0',
    after: 'charged: check.cost',
    specs: [PARITY],
    kinds: 'fixed_window,quota',
  },
  {
    name: 'receipt-not-looked-at',
    file: `${LUA}/decide.lua`,
    before: 'local kept = receiptOf(texts[batch[order]])',
    after: 'local kept = nil',
    specs: [STORE],
  },
  {
    name: 'holder-ignored',
    file: `${LUA}/decide.lua`,
    before: 'reply[r], holder = 0, batch[order + 1]',
    after: 'reply[r], holder = 0, 0',
    specs: [STORE],
  },
  {
    name: 'windows-that-begin-late',
    file: `${ALGORITHMS}/fixed-window.lua`,
    before: 'startMs = nowMs - nowMs % windowMs',
    after: 'startMs = nowMs - (nowMs - 1) % windowMs',
    specs: [PARITY],
    kinds: 'fixed_window',
  },
  {
    name: 'daylight-saving-forgotten',
    file: 'src/algorithms/calendar.ts',
    before: 'if (offsetMs(timeZone, midnightMs) === offset) return midnightMs;',
    after: 'return midnightMs;',
    specs: ['src/algorithms/calendar.spec.ts'],
  },
  {
    name: 'weight-of-the-window-before',
    file: `${ALGORITHMS}/sliding-window-estimate.lua`,
    before: 'return elapsedMs > 0 and windowMs - elapsedMs or windowMs',
    after: 'return elapsedMs > 0 and windowMs - elapsedMs - 1 or windowMs',
    specs: [PARITY],
    kinds: 'sliding_window_estimate',
  },
  {
    name: 'admission-exactly-a-window-ago',
    file: `${ALGORITHMS}/sliding-window-log.lua`,
    before: 'if from <= to and timeAt(text, from, newestUs) > oldestUs then',
    after: 'if from <= to and timeAt(text, from, newestUs) >= oldestUs then',
    specs: [EXAMPLES],
  },
  {
    name: 'increment-across-windows',
    file: `${ALGORITHMS}/fixed-window.lua`,
    before: 'if after[2] == before[2] and before[1] > 0 and',
    after: 'if before[1] > 0 and',
    specs: [PARITY],
    kinds: 'fixed_window,quota',
  },
  {
    name: 'sub-window-too-many',
    file: `${ALGORITHMS}/sliding-window-counter.lua`,
    before: 'local most = (buckets - 1) * width',
    after: 'local most = buckets * width',
    specs: [EXAMPLES],
  },
  {
    name: 'turn-of-the-one-behind',
    file: 'src/algorithms/virtual-time.ts',
    before: "else if (pacing === 'own_turn') waitUs = aheadUs;",
    after: "else if (pacing === 'own_turn') waitUs = nextUs;",
    specs: ['src/algorithms/virtual-time.spec.ts'],
  },
  {
    name: 'outcome-reported-twice',
    file: `${LUA}/parts/amend-receipt.lua`,
    before: 'elseif (reason == 1 or reason == 2) and kept[6] > 0 then',
    after: 'elseif (reason == 1 or reason == 2) and kept[6] < 0 then',
    specs: [STORE],
  },
  {
    name: 'burst-without-the-plain-one',
    file: 'src/algorithms/virtual-time.ts',
    before: 'capacity: burst + 1,',
    after: 'capacity: burst || 1,',
    specs: ['src/algorithms/virtual-time.spec.ts'],
  },
  {
    name: 'refill-of-one-token',
    file: `${ALGORITHMS}/token-bucket-interval.lua`,
    before: 'floor((boundaryMs - state[2]) / windowMs) * b[at + 2]',
    after: 'floor((boundaryMs - state[2]) / windowMs)',
    specs: [PARITY],
    kinds: 'token_bucket_interval',
  },
  {
    name: 'mark-of-a-newer-policy-lost',
    file: `${LUA}/decide.lua`,
    before: 'newer[k] = isNewer and sub(text, -3) or nil',
    after: 'newer[k] = nil',
    specs: [PARITY],
    kinds: 'fixed_window',
  },
  {
    name: 'id-of-a-returned-charge-is-free',
    file: `${LUA}/parts/amend-receipt.lua`,
    before: '    kept[1] = 2',
    after: '    kept[1] = 1',
    specs: [STORE],
  },
  {
    name: 'term-that-grows',
    file: `${LUA}/parts/amend-receipt.lua`,
    before: 'kept[4] = nowUs + kept[7]',
    after: 'kept[4] = nowUs + kept[4] - kept[3]',
    specs: ['test/reservation-term.int.spec.ts'],
  },
  {
    name: 'journal-charged-to-an-empty-quota',
    file: `${LUA}/amend.lua`,
    before: 'units = math.min(lost + units, mostOwed(state, order, p))',
    after: 'units = math.min(units, mostOwed(state, order, p))',
    specs: ['test/quota-outage.int.spec.ts'],
  },
  {
    name: 'shares-by-the-wall-clock',
    file: 'src/store/clocks.ts',
    before: 'this.aheadMs === undefined ? this.wallMs()',
    after: 'this.aheadMs !== undefined ? this.wallMs()',
    specs: ['test/node-clocks.int.spec.ts'],
  },
];
