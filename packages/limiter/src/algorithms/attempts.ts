import { type CarryOver, DEFAULT_ATTEMPT_TIMEOUT_MS, type LimitPolicy } from '@tollgate/contracts';
import {
  type Algorithm,
  type AttemptsKind,
  type CompiledPolicy,
  littleEndian,
  littleEndianAt,
  type RuleKind,
  STATE_EPOCH_MS,
  type Step,
} from './algorithm.js';

/** Policy of a limit that counts failures: its rule's policy and the timeout of attempts. */
export interface CompiledAttempts extends CompiledPolicy {
  readonly kind: AttemptsKind;
  /** Attempts without an outcome are dropped after this time, at most a sixteenth later. */
  readonly attemptTimeoutMs: number;
}

interface InFlight {
  /** Unix ms. */
  readonly expiryMs: number;
  readonly units: number;
}

export interface AttemptsState {
  /** State of the rule's algorithm for failed units; undefined if there are none. */
  readonly failed: unknown;
  /** Sorted by expiry, which is unique. */
  readonly inFlight: readonly InFlight[];
}

export type AttemptsAlgorithm = Algorithm<LimitPolicy, CompiledAttempts, AttemptsState> &
  Required<
    Pick<Algorithm<LimitPolicy, CompiledAttempts, AttemptsState>, 'inFlight' | 'charge' | 'release' | 'fail'>
  >;

const EXPIRY_BYTES = 6;
const UNITS_BYTES = 7;
const ENTRY_BYTES = EXPIRY_BYTES + UNITS_BYTES;
/** Attempts that begin within this fraction of the timeout share an expiry, which bounds the state. */
const PARTS = 16;
/** First wire id of attempts, in the order of their rules' ids. */
const WIRE_OFFSET = 16;
const ENDLESS = 2 ** 50;
/** Longest wait of a denial by attempts in flight: their outcomes are usually reported long before they expire. */
const MAX_RETRY_US = 1_000_000;

/**
 * Counts failures by `rule`, and attempts in flight separately: they stay in flight until their outcome is reported or
 * `attemptTimeoutMs` has passed. A failure reported later is charged above the limit. `refund` and `rebase` apply to
 * failures, `release` and `fail` to one attempt. See docs/adr/0045-attempts-in-flight.md.
 */
export function attemptsOf(rule: Algorithm<LimitPolicy, CompiledPolicy, unknown>): AttemptsAlgorithm {
  const kind: AttemptsKind = `attempts_${rule.kind as Exclude<RuleKind, 'concurrency'>}`;

  const wrap = (policy: CompiledPolicy, attemptTimeoutMs: number): CompiledAttempts => {
    const horizonMs = Math.max(policy.horizonMs, attemptTimeoutMs + partMsOf(attemptTimeoutMs));
    return { ...policy, kind, attemptTimeoutMs, horizonMs };
  };

  function step(
    state: AttemptsState | undefined,
    policy: CompiledAttempts,
    cost: number,
    nowUs: number,
  ): Step<AttemptsState> {
    const failed = state?.failed;
    const live = liveAt(state, policy, nowUs);
    const unitsInFlight = unitsOf(live);
    const { state: _, ...together } = rule.step(failed, policy, unitsInFlight + cost, nowUs, 0);
    if (together.allowed) {
      const next = cost > 0 ? { failed, inFlight: withUnits(live, expiryOf(policy, nowUs), cost) } : state;
      return { ...together, state: next };
    }
    const alone = rule.step(failed, policy, cost, nowUs, 0);
    const last = live.at(-1);
    const left = rule.step(failed, policy, 0, nowUs, 0);
    const denied = {
      allowed: false,
      over: false,
      state,
      remaining: left.remaining - unitsInFlight,
      resetAfterUs: Math.max(left.resetAfterUs, last === undefined ? 0 : last.expiryMs * 1000 - nowUs),
    };
    if (!alone.allowed) return { ...denied, waitUs: alone.waitUs };
    let waitUs = 0;
    let rest = unitsInFlight;
    for (const { expiryMs, units } of live) {
      rest -= units;
      waitUs = expiryMs * 1000 - nowUs;
      if (rule.step(failed, policy, rest + cost, nowUs, 0).allowed) break;
    }
    const roomUs = together.waitUs >= 0 ? together.waitUs : MAX_RETRY_US;
    return { ...denied, waitUs: Math.min(waitUs, roomUs, MAX_RETRY_US), inFlight: true };
  }

  function release(state: AttemptsState, policy: CompiledAttempts, units: number, atUs: number) {
    const expiryMs = expiryOf(policy, atUs);
    const inFlight = state.inFlight.flatMap((entry) => {
      if (entry.expiryMs !== expiryMs) return [entry];
      return entry.units > units ? [{ expiryMs, units: entry.units - units }] : [];
    });
    return stateOf(state.failed, inFlight);
  }

  return {
    kind,
    wireId: WIRE_OFFSET + rule.wireId,
    stateVersion: `${rule.stateVersion}a1`,
    endsAtOnce: rule.endsAtOnce,
    isAdditive: false,

    compile(stored, context) {
      const compiled = rule.compile(stored, context);
      if (!compiled.ok) return compiled;
      return {
        ok: true,
        policy: wrap(compiled.policy, stored.attemptTimeoutMs ?? DEFAULT_ATTEMPT_TIMEOUT_MS),
      };
    },

    parameters: (policy) => [...rule.parameters(policy), policy.attemptTimeoutMs],

    step,
    inFlight: (state, policy, nowUs) => unitsOf(liveAt(state, policy, nowUs)),

    charge(state, policy, cost, nowUs) {
      const { inFlight: _, ...together } = step(state, policy, cost, nowUs);
      if (!together.allowed || cost === 0) return { ...together, state };
      const { state: failed } = rule.step(state?.failed, policy, cost, nowUs, 0);
      return { ...together, state: stateOf(failed, state?.inFlight ?? []) };
    },

    release,

    fail(state, policy, units, atUs, nowUs) {
      const rest = state === undefined ? undefined : release(state, policy, units, atUs);
      const { remaining } = rule.step(rest?.failed, policy, 0, nowUs, 0);
      const owed = Math.min(units, Math.max(0, remaining + policy.capacity));
      const charged = rule.step(rest?.failed, { ...policy, extra: ENDLESS }, owed, nowUs, 0);
      return stateOf(charged.allowed ? charged.state : rest?.failed, rest?.inFlight ?? []);
    },

    refund(state, policy, units, atUs, nowUs) {
      if (state?.failed === undefined) return state;
      return stateOf(rule.refund(state.failed, policy, units, atUs, nowUs, 0), state.inFlight);
    },

    rebase(state, from, to, carry: CarryOver, atUs) {
      const failed =
        state.failed === undefined ? undefined : rule.rebase(state.failed, from, to, carry, atUs);
      if (carry === 'reset') return stateOf(failed, []);
      const latestMs = expiryOf(to, atUs);
      let inFlight: readonly InFlight[] = [];
      for (const { expiryMs, units } of liveAt(state, from, atUs)) {
        inFlight = withUnits(inFlight, Math.min(expiryMs, latestMs), units);
      }
      return stateOf(failed, inFlight);
    },

    encode({ failed, inFlight }) {
      const entries = inFlight.map(
        ({ expiryMs, units }) =>
          littleEndian(expiryMs - STATE_EPOCH_MS, EXPIRY_BYTES) + littleEndian(units, UNITS_BYTES),
      );
      const text = failed === undefined ? '' : rule.encode(failed);
      return String.fromCharCode(entries.length) + entries.join('') + text;
    },

    decode(text) {
      const count = text.charCodeAt(0);
      const end = 1 + count * ENTRY_BYTES;
      if (!(text.length >= end)) return undefined;
      const inFlight = Array.from({ length: count }, (_, index) => {
        const at = 1 + index * ENTRY_BYTES;
        return {
          expiryMs: littleEndianAt(text, at, EXPIRY_BYTES) + STATE_EPOCH_MS,
          units: littleEndianAt(text, at + EXPIRY_BYTES, UNITS_BYTES),
        };
      });
      const rest = text.slice(end);
      const failed = rest === '' ? undefined : rule.decode(rest);
      return rest !== '' && failed === undefined ? undefined : { failed, inFlight };
    },

    share: (policy, nodes) => wrap(rule.share(policy, nodes), policy.attemptTimeoutMs),
    isBurst: (policy, cost, resetAfterUs) => rule.isBurst(policy, cost, resetAfterUs),
  };
}

function partMsOf(attemptTimeoutMs: number): number {
  return Math.ceil(attemptTimeoutMs / PARTS);
}

/** Unix ms. */
function expiryOf({ attemptTimeoutMs }: CompiledAttempts, atUs: number): number {
  const partMs = partMsOf(attemptTimeoutMs);
  return Math.ceil((Math.floor(atUs / 1000) + attemptTimeoutMs) / partMs) * partMs;
}

/** Without attempts that expire more than two timeouts from now, which a wrong clock began. */
function liveAt(
  state: AttemptsState | undefined,
  { attemptTimeoutMs }: CompiledAttempts,
  nowUs: number,
): readonly InFlight[] {
  const nowMs = Math.floor(nowUs / 1000);
  const latestMs = nowMs + 2 * attemptTimeoutMs;
  return (state?.inFlight ?? []).filter(({ expiryMs }) => expiryMs > nowMs && expiryMs <= latestMs);
}

function unitsOf(inFlight: readonly InFlight[]): number {
  return inFlight.reduce((sum, { units }) => sum + units, 0);
}

function withUnits(inFlight: readonly InFlight[], expiryMs: number, units: number): readonly InFlight[] {
  const earlier = inFlight.filter((entry) => entry.expiryMs < expiryMs);
  const same = inFlight.find((entry) => entry.expiryMs === expiryMs)?.units ?? 0;
  const later = inFlight.filter((entry) => entry.expiryMs > expiryMs);
  return [...earlier, { expiryMs, units: same + units }, ...later];
}

function stateOf(failed: unknown, inFlight: readonly InFlight[]): AttemptsState | undefined {
  return failed === undefined && inFlight.length === 0 ? undefined : { failed, inFlight };
}
