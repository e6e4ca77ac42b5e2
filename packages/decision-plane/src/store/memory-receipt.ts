import type { Step } from '../algorithms/algorithm.js';
import type { Check, CheckResult, Decided, ReceiptOrder } from './decision-store.js';

/** What is kept of a charged request: the model of the receipt in `scripts/receipt.lua`. */
export interface MemoryReceipt {
  /** `final`: settled. `returned`: given back, its id may be charged anew. */
  status: 'charged' | 'final' | 'returned';
  /** 0: not yet. */
  reportedAtUs: number;
  readonly holder: number;
  readonly asked: number;
  readonly chargedAtUs: number;
  readonly termUs: number;
  /** 0: never. */
  expiresAtUs: number;
  readonly keepUs: number;
  forgetAtUs: number;
  readonly checks: { readonly check: Check; readonly result: CheckResult; charged: number }[];
}

export function keepReceipt(
  { holder, asked, keepMs, expiresAfterMs }: ReceiptOrder,
  checks: readonly Check[],
  results: readonly CheckResult[],
  nowUs: number,
): MemoryReceipt {
  return {
    status: 'charged',
    reportedAtUs: 0,
    holder,
    asked,
    chargedAtUs: nowUs,
    termUs: expiresAfterMs * 1000,
    expiresAtUs: expiresAfterMs === 0 ? 0 : nowUs + expiresAfterMs * 1000,
    keepUs: keepMs * 1000,
    forgetAtUs: nowUs + keepMs * 1000,
    checks: checks.map((check, i) => {
      const result = results[i] as CheckResult;
      return { check, result, charged: result.allowed && check.look !== true ? check.cost : 0 };
    }),
  };
}

/**
 * The answer of the first time, as far as that is still true; a conflict when something else is asked for.
 * @param look what a limit that has come since says of itself
 */
export function repeatAnswer(
  receipt: MemoryReceipt,
  { asked }: ReceiptOrder,
  checks: readonly Check[],
  look: (check: Check) => Step<unknown>,
  nowUs: number,
): Decided {
  if (receipt.asked !== asked) {
    const nothing = { allowed: false, over: false, remaining: 0, waitUs: 0, resetAfterUs: 0 };
    return {
      available: true,
      nowUs,
      allowed: checks.every(({ policy }) => policy.shadow),
      checks: checks.map((check) => withAttempts(check, nothing)),
      replayed: false,
      conflict: true,
    };
  }
  const elapsedUs = Math.max(0, nowUs - receipt.chargedAtUs);
  const results = checks.map((check): CheckResult => {
    const kept = receipt.checks.find((entry) => entry.check.key === check.key);
    if (kept === undefined) {
      const { remaining, resetAfterUs } = look(check);
      return withAttempts(check, { allowed: true, over: false, remaining, waitUs: 0, resetAfterUs });
    }
    const { result } = kept;
    return withAttempts(check, {
      ...result,
      waitUs: result.waitUs < 0 ? result.waitUs : Math.max(0, result.waitUs - elapsedUs),
      resetAfterUs: Math.max(0, result.resetAfterUs - elapsedUs),
    });
  });
  return { available: true, nowUs, allowed: true, checks: results, replayed: true };
}

/** A repeated request puts nothing in flight. */
function withAttempts({ policy }: Check, result: CheckResult): CheckResult {
  return policy.charge === 'on_failure' ? { ...result, attempts: 0 } : result;
}
