import type { DegradedMode } from '../outage/degraded-mode.js';
import type { LastKnown } from '../outage/last-known.js';
import type {
  Check,
  CheckResult,
  Decided,
  ReceiptOrder,
  StoreReply,
  StoreRequest,
} from '../store/decision-store.js';
import type { QuotaRestores } from '../usage/quota-restores.js';
import type { DenialCache } from './denial-cache.js';
import type { LeaseBook } from './lease-book.js';
import type { Applied } from './resolve.js';

/** Spends leases for all limits, or for none; undefined when one of them is not leased, or has nothing left. */
export function spendLeases(
  leases: LeaseBook,
  applied: readonly Applied[],
  nowMs: number,
): CheckResult[] | undefined {
  const results: CheckResult[] = [];
  for (const { limit, mode, check } of applied) {
    const { consistency } = limit.stored;
    if (consistency?.mode !== 'leased' || mode !== 'enforce') break;
    const result = leases.spend(check, consistency.leaseMs, nowMs);
    if (result === undefined) break;
    results.push(result);
  }
  if (results.length === applied.length) return results;
  for (let i = 0; i < results.length; i++) leases.unspend((applied[i] as Applied).check);
  return undefined;
}

/** What is told of a decision that was made here because the store has not heard yet what was spent without it. */
export const NOT_ASKED: StoreReply = { available: false, reason: 'suspended' };

/** What is decided all or nothing: `checks[i]` is that of `applied[i]`. */
export interface Asked {
  readonly applied: readonly Applied[];
  readonly checks: readonly Check[];
  readonly peek: boolean;
  readonly receipt: ReceiptOrder | undefined;
}

/** The store's request for a decision. @param usualMs deadline of limits that set none, ms */
export function storeRequestOf({ applied, checks, peek, receipt }: Asked, usualMs: number): StoreRequest {
  const deadlineMs = deadlineOf(applied, usualMs);
  return {
    checks,
    peek,
    ...(receipt === undefined ? {} : { receipt }),
    ...(deadlineMs === usualMs ? {} : { deadlineMs }),
  };
}

/** The longest deadline of the enforced limits, ms. */
function deadlineOf(applied: readonly Applied[], usualMs: number): number {
  let longestMs: number | undefined;
  for (const { limit, mode } of applied) {
    if (mode !== 'enforce') continue;
    const { deadlineMs = usualMs } = limit.stored;
    if (longestMs === undefined || deadlineMs > longestMs) longestMs = deadlineMs;
  }
  return longestMs ?? usualMs;
}

interface HereParts {
  denials: DenialCache;
  leases: LeaseBook;
  /** Unix ms. */
  nowMs: () => number;
}

/**
 * The decision where the store need not be asked: a refusal that lasts, or leases that suffice. Not for a look, nor for a
 * request with a receipt.
 * @param clockMs monotonic
 */
export function decideHere(
  { denials, leases, nowMs }: HereParts,
  { applied, checks }: Asked,
  clockMs: number,
): Decided | undefined {
  const denial = denials.find(checks, clockMs);
  if (denial !== undefined) return denial;
  const results = spendLeases(leases, applied, clockMs);
  if (results === undefined) return undefined;
  const nowUs = leases.storeNowUs(applied[0]?.check.key ?? '', clockMs) ?? nowMs() * 1000;
  return { available: true, nowUs, allowed: true, checks: results, replayed: false };
}

interface LearnParts {
  restores: QuotaRestores | undefined;
  degraded: DegradedMode;
  lastKnown: LastKnown;
}

/**
 * Before a decision without the store: reads the usage of quotas that are unknown to this node. Otherwise it would spend its
 * share of a fresh quota. Undefined: there is nothing to read.
 */
export function learnQuotas(
  { restores, degraded, lastKnown }: LearnParts,
  tenant: string | undefined,
  applied: readonly Applied[],
): Promise<unknown> | undefined {
  return restores?.learn(
    tenant,
    applied,
    (key) => degraded.knows(key),
    (...reading) => lastKnown.note(...reading),
  );
}

interface ReplyParts {
  denials: DenialCache;
  lastKnown: LastKnown;
  degraded: DegradedMode;
  /** Monotonic ms. */
  clockMs: () => number;
}

/** Takes note of what the store has decided. @param askedAtMs monotonic */
export function noteReply(parts: ReplyParts, asked: Asked, reply: Decided, askedAtMs: number): void {
  const { denials, lastKnown, degraded, clockMs } = parts;
  const { applied, checks, peek, receipt } = asked;
  if (!reply.replayed) {
    degraded.answered(checks, reply.allowed && !peek);
    lastKnown.remember(checks, reply.checks, reply.nowUs);
  }
  if (!reply.allowed && receipt === undefined && !peek) {
    denials.remember(
      applied.map(({ limit }) => limit),
      checks,
      reply,
      askedAtMs,
      clockMs(),
    );
  }
}
