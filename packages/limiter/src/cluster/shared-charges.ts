import { randomUUID } from 'node:crypto';
import type { Decided, StoreReply, StoreRequest } from '../stores/decision-store.js';
import { isCharged, type OneSlotStore, type Part, type PendingParts } from './parts.js';
import { type Member, SharedPart } from './shared-parts.js';

export interface SharedChargesOptions {
  readonly store: OneSlotStore;
  readonly pending: PendingParts;
  /** Work that is awaited before the store closes. */
  readonly inBackground: (work: Promise<void>) => void;
  /** The reply to a request that was charged nowhere. */
  readonly denied: (
    request: StoreRequest,
    known: readonly (Part & { reply: StoreReply | undefined })[],
    sinceMs: number,
  ) => Promise<StoreReply>;
}

/**
 * Charges the limit on all tenants once for the requests of an event loop turn. Then each request's own slot decides it. The part keeps
 * the units of those that were charged there and refunds the others. Were the sum too large for the limit, each request is decided alone.
 */
export class SharedCharges {
  /** By key of the counter on all tenants. */
  private readonly open = new Map<string, SharedPart>();

  constructor(private readonly options: SharedChargesOptions) {}

  charge(member: Omit<Member, 'resolve'>): Promise<StoreReply> {
    const part = this.partFor(member);
    return new Promise((resolve) => part.members.push({ ...member, resolve }));
  }

  private partFor({ request: { checks, deadlineMs }, place }: Omit<Member, 'resolve'>): SharedPart {
    const check = checks[place];
    if (check === undefined) throw new Error(`no check at ${place}`);
    const { key } = check;
    const open = this.open.get(key);
    if (open?.takes(check, deadlineMs) === true) return open;
    const part = new SharedPart(check, deadlineMs);
    this.open.set(key, part);
    // After the requests of this event loop turn have joined.
    queueMicrotask(() => {
      if (this.open.get(key) === part) this.open.delete(key);
      this.options.inBackground(this.chargePart(part));
    });
    return part;
  }

  private async chargePart(part: SharedPart): Promise<void> {
    const { store, pending, denied, inBackground } = this.options;
    const { members, check, deadlineMs } = part;
    const [first] = members;
    if (first === undefined) return;
    const id = randomUUID();
    const note = part.note(id);
    const request = part.request(id);
    pending.add(note);
    const reply = await store.charge(request, first.sinceMs);
    if (!reply.available) {
      // It may be charged: without a confirmation, the part is refunded.
      for (const { resolve } of members) resolve(reply);
      return;
    }
    if (isCharged(reply)) {
      const homes = await Promise.all(members.map((_, i) => this.chargeHome(part, id, i, reply)));
      const charged = homes.filter(Boolean).length;
      if (charged === members.length) await pending.confirm(note);
      else if (charged === 0) await pending.refund(note);
      else await pending.settle(note, charged * check.cost);
      return;
    }
    inBackground(pending.confirm(note));
    if (members.length === 1) {
      const { place, sinceMs, resolve } = first;
      const known = [
        { indexes: [place], request, reply },
        { indexes: homeIndexes(first), request: part.homeRequest(id, 0), reply: undefined },
      ];
      resolve(await denied(first.request, known, sinceMs));
      return;
    }
    for (const member of members) {
      const alone = new SharedPart(check, deadlineMs);
      alone.members.push(member);
      inBackground(this.chargePart(alone));
    }
  }

  /** @returns whether the member was charged; it has its reply */
  private async chargeHome(part: SharedPart, id: string, index: number, shared: Decided): Promise<boolean> {
    const member = part.members[index] as Member;
    const { request, place, sinceMs, resolve } = member;
    const home = part.homeRequest(id, index);
    const reply = await this.options.store.charge(home, sinceMs);
    const result = part.resultOf(shared, index);
    if (reply.available && isCharged(reply)) {
      resolve({ ...reply, checks: reply.checks.toSpliced(place, 0, result) });
      return true;
    }
    const own: StoreRequest = { checks: [part.check], peek: false };
    const known = [
      { indexes: [place], request: own, reply: { ...shared, checks: [result] } },
      { indexes: homeIndexes(member), request: home, reply },
    ];
    void this.options.denied(request, known, sinceMs).then(resolve);
    return false;
  }
}

/** Places of the checks of the tenant. */
function homeIndexes({ request, place }: Member): number[] {
  return [...request.checks.keys()].toSpliced(place, 1);
}
