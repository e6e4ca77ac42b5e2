import type { Step } from '../algorithms/algorithm.js';
import { algorithmOf } from '../algorithms/index.js';
import type {
  Amended,
  Amendment,
  Check,
  CheckResult,
  Decided,
  ReceiptOrder,
  RefundReason,
} from '../stores/decision-store.js';
import { ENDLESS, type MemoryCounters, type MemoryReceipt, mostOwed } from './memory-counters.js';

export function keepReceipt(
  { holder, fingerprint, keepMs, expiresAfterMs }: ReceiptOrder,
  checks: readonly Check[],
  results: readonly CheckResult[],
  nowUs: number,
): MemoryReceipt {
  return {
    status: 'charged',
    reportedAtUs: 0,
    holder,
    fingerprint,
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

/** Whether its request id must not be charged again. */
export function isCounted({ status }: MemoryReceipt): boolean {
  return status === 'charged' || status === 'final';
}

/** The earlier result of a repeated request, with updated times; a conflict if the fingerprint differs. */
export function repeatAnswer(
  receipt: MemoryReceipt,
  { fingerprint }: ReceiptOrder,
  checks: readonly Check[],
  look: (check: Check) => Step<unknown>,
  nowUs: number,
): Decided {
  if (receipt.fingerprint !== fingerprint) {
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

/** A repeated request has no attempt in flight. */
function withAttempts({ policy }: Check, result: CheckResult): CheckResult {
  return policy.charge === 'on_failure' ? { ...result, attempts: 0 } : result;
}

interface Change {
  status: Amended['status'];
  units: number;
  /** Remaining time of a reservation that has not expired. */
  dueInUs?: number;
}

type Entry = MemoryReceipt['checks'][number];

type ReceiptAmendment = Extract<Amendment, { receiptKey: string }>;

const REJECTED: Change = { status: 'rejected', units: 0 };
const DONE: Change = { status: 'done', units: 0 };
const NOT_FOUND: Change = { status: 'not_found', units: 0 };

/**
 * Refunds, settles or renews the charges of a receipt: model of `scripts/parts/amend-receipt.lua`. Counters written by
 * another policy since are skipped, except permits. An expired reservation is not found, unless it was reported before.
 */
export function amendReceipt(
  store: MemoryCounters,
  receipt: MemoryReceipt,
  amendment: ReceiptAmendment,
  nowUs: number,
): Change {
  const reason = amendment.op === 'refundReceipt' ? amendment.reason : undefined;
  const ignoresExpiry = reason === 'expired' || (isOutcome(reason) && receipt.reportedAtUs > 0);
  if (receipt.status !== 'charged') {
    return receipt.status === 'expired' && !ignoresExpiry ? NOT_FOUND : DONE;
  }
  const counters = new ReceiptCounters(store, receipt, nowUs);
  const isOverdue = receipt.expiresAtUs > 0 && nowUs >= receipt.expiresAtUs && !ignoresExpiry;
  if (isOverdue) refundCharges(counters, receipt, 'expired', nowUs);
  const change = isOverdue ? NOT_FOUND : amendCharges(counters, receipt, amendment, nowUs);
  if (change.status === 'applied' || isOverdue) receipt.forgetAtUs = nowUs + receipt.keepUs;
  return change;
}

const isOutcome = (reason: RefundReason | undefined) => reason === 'success' || reason === 'failure';

function amendCharges(
  counters: ReceiptCounters,
  receipt: MemoryReceipt,
  amendment: ReceiptAmendment,
  nowUs: number,
): Change {
  switch (amendment.op) {
    case 'refundReceipt':
      return refundCharges(counters, receipt, amendment.reason, nowUs);
    case 'settle':
      return settle(counters, receipt, amendment);
    case 'renew':
      return renew(counters, receipt, nowUs);
  }
}

const charged = (receipt: MemoryReceipt) => receipt.checks.filter((entry) => entry.charged > 0);
const isPermit = ({ check }: Entry) => check.policy.kind === 'concurrency';

class ReceiptCounters {
  constructor(
    private readonly store: MemoryCounters,
    private readonly receipt: MemoryReceipt,
    private readonly nowUs: number,
  ) {}

  isMine(entry: Entry): boolean {
    const id = this.store.idOf(entry.check.key);
    return id === undefined || id === entry.check.policy.id || isPermit(entry);
  }

  step({ check: { key, policy } }: Entry, units: number, extra = policy.extra): Step<unknown> {
    const under = extra === policy.extra ? policy : { ...policy, extra };
    const state = this.store.stateOf(key);
    return algorithmOf(policy.kind).step(state, under, units, this.nowUs, this.receipt.holder);
  }

  charge(entry: Entry, units: number, extra?: number): Step<unknown> {
    const { key, policy } = entry.check;
    const { charge } = algorithmOf(policy.kind);
    if (charge === undefined) return this.step(entry, units, extra);
    const under = extra === undefined ? policy : { ...policy, extra };
    return charge(this.store.stateOf(key), under, units, this.nowUs);
  }

  write({ check: { key, policy } }: Entry, state: unknown): void {
    this.store.replace(key, policy, state);
  }

  refund(entry: Entry, units: number): number {
    const { key, policy } = entry.check;
    const state = this.store.stateOf(key);
    if (state === undefined || !this.isMine(entry)) return 0;
    const { chargedAtUs, reportedAtUs, holder } = this.receipt;
    const before = this.step(entry, 0).remaining;
    const { refund, release } = algorithmOf(policy.kind);
    this.write(
      entry,
      release !== undefined && reportedAtUs === 0
        ? release(state, policy, units, chargedAtUs)
        : refund(
            state,
            policy,
            units,
            release === undefined ? chargedAtUs : reportedAtUs,
            this.nowUs,
            holder,
          ),
    );
    this.store.cleared(key);
    return this.step(entry, 0).remaining - before;
  }

  fail(entry: Entry): void {
    const { key, policy } = entry.check;
    const { fail } = algorithmOf(policy.kind);
    if (fail === undefined || !this.isMine(entry)) return;
    const { chargedAtUs } = this.receipt;
    this.write(entry, fail(this.store.stateOf(key), policy, entry.charged, chargedAtUs, this.nowUs));
  }

  /** Charges attempts in flight permanently. @returns a function that reverts it */
  failAll(entries: readonly Entry[]): () => void {
    const { receipt } = this;
    const { reportedAtUs } = receipt;
    const before = entries.map((entry) => this.store.stateOf(entry.check.key));
    if (reportedAtUs === 0) for (const entry of entries) this.fail(entry);
    receipt.reportedAtUs = this.nowUs;
    return () => {
      receipt.reportedAtUs = reportedAtUs;
      for (const [i, entry] of entries.entries()) if (this.isMine(entry)) this.write(entry, before[i]);
    };
  }

  /** All or nothing; `extra` overrides the allowance above each limit's capacity. */
  chargeMore(entries: readonly Entry[], units: number, extra?: number): boolean {
    const mine = entries.filter((entry) => this.isMine(entry));
    const steps = mine.map((entry) => {
      if (extra === undefined) return this.charge(entry, units);
      return this.charge(entry, Math.min(units, mostOwed(this.step(entry, 0).remaining, entry.check)), extra);
    });
    if (steps.some((step, i) => !step.allowed && mine[i]?.check.policy.shadow !== true)) return false;
    for (const [i, entry] of mine.entries()) {
      const step = steps[i];
      if (step?.allowed === true) this.write(entry, step.state);
    }
    return true;
  }

  mostLeft(entries: readonly Entry[]): number {
    const left = entries
      .filter((entry) => this.isMine(entry) && !entry.check.policy.shadow)
      .map((entry) => Math.max(0, this.step(entry, 0).remaining + entry.check.policy.extra));
    return Math.min(ENDLESS, ...left);
  }
}

function refundCharges(
  counters: ReceiptCounters,
  receipt: MemoryReceipt,
  reason: RefundReason,
  nowUs: number,
): Change {
  const isReport = isOutcome(reason);
  const { expiresAtUs } = receipt;
  if (reason === 'expired' && (expiresAtUs === 0 || nowUs < expiresAtUs)) {
    return { ...REJECTED, dueInUs: expiresAtUs === 0 ? 0 : expiresAtUs - nowUs };
  }
  if (isReport && receipt.reportedAtUs > 0) return DONE;
  const permitsOnly = reason === 'released' && expiresAtUs === 0;
  const refunded = charged(receipt).filter((entry) => {
    if (isReport) return entry.check.policy.charge === (reason === 'success' ? 'on_failure' : 'on_success');
    return !permitsOnly || isPermit(entry);
  });
  if (reason === 'failure') {
    for (const entry of charged(receipt)) {
      if (entry.check.policy.charge === 'on_failure') counters.fail(entry);
    }
  }
  let units = 0;
  for (const entry of refunded) {
    units = Math.max(units, counters.refund(entry, entry.charged));
    entry.charged = 0;
  }
  if (isReport) receipt.reportedAtUs = nowUs;
  else if (permitsOnly && refunded.length === 0) return DONE;
  else receipt.status = reason === 'expired' ? 'expired' : 'refunded';
  return { status: 'applied', units };
}

function settle(
  counters: ReceiptCounters,
  receipt: MemoryReceipt,
  { cost, overrun }: Amendment & { op: 'settle' },
): Change {
  const entries = charged(receipt).filter((entry) => !isPermit(entry));
  const undo = counters.failAll(entries);
  let more = cost - (entries.at(-1)?.charged ?? cost);
  if (more < 0) {
    for (const entry of entries) counters.refund(entry, -more);
  } else if (more > 0 && !counters.chargeMore(entries, more)) {
    if (overrun === 'reject') {
      undo();
      return REJECTED;
    }
    if (overrun === 'cap') {
      more = Math.min(more, counters.mostLeft(entries));
      if (more > 0 && !counters.chargeMore(entries, more)) more = 0;
    } else {
      counters.chargeMore(entries, more, ENDLESS);
    }
  }
  for (const entry of charged(receipt).filter(isPermit)) counters.refund(entry, entry.charged);
  receipt.status = 'final';
  return { status: 'applied', units: more === 0 ? 0 : -more };
}

function renew(counters: ReceiptCounters, receipt: MemoryReceipt, nowUs: number): Change {
  const permits = charged(receipt).filter(isPermit);
  const steps = permits.map((entry) => counters.step(entry, entry.charged));
  if (steps.some((step) => !step.allowed)) return REJECTED;
  for (const [i, entry] of permits.entries()) counters.write(entry, steps[i]?.state);
  if (receipt.expiresAtUs > 0) receipt.expiresAtUs = nowUs + receipt.termUs;
  return { status: 'applied', units: 0 };
}
