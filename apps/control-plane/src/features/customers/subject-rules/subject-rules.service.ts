import { Injectable } from '@nestjs/common';
import { findSubjectRuleProblem, MAX_SUBJECT_RULES, type SubjectEffect } from '@tollgate/contracts';
import { parseSubjectPattern } from '@tollgate/policy';
import type { Caller } from '../../../platform/access/actor.js';
import { type Change, ChangeRunner, findManaged } from '../../../platform/changes/change.js';
import {
  errorsAt,
  invalid,
  notFound,
  type Outcome,
  onlyOf,
  parseInput,
  parseInputs,
  type Refusal,
  refuse,
} from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import type { UserError } from '../../../platform/graphql/mutation.graphql.js';
import { newId } from '../../../platform/ids.js';
import { isPast } from '../entitlements/entitlements.graphql.js';
import { type TenantSituation, TenantViews } from '../tenants/tenant-record.repository.js';
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
type RemovedFacts = (typeof subjectRuleRemoveSchema)['_output'];

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
    const facts = readPattern(parsed.data, this.clock.now());
    if ('code' in facts) return refuse([facts]);
    return this.changes.run<SubjectRuleRow>(caller, { reason: facts.reason }, async (change) =>
      onlyOf(await this.change(change, [facts], (given) => this.make(change, given))),
    );
  }

  /** As `set`, for many. Errors have the index of their input before their field. */
  async setAll(caller: Caller, inputs: readonly SubjectRuleSetInput[]): Promise<Outcome<SubjectRuleRow[]>> {
    const parsed = parseInputs(subjectRuleSetSchema, inputs);
    if (!parsed.ok) return refuse(parsed.errors);
    const now = this.clock.now();
    const facts = parsed.data.map((data) => readPattern(data, now));
    const errors = facts.flatMap((one, index) => ('code' in one ? errorsAt(index, [one]) : []));
    if (errors.length > 0) return refuse(errors);
    return this.changes.run<SubjectRuleRow[]>(caller, { reason: null }, (change) =>
      this.change(change, facts as Facts[], (given) => this.make(change, given)),
    );
  }

  /** Removes a rule immediately. Errors: NOT_FOUND, INVALID if it has ended, MANAGED_BY_CONFIG. */
  async remove(caller: Caller, input: SubjectRuleRemoveInput): Promise<Outcome<SubjectRuleRow>> {
    const parsed = parseInput(subjectRuleRemoveSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { reason } = parsed.data;
    return this.changes.run<SubjectRuleRow>(caller, { reason }, async (change) =>
      onlyOf(await this.change(change, [parsed.data], (given) => this.end(change, given))),
    );
  }

  /** As `remove`, for many. */
  async removeAll(
    caller: Caller,
    inputs: readonly SubjectRuleRemoveInput[],
  ): Promise<Outcome<SubjectRuleRow[]>> {
    const parsed = parseInputs(subjectRuleRemoveSchema, inputs);
    if (!parsed.ok) return refuse(parsed.errors);
    return this.changes.run<SubjectRuleRow[]>(caller, { reason: null }, (change) =>
      this.change(change, parsed.data, (given) => this.end(change, given)),
    );
  }

  /** Runs `work` for locked owners, and publishes them. */
  private async change<I extends { tenantKey?: string | null | undefined }>(
    change: Change,
    inputs: readonly I[],
    work: (given: readonly Given<I>[]) => Promise<SubjectRuleRow[] | Refusal<SubjectRuleRow[]>>,
  ): Promise<SubjectRuleRow[] | Refusal<SubjectRuleRow[]>> {
    const keys = [...new Set(inputs.flatMap(({ tenantKey }) => tenantKey ?? []))];
    const isForAll = inputs.some(({ tenantKey }) => tenantKey == null);
    if (isForAll) await this.rules.lockPlatform(change.tx);
    const locked = await this.tenants.lockByKeys(change.tx, keys);
    const missing = inputs.flatMap(({ tenantKey }, index) =>
      tenantKey == null || locked.has(tenantKey)
        ? []
        : errorsAt(index, [notFound(['tenantKey'], `tenant "${tenantKey}"`)]),
    );
    if (missing.length > 0) return refuse(missing);
    const given = inputs.map((input) => ({ input, tenant: locked.get(input.tenantKey ?? '') ?? null }));
    const done = await work(given);
    if ('ok' in done) return done;
    if (isForAll) change.publish('CATALOGUE', 'subjectRules');
    change.publish('TENANT', keys);
    return done;
  }

  private async make(
    change: Change,
    given: readonly Given<Facts>[],
  ): Promise<SubjectRuleRow[] | Refusal<SubjectRuleRow[]>> {
    const { tx, caller } = change;
    const now = this.clock.now();
    const missing = await this.findMissing(change, given);
    if (missing.length > 0) return refuse(missing);
    const owners = given.map(({ tenant }) => tenant?.id ?? null);
    const live = await this.rules.listLiveOf(tx, [...new Set(owners)], now);
    const byTarget = new Map(live.map((row) => [targetKey(row), row]));
    const drafts = given.map(({ tenant, input: { dimension, pattern, apiKey, limit: limitName } }) => {
      const target: SubjectRuleTarget = {
        tenantId: tenant?.id ?? null,
        dimension,
        pattern,
        apiKey,
        limitName,
      };
      return { target, old: byTarget.get(targetKey(target)) };
    });
    const counts = new Map(
      [...Map.groupBy(live, ({ tenantId }) => tenantId)].map(([id, rows]) => [id, rows.length]),
    );
    const errors = drafts.flatMap(({ target: { tenantId }, old }, index) => {
      const { reason } = (given[index] as Given<Facts>).input;
      const managed = old === undefined ? undefined : findManaged(caller, old, 'subject rule', reason);
      if (managed !== undefined) return errorsAt(index, [managed]);
      const count = (counts.get(tenantId) ?? 0) + (old === undefined ? 1 : 0);
      counts.set(tenantId, count);
      if (count <= MAX_SUBJECT_RULES) return [];
      const most = MAX_SUBJECT_RULES.toLocaleString('en-US');
      const message = `There are ${most} rules, the most allowed. Remove one first.`;
      return errorsAt(index, [invalid(['pattern'], message)]);
    });
    if (errors.length > 0) return refuse(errors);
    const olds = drafts.flatMap(({ old }) => old ?? []);
    await this.rules.remove(tx, olds, now, caller.actor.label);
    const rows = await this.rules.create(
      tx,
      drafts.map(({ target, old }, index) => {
        const { effect, startsAt, expiresAt, reason } = (given[index] as Given<Facts>).input;
        return {
          ...target,
          id: newId('subjectRule'),
          effect,
          reason: reason ?? '',
          startsAt: startsAt ?? now,
          endsAt: expiresAt ?? null,
          managedBy: old?.managedBy ?? 'CONSOLE',
          createdBy: caller.actor.label,
          createdAt: now,
        };
      }),
    );
    for (const [index, { tenant, input }] of given.entries()) {
      const own = change.within(caller, input.reason);
      await this.audit(own, tenant, drafts[index]?.old ?? null, rows[index] as SubjectRuleRow);
    }
    return rows;
  }

  private async end(
    change: Change,
    given: readonly Given<RemovedFacts>[],
  ): Promise<SubjectRuleRow[] | Refusal<SubjectRuleRow[]>> {
    const { tx, caller } = change;
    const now = this.clock.now();
    const found = await this.rules.listByIds(
      given.map(({ input }) => input.id),
      tx,
    );
    const byId = new Map(found.map((row) => [row.id, row]));
    const rules: SubjectRuleRow[] = [];
    const errors = given.flatMap(({ tenant, input: { id, reason } }, index) => {
      const rule = byId.get(id);
      if (rule === undefined || rule.tenantId !== (tenant?.id ?? null))
        return errorsAt(index, [notFound(['id'], 'such subject rule')]);
      if (!isLiveRule(rule, now)) return errorsAt(index, [invalid(['id'], 'The rule has already ended.')]);
      rules.push(rule);
      const managed = findManaged(caller, rule, 'subject rule', reason);
      return managed === undefined ? [] : errorsAt(index, [managed]);
    });
    if (errors.length > 0) return refuse(errors);
    for (const [index, { tenant, input }] of given.entries())
      await this.audit(change.within(caller, input.reason), tenant, rules[index] as SubjectRuleRow, null);
    return this.rules.remove(tx, rules, now, caller.actor.label);
  }

  /** A changed limit must count by the dimension, so that all requests of a counter have the same limit. */
  private async findMissing({ tx }: Change, given: readonly Given<Facts>[]): Promise<UserError[]> {
    const apiKeys = new Set(given.flatMap(({ input }) => input.apiKey ?? []));
    const known = apiKeys.size === 0 ? apiKeys : await this.rules.listApiKeys(tx, [...apiKeys]);
    const limited = given.flatMap(({ tenant, input }) =>
      tenant === null || input.limit === null ? [] : [tenant.id],
    );
    const situations = limited.length === 0 ? new Map() : await this.views.list([...new Set(limited)], tx);
    return given.flatMap(({ tenant, input }, index) => {
      if (input.apiKey !== null && !known.has(input.apiKey))
        return errorsAt(index, [notFound(['apiKey'], `API "${input.apiKey}"`)]);
      const problem = tenant === null ? undefined : findLimitProblem(situations.get(tenant.id), input);
      return problem === undefined ? [] : errorsAt(index, [problem]);
    });
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

/** An input with its locked tenant; null: all tenants. */
interface Given<I> {
  tenant: TenantRow | null;
  input: I;
}

const targetKey = ({ tenantId, dimension, pattern, apiKey, limitName }: SubjectRuleTarget) =>
  JSON.stringify([tenantId, dimension, pattern, apiKey, limitName]);

/** The input with its pattern in canonical form, or the first problem that needs no database. */
function readPattern(facts: Facts, now: Date): Facts | UserError {
  const pattern = parseSubjectPattern(facts.dimension, facts.pattern);
  if (typeof pattern === 'string') return invalid(['pattern'], `${pattern}.`);
  return findProblem(facts, now) ?? { ...facts, pattern: pattern.text };
}

function findLimitProblem(
  situation: TenantSituation | undefined,
  { dimension, apiKey, limit, effect }: Facts,
): UserError | undefined {
  if (limit === null) return undefined;
  const limits = situation?.view.limits ?? [];
  const policy = limits.find((one) => one.policy.api === apiKey && one.policy.name === limit)?.policy;
  if (policy === undefined) return notFound(['limit'], `limit "${limit}" on API "${apiKey}" for this tenant`);
  if (!isChange(effect)) return undefined;
  if (policy.per[0] === 'global')
    return invalid(['limit'], `Limit ${limit} is shared by all tenants and cannot be changed for subjects.`);
  if (policy.per.includes(dimension)) return undefined;
  const message = `Limit ${limit} does not count by ${dimension}. Choose a limit that does, or another dimension.`;
  return invalid(['limit'], message);
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
