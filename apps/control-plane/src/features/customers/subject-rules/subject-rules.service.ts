import { Injectable } from '@nestjs/common';
import { findSubjectRuleProblem, MAX_SUBJECT_RULES, type SubjectEffect } from '@tollgate/contracts';
import { parseSubjectPattern } from '@tollgate/decision-plane/internals';
import type { Caller } from '../../../platform/access/actor.js';
import { type Change, ChangeRunner, findManaged } from '../../../platform/changes/change.js';
import {
  invalid,
  notFound,
  type Outcome,
  parseInput,
  type Refusal,
  refuse,
} from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import type { UserError } from '../../../platform/graphql/mutation.graphql.js';
import { newId } from '../../../platform/ids.js';
import { isPast } from '../entitlements/entitlements.graphql.js';
import { TenantViews } from '../tenants/tenant-record.repository.js';
import { type TenantRow, TenantsRepository } from '../tenants/tenants.repository.js';
import { isLiveRule } from './subject-rule.rules.js';
import {
  type SubjectRuleRemoveInput,
  type SubjectRuleSetInput,
  subjectRuleRemoveSchema,
  subjectRuleSetSchema,
} from './subject-rules.graphql.js';
import {
  type SubjectRuleRow,
  SubjectRulesRepository,
  type SubjectRuleTarget,
} from './subject-rules.repository.js';

type Facts = (typeof subjectRuleSetSchema)['_output'];
type Result = SubjectRuleRow | Refusal<SubjectRuleRow>;

/** Rules for subjects of one tenant, or of all tenants. */
@Injectable()
export class SubjectRulesService {
  constructor(
    private readonly rules: SubjectRulesRepository,
    private readonly tenants: TenantsRepository,
    private readonly views: TenantViews,
    private readonly changes: ChangeRunner,
    private readonly clock: Clock,
  ) {}

  /** Sets a rule; replaces one with the same target. Errors: INVALID, NOT_FOUND, MANAGED_BY_CONFIG. */
  async set(caller: Caller, input: SubjectRuleSetInput): Promise<Outcome<SubjectRuleRow>> {
    const parsed = parseInput(subjectRuleSetSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const facts = parsed.data;
    const pattern = parseSubjectPattern(facts.dimension, facts.pattern);
    if (typeof pattern === 'string') return refuse([invalid(['pattern'], `${pattern}.`)]);
    const problem = findProblem(facts, this.clock.now());
    if (problem !== undefined) return refuse([problem]);
    return this.change(caller, facts, (change, tenant) => this.make(change, tenant, facts, pattern.text));
  }

  /** Removes a rule immediately. Errors: NOT_FOUND, INVALID if it has ended, MANAGED_BY_CONFIG. */
  async remove(caller: Caller, input: SubjectRuleRemoveInput): Promise<Outcome<SubjectRuleRow>> {
    const parsed = parseInput(subjectRuleRemoveSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { id, reason } = parsed.data;
    return this.change(caller, parsed.data, async (change, tenant) => {
      const now = this.clock.now();
      const rule = await this.rules.findById(id, change.tx);
      if (rule === null || rule.tenantId !== (tenant?.id ?? null))
        return refuse([notFound(['id'], 'such subject rule')]);
      if (!isLiveRule(rule, now)) return refuse([invalid(['id'], 'The rule has already ended.')]);
      const managed = findManaged(caller, rule, 'subject rule', reason);
      if (managed !== undefined) return refuse([managed]);
      await this.audit(change, tenant, rule, null);
      return this.rules.remove(change.tx, rule.id, now, caller.actor.label);
    });
  }

  private change(
    caller: Caller,
    { tenantKey, reason }: { tenantKey?: string | null | undefined; reason: string | null },
    work: (change: Change, tenant: TenantRow | null) => Promise<Result>,
  ): Promise<Outcome<SubjectRuleRow>> {
    return this.changes.run<SubjectRuleRow>(caller, { reason }, async (change) => {
      if (tenantKey == null) {
        await this.rules.lockPlatform(change.tx);
        const done = await work(change, null);
        if (!('ok' in done)) await change.publish('CATALOGUE', 'subjectRules');
        return done;
      }
      const tenant = await this.tenants.lockByKey(change.tx, tenantKey);
      if (tenant === null) return refuse([notFound(['tenantKey'], `tenant "${tenantKey}"`)]);
      const done = await work(change, tenant);
      if (!('ok' in done)) await change.publish('TENANT', tenantKey);
      return done;
    });
  }

  private async make(
    change: Change,
    tenant: TenantRow | null,
    facts: Facts,
    pattern: string,
  ): Promise<Result> {
    const { dimension, apiKey, limit: limitName, effect, startsAt, expiresAt, reason } = facts;
    const { tx, caller } = change;
    const now = this.clock.now();
    const missing = await this.findMissing(change, tenant, facts);
    if (missing !== undefined) return refuse([missing]);
    const target: SubjectRuleTarget = {
      tenantId: tenant?.id ?? null,
      dimension,
      pattern,
      apiKey,
      limitName,
    };
    const old = await this.rules.findLive(tx, target, now);
    const managed = old === null ? undefined : findManaged(caller, old, 'subject rule', reason);
    if (managed !== undefined) return refuse([managed]);
    if (old !== null) await this.rules.remove(tx, old.id, now, caller.actor.label);
    const filter = { tenantId: target.tenantId, liveAt: now, search: undefined };
    if ((await this.rules.count(filter, tx)) >= MAX_SUBJECT_RULES) {
      const count = MAX_SUBJECT_RULES.toLocaleString('en-US');
      return refuse([invalid(['pattern'], `There are ${count} rules, the most allowed. Remove one first.`)]);
    }
    const row = await this.rules.create(tx, {
      ...target,
      id: newId('subjectRule'),
      effect,
      reason: reason ?? '',
      startsAt: startsAt ?? now,
      endsAt: expiresAt ?? null,
      managedBy: old?.managedBy ?? 'CONSOLE',
      createdBy: caller.actor.label,
      createdAt: now,
    });
    await this.audit(change, tenant, old, row);
    return row;
  }

  /** A changed limit must count by the dimension, so that all requests of a counter have the same limit. */
  private async findMissing(
    change: Change,
    tenant: TenantRow | null,
    { dimension, apiKey, limit, effect }: Facts,
  ): Promise<UserError | undefined> {
    if (apiKey !== null && !(await this.rules.hasApi(change.tx, apiKey)))
      return notFound(['apiKey'], `API "${apiKey}"`);
    if (limit === null || tenant === null) return undefined;
    const { view } = await this.views.get(tenant.id, change.tx);
    const policy = view.limits.find((one) => one.policy.api === apiKey && one.policy.name === limit)?.policy;
    if (policy === undefined)
      return notFound(['limit'], `limit "${limit}" on API "${apiKey}" for this tenant`);
    if (!isChange(effect)) return undefined;
    if (policy.per[0] === 'global')
      return invalid(
        ['limit'],
        `Limit ${limit} is shared by all tenants and cannot be changed for subjects.`,
      );
    if (policy.per.includes(dimension)) return undefined;
    const message = `Limit ${limit} does not count by ${dimension}. Choose a limit that does, or another dimension.`;
    return invalid(['limit'], message);
  }

  private async audit(
    change: Change,
    tenant: TenantRow | null,
    before: SubjectRuleRow | null,
    after: SubjectRuleRow | null,
  ): Promise<void> {
    const { id, dimension, pattern } = (after ?? before) as SubjectRuleRow;
    await change.audit({
      action: after === null ? 'subjectRule.remove' : 'subjectRule.set',
      entityId: id,
      entityName: `${dimension} ${pattern}`,
      ...(tenant === null ? {} : { tenantKey: tenant.key }),
      before: before === null ? null : factsOf(before),
      after: after === null ? null : factsOf(after),
    });
  }
}

const isChange = ({ kind }: SubjectEffect) => kind === 'set' || kind === 'multiply';

/** Problems that need no database. */
function findProblem(
  { tenantKey, apiKey, limit, effect, startsAt, expiresAt }: Facts,
  now: Date,
): UserError | undefined {
  const problem = findSubjectRuleProblem({ api: apiKey, limit, effect });
  if (problem !== undefined)
    return invalid([problem.field === 'api' ? 'apiKey' : 'limit'], `${problem.message}.`);
  if (tenantKey == null && (limit !== null || isChange(effect)))
    return invalid(['tenantKey'], 'Rules for all tenants can only exempt or deny. Choose a tenant.');
  if (startsAt != null && isPast(startsAt, now))
    return invalid(['startsAt'], 'A rule cannot start in the past. Omit startsAt to start now.');
  if (expiresAt != null && expiresAt <= now)
    return invalid(['expiresAt'], 'A rule cannot end in the past. Choose a later expiry.');
  if (expiresAt != null && startsAt != null && expiresAt <= startsAt)
    return invalid(['expiresAt'], 'The rule ends before it starts. Choose a later expiry.');
  return undefined;
}

function factsOf(row: SubjectRuleRow) {
  const { dimension, pattern, apiKey, limitName, effect, reason, startsAt, endsAt } = row;
  return {
    dimension,
    pattern,
    apiKey,
    limitName,
    effect: effect as object,
    reason,
    startsAt: startsAt.toISOString(),
    endsAt: endsAt?.toISOString() ?? null,
  };
}
