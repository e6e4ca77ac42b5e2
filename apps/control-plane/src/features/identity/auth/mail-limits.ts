import { Injectable } from '@nestjs/common';
import type { CompiledLimit } from '@tollgate/limiter/rules';
import type { Actor, Caller } from '../../../platform/access/actor.js';
import { AttemptLimiter, checksAt, compileBucket, keyPart, type Rate } from './attempt-limiter.js';

/** Mails that an actor sends to an address that it chooses. All rates of all parties apply. */
const RATES = {
  /** By anyone: 15 a day, after the first ones. */
  recipient: [
    [5, 600],
    [15, 5760],
  ],
  /** A member of a tenant: 100 a day. */
  member: [
    [20, 60],
    [100, 864],
  ],
  /** Operators and service tokens invite the owners of new tenants. */
  operator: [[200, 5]],
  /** By any member or operator: 200 a day. */
  tenant: [
    [40, 30],
    [200, 432],
  ],
} as const satisfies Record<string, readonly Rate[]>;

/** Limits mails to people who may not know the installation, so that it cannot be used to send unwanted mail. */
@Injectable()
export class MailLimits {
  private readonly limits = Object.fromEntries(
    Object.entries<readonly Rate[]>(RATES).map(([party, rates]) => [
      party,
      rates.map((rate) => compileBucket(`mails-${party}`, ['party'], rate)),
    ]),
  ) as unknown as Record<keyof typeof RATES, CompiledLimit[]>;

  constructor(private readonly limiter: AttemptLimiter) {}

  /** A dry run is not counted. @throws ApiError THROTTLED with `retryAfter` in seconds */
  async count(
    { actor, dryRun }: Caller,
    { recipient, tenantId }: { recipient: string; tenantId: string | undefined },
  ): Promise<void> {
    if (dryRun === true) return;
    const { limits } = this;
    await this.limiter.charge([
      ...checksAt(limits.recipient, [keyPart(recipient.toLowerCase())]),
      ...checksAt(limits[partyOf(actor)], [keyPart(actor.id)]),
      ...(tenantId === undefined ? [] : checksAt(limits.tenant, [keyPart(tenantId)])),
    ]);
  }
}

function partyOf({ kind, role }: Actor): 'member' | 'operator' {
  return kind === 'USER' && role === null ? 'member' : 'operator';
}
