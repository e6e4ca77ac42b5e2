import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../platform/access/actor.js';
import type { Change } from '../../../platform/changes/change.js';
import { ChangeRunner } from '../../../platform/changes/change-runner.js';
import { findManaged } from '../../../platform/changes/managed.js';
import { conflict, notFound, type Outcome, type Refusal, refuse } from '../../../platform/changes/outcome.js';
import { type TierRow, TiersRepository } from './tiers.repository.js';

/** A publication may pin a hundred thousand tenants: five seconds where nothing else runs. */
export const TIER_CHANGE_TIMEOUT_MS = 60_000;

/** Which tier a change is to, and how its caller has seen it. */
export interface TierTarget {
  tierKey: string;
  expectedVersion: number;
  reason: string | null;
}

/** Runs changes of one tier. */
@Injectable()
export class TierChanges {
  constructor(
    private readonly tiers: TiersRepository,
    private readonly changes: ChangeRunner,
  ) {}

  /** Runs `work` on the locked tier, if it exists, is as the caller saw it and is the caller's to change. */
  run<T extends TierRow | null = TierRow>(
    caller: Caller,
    { tierKey, expectedVersion, reason }: TierTarget,
    work: (change: Change, tier: TierRow) => Promise<T | Refusal<T | TierRow>>,
  ): Promise<Outcome<T | TierRow>> {
    return this.changes.run<T | TierRow>(
      caller,
      { reason, timeout: TIER_CHANGE_TIMEOUT_MS },
      async (change) => {
        const tier = await this.tiers.lockByKey(change.tx, tierKey);
        if (tier === null) return refuse([notFound(['tierKey'], `tier "${tierKey}"`)]);
        if (tier.version !== expectedVersion) return refuse<T | TierRow>([conflict('tier')], tier);
        const managed = findManaged(caller, tier, 'tier', reason);
        if (managed !== undefined) return refuse<T | TierRow>([managed], tier);
        return work(change, tier);
      },
    );
  }
}
