import type { Redis } from 'ioredis';
import type { WirePolicy } from '../rules/compile.js';
import type { RedisAddress } from './redis-address.js';

export interface Check {
  readonly key: string;
  readonly policy: WirePolicy;
  readonly cost: number;
  /** Checked but never charged: whether a cost of 1 to 2^31 - 1 would be allowed. If not, the request is denied. */
  readonly look?: true;
}

export interface CheckResult {
  allowed: boolean;
  /** Allowed above the limit. */
  over: boolean;
  /** Capacity minus usage, after the charge if there was one; negative above the limit. */
  remaining: number;
  /**
   * Microseconds. Denied: until this cost is allowed, -1 for never, or until the next try if `inFlight`. Allowed: until the
   * request may run.
   */
  waitUs: number;
  /** Microseconds until the counter is empty. */
  resetAfterUs: number;
  /** Denied only because of attempts in flight. */
  inFlight?: true;
  /** Denied by the block of the limit's penalty. */
  penalized?: true;
  /** For limits that count failures: units in flight, already subtracted from `remaining`; 0 for a repeated request. */
  attempts?: number;
}

/** Fingerprint of a mark: a receipt that only proves that its request was charged. */
export const MARK = 0;

/** Receipt to store for a charged request, so that it can be repeated, reported, settled or refunded. */
export interface ReceiptOrder {
  readonly key: string;
  /** 1 to 2^53 - 1: hash of the request id. */
  readonly holder: number;
  /** 1 to 2^53 - 1: the same id with another fingerprint is a conflict. Or {@link MARK}. */
  readonly fingerprint: number;
  readonly keepMs: number;
  /** Reservation: refunded after this time unless settled. 0: not a reservation. */
  readonly expiresAfterMs: number;
}

/** A request against all of `checks`; each key occurs once. */
export interface StoreRequest {
  readonly checks: readonly Check[];
  readonly peek: boolean;
  readonly receipt?: ReceiptOrder;
  /** Default: the store's deadline. */
  readonly deadlineMs?: number;
}

/**
 * Why a store did not reply. `deadline`: not in time. `suspended`: an earlier call is past its deadline, and nothing is
 * sent until it returns or its connection ends. `open`: the breaker is open. `disconnected`: no connection. `failed`:
 * the store replied with an error. `overloaded`: this process lacks CPU to send the call in time; says nothing of the store.
 * `unrestored`: the counters were emptied, and their usage is not known yet.
 */
export type UnavailableReason =
  | 'deadline'
  | 'suspended'
  | 'open'
  | 'disconnected'
  | 'failed'
  | 'overloaded'
  | 'unrestored';

export interface Unavailable {
  available: false;
  reason: UnavailableReason;
}

export interface Decided {
  available: true;
  nowUs: number;
  allowed: boolean;
  checks: readonly CheckResult[];
  /** The request was charged before; this is the earlier result. */
  replayed: boolean;
  /** The receipt belongs to a different request; nothing was decided. */
  conflict?: true;
}

export type StoreReply = Decided | Unavailable;

/** Units that were admitted without the store. */
export interface OwedCheck extends Check {
  /** Minimum usage before this charge; a counter below it lost data and is raised first. Default: 0. */
  readonly known?: number;
}

export type RefundReason = 'all' | 'success' | 'failure' | 'expired' | 'released';

/** A change of counters other than a decision. */
export type Amendment =
  /** Refunds `cost` units at each check, charged at `atUs` (default: now). */
  | { readonly op: 'refund'; readonly checks: readonly Check[]; readonly atUs?: number }
  /**
   * Refunds the charges of a receipt. `all` and `expired`: all of them. `success` and `failure`: those that the limits'
   * charge rules exclude for this outcome. `released`: a reservation entirely, otherwise only permits.
   */
  | { readonly op: 'refundReceipt'; readonly receiptKey: string; readonly reason: RefundReason }
  /** Replaces the reserved cost with `cost`. */
  | {
      readonly op: 'settle';
      readonly receiptKey: string;
      readonly cost: number;
      readonly overrun: 'reject' | 'cap' | 'overflow';
    }
  /** Extends the receipt's permits and reservation by another term. */
  | { readonly op: 'renew'; readonly receiptKey: string }
  /** Charges `cost` at each check, above its limit if necessary: usage that has already happened. */
  | { readonly op: 'charge'; readonly checks: readonly OwedCheck[] }
  /** Charges up to the check's cost, as much as is left, without extra. */
  | { readonly op: 'take'; readonly check: Check }
  /** Raises usage to `used` if it is lower. */
  | { readonly op: 'restore'; readonly check: Check; readonly used: number }
  | { readonly op: 'reset'; readonly keys: readonly string[] };

export interface Amended {
  available: true;
  nowUs: number;
  status: 'applied' | 'done' | 'not_found' | 'rejected';
  /** Refunded (maximum over the checks), charged in addition (negative), or taken. */
  units: number;
  /** After the last check of refund, charge, take and restore, as in {@link CheckResult}; otherwise 0. */
  remaining: number;
  /** Likewise; for a reservation that has not expired, microseconds until it does. */
  resetAfterUs: number;
  /** After a charge: each counter's reading, in the order of the checks. */
  readings?: readonly Pick<CheckResult, 'remaining' | 'resetAfterUs'>[];
}

/** Stores counters and decides requests. Every implementation passes `test/store-suite.ts`. */
export interface DecisionStore {
  /**
   * Charges all checks, or none if an enforced one denies; a check in shadow mode that denies is not charged. Replies within
   * its deadline and never rejects.
   */
  charge(request: StoreRequest): Promise<StoreReply>;
  /** Charges each request, none of them a reservation, as `charge`, in order, with one promise. Default: `charge` for each. */
  chargeAll?(requests: readonly StoreRequest[]): Promise<readonly StoreReply[]>;
  /** Applies an amendment entirely or not at all. Never rejects; replies within about a second and one deadline. */
  amend(amendment: Amendment): Promise<Amended | Unavailable>;
  close(): Promise<void>;
}

export interface CounterStore extends DecisionStore {
  /** Each of its servers receives all pub/sub messages. */
  readonly address: RedisAddress;
  /** Connection to the server that owns `key`, for other commands. @throws Error if the server is unknown */
  clientFor(key: string): Redis;
  servers(): readonly Redis[];
  /** Changes whenever a connection to a server begins or ends: the server may have lost counters between two values. */
  readonly connections: number;
  /** Never in the future, microseconds since the Unix epoch; undefined before a reply. */
  nowUs(): number | undefined;
  /** Resolves once connected; rejects after `timeoutMs`. */
  connected(timeoutMs: number): Promise<void>;
}
