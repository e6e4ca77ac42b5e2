import { globalTag } from '../rules/keys.js';
import type {
  Amended,
  Amendment,
  Decided,
  ReceiptOrder,
  StoreReply,
  StoreRequest,
  Unavailable,
} from '../stores/decision-store.js';

export interface OneSlotStore {
  /** @param sinceMs {@link EventLoop.runningMs} when the request arrived; its deadline starts there */
  charge(request: StoreRequest, sinceMs: number): Promise<StoreReply>;
  amend(amendment: Amendment): Promise<Amended | Unavailable>;
}

/** A note names a part: by the key of its receipt or, if several requests share it, as `SharedPart.note` does. */
export interface PendingParts {
  /**
   * Called before the part is charged; written no later than the charge is sent. Unless it is confirmed within a second, any node
   * refunds what no request was charged for.
   */
  add(note: string): void;
  confirm(note: string): Promise<void>;
  refund(note: string): Promise<void>;
  /** Refunds all but `units` of a shared part. */
  settle(note: string, units: number): Promise<void>;
}

/** The checks of a request in one slot, by their places in the request. */
export interface Part {
  readonly indexes: readonly number[];
  readonly request: StoreRequest;
}

/** Prefix of keys of limits on all tenants. */
export const GLOBAL = `{${globalTag('')}`;

/** Longer than the refund of a part takes while its slot is unavailable. */
const PART_RECEIPT_MS = 60_000;

export function temporaryReceipt(key: string, fingerprint: number): ReceiptOrder {
  return { key, holder: 1, fingerprint, keepMs: PART_RECEIPT_MS, expiresAfterMs: 0 };
}

export function isCharged({ allowed, conflict }: Decided): boolean {
  return allowed && conflict !== true;
}
