import { randomUUID } from 'node:crypto';
import { groupBy } from '@tollgate/contracts/older-node';
import { eventLoop, within } from '../stores/clocks.js';
import type {
  Check,
  CheckResult,
  Decided,
  ReceiptOrder,
  StoreReply,
  StoreRequest,
} from '../stores/decision-store.js';
import {
  GLOBAL,
  isCharged,
  type OneSlotStore,
  type Part,
  type PendingParts,
  temporaryReceipt,
} from './parts.js';
import { SharedCharges } from './shared-charges.js';
import { shareable } from './shared-parts.js';
import { slotOf, tagOf } from './slots.js';

type ChargedPart = Part & { readonly reply: Decided; readonly receiptKey: string };

export function isInOneSlot({ checks, receipt }: StoreRequest): boolean {
  // Almost every request.
  if (checks.length === 1 && receipt === undefined) return true;
  const first = receipt?.key ?? checks[0]?.key ?? '';
  const tag = tagOf(first);
  return checks.every(
    ({ key }) => (tag !== undefined && key.startsWith(tag)) || slotOf(key) === slotOf(first),
  );
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
export class SplitCharges {
  private readonly unfinished = new Set<Promise<void>>();
  /** Refunds in progress, by the receipt of their request. */
  private readonly refunding = new Map<string, Promise<void>>();
  private readonly shared: SharedCharges;

  /** @param deadlineMs default deadline of a decision, ms */
  constructor(
    private readonly store: OneSlotStore,
    private readonly pending: PendingParts,
    private readonly deadlineMs: number,
  ) {
    this.shared = new SharedCharges({
      store,
      pending,
      inBackground: (work) => this.inBackground(work),
      denied: (...of) => this.denied(...of),
    });
  }

  charge(request: StoreRequest): Promise<StoreReply> {
    const sinceMs = eventLoop.runningMs();
    const shared = shareable(request);
    return shared === undefined
      ? this.chargeParts(request, sinceMs)
      : this.shared.charge({ request, sinceMs, ...shared });
  }

  async finished(): Promise<void> {
    while (this.unfinished.size > 0) await Promise.all(this.unfinished);
  }

  private async chargeParts(request: StoreRequest, sinceMs: number): Promise<StoreReply> {
    const { home, others } = partsOf(request);
    if (request.peek) return this.peek(request, [home, ...others], sinceMs);
    if (!(await this.isRefunded(request))) return { available: false, reason: 'deadline' };
    for (const { request: part } of others) {
      if (part.receipt !== undefined) this.pending.add(part.receipt.key);
    }
    const replies = await Promise.all(others.map((part) => this.store.charge(part.request, sinceMs)));
    const charged = others.flatMap((part, i): ChargedPart[] => {
      const reply = replies[i];
      const receiptKey = part.request.receipt?.key;
      if (reply?.available !== true || !isCharged(reply) || receiptKey === undefined) return [];
      return [{ ...part, reply, receiptKey }];
    });
    const decided =
      charged.length === others.length ? await this.store.charge(home.request, sinceMs) : undefined;
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
    const peeked = await Promise.all(asked.map((part) => this.store.charge(peeking(part.request), sinceMs)));
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
    const replies = await Promise.all(parts.map((part) => this.store.charge(part.request, sinceMs)));
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
  const slots = groupBy(checks.keys(), (index) => slotOf(checks[index]?.key ?? ''));
  const checksAt = (indexes: readonly number[]) =>
    indexes.flatMap((index): Check[] => {
      const check = checks[index];
      return check === undefined ? [] : [check];
    });
  const homeIndexes = slots.get(homeSlot) ?? [];
  slots.delete(homeSlot);
  // The home slot always has a receipt: a node that finds a pending part reads there whether the request was charged.
  const own = peek ? {} : { receipt: receipt ?? homeReceipt(homeKeyOf(request)) };
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

function homeReceipt(homeKey: string): ReceiptOrder {
  return temporaryReceipt(`${tagOf(homeKey) ?? ''}:r1~${randomUUID()}`, 1);
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
