import type { Step } from '../algorithms/algorithm.js';
import { algorithmOf } from '../algorithms/index.js';
import type {
  Amended,
  Amendment,
  Check,
  CheckResult,
  Decided,
  DecisionStore,
  OwedCheck,
  StoreReply,
  StoreRequest,
} from '../stores/decision-store.js';
import { ENDLESS, MemoryCounters, mostOwed } from './memory-counters.js';
import { amendReceipt, isCounted, keepReceipt, repeatAnswer } from './memory-receipts.js';

/** Counters decided by the models: the reference for the scripts, the test plane, and degraded mode. */
export class MemoryStore extends MemoryCounters implements DecisionStore {
  charge(request: StoreRequest): Promise<StoreReply> {
    return Promise.resolve(this.chargeNow(request));
  }

  amend(amendment: Amendment): Promise<Amended> {
    return Promise.resolve(amendMemory(this, amendment, this.clockUs()));
  }

  chargeNow({ checks, peek, receipt }: StoreRequest): Decided {
    const nowUs = this.clockUs();
    const kept = receipt === undefined ? undefined : this.findReceipt(receipt.key, nowUs);
    if (receipt !== undefined && kept !== undefined && isCounted(kept)) {
      const look = (check: Check) => this.step(check, 0, nowUs, 0);
      return repeatAnswer(kept, receipt, checks, look, nowUs);
    }
    const holder = receipt?.holder ?? 0;
    const steps = checks.map((check) => this.penalized(check, !peek && check.look !== true, nowUs, holder));
    const allowed = steps.every((step, i) => step.allowed || checks[i]?.policy.shadow === true);
    const charged = allowed && !peek;
    const results = checks.map((check, i): CheckResult => {
      const step = steps[i] as Step<unknown>;
      const isCharged = charged && check.look !== true;
      if (isCharged && step.allowed && check.cost > 0) this.write(check, step.state);
      // Allowed but not charged: `remaining` excludes this request.
      const left = isCharged || !step.allowed ? step : this.step(check, 0, nowUs, holder);
      const { remaining, resetAfterUs } = left;
      const { over, waitUs } = step;
      const result: CheckResult = { allowed: step.allowed, over, remaining, waitUs, resetAfterUs };
      if (step.inFlight === true) result.inFlight = true;
      if (step.penalized === true) result.penalized = true;
      const { inFlight } = algorithmOf(check.policy.kind);
      if (inFlight !== undefined)
        result.attempts = inFlight(this.stateUnder(check.key, check.policy, nowUs), check.policy, nowUs);
      return result;
    });
    if (charged && receipt !== undefined) {
      this.receipts.set(receipt.key, keepReceipt(receipt, checks, results, nowUs));
    }
    return { available: true, nowUs, allowed, checks: results, replayed: false };
  }

  sweepReservations(): void {
    const nowUs = this.clockUs();
    for (const [receiptKey, { status, expiresAtUs }] of this.receipts.entries()) {
      if (status !== 'charged' || expiresAtUs === 0 || expiresAtUs > nowUs) continue;
      amendMemory(this, { op: 'refundReceipt', receiptKey, reason: 'expired' }, nowUs);
    }
  }

  close(): Promise<void> {
    this.clear();
    return Promise.resolve();
  }
}

/** Model of `scripts/amend.lua`. */
function amendMemory(store: MemoryCounters, amendment: Amendment, nowUs: number): Amended {
  const answer = (status: Amended['status'], units: number, check?: Check): Amended => {
    const left = check === undefined ? undefined : store.step(check, 0, nowUs, 0);
    const { remaining, resetAfterUs } = left ?? { remaining: 0, resetAfterUs: 0 };
    return { available: true, nowUs, status, units, remaining, resetAfterUs };
  };
  switch (amendment.op) {
    case 'refund': {
      const { checks, atUs = nowUs } = amendment;
      const units = Math.max(0, ...checks.map((check) => refund(store, check, atUs, nowUs)));
      return answer('applied', units, checks.at(-1));
    }
    case 'charge': {
      const { checks } = amendment;
      const units = Math.max(0, ...checks.map((check) => chargeOwed(store, check, nowUs)));
      const readings = checks.map((check) => {
        const { remaining, resetAfterUs } = store.step(check, 0, nowUs, 0);
        return { remaining, resetAfterUs };
      });
      return { ...answer('applied', units, checks.at(-1)), readings };
    }
    case 'take': {
      const { check } = amendment;
      const left = store.step(check, 0, nowUs, 0).remaining;
      return answer('applied', charge(store, check, Math.min(check.cost, left), nowUs, 0), check);
    }
    case 'restore': {
      const { check, used } = amendment;
      const missing = used - check.policy.capacity + store.step(check, 0, nowUs, 0).remaining;
      return answer('applied', charge(store, check, missing, nowUs, ENDLESS), check);
    }
    case 'reset':
      for (const key of amendment.keys) {
        store.forget(key);
        store.cleared(key);
      }
      return answer('applied', amendment.keys.length);
    default: {
      const receipt = store.findReceipt(amendment.receiptKey, nowUs);
      if (receipt === undefined) return answer('not_found', 0);
      const { status, units, dueInUs = 0 } = amendReceipt(store, receipt, amendment, nowUs);
      return { ...answer(status, units), resetAfterUs: dueInUs };
    }
  }
}

function refund(store: MemoryCounters, check: Check, atUs: number, nowUs: number): number {
  const { key, policy, cost } = check;
  const state = store.stateUnder(key, policy, nowUs);
  if (state === undefined) return 0;
  const before = store.step(check, 0, nowUs, 0).remaining;
  store.write(check, algorithmOf(policy.kind).refund(state, policy, cost, atUs, nowUs, 0));
  store.cleared(key);
  return store.step(check, 0, nowUs, 0).remaining - before;
}

function charge(store: MemoryCounters, check: Check, units: number, nowUs: number, extra: number): number {
  if (units <= 0) return 0;
  const { key, policy } = check;
  const algorithm = algorithmOf(policy.kind);
  const [state, under] = [store.stateUnder(key, policy, nowUs), { ...policy, extra }];
  const step =
    algorithm.charge?.(state, under, units, nowUs) ?? algorithm.step(state, under, units, nowUs, 0);
  if (!step.allowed) return 0;
  store.write(check, step.state);
  return units;
}

/** Includes usage that the counter has lost, until usage reaches twice the capacity. */
function chargeOwed(store: MemoryCounters, check: OwedCheck, nowUs: number): number {
  const { known = 0, cost, policy } = check;
  const { remaining } = store.step(check, 0, nowUs, 0);
  const lost = Math.max(0, known - (policy.capacity - remaining));
  return charge(store, check, Math.min(lost + cost, mostOwed(remaining, check)), nowUs, ENDLESS);
}
