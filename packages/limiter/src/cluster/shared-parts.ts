import { MAX_COST } from '@tollgate/contracts';
import { algorithmOf } from '../algorithms/index.js';
import type { WirePolicy } from '../rules/compile.js';
import {
  type Check,
  type CheckResult,
  type Decided,
  MARK,
  type StoreReply,
  type StoreRequest,
} from '../stores/decision-store.js';
import { GLOBAL, temporaryReceipt } from './parts.js';
import { tagOf } from './slots.js';

/** As many as a call has requests. */
const MAX_MEMBERS = 256;

/** A request that shares a part with others. */
export interface Member {
  readonly request: StoreRequest;
  /** Place of the check on all tenants; all others are on counters of the tenant. */
  readonly place: number;
  /** Of the tenant. */
  readonly tag: string;
  readonly sinceMs: number;
  readonly resolve: (reply: StoreReply) => void;
}

/**
 * Place of the only check on all tenants, and the tenant's tag, if the request can share its part. Not with a caller's receipt, because
 * a repetition or refund under that id would need a part of its own.
 */
export function shareable({
  checks,
  peek,
  receipt,
}: StoreRequest): { readonly place: number; readonly tag: string } | undefined {
  if (peek || receipt !== undefined) return undefined;
  let [place, tag]: [number | undefined, string | undefined] = [undefined, undefined];
  for (const [i, { key, policy, look }] of checks.entries()) {
    if (look === true) return undefined;
    const own = tagOf(key);
    if (key.startsWith(GLOBAL)) {
      if (place !== undefined || !isAdditive(policy)) return undefined;
      place = i;
    } else if (own === undefined || (tag !== undefined && own !== tag)) return undefined;
    else tag = own;
  }
  return place === undefined || tag === undefined ? undefined : { place, tag };
}

/** Whether one charge of a sum decides like a charge of each cost. */
function isAdditive({ kind, shadow, extra, penalty }: WirePolicy): boolean {
  return algorithmOf(kind).isAdditive && !shadow && extra === 0 && penalty === undefined;
}

/** One charge of a limit on all tenants for several requests of one event loop turn. */
export class SharedPart {
  readonly members: Member[] = [];

  constructor(
    readonly check: Check,
    readonly deadlineMs: number | undefined,
  ) {}

  /** Whether a request with this check can join. */
  takes({ policy, cost }: Check, deadlineMs: number | undefined): boolean {
    return (
      policy === this.check.policy &&
      cost === this.check.cost &&
      deadlineMs === this.deadlineMs &&
      this.members.length < MAX_MEMBERS &&
      (this.members.length + 1) * cost <= MAX_COST
    );
  }

  /** Charges all members, or none. @param id of the part */
  request(id: string): StoreRequest {
    const { check, deadlineMs, members } = this;
    const receipt = temporaryReceipt(partKey(tagOf(check.key) ?? '', id), 1);
    return {
      checks: [{ ...check, cost: check.cost * members.length }],
      peek: false,
      receipt,
      ...(deadlineMs === undefined ? {} : { deadlineMs }),
    };
  }

  /** The other checks of a member, with its mark. */
  homeRequest(id: string, index: number): StoreRequest {
    const { request, place, tag } = this.members[index] as Member;
    const { checks, deadlineMs } = request;
    return {
      checks: checks.toSpliced(place, 1),
      peek: false,
      receipt: temporaryReceipt(markKey(tag, id, index), MARK),
      ...(deadlineMs === undefined ? {} : { deadlineMs }),
    };
  }

  /** The result of a member's check, as if the members had been charged in order. */
  resultOf(reply: Decided, index: number): CheckResult {
    const result = reply.checks[0] as CheckResult;
    const later = this.members.length - 1 - index;
    return { ...result, remaining: result.remaining + later * this.check.cost };
  }

  /** What other nodes need to refund the members that were not charged: see {@link readNote}. */
  note(id: string): string {
    const { check, members } = this;
    return [partKey(tagOf(check.key) ?? '', id), check.cost, ...members.map(({ tag }) => tag)].join(' ');
  }
}

export interface Note {
  /** Of the part. */
  readonly receiptKey: string;
  /** Of each member. */
  readonly cost: number;
  /** Keys that exist if the member was charged. */
  readonly marks: readonly string[];
}

/** Undefined: of a part of one request, and its receipt's key. */
export function readNote(note: string): Note | undefined {
  const [receiptKey = '', cost, ...tags] = note.split(' ');
  if (cost === undefined) return undefined;
  const id = receiptKey.slice(receiptKey.indexOf(ID_MARK) + ID_MARK.length);
  return { receiptKey, cost: Number(cost), marks: tags.map((tag, i) => markKey(tag, id, i)) };
}

const ID_MARK = ':r1~';

function partKey(tag: string, id: string): string {
  return `${tag}${ID_MARK}${id}`;
}

function markKey(tag: string, id: string, index: number): string {
  return `${tag}${ID_MARK}${id}.${index}`;
}
