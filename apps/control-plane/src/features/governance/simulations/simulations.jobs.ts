import { setImmediate as turn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { dimensionValue } from '@tollgate/limiter/rules';
import {
  type NamedHash,
  NamedValues,
  type ReplayOptions,
  type ReplayPolicy,
  replayOnThread,
  warmUpOf,
} from '@tollgate/replay';
import { Clock } from '../../../platform/clock.js';
import { EventBus } from '../../../platform/events.js';
import { ScheduledJob } from '../../../platform/jobs/jobs-runner.js';
import { Log } from '../../../platform/log.js';
import { SimulationState } from '../../../platform/prisma/schema.js';
import { recordedValue, SubjectHash, TrafficBlocksRepository } from '../../usage/index.js';
import { QuotaUsage } from './quota-usage.js';
import { RecordedPolicies } from './recorded-policies.js';
import { groupsOf, hasGlobalLimit, type SimulationDraft, withSteps } from './simulation.rules.js';
import { type RecordedTenant, type SimulationRow, SimulationsRepository } from './simulations.repository.js';

/** Maximum duration. */
const TIMEOUT_MS = 600_000;

const BEAT_MS = 500;

/** Decisions of a group of tenants whose blocks are read together. */
const GROUP_DECISIONS = 4_000_000;

/** About two seconds of CPU and 50 MB; rules and labels of the tenants beyond it are not covered. */
const MAX_HASHES = 200_000;

const MINUTE_US = 60_000_000;

const wholeMinute = (us: number): number => Math.floor(us / MINUTE_US) * MINUTE_US;

class Canceled extends Error {}

/** Runs requested simulations one by one, each on a thread. A simulation whose worker died runs again. */
@Injectable()
@ScheduledJob({ name: 'simulations', everyMs: 1000 })
export class SimulationsJob {
  constructor(
    private readonly simulations: SimulationsRepository,
    private readonly policies: RecordedPolicies,
    private readonly quotas: QuotaUsage,
    private readonly blocks: TrafficBlocksRepository,
    private readonly subjects: SubjectHash,
    private readonly bus: EventBus,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  async run(): Promise<void> {
    for (;;) {
      const simulation = await this.simulations.take(this.clock.now());
      if (simulation === null) return;
      await this.replay(simulation);
      await this.bus.publish({ topic: 'simulation', id: simulation.id });
    }
  }

  private async replay(simulation: SimulationRow): Promise<void> {
    const { id } = simulation;
    const stop = new AbortController();
    let replayed = 0;
    // A beat at a time: progress, and whether somebody canceled.
    let beating = Promise.resolve();
    const beat = async () => {
      if (!(await this.simulations.beat(id, replayed, this.clock.now()))) stop.abort(new Canceled());
      await this.bus.publish({ topic: 'simulation', id });
    };
    const timer = setInterval(() => {
      beating = beating.then(beat).catch((error: unknown) => stop.abort(error));
    }, BEAT_MS);
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const signal = AbortSignal.any([stop.signal, timeout]);
      const result = await this.result(simulation, signal, (decisions) => {
        replayed = decisions;
      });
      await this.simulations.end(id, { state: SimulationState.DONE, result, replayed }, this.clock.now());
    } catch (error) {
      if (error instanceof Canceled) return;
      this.log.warn({ err: error, simulation: id }, 'simulation failed');
      const message = timeout.aborted
        ? 'The simulation took too long. Choose a shorter time or fewer tenants.'
        : messageOf(error);
      await this.simulations.end(id, { state: SimulationState.FAILED, message }, this.clock.now());
    } finally {
      clearInterval(timer);
      await beating;
    }
  }

  private async result(
    { tenantKeys, fromUs, toUs, draft }: SimulationRow,
    signal: AbortSignal,
    onProgress: (decisions: number) => void,
  ) {
    const range = { fromUs: Number(fromUs), toUs: Number(toUs) };
    const tenants = await this.simulations.listRecorded(range.fromUs, range.toUs, tenantKeys);
    const {
      draft: drafted,
      live,
      liveSince,
    } = await this.policies.read(draft as unknown as SimulationDraft, tenants, new Date(range.fromUs / 1000));
    const policies = [...live.toReversed(), drafted];
    const spanMs = (range.toUs - range.fromUs) / 1000;
    const earliestUs = range.fromUs - warmUpOf(policies, spanMs).warmUpMs * 1000;
    // Of all tenants: that a chosen tenant sent nothing before its first request is known.
    const extent = await this.blocks.extent({ fromUs: earliestUs, toUs: range.toUs });
    // Usage is counted by the minute.
    const readFromUs = wholeMinute(Math.max(earliestUs, extent.fromUs ?? 0));
    const { startUsage, known } = await this.quotas.find(policies, tenants, readFromUs / 1000);
    const { warmUpMs, notWarm } = warmUpOf(policies, spanMs, known);
    const countedFromUs = Math.max(range.fromUs, readFromUs + warmUpMs * 1000);
    const present = live.at(-1);
    const options: ReplayOptions = {
      draft: drafted,
      live,
      ...(liveSince !== undefined && { liveSince }),
      ...(live.length > 1 && present && { present }),
      range: { fromUs: countedFromUs, toUs: range.toUs },
      notWarm,
      startUsage,
      isHashed: true,
      hashes: await this.hashesOf(policies, tenants),
    };
    const groups = hasGlobalLimit(policies) ? [tenants] : groupsOf(tenants, GROUP_DECISIONS);
    const sequences = groups.map((group) => this.read(group, readFromUs, range.toUs));
    return withSteps(await replayOnThread(sequences, options, { signal, onProgress }), notWarm);
  }

  /** Hashes of the values that the policies name; not of all tenants if there are too many. */
  private async hashesOf(
    policies: readonly ReplayPolicy[],
    tenants: readonly RecordedTenant[],
  ): Promise<Map<string, NamedHash[]>> {
    const named = new NamedValues(policies);
    const hashes = new Map<string, NamedHash[]>();
    let left = MAX_HASHES;
    for (const { id, key } of tenants) {
      const values = named.of(key);
      left -= values.length;
      if (left < 0) break;
      hashes.set(
        key,
        values.map(({ dimension, value }) => {
          const written = dimensionValue(dimension, value) ?? value;
          return { dimension, value, hash: recordedValue(this.subjects.of(id, dimension, written)) };
        }),
      );
      // The process may also serve requests.
      await turn();
    }
    return hashes;
  }

  private async *read(tenants: readonly RecordedTenant[], fromUs: number, toUs: number) {
    const tenantIds = tenants.map(({ id }) => id);
    for await (const { packed } of this.blocks.recordings({ fromUs, toUs, tenantIds })) yield packed;
  }
}

function messageOf(error: unknown): string {
  if ((error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return 'The simulation needs too much memory. Choose a shorter time or fewer tenants.';
  }
  // A bound of the replay; other errors are faults, whose details are in the log.
  if (error instanceof RangeError) return `The replay stopped: ${error.message}.`;
  return 'Internal error. See the worker log.';
}

/** Results are repeatable while the recording is kept. */
const RETENTION_MS = 7 * 86_400_000;

@Injectable()
@ScheduledJob({ name: 'forget-simulations', everyMs: 3_600_000 })
export class ForgetSimulationsJob {
  constructor(
    private readonly simulations: SimulationsRepository,
    private readonly clock: Clock,
  ) {}

  run(): Promise<void> {
    return this.simulations.deleteBefore(new Date(this.clock.now().getTime() - RETENTION_MS));
  }
}
