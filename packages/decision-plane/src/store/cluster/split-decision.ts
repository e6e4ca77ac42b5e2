import { randomUUID } from 'node:crypto';
import { eventLoop, within } from '../clocks.js';
import type {
  Amended,
  Amendment,
  Check,
  CheckResult,
  Decided,
  ReceiptOrder,
  StoreReply,
  StoreRequest,
  Unavailable,
} from '../decision-store.js';
import { globalTag } from '../keys.js';
import { slotOf, tagOf } from './slots.js';

export interface OneSlotStore {
  /** @param sinceMs {@link EventLoop.runningMs} when the request arrived; its deadline starts there */
  decide(request: StoreRequest, sinceMs: number): Promise<StoreReply>;
  amend(amendment: Amendment): Promise<Amended | Unavailable>;
}

export interface PendingParts {
  /** Called before the part is charged; written no later than the charge is sent. Unless {@link confirm} follows within a second, any node refunds the part. */
  add(receiptKey: string): void;
  confirm(receiptKey: string): Promise<void>;
  refund(receiptKey: string): Promise<void>;
}

/** Prefix of keys of limits on all tenants. */
const GLOBAL = `{${globalTag('')}`;

const PART_RECEIPT_MS = 60_000;

interface Part {
  readonly indexes: readonly number[];
  readonly request: StoreRequest;
}

type ChargedPart = Part & { readonly reply: Decided; readonly receiptKey: string };

export function isInOneSlot({ checks, receipt }: StoreRequest): boolean {
  const slot = slotOf(receipt?.key ?? checks[0]?.key ?? '');
  return checks.every(({ key }) => slotOf(key) === slot);
}

export function partReceiptKey(tag: string, receiptKey: string): string {
  return `${tag}${receiptKey}`;
}

/**
 * Decides requests with keys in several slots, all or nothing.
 *
 * Parts in other slots are charged first. Then the home slot, which is the tenant's, decides, and the parts are
 * confirmed or refunded. If the node crashes in between, other nodes find the pending parts and refund them.
 */
export class SplitDecisions {
  private readonly unfinished = new Set<Promise<void>>();
  /** Refunds in progress, by the receipt of their request. */
  private readonly refunding = new Map<string, Promise<void>>();

  /** @param deadlineMs default deadline of a decision, ms */
  constructor(
    private readonly store: OneSlotStore,
    private readonly pending: PendingParts,
    private readonly deadlineMs: number,
  ) {}

  async decide(request: StoreRequest): Promise<StoreReply> {
    const sinceMs = eventLoop.runningMs();
    const { home, others } = partsOf(request);
    if (request.peek) return this.peek(request, [home, ...others], sinceMs);
    if (!(await this.isRefunded(request))) return { available: false, reason: 'deadline' };
    for (const { request: part } of others) {
      if (part.receipt !== undefined) this.pending.add(part.receipt.key);
    }
    const replies = await Promise.all(others.map((part) => this.store.decide(part.request, sinceMs)));
    const charged = others.flatMap((part, i): ChargedPart[] => {
      const reply = replies[i];
      const receiptKey = part.request.receipt?.key;
      if (reply?.available !== true || !isCharged(reply) || receiptKey === undefined) return [];
      return [{ ...part, reply, receiptKey }];
    });
    const decided =
      charged.length === others.length ? await this.store.decide(home.request, sinceMs) : undefined;
    if (decided?.available === true && isCharged(decided)) {
      // A repeated request charges nothing, so parts that the first attempt did not have are refunded.
      const isNew = ({ reply }: ChargedPart) => decided.replayed && !reply.replayed;
      this.refund(request, charged.filter(isNew));
      this.inBackground(this.confirm(charged.filter((part) => !isNew(part))));
      return merge(decided, request, [{ ...home, reply: decided }, ...charged]);
    }
    this.refund(
      request,
      charged.filter(({ reply }) => !reply.replayed),
    );
    // An earlier charge with the same request id is kept unless the home slot denied the request.
    if (decided?.available !== true)
      this.inBackground(this.confirm(charged.filter(({ reply }) => reply.replayed)));
    const known = [...others.map((part, i) => ({ ...part, reply: replies[i] })), { ...home, reply: decided }];
    return this.denied(request, known, sinceMs);
  }

  async finished(): Promise<void> {
    await Promise.all(this.unfinished);
  }

  /** Reply to a request that was charged nowhere. Slots without a usable reply are read again. */
  private async denied(
    request: StoreRequest,
    known: readonly (Part & { reply: StoreReply | undefined })[],
    sinceMs: number,
  ): Promise<StoreReply> {
    for (const { reply } of known) {
      if (reply?.available === false) return reply;
      if (reply?.conflict) return conflictOf(reply, request);
    }
    // A slot that charged its part just now is refunded, so its result is adjusted. A slot that was not called, or
    // returned an earlier result, is read.
    const answered = known.flatMap(({ reply, ...part }) =>
      reply?.available === true && !(reply.allowed && reply.replayed)
        ? [{ ...part, reply: uncharged(part.request, reply) }]
        : [],
    );
    const asked = known.filter(({ indexes }) => !answered.some((one) => one.indexes === indexes));
    const peeked = await Promise.all(asked.map((part) => this.store.decide(peeking(part.request), sinceMs)));
    const parts: (Part & { reply: Decided })[] = [...answered];
    for (const [i, part] of asked.entries()) {
      const reply = peeked[i];
      if (reply?.available !== true) return reply ?? { available: false, reason: 'failed' };
      parts.push({ ...part, reply });
    }
    const [first] = parts;
    if (first === undefined) return { available: false, reason: 'failed' };
    return { ...merge(first.reply, request, parts), allowed: false };
  }

  private async peek(request: StoreRequest, parts: readonly Part[], sinceMs: number): Promise<StoreReply> {
    const replies = await Promise.all(parts.map((part) => this.store.decide(part.request, sinceMs)));
    const decided: (Part & { reply: Decided })[] = [];
    for (const [i, part] of parts.entries()) {
      const reply = replies[i];
      if (reply?.available !== true) return reply ?? { available: false, reason: 'failed' };
      decided.push({ ...part, reply });
    }
    const [first] = decided;
    if (first === undefined) return { available: false, reason: 'failed' };
    const merged = merge(first.reply, request, decided);
    return { ...merged, allowed: decided.every(({ reply }) => reply.allowed) };
  }

  private async confirm(parts: readonly ChargedPart[]): Promise<void> {
    await Promise.all(parts.map(({ receiptKey }) => this.pending.confirm(receiptKey)));
  }

  // Not awaited: if a refund fails, the pending part is refunded by the next sweep.
  private refund({ receipt }: StoreRequest, parts: readonly ChargedPart[]): void {
    if (parts.length === 0) return;
    const work = Promise.all(parts.map(({ receiptKey }) => this.pending.refund(receiptKey))).then(() => {
      if (receipt !== undefined && this.refunding.get(receipt.key) === work)
        this.refunding.delete(receipt.key);
    });
    if (receipt !== undefined) this.refunding.set(receipt.key, work);
    this.inBackground(work);
  }

  /**
   * Waits, within the deadline, until the parts of an earlier attempt with the same id are refunded. Otherwise they
   * would count as charged.
   */
  private async isRefunded({ receipt, deadlineMs = this.deadlineMs }: StoreRequest): Promise<boolean> {
    const refunding = receipt === undefined ? undefined : this.refunding.get(receipt.key);
    if (refunding === undefined) return true;
    return (
      (await within(
        deadlineMs,
        refunding.then(() => true),
      )) === true
    );
  }

  private inBackground(work: Promise<void>): void {
    this.unfinished.add(work);
    void work.finally(() => this.unfinished.delete(work));
  }
}

function isCharged({ allowed, conflict }: Decided): boolean {
  return allowed && conflict !== true;
}

/** Result of a slot as if it had not charged its part, except `resetAfterUs`. */
function uncharged({ checks }: StoreRequest, reply: Decided): Decided {
  if (!reply.allowed) return reply;
  const results = reply.checks.map((result, i) => {
    const { cost = 0, look = false } = checks[i] ?? {};
    if (look) return result;
    return result.allowed ? { ...result, remaining: result.remaining + cost } : result;
  });
  return { ...reply, checks: results };
}

function peeking({ checks, deadlineMs }: StoreRequest): StoreRequest {
  return { checks, peek: true, ...(deadlineMs === undefined ? {} : { deadlineMs }) };
}

/** Prefers a key of the tenant: pending parts are recorded per tag, and there are many tenants. */
function homeKeyOf({ checks, receipt }: StoreRequest): string {
  if (receipt !== undefined) return receipt.key;
  const own = checks.find(({ key }) => !key.startsWith(GLOBAL)) ?? checks[0];
  return own?.key ?? '';
}

function partsOf(request: StoreRequest): { home: Part; others: Part[] } {
  const { checks, peek, receipt, deadlineMs } = request;
  const homeSlot = slotOf(homeKeyOf(request));
  const slots = Map.groupBy(checks.keys(), (index) => slotOf(checks[index]?.key ?? ''));
  const checksAt = (indexes: readonly number[]) =>
    indexes.flatMap((index): Check[] => {
      const check = checks[index];
      return check === undefined ? [] : [check];
    });
  const homeIndexes = slots.get(homeSlot) ?? [];
  slots.delete(homeSlot);
  // The home slot always has a receipt: a node that finds a pending part reads there whether the request was charged.
  const own = peek ? {} : { receipt: receipt ?? temporaryReceipt(homeKeyOf(request)) };
  const wait = deadlineMs === undefined ? {} : { deadlineMs };
  return {
    home: { indexes: homeIndexes, request: { checks: checksAt(homeIndexes), peek, ...own, ...wait } },
    others: [...slots.values()].map((indexes) => {
      const others = checksAt(indexes);
      const tag = tagOf(others[0]?.key ?? '') ?? '';
      const part =
        own.receipt === undefined
          ? {}
          : { receipt: { ...own.receipt, key: partReceiptKey(tag, own.receipt.key) } };
      return { indexes, request: { checks: others, peek, ...part, ...wait } };
    }),
  };
}

function temporaryReceipt(homeKey: string): ReceiptOrder {
  const key = `${tagOf(homeKey) ?? ''}:r1~${randomUUID()}`;
  return { key, holder: 1, fingerprint: 1, keepMs: PART_RECEIPT_MS, expiresAfterMs: 0 };
}

/** Merges the checks of the parts into one reply; `of` provides all other fields. */
function merge(of: Decided, request: StoreRequest, parts: readonly (Part & { reply: Decided })[]): Decided {
  const checks: CheckResult[] = new Array(request.checks.length);
  for (const { indexes, reply } of parts) {
    for (const [i, index] of indexes.entries()) {
      const result = reply.checks[i];
      if (result !== undefined) checks[index] = result;
    }
  }
  return { ...of, checks };
}

function conflictOf(reply: Decided, request: StoreRequest): Decided {
  const nothing = { allowed: false, over: false, remaining: 0, waitUs: 0, resetAfterUs: 0 };
  const allowed = request.checks.every(({ policy }) => policy.shadow);
  return { ...reply, allowed, checks: request.checks.map(() => nothing) };
}
