import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../platform/access/actor.js';
import {
  invalid,
  notFound,
  type Outcome,
  parseInput,
  refuse,
  userError,
} from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import { EventBus } from '../../../platform/events.js';
import { UserErrorCode } from '../../../platform/graphql/mutation.graphql.js';
import { kindOfId, newId } from '../../../platform/ids.js';
import { OfferKind, OfferStatus, SimulationState } from '../../../platform/prisma/schema.js';
import { OffersRepository, offerEffectsSchema } from '../../commerce/index.js';
import { RevisionsRepository } from '../../distribution/index.js';
import { TrafficBlocksRepository } from '../../usage/index.js';
import { DraftPolicies, type DraftSource } from './draft-policies.js';
import { deniedCosts, type SimulationOutcome, type SoldUnits } from './simulation.rules.js';
import {
  baselineOf,
  type Simulation,
  type SimulationCancelInput,
  type SimulationStartInput,
  simulationStartSchema,
  simulationTargetSchema,
} from './simulations.graphql.js';
import { type SimulationRow, SimulationsRepository } from './simulations.repository.js';

const HOUR_US = 3_600_000_000;

/** An equal simulation is not repeated for this long, although newer traffic is recorded. */
const REUSE_MS = 300_000;

const MAX_DECISIONS = 200_000_000;

/** Simulations that wait or run. */
const MAX_UNFINISHED = 20;

const MAX_LIMITS = 100;

const MAX_TOP_UPS = 200;

/** Starts simulations and shows their results. */
@Injectable()
export class SimulationsService {
  constructor(
    private readonly simulations: SimulationsRepository,
    private readonly drafts: DraftPolicies,
    private readonly blocks: TrafficBlocksRepository,
    private readonly revisions: RevisionsRepository,
    private readonly offers: OffersRepository,
    private readonly bus: EventBus,
    private readonly clock: Clock,
  ) {}

  /**
   * Requests a simulation, or returns a recent one of the same draft. Errors: those of the draft; NOT_FOUND if no traffic
   * is recorded; NO_EFFECT; INVALID; IN_USE while too many simulations wait. A dry run starts none.
   */
  async start(caller: Caller, input: SimulationStartInput): Promise<Outcome<SimulationRow | null>> {
    const parsed = parseInput(simulationStartSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { hours, tenantKeys, changes = null, changeSetId = null, config = null } = parsed.data;
    const source: DraftSource = { changes, changeSetId, config };
    if (Object.values(source).filter((form) => form !== null).length !== 1) {
      return refuse([
        invalid(['changes'], 'Exactly one of `changes`, `changeSetId` and `config` is required'),
      ]);
    }
    const now = this.clock.now();
    const toUs = now.getTime() * 1000;
    const fromUs = toUs - hours * HOUR_US;
    const recorded = await this.simulations.listRecorded(fromUs, toUs, tenantKeys);
    const decisions = recorded.reduce((sum, tenant) => sum + tenant.decisions, 0);
    if (decisions === 0) return refuse([notFound(['hours'], 'recorded traffic in this time')]);
    if (decisions > MAX_DECISIONS) {
      const message = `${decisions} decisions are recorded in this time, more than ${MAX_DECISIONS}. Choose a shorter time or fewer tenants.`;
      return refuse([invalid(['hours'], message)]);
    }
    const draft = await this.drafts.compile(
      caller,
      source,
      recorded.map(({ key }) => key),
      new Date(fromUs / 1000),
    );
    if (!draft.ok) return refuse(draft.errors);
    const { digest: ofSource, ...policy } = draft.value;
    const digest = digestOf([ofSource, hours, [...tenantKeys].sort()]);
    const revision = (await this.revisions.findNewest())?.number ?? 0;
    const equal = await this.simulations.findEqual(digest, revision, new Date(now.getTime() - REUSE_MS));
    if (equal !== null || caller.dryRun === true) return done(equal);
    if ((await this.simulations.countUnfinished()) >= MAX_UNFINISHED) {
      return refuse([
        userError(UserErrorCode.IN_USE, null, 'Too many simulations are waiting. Try again later.'),
      ]);
    }
    const extent = await this.blocks.extent({ fromUs, toUs });
    return done(
      await this.simulations.create({
        id: newId('simulation'),
        ...{ digest, revision, tenantKeys, decisions, draft: policy },
        fromUs: BigInt(Math.max(fromUs, extent.fromUs ?? 0)),
        toUs: BigInt(Math.min(toUs, (extent.toUs ?? toUs) + 1)),
        requestedBy: caller.actor.label,
        createdAt: now,
      }),
    );
  }

  /** Errors: INVALID, NOT_FOUND. */
  async cancel(caller: Caller, input: SimulationCancelInput): Promise<Outcome<SimulationRow | null>> {
    const parsed = parseInput(simulationTargetSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { id } = parsed.data;
    if (caller.dryRun !== true) {
      await this.simulations.end(id, { state: SimulationState.CANCELED }, this.clock.now());
      await this.bus.publish({ topic: 'simulation', id });
    }
    const row = await this.simulations.find(id);
    return row === null ? refuse([notFound(['id'], 'simulation with this id')]) : done(row);
  }

  async find(id: string): Promise<SimulationRow | null> {
    return kindOfId(id) === 'simulation' ? this.simulations.find(id) : null;
  }

  async show(row: SimulationRow): Promise<Simulation> {
    const { fromUs, toUs, decisions, replayed, result, ...rest } = row;
    return {
      ...rest,
      from: new Date(Number(fromUs) / 1000),
      to: new Date(Number(toUs) / 1000),
      decisions: Number(decisions),
      replayed: Number(replayed),
      result: result === null ? null : await this.showResult(result as unknown as SimulationOutcome),
    };
  }

  private async showResult(outcome: SimulationOutcome): Promise<NonNullable<Simulation['result']>> {
    const { limits, tenants, minutes, baseline, calibration, uncovered, notWarm, deniedUnits, ...rest } =
      outcome;
    const { costs, unpricedUnits } = deniedCosts(deniedUnits, await this.listTopUps());
    const names = await this.simulations.listNames(tenants.map(({ tenant }) => tenant));
    return {
      ...rest,
      newlyDeniedCosts: costs,
      unpricedUnits,
      reliable: calibration === null || calibration.isReliable,
      calibration,
      baseline: baselineOf(baseline),
      uncovered: [...uncovered],
      notWarm: [...notWarm],
      limits: limits
        .slice(0, MAX_LIMITS)
        .map(({ api, limit, ...counts }) => ({ apiKey: api, limitName: limit, ...counts })),
      tenants: tenants.map(({ tenant, examples, ...counts }) => ({
        tenantKey: tenant,
        tenantName: names.get(tenant) ?? tenant,
        ...counts,
        examples: examples.map(({ atMs, api, limit, subject, ...example }) => ({
          ...example,
          at: new Date(atMs),
          apiKey: api,
          limitName: limit,
          subject: Object.entries(subject).map(([dimension, pseudonym]) => ({ dimension, pseudonym })),
        })),
      })),
      series: minutes.map(({ atMs, ...counts }) => ({ at: new Date(atMs), ...counts })),
    };
  }

  private async listTopUps(): Promise<SoldUnits[]> {
    const filter = { statuses: [OfferStatus.ACTIVE], withUnconfirmed: false, kind: OfferKind.TOPUP };
    const offers = await this.offers.list(filter, { first: MAX_TOP_UPS, after: undefined });
    return offers.map(({ effects, ...offer }) => ({ ...offer, effects: offerEffectsSchema.parse(effects) }));
  }
}

const done = (value: SimulationRow | null): Outcome<SimulationRow | null> => ({
  ok: true,
  value,
  changeId: null,
  impact: null,
});

function digestOf(parts: unknown): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
