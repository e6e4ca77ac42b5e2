import { Injectable } from '@nestjs/common';
import { Args, Context, Query, Resolver } from '@nestjs/graphql';
import { coversApi, type LimitPolicy } from '@tollgate/contracts';
import { EXPLAIN_LINK_MS, openExplainLink, type RequestOrigin } from '@tollgate/contracts/explain-link';
import { AppConfig } from '../../../config/app-config.js';
import { mayIn } from '../../../platform/access/ability.js';
import { type Actor, visibleTenants } from '../../../platform/access/actor.js';
import { Anonymous, RequireTenantPermission } from '../../../platform/access/require-permission.decorator.js';
import { Clock } from '../../../platform/clock.js';
import type { GraphqlContext } from '../../../platform/graphql/context.js';
import { runInScope } from '../../../platform/tenant-scope.js';
import {
  isLiveRule,
  SubjectRulesRepository,
  showSubjectEffect,
  TenantsRepository,
} from '../../customers/index.js';
import { type Decision, DecisionsService, UsageRepository } from '../../usage/index.js';
import { LimitLadderService } from '../revisions/limit-ladder.service.js';
import { CounterReplays } from './counter-replays.js';
import {
  type CounterMinute,
  CounterReplayProblem,
  type DecidingRule,
  DecisionExplanation,
  DecisionExplanationArgs,
  DeniedRequest,
  type DeniedRequestOrigin,
  type PastLimit,
} from './explanations.graphql.js';
import {
  type CheckedLimit,
  counterPoints,
  decidingLabel,
  isShared,
  passingRequest,
  statesOf,
} from './explanations.rules.js';

const MINUTE_MS = 60_000;

const MAX_POINTS = 300;

/** Explains past decisions by the policy of their revision. */
@Injectable()
export class ExplanationsService {
  constructor(
    private readonly decisions: DecisionsService,
    private readonly ladders: LimitLadderService,
    private readonly tenants: TenantsRepository,
    private readonly usage: UsageRepository,
    private readonly subjectRules: SubjectRulesRepository,
    private readonly replays: CounterReplays,
    private readonly config: AppConfig,
    private readonly clock: Clock,
  ) {}

  /**
   * The denied request of a link. Without permission for its tenant only what the response contained; null if the link is
   * invalid or expired.
   * @param actor undefined: not signed in
   */
  async findDenied(link: string, actor: Actor | undefined): Promise<DeniedRequest | null> {
    const opened = openExplainLink(link, this.config.peppers, this.clock.now().getTime());
    if (opened === undefined) return null;
    const { denied, origin } = opened;
    const { requestId, reason, retryAfter, limit, at } = denied;
    const isReader = actor !== undefined && mayIn(actor.ability, 'usage:read', origin.tenant);
    return {
      ...{ requestId, reason, retryAfter, at: new Date(at), limitName: limit },
      expiresAt: new Date(at + EXPLAIN_LINK_MS),
      origin: isReader
        ? await runInScope(visibleTenants(actor), () => this.readOrigin(origin, new Date(at)))
        : null,
    };
  }

  private async readOrigin(origin: RequestOrigin, at: Date): Promise<DeniedRequestOrigin> {
    const { tenant: tenantKey, api: apiKey, operation, limit: limitName, revision, rule } = origin;
    const past =
      limitName === null
        ? null
        : await this.ladders.find({ tenantKey, apiKey, limitName, revision, at, subjectRuleId: rule });
    return { tenantKey, apiKey, operation, limitName, past: past && pastOf(past) };
  }

  /** Null if the request was not sampled or is no longer stored. */
  async find({ tenantKey, requestId }: DecisionExplanationArgs): Promise<DecisionExplanation | null> {
    const decision = await this.decisions.findByRequest(requestId, tenantKey);
    if (decision === null) return null;
    const parentKey = await this.findParent(decision);
    const policyOf = await this.readPolicies(decision, parentKey);
    const rule = await this.readRule(decision);
    const { apiKey, limitName, revision, at } = decision;
    const label = decidingLabel(decision);
    const sharedBy = isShared({ label }) ? parentKey : null;
    const found = {
      ...{ decision, rule, sharedBy },
      limits: statesOf(decision, policyOf),
      passing: passingRequest(decision),
    };
    if (limitName === null) return { ...found, past: null, today: null, minute: null };
    const limit = { tenantKey: sharedBy ?? tenantKey, apiKey, limitName };
    const past = await this.ladders.find({ ...limit, revision, at, subjectRuleId: rule?.id ?? null });
    const liveRule = rule?.live === true ? rule.id : null;
    return {
      ...found,
      past: past && pastOf(past),
      today: await this.ladders.findLimit({ ...limit, subjectRuleId: liveRule }),
      minute: await this.readMinute(decision, limitName, limit.tenantKey, policyOf({ limitName, label })),
    };
  }

  /** Key of the parent that shares a limit of the decision; null: none does. */
  private async findParent({ tenantKey, policies }: Decision): Promise<string | null> {
    if (!policies.some(isShared)) return null;
    return (await this.tenants.findByKey(tenantKey))?.parentKey ?? null;
  }

  /** The limits that decided or denied, as they were in effect for the caller; others cost a query and show nothing. */
  private async readPolicies(
    { tenantKey, apiKey, limitName, policies, revision, at, ruleId }: Decision,
    parentKey: string | null,
  ): Promise<(check: CheckedLimit) => LimitPolicy | undefined> {
    const found = new Map<string, LimitPolicy | undefined>();
    const ownerOf = (check: CheckedLimit) => (isShared(check) ? (parentKey ?? tenantKey) : tenantKey);
    const nameOf = (check: CheckedLimit) => `${ownerOf(check)}/${check.limitName}`;
    for (const check of policies.filter((one) => !one.success || one.limitName === limitName)) {
      if (found.has(nameOf(check))) continue;
      const limit = { tenantKey: ownerOf(check), apiKey, limitName: check.limitName };
      const past = await this.ladders.findLimit({ ...limit, revision, at, subjectRuleId: ruleId });
      found.set(nameOf(check), past?.limit.policy);
    }
    return (check) => found.get(nameOf(check));
  }

  private async readRule({ ruleId }: Decision): Promise<DecidingRule | null> {
    const row = ruleId === null ? null : await this.subjectRules.findById(ruleId);
    if (row === null) return null;
    const { id, dimension, pattern, tenantId, effect } = row;
    const { kind } = showSubjectEffect(effect);
    const live = isLiveRule(row, this.clock.now());
    return { id, dimension, pattern, kind, forAllTenants: tenantId === null, live };
  }

  /** @param ownerKey tenant of the counter @param policy the limit that decided, as it was in effect for the caller */
  private async readMinute(
    decision: Decision,
    limitName: string,
    ownerKey: string,
    policy: LimitPolicy | undefined,
  ): Promise<CounterMinute> {
    const { tenantKey, apiKey, subject, at } = decision;
    const from = new Date(at.getTime() - MINUTE_MS);
    const samples = await this.decisions.listBefore(decision, MINUTE_MS);
    // Without its policy, a counter of all dimensions of the request: never the points of another counter.
    const limit = policy ?? { api: apiKey, per: subject.map(({ dimension }) => dimension) };
    const points = counterPoints(decision, limit, samples).slice(-MAX_POINTS);
    const tenant = await this.tenants.findByKey(tenantKey);
    const minutes = { from: new Date(Math.floor(from.getTime() / MINUTE_MS) * MINUTE_MS), to: at };
    const rows =
      tenant === null ? [] : await this.usage.list(tenant.id, 'MINUTE', minutes, { limitName }, ['API']);
    const own = rows.filter((row) => coversApi(limit, row.apiKey ?? ''));
    const counted = own.reduce((sum, { count }) => sum + Number(count), 0);
    const owner = ownerKey === tenantKey ? tenant : await this.tenants.findByKey(ownerKey);
    const replayed =
      owner === null || policy === undefined
        ? { replay: null, replayProblem: CounterReplayProblem.NOT_COVERED }
        : await this.replays.find(owner, decision, policy);
    return { from, to: at, points, counted, ...replayed };
  }
}

function pastOf({
  limit,
  tierName,
  tierVersion,
  introduced,
}: NonNullable<Awaited<ReturnType<LimitLadderService['find']>>>): PastLimit {
  return { limit, tierName, tierVersion, since: introduced?.at ?? null };
}

/** Query cost of reading the policy of a revision and replaying the counter. */
const EXPLANATION = 300;

@Resolver()
export class ExplanationsResolver {
  constructor(private readonly explanations: ExplanationsService) {}

  @RequireTenantPermission('usage:read', 'tenantKey')
  @Query(() => DecisionExplanation, {
    name: 'decisionExplanation',
    nullable: true,
    complexity: EXPLANATION,
    description:
      'Why a request was allowed or denied, by the policy of that time; null if the request was not sampled or is no longer stored.',
  })
  find(@Args() args: DecisionExplanationArgs): Promise<DecisionExplanation | null> {
    return this.explanations.find(args);
  }

  /** Anonymous: the link is signed, and without a session shows what its response contained. */
  @Anonymous()
  @Query(() => DeniedRequest, {
    name: 'deniedRequest',
    nullable: true,
    complexity: EXPLANATION,
    description: 'The denied request of a link; null if the link is invalid or has expired.',
  })
  async findDenied(
    @Args('link', { description: 'The part of the link after the `#`, with its percent-encoding decoded.' })
    link: string,
    @Context() { actor }: GraphqlContext,
  ): Promise<DeniedRequest | null> {
    return this.explanations.findDenied(link, await actor);
  }
}
