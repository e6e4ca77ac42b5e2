import type { WirePolicy } from '../policy/compile.js';

/** One limit of one request: which counter, by which policy, how much. */
export interface Check {
  readonly key: string;
  readonly policy: WirePolicy;
  /** Whole number, 0 or more. */
  readonly cost: number;
  /**
   * Decided with the others, and never charged: whether a request of this cost, 1 to 2^31 - 1, would pass. It keeps the others
   * from being charged as any refusal does.
   */
  readonly look?: true;
}

export interface CheckResult {
  /** Whether this limit alone would let the request pass. */
  allowed: boolean;
  /** Allowed, and past the limit itself. */
  over: boolean;
  /** Capacity less what is used, after the charge if there was one; negative past the limit. */
  remaining: number;
  /** Refused: microseconds until this cost would pass, -1 when it never can. Allowed: microseconds to wait before running. */
  waitUs: number;
  /** Microseconds until nothing of the limit is used. */
  resetAfterUs: number;
  /** Refused only because of attempts whose outcome is not known yet. */
  inFlight?: true;
  /** Limits that count failures: units of attempts in flight, already subtracted from `remaining`; 0 for a repeated request. */
  attempts?: number;
}

/** What the store keeps of a charged request, so that it can be repeated, reported, settled or given back. */
export interface ReceiptOrder {
  readonly key: string;
  /** Who holds what is charged, 1 to 2^53 - 1: the request's id, hashed. */
  readonly holder: number;
  /** A number for what is asked for: under one id, another one is a conflict. 1 to 2^53 - 1. */
  readonly asked: number;
  /** How long it is kept, ms. */
  readonly keepMs: number;
  /** Reservation: given back after so long unless settled, ms; 0: charged for good. */
  readonly expiresAfterMs: number;
}

/** One request against all of `checks`, which name each key once. */
export interface StoreRequest {
  readonly checks: readonly Check[];
  /** Look only: nothing is charged. */
  readonly peek: boolean;
  readonly receipt?: ReceiptOrder;
  /** The longest wait for the answer, ms; left out: the store's deadline. */
  readonly deadlineMs?: number;
}

/**
 * Why a store has no answer. `deadline`: none came in time. `suspended`: an earlier call is past its deadline, so
 * nothing is sent until it answers or its connection ends. `open`: the breaker is open. `disconnected`: no connection.
 * `failed`: the store answered with an error.
 */
export type UnavailableReason = 'deadline' | 'suspended' | 'open' | 'disconnected' | 'failed';

export interface Unavailable {
  available: false;
  reason: UnavailableReason;
}

export interface Decided {
  available: true;
  nowUs: number;
  /** Every check that is enforced allows. */
  allowed: boolean;
  checks: readonly CheckResult[];
  /** The request was charged before: this is the answer of that time. */
  replayed: boolean;
  /** The receipt belongs to a different request: nothing was decided. */
  conflict?: true;
}

export type StoreReply = Decided | Unavailable;

/** Units that a counter admitted without the store. */
export interface OwedCheck extends Check {
  /** Units known to be used besides: a counter below that lost them, and is raised to it first. Left out: 0. */
  readonly known?: number;
}

/** Why what was charged is given back. */
export type ReturnReason = 'all' | 'success' | 'failure' | 'expired' | 'released';

/** A change of counters that is no decision. */
export type Amendment =
  /** Gives `cost` units back at each check, charged at `atUs`; left out: lately. */
  | { readonly op: 'give'; readonly checks: readonly Check[]; readonly atUs?: number }
  /**
   * Gives back what the receipt's request was charged: all of it; what its limits' charge rule says to an outcome; all, if
   * it has expired; when it is released, a reservation whole, and of any other request only its slots.
   */
  | { readonly op: 'return'; readonly receiptKey: string; readonly which: ReturnReason }
  /** Puts `cost` in the place of what was reserved. */
  | {
      readonly op: 'settle';
      readonly receiptKey: string;
      readonly cost: number;
      readonly overrun: 'reject' | 'cap' | 'overflow';
    }
  /** Holds the receipt's slots for another lease, and the reservation for another term. */
  | { readonly op: 'renew'; readonly receiptKey: string }
  /** Charges `cost` at each check, past its limit too: what has happened already. */
  | { readonly op: 'charge'; readonly checks: readonly OwedCheck[] }
  /** Charges as much as there is, up to the check's cost, without extra. */
  | { readonly op: 'take'; readonly check: Check }
  /** Raises what is counted to `used`, where it is less. */
  | { readonly op: 'restore'; readonly check: Check; readonly used: number }
  /** Forgets counters. */
  | { readonly op: 'reset'; readonly keys: readonly string[] };

export interface Amended {
  available: true;
  nowUs: number;
  status: 'applied' | 'done' | 'not_found' | 'rejected';
  /** Units: given back (largest over the checks), charged in addition (negative), or taken. */
  units: number;
  /** Of the last check of give, charge, take and restore, as in {@link CheckResult}; else 0. */
  remaining: number;
  /** So too; of a reservation that has not expired yet, microseconds until it does. */
  resetAfterUs: number;
  /** Of a charge: where each counter stands after it, in the order of its checks. */
  readings?: readonly Pick<CheckResult, 'remaining' | 'resetAfterUs'>[];
}

/** Keeps counters and decides by them. Every implementation passes `test/store-suite.ts`. */
export interface DecisionStore {
  /**
   * Decides one request: charged on all checks or, when an enforced one refuses, on none; a shadowed one that refuses is
   * not charged. Answers within its deadline and never rejects: a store that cannot answer says so.
   */
  decide(request: StoreRequest): Promise<StoreReply>;
  /**
   * Applies a change, whole or not at all. Never rejects; answers in bounded time: its wait in the queue, about a second at
   * most, then its deadline.
   */
  amend(amendment: Amendment): Promise<Amended | Unavailable>;
  close(): Promise<void>;
}
