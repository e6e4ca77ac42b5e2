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

/** Decides and changes what is in one slot. */
export interface OneSlotStore {
  /** @param sinceMs when the request was asked for, {@link EventLoop.runningMs}: its deadline counts from there */
  decide(request: StoreRequest, sinceMs: number): Promise<StoreReply>;
  amend(amendment: Amendment): Promise<Amended | Unavailable>;
}

/** Takes note of parts that are charged before it is certain that their request is. */
export interface PartNotes {
  /** Before it is charged: from now on it is given back, whoever dies, unless {@link keep} comes within a second. */
  begin(receiptKey: string): void;
  /** It stays charged. */
  keep(receiptKey: string): Promise<void>;
  /** Gives it back, and forgets that it was. */
  giveBack(receiptKey: string): Promise<void>;
}

/** How keys of limits on all tenants begin. */
const GLOBAL = `{${globalTag('')}`;

/** Receipts of requests that need none by themselves: long enough to give their parts back. */
const KEEP_PART_MS = 60_000;

/** The checks of one slot, and their places in the request. */
interface Part {
  readonly places: readonly number[];
  readonly request: StoreRequest;
}

type ChargedPart = Part & { readonly reply: Decided; readonly receiptKey: string };

/** Whether all keys of a request are in one slot. */
export function isInOneSlot({ checks, receipt }: StoreRequest): boolean {
  const slot = slotOf(receipt?.key ?? checks[0]?.key ?? '');
  return checks.every(({ key }) => slotOf(key) === slot);
}

/** The receipt of the part of a request that is charged in the slot of `tag`, by the receipt of the request. */
export function partReceiptKey(tag: string, receiptKey: string): string {
  return `${tag}${receiptKey}`;
}

/**
 * Decides requests whose keys are in several slots, all or nothing.
 *
 * The other slots' parts are charged first, then the home slot, the tenant's, decides, and the parts are kept or given
 * back. Whoever dies in between leaves notes of parts, by which others give them back.
 */
export class SplitDecisions {
  private readonly unfinished = new Set<Promise<void>>();
  /** Parts that are on their way back, by the receipt of their request. */
  private readonly returning = new Map<string, Promise<void>>();

  /** @param deadlineMs the longest wait for a decision, ms, where the request sets none */
  constructor(
    private readonly store: OneSlotStore,
    private readonly notes: PartNotes,
    private readonly deadlineMs: number,
  ) {}

  async decide(request: StoreRequest): Promise<StoreReply> {
    const sinceMs = eventLoop.runningMs();
    const { home, others } = partsOf(request);
    if (request.peek) return this.look(request, [home, ...others], sinceMs);
    if (!(await this.isReturned(request))) return { available: false, reason: 'deadline' };
    for (const { request: part } of others) {
      if (part.receipt !== undefined) this.notes.begin(part.receipt.key);
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
      // A repetition charges nothing: not the parts either that the first time did not have.
      const isNew = ({ reply }: ChargedPart) => decided.replayed && !reply.replayed;
      this.giveBack(request, charged.filter(isNew));
      this.inBackground(this.keep(charged.filter((part) => !isNew(part))));
      return merge(decided, request, [{ ...home, reply: decided }, ...charged]);
    }
    this.giveBack(
      request,
      charged.filter(({ reply }) => !reply.replayed),
    );
    // What was charged before, by a request that seems to be the same, stays as long as nobody says that it was refused.
    if (decided?.available !== true)
      this.inBackground(this.keep(charged.filter(({ reply }) => reply.replayed)));
    const known = [...others.map((part, i) => ({ ...part, reply: replies[i] })), { ...home, reply: decided }];
    return this.refuse(request, known, sinceMs);
  }

  /** Resolves when nothing that was decided waits to be kept or given back. */
  async finished(): Promise<void> {
    await Promise.all(this.unfinished);
  }

  /** The answer to a request that was charged nowhere: what each slot said, or says now. */
  private async refuse(
    request: StoreRequest,
    known: readonly (Part & { reply: StoreReply | undefined })[],
    sinceMs: number,
  ): Promise<StoreReply> {
    for (const { reply } of known) {
      if (reply?.available === false) return reply;
      if (reply?.conflict) return conflictOf(reply, request);
    }
    // A slot that let it pass gives back what it took just now. One that was not asked, or let it pass long ago, is asked.
    const answered = known.flatMap(({ reply, ...part }) =>
      reply?.available === true && !(reply.allowed && reply.replayed)
        ? [{ ...part, reply: uncharged(part.request, reply) }]
        : [],
    );
    const asked = known.filter(({ places }) => !answered.some((one) => one.places === places));
    const looked = await Promise.all(asked.map((part) => this.store.decide(looking(part.request), sinceMs)));
    const parts: (Part & { reply: Decided })[] = [...answered];
    for (const [i, part] of asked.entries()) {
      const reply = looked[i];
      if (reply?.available !== true) return reply ?? { available: false, reason: 'failed' };
      parts.push({ ...part, reply });
    }
    const [first] = parts;
    if (first === undefined) return { available: false, reason: 'failed' };
    return { ...merge(first.reply, request, parts), allowed: false };
  }

  private async look(request: StoreRequest, parts: readonly Part[], sinceMs: number): Promise<StoreReply> {
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

  private async keep(parts: readonly ChargedPart[]): Promise<void> {
    await Promise.all(parts.map(({ receiptKey }) => this.notes.keep(receiptKey)));
  }

  // Nobody waits for it: were it to fail, the notes are still there.
  private giveBack({ receipt }: StoreRequest, parts: readonly ChargedPart[]): void {
    if (parts.length === 0) return;
    const work = Promise.all(parts.map(({ receiptKey }) => this.notes.giveBack(receiptKey))).then(() => {
      if (receipt !== undefined && this.returning.get(receipt.key) === work)
        this.returning.delete(receipt.key);
    });
    if (receipt !== undefined) this.returning.set(receipt.key, work);
    this.inBackground(work);
  }

  /** Waits, within the deadline, until the parts of an earlier try under the same id are given back: they would seem charged. */
  private async isReturned({ receipt, deadlineMs = this.deadlineMs }: StoreRequest): Promise<boolean> {
    const returning = receipt === undefined ? undefined : this.returning.get(receipt.key);
    if (returning === undefined) return true;
    return (
      (await within(
        deadlineMs,
        returning.then(() => true),
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

/** What a slot would have said had it only looked, but for when nothing is used: that is as long as if it had been charged. */
function uncharged({ checks }: StoreRequest, reply: Decided): Decided {
  if (!reply.allowed) return reply;
  const results = reply.checks.map((result, i) => {
    const { cost = 0, look = false } = checks[i] ?? {};
    if (look) return result;
    return result.allowed ? { ...result, remaining: result.remaining + cost } : result;
  });
  return { ...reply, checks: results };
}

function looking({ checks, deadlineMs }: StoreRequest): StoreRequest {
  return { checks, peek: true, ...(deadlineMs === undefined ? {} : { deadlineMs }) };
}

/** A key of the tenant's, of which there are many, rather than one of a limit on all tenants: parts are noted by tag. */
function homeKeyOf({ checks, receipt }: StoreRequest): string {
  if (receipt !== undefined) return receipt.key;
  const own = checks.find(({ key }) => !key.startsWith(GLOBAL)) ?? checks[0];
  return own?.key ?? '';
}

function partsOf(request: StoreRequest): { home: Part; others: Part[] } {
  const { checks, peek, receipt, deadlineMs } = request;
  const homeSlot = slotOf(homeKeyOf(request));
  const slots = Map.groupBy(checks.keys(), (place) => slotOf(checks[place]?.key ?? ''));
  const checksAt = (places: readonly number[]) =>
    places.flatMap((place): Check[] => {
      const check = checks[place];
      return check === undefined ? [] : [check];
    });
  const homePlaces = slots.get(homeSlot) ?? [];
  slots.delete(homeSlot);
  // With a receipt at home too, whoever finds a part that nobody kept can tell whether its request was charged.
  const own = peek ? {} : { receipt: receipt ?? passingReceipt(homeKeyOf(request)) };
  const wait = deadlineMs === undefined ? {} : { deadlineMs };
  return {
    home: { places: homePlaces, request: { checks: checksAt(homePlaces), peek, ...own, ...wait } },
    others: [...slots.values()].map((places) => {
      const others = checksAt(places);
      const tag = tagOf(others[0]?.key ?? '') ?? '';
      const part =
        own.receipt === undefined
          ? {}
          : { receipt: { ...own.receipt, key: partReceiptKey(tag, own.receipt.key) } };
      return { places, request: { checks: others, peek, ...part, ...wait } };
    }),
  };
}

/** For a request that needs none by itself. */
function passingReceipt(homeKey: string): ReceiptOrder {
  const key = `${tagOf(homeKey) ?? ''}:r1~${randomUUID()}`;
  return { key, holder: 1, asked: 1, keepMs: KEEP_PART_MS, expiresAfterMs: 0 };
}

/** One reply of those of the parts; `of` gives everything but the checks. */
function merge(of: Decided, request: StoreRequest, parts: readonly (Part & { reply: Decided })[]): Decided {
  const checks: CheckResult[] = new Array(request.checks.length);
  for (const { places, reply } of parts) {
    for (const [i, place] of places.entries()) {
      const result = reply.checks[i];
      if (result !== undefined) checks[place] = result;
    }
  }
  return { ...of, checks };
}

function conflictOf(reply: Decided, request: StoreRequest): Decided {
  const nothing = { allowed: false, over: false, remaining: 0, waitUs: 0, resetAfterUs: 0 };
  const allowed = request.checks.every(({ policy }) => policy.shadow);
  return { ...reply, allowed, checks: request.checks.map(() => nothing) };
}
