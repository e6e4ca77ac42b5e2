import { Injectable } from '@nestjs/common';
import { type Caller, jobActor } from '../../../platform/access/actor.js';
import type { AuditFacts } from '../../../platform/changes/audit-trail.js';
import { type Change, ChangeRunner } from '../../../platform/changes/change.js';
import {
  notFound,
  type Outcome,
  parseInput,
  type Refusal,
  refuse,
  userError,
} from '../../../platform/changes/outcome.js';
import { Reversals } from '../../../platform/changes/policy-commands.js';
import { Clock } from '../../../platform/clock.js';
import { UserErrorCode } from '../../../platform/graphql/mutation.graphql.js';
import { newId } from '../../../platform/ids.js';
import { type Job, ScheduledJob } from '../../../platform/jobs/jobs-runner.js';
import { Log } from '../../../platform/log.js';
import { LimitOrigin, PublicationGuardState } from '../../../platform/prisma/schema.js';
import { TiersRepository, TiersService, toLimitInput } from '../../catalogue/index.js';
import { NodesRepository, PropagationService } from '../../distribution/index.js';
import { UsageIngest } from '../../usage/index.js';
import { RecordedChangesRepository } from '../reverts/reverts.repository.js';
import {
  type Evidence,
  type GuardFigures,
  type GuardWindow,
  isOver,
  judge,
  round,
  type Verdict,
  windowAt,
} from './guard.rules.js';
import { guardCancelSchema, type PublicationGuardCancelInput } from './guards.graphql.js';
import { type GuardRow, GuardsRepository } from './guards.repository.js';

const callerOf = (): Caller => ({ actor: jobActor('publication-guards'), requestId: newId('request') });

/** The timeout of a publication, because a revert publishes. */
const TIMEOUT_MS = 60_000;

const NO_OBSTACLE = { obstacle: null, message: null };

/** Watches guarded publications. */
@Injectable()
export class GuardsService {
  constructor(
    private readonly guards: GuardsRepository,
    private readonly tiers: TiersRepository,
    private readonly tierChanges: TiersService,
    private readonly recorded: RecordedChangesRepository,
    private readonly reversals: Reversals,
    private readonly propagation: PropagationService,
    private readonly nodes: NodesRepository,
    private readonly ingest: UsageIngest,
    private readonly changes: ChangeRunner,
  ) {}

  /** Checks one guard, and ends it if it has decided. */
  async check(id: string, now: Date): Promise<void> {
    const guard = await this.guards.findById(id);
    if (guard?.state !== PublicationGuardState.WATCHING) return;
    if (isCompared(guard, windowAt(guard, now))) return;
    const evidence = await this.readEvidence(guard, now);
    const verdict = judge(guard, evidence);
    if (verdict.kind === 'exceeded') return this.revert(guard, verdict.figures, now);
    const { obstacle, message } = verdict.kind === 'undecided' ? verdict : NO_OBSTACLE;
    const result = { figures: verdict.figures, obstacle, message };
    if (verdict.kind === 'within' && evidence.window?.isComplete === true) {
      return this.end(id, { state: PublicationGuardState.PASSED, ...result }, now);
    }
    if (isOver(guard.endsAt, verdict, now)) {
      return this.end(id, { state: PublicationGuardState.UNDECIDED, ...result }, now);
    }
    await this.guards.note(id, { ...result, checkedAt: now, activeFrom: evidence.activeFrom });
  }

  /** Errors: NOT_FOUND; INVALID if it has ended. */
  async cancel(caller: Caller, input: PublicationGuardCancelInput, now: Date): Promise<Outcome<GuardRow>> {
    const parsed = parseInput(guardCancelSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { id, reason } = parsed.data;
    return this.changes.run<GuardRow>(caller, { reason }, async (change) => {
      const guard = await this.guards.lockById(change.tx, id);
      if (guard === null) return refuse([notFound(['id'], 'guard with this id')]);
      if (guard.state !== PublicationGuardState.WATCHING) {
        const message = `The guard has ended: ${guard.state}. Reload the page.`;
        return refuse([userError(UserErrorCode.INVALID, ['id'], message)], guard);
      }
      const state = PublicationGuardState.CANCELED;
      const canceled = { state, endedAt: now, endedBy: caller.actor.label, ...NO_OBSTACLE };
      await audit(change, 'publicationGuard.cancel', guard, { state });
      return this.guards.update(change.tx, id, canceled);
    });
  }

  private async readEvidence(guard: GuardRow, now: Date): Promise<Evidence & { activeFrom: Date | null }> {
    const found = await this.propagation.findPropagation(guard.changeId);
    const nodes = found?.revision == null ? null : { total: found.totalNodes, current: found.liveNodes };
    const isActive = nodes !== null && nodes.total > 0 && nodes.current === nodes.total;
    const activeFrom = guard.activeFrom ?? (isActive ? now : null);
    const window = windowAt({ ...guard, activeFrom }, now);
    const silent = (await this.nodes.list(false)).filter(
      ({ staleSince, lastSeenAt }) => staleSince !== null && lastSeenAt >= guard.publishedAt,
    );
    return {
      ...{ nodes, activeFrom, window },
      silentNodes: silent.length,
      // Before the counts, so that frames counted in between cannot be overlooked.
      unreadSince: await this.ingest.findUnreadSince(),
      missingFrames: await this.guards.countMissing(guard),
      tenants: window === undefined ? [] : await this.guards.listCounts(guard, window),
    };
  }

  /** Reverts the publication and ends the guard in one change; a rejected revert leaves it undecided. */
  private async revert({ id, ...terms }: GuardRow, figures: GuardFigures, now: Date): Promise<void> {
    const caller = callerOf();
    const outcome = await this.changes.run<GuardRow | null>(
      caller,
      { reason: reasonOf(terms, figures), timeout: TIMEOUT_MS },
      async (change) => {
        const guard = await this.guards.lockById(change.tx, id);
        if (guard?.state !== PublicationGuardState.WATCHING) return null;
        const refused = await this.revertPublication(caller, change, guard);
        if (refused !== undefined) return refused;
        const state = PublicationGuardState.REVERTED;
        await audit(change, 'publicationGuard.end', guard, { state, ...numbersOf(guard, figures) });
        await change.notify({
          kind: 'guard.reverted',
          data: { ...factsOf(guard), ...numbersOf(guard, figures) },
          dedupeKey: `guard/${id}`,
        });
        const ending = { state, figures, endedAt: now, checkedAt: now, revertedBy: change.id };
        return this.guards.update(change.tx, id, { ...ending, ...NO_OBSTACLE });
      },
    );
    if (outcome.ok) return;
    const message = `The revert was rejected: ${outcome.errors[0]?.message ?? 'unknown error'} Revert the publication manually.`;
    const state = PublicationGuardState.UNDECIDED;
    await this.end(id, { state, figures, obstacle: 'REVERT_REFUSED', message }, now);
  }

  /** Publishes the limits before the publication, as a revert of its entry does. A draft is kept. */
  private async revertPublication(
    caller: Caller,
    change: Change,
    { changeId, tierId, tier }: GuardRow,
  ): Promise<Refusal<null> | undefined> {
    const entries = await this.recorded.list(changeId, change.tx);
    const entry = entries.find(({ action, entityId }) => action === 'tier.publish' && entityId === tierId);
    const reversal = this.reversals.find('tier.publish');
    if (entry === undefined || reversal === undefined) throw new Error(`no publication in ${changeId}`);
    const { draft } = await this.tiers.findCurrent(change.tx, tierId);
    change.revertedName = entry.entityName;
    const outcome = await reversal.run(caller, change, entry, []);
    change.revertedName = null;
    if (!outcome.ok) return refuse(outcome.errors);
    if (draft === null) return undefined;
    const limits = draft.limits.filter(({ origin }) => origin === LimitOrigin.TIER);
    const kept = await this.tierChanges.saveDraft(caller, {
      tierKey: tier.key,
      expectedVersion: (await this.tiers.findByKey(tier.key, change.tx))?.version ?? 0,
      limits: limits.map(({ policy }) => toLimitInput(policy)),
      note: draft.note,
    });
    return kept.ok ? undefined : refuse(kept.errors);
  }

  private async end(id: string, ending: Ending, now: Date): Promise<void> {
    await this.changes.run(callerOf(), { reason: null }, async (change) => {
      const guard = await this.guards.lockById(change.tx, id);
      if (guard?.state !== PublicationGuardState.WATCHING) return null;
      const { state, figures, message } = ending;
      await audit(change, 'publicationGuard.end', guard, { state, message, ...numbersOf(guard, figures) });
      if (state === PublicationGuardState.UNDECIDED) {
        const data = { ...factsOf(guard), problem: message ?? '', ...numbersOf(guard, figures) };
        await change.notify({ kind: 'guard.undecided', data, dedupeKey: `guard/${id}` });
      }
      return this.guards.update(change.tx, id, { ...ending, endedAt: now, checkedAt: now });
    });
  }
}

/** Whether the last check compared the same minutes, with a result that only more minutes can change. */
function isCompared({ obstacle, figures }: GuardRow, window: GuardWindow | undefined): boolean {
  if (window === undefined || window.isComplete) return false;
  const { to } = (figures ?? {}) as Partial<GuardFigures>;
  const isFinal = obstacle === null || obstacle === 'TOO_FEW_DECISIONS' || obstacle === 'TOO_FEW_PINNED';
  return isFinal && to === window.to.toISOString();
}

interface Ending {
  state: PublicationGuardState;
  figures: Verdict['figures'];
  obstacle: string | null;
  message: string | null;
}

function audit(
  change: Change,
  action: 'publicationGuard.end' | 'publicationGuard.cancel',
  { id, tier, versionNumber }: GuardRow,
  after: NonNullable<AuditFacts['after']>,
): Promise<void> {
  const entityName = `${tier.name} v${versionNumber}`;
  const before = { state: PublicationGuardState.WATCHING };
  return change.audit({ action, entityId: id, entityName, entityKey: tier.key, before, after });
}

const factsOf = ({ tier, versionNumber }: GuardRow) => ({ tier: tier.key, version: versionNumber });

function numbersOf({ maxDenialRise }: GuardRow, figures: GuardFigures | null) {
  if (figures === null) return {};
  const { affected, pinned, excess } = figures;
  return {
    rise: round(excess),
    maxDenialRise,
    deniedBefore: `${round(affected.before)} %`,
    deniedAfter: `${round(affected.after)} %`,
    decisions: affected.decisions,
    tenants: affected.tenants,
    ...(pinned === null ? {} : { pinnedRise: round(pinned.rise) }),
    ...(figures.worst.length === 0
      ? {}
      : { mostAffected: figures.worst.map(({ tenantKey }) => tenantKey).join(', ') }),
  };
}

function reasonOf(
  { maxDenialRise }: Pick<GuardRow, 'maxDenialRise'>,
  { affected, pinned, excess }: GuardFigures,
): string {
  const beyond = pinned === null ? '' : `, ${round(excess)} beyond pinned tenants`;
  return `Guard: denied share rose from ${round(affected.before)} % to ${round(affected.after)} % of ${affected.decisions} decisions (${round(affected.rise)} percentage points${beyond}; maximum ${maxDenialRise})`;
}

/** Checks every guard that watches; each ends in the transaction that locks it, so two workers act once. */
@Injectable()
@ScheduledJob({ name: 'publication-guards', everyMs: 5000 })
export class PublicationGuardsJob implements Job {
  constructor(
    private readonly guards: GuardsRepository,
    private readonly service: GuardsService,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  async run(): Promise<void> {
    for (const id of await this.guards.listWatchingIds()) {
      try {
        await this.service.check(id, this.clock.now());
      } catch (error) {
        // The other guards are checked anyway; this one is checked again.
        this.log.warn({ guard: id, error: String(error) }, 'guard check failed');
      }
    }
  }
}
