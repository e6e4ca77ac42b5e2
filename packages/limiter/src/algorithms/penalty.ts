import type { LimitPolicy, Penalty } from '@tollgate/contracts';
import { type Algorithm, type CompiledPolicy, reject, type Step } from './algorithm.js';

/** Of a limit: how many denials block a subject, and for how long. */
export interface CompiledPenalty extends CompiledPolicy {
  readonly kind: 'penalty';
  readonly denials: number;
  readonly windowUs: number;
  readonly blockUs: number;
  readonly maxBlockUs: number;
}

/** Times in microseconds since the Unix epoch; 0: none. */
export interface PenaltyState {
  /** In the current window. */
  readonly denials: number;
  readonly windowEndUs: number;
  /** In succession. */
  readonly blocks: number;
  readonly blockEndUs: number;
}

type PenaltyAlgorithm = Algorithm<LimitPolicy, CompiledPenalty, PenaltyState> &
  Required<Pick<Algorithm<LimitPolicy, CompiledPenalty, PenaltyState>, 'deny'>>;

/** 2^30 times a second is longer than any block. */
const MAX_BLOCKS = 31;

const NONE: PenaltyState = { denials: 0, windowEndUs: 0, blocks: 0, blockEndUs: 0 };
const TEXT = /^(\d+) (\d+) (\d+) (\d+) $/;

/**
 * The penalty of a limit: denies everything during a block, and counts the limit's denials at other times. It has a key beside the
 * limit's counter, so that a penalty can be added or removed without changing the counter. See docs/adr/0060-penalties.md.
 */
export const penalty: PenaltyAlgorithm = {
  kind: 'penalty',
  wireId: 12,
  stateVersion: 'n1',
  endsAtOnce: false,
  isAdditive: false,

  compile: ({ penalty: rule }) =>
    rule === undefined
      ? reject('penalty', 'the limit has no penalty')
      : { ok: true, policy: compilePenalty(rule) },

  parameters: ({ denials, windowUs, blockUs, maxBlockUs }) => [0, denials, windowUs, blockUs, maxBlockUs],

  step(state, _policy, _cost, nowUs) {
    const waitUs = Math.max(0, (state?.blockEndUs ?? 0) - nowUs);
    return { allowed: waitUs === 0, over: false, state, remaining: 0, waitUs, resetAfterUs: waitUs };
  },

  deny(state = NONE, { denials, windowUs, blockUs, maxBlockUs }, nowUs) {
    const leftUs = state.windowEndUs - nowUs;
    // A window longer than now configured, or begun by a clock that was ahead, ends.
    const isOpen = leftUs > 0 && leftUs <= windowUs;
    const counted = isOpen ? state.denials + 1 : 1;
    if (counted < denials) {
      return { ...state, denials: counted, windowEndUs: isOpen ? state.windowEndUs : nowUs + windowUs };
    }
    const isRepeated = state.blocks > 0 && nowUs < state.blockEndUs + maxBlockUs;
    const blocks = isRepeated ? Math.min(MAX_BLOCKS, state.blocks + 1) : 1;
    const lengthUs = Math.min(maxBlockUs, blockUs * 2 ** (blocks - 1));
    return { denials: 0, windowEndUs: 0, blocks, blockEndUs: nowUs + lengthUs };
  },

  refund: (state) => state,
  rebase: (state) => state,

  encode: ({ denials, windowEndUs, blocks, blockEndUs }) =>
    `${denials} ${windowEndUs} ${blocks} ${blockEndUs} `,

  decode(text) {
    const numbers = TEXT.exec(text)?.slice(1).map(Number);
    if (numbers === undefined) return undefined;
    const [denials = 0, windowEndUs = 0, blocks = 0, blockEndUs = 0] = numbers;
    return { denials, windowEndUs, blocks, blockEndUs };
  },

  share: (policy) => policy,
  isBurst: () => false,
};

function compilePenalty({ denials, windowMs, blockMs, maxBlockMs }: Penalty): CompiledPenalty {
  return {
    kind: 'penalty',
    denials,
    windowUs: windowMs * 1000,
    blockUs: blockMs * 1000,
    maxBlockUs: maxBlockMs * 1000,
    horizonMs: Math.max(windowMs, 2 * maxBlockMs),
    capacity: 0,
    extra: 0,
  };
}

/** The step of a limit under its penalty, and the penalty's state. */
export interface PenalizedStep {
  readonly step: Step<unknown>;
  readonly state: PenaltyState | undefined;
}

/**
 * Applies the penalty to a step of its limit: denies during a block, and counts the denial of a request that would have been charged, except
 * for attempts in flight, which may all succeed. Model of `scripts/parts/penalties.lua`.
 * @param uncharged the limit's step at cost 0, for the remaining units of a blocked request
 */
export function penalize(
  step: Step<unknown>,
  policy: CompiledPenalty,
  state: PenaltyState | undefined,
  isCharge: boolean,
  nowUs: number,
  uncharged: () => Step<unknown>,
): PenalizedStep {
  const isBlocked = !penalty.step(state, policy, 0, nowUs, 0).allowed;
  const isOffence = isCharge && !step.allowed && step.inFlight !== true;
  const next = isOffence && !isBlocked ? penalty.deny(state, policy, nowUs) : state;
  const { waitUs } = penalty.step(next, policy, 0, nowUs, 0);
  if (waitUs === 0) return { step, state: next };
  const { inFlight: _, ...own } = step.allowed ? uncharged() : step;
  const longestUs = step.allowed ? waitUs : step.waitUs < 0 ? step.waitUs : Math.max(waitUs, step.waitUs);
  const denied = { ...own, state: step.state, allowed: false, over: false, waitUs: longestUs };
  return { step: { ...denied, penalized: true }, state: next };
}
