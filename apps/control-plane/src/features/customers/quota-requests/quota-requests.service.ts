import { Injectable } from '@nestjs/common';
import type * as z from 'zod';
import type { Caller } from '../../../platform/access/actor.js';
import type { Change } from '../../../platform/changes/change.js';
import type { NoticeKind } from '../../../platform/changes/notice-kinds.js';
import {
  conflict,
  invalid,
  notFound,
  type Outcome,
  parseInput,
  type Refusal,
  refuse,
  userError,
} from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import { type UserError, UserErrorCode } from '../../../platform/graphql/mutation.graphql.js';
import { newId } from '../../../platform/ids.js';
import { CarryOver, OverrideKind, QuotaRequestStatus } from '../../../platform/prisma/schema.js';
import { type Adjusted, AdjustmentService } from '../entitlements/adjustment.service.js';
import { EntitlementsService } from '../entitlements/entitlements.service.js';
import { overrideTimes } from '../overrides/overrides.graphql.js';
import { OverridesService } from '../overrides/overrides.service.js';
import { TenantViews } from '../tenants/tenant-record.repository.js';
import { type TenantRow, TenantsRepository } from '../tenants/tenants.repository.js';
import {
  ALLOWED_IN,
  type QuotaRequestApproveInput,
  type QuotaRequestCounterInput,
  type QuotaRequestCreateInput,
  type QuotaRequestDeclineInput,
  QuotaRequestGrant,
  type QuotaRequestOwnInput,
  type QuotaRequestStep,
  quotaRequestApproveSchema,
  quotaRequestCounterSchema,
  quotaRequestCreateSchema,
  quotaRequestDeclineSchema,
  quotaRequestOwnSchema,
} from './quota-requests.graphql.js';
import { type QuotaRequestRow, QuotaRequestsRepository } from './quota-requests.repository.js';

type Result = Adjusted<QuotaRequestRow>;

/** A quota request, and the locked tenant that it belongs to. */
interface Subject {
  tenant: TenantRow;
  row: QuotaRequestRow;
}

interface GrantOptions {
  as: QuotaRequestGrant;
  limit: number;
  /** Undefined: after the default duration of overrides; null: when it is removed. */
  expiresAt: Date | null | undefined;
  reason: string | null;
}

/** The override or entitlement that raised a limit. */
interface Granted {
  tenant: TenantRow;
  id: string;
  until: Date | null;
  warnings: string[];
}

/** Raises a limit for an approved request. */
@Injectable()
export class QuotaRequestGranter {
  constructor(
    private readonly overrides: OverridesService,
    private readonly entitlements: EntitlementsService,
    private readonly tenants: TenantsRepository,
    private readonly views: TenantViews,
    private readonly clock: Clock,
  ) {}

  /** Errors: INVALID. */
  async grant(
    change: Change,
    { tenant, row }: Subject,
    options: GrantOptions,
  ): Promise<Granted | Refusal<Result>> {
    const refused = (errors: UserError[]) => refuse<Result>(errors, { tenant, row, warnings: [] });
    const times = overrideTimes(options, this.clock.now());
    if ('code' in times) return refused([times]);
    const { as, limit, reason } = options;
    const { apiKey, limitName, why } = row;
    const until = times.endsAt;
    if (as === QuotaRequestGrant.OVERRIDE) {
      const made = await this.overrides.make(change, tenant, {
        kind: OverrideKind.OVERRIDE,
        apiKey,
        limit: limitName,
        appliesTo: undefined,
        effect: { kind: 'set', limit },
        carryOver: CarryOver.KEEP,
        reason: reason ?? `Requested: ${why}`,
        ...times,
      });
      if ('ok' in made) return refused(made.errors);
      return { tenant: made.tenant, id: made.row?.id ?? '', until, warnings: made.warnings };
    }
    const { view } = await this.views.get(tenant.id, change.tx);
    const current = view.limits.find(({ policy }) => policy.api === apiKey && policy.name === limitName);
    if (current === undefined || current.policy.limit >= limit) {
      const message = 'The limit does not exist or is already that high. Decline the request.';
      return refused([invalid(['as'], message)]);
    }
    if (current.source === 'own') {
      const message = "The customer's own limit stays in effect. Ask the customer to remove it first.";
      return refused([invalid(['as'], message)]);
    }
    // Overrides and boosts apply after entitlements and would change the result.
    if (current.source === 'override' || current.source === 'boost') {
      const message = 'An override or boost applies to this limit. Approve the request as an override.';
      return refused([invalid(['as'], message)]);
    }
    const units = limit - current.policy.limit;
    const [granted] = await this.entitlements.grant(change, tenant, {
      source: 'topup',
      cause: 'GRANT',
      purchaseId: null,
      label: `Quota request: ${units} more`,
      effects: [{ api: apiKey, limit: limitName, effect: { kind: 'add', units } }],
      reason,
      ...times,
    });
    const changed = (await this.tenants.lockByKey(change.tx, tenant.key)) ?? tenant;
    return { tenant: changed, id: granted?.id ?? '', until, warnings: [] };
  }
}

/** Requests of tenants for higher limits, and the decisions on them. */
@Injectable()
export class QuotaRequestsService {
  constructor(
    private readonly requests: QuotaRequestsRepository,
    private readonly adjustments: AdjustmentService,
    private readonly granter: QuotaRequestGranter,
    private readonly tenants: TenantsRepository,
    private readonly views: TenantViews,
    private readonly clock: Clock,
  ) {}

  /** Requests a higher limit. Errors: NOT_FOUND, INVALID if it is not above the current one, TAKEN. */
  async create(caller: Caller, input: QuotaRequestCreateInput): Promise<Outcome<Result>> {
    const parsed = parseInput(quotaRequestCreateSchema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { tenantKey, apiKey, limit: limitName, wanted, why, reason } = parsed.data;
    const options = { tenantKey, expectedVersion: null, reason };
    return this.adjustments.change<QuotaRequestRow>(caller, options, async (change, tenant) => {
      const current = await this.findLimit(change, tenant, apiKey, limitName);
      const refused = (error: UserError) => refuse<Result>([error], { tenant, row: null, warnings: [] });
      if (current === undefined) {
        return refused(notFound(['limit'], `limit "${limitName}" on API "${apiKey}" for this tenant`));
      }
      if (wanted <= current) {
        return refused(invalid(['wanted'], `The limit is already ${current}. Request a higher one.`));
      }
      if ((await this.requests.findUndecided(change.tx, tenant.id, apiKey, limitName)) !== null) {
        const message =
          'A request for this limit awaits a decision. Withdraw it before you create another one.';
        return refused(userError(UserErrorCode.TAKEN, ['limit'], message));
      }
      const now = this.clock.now();
      const row = await this.requests.create(change.tx, {
        id: newId('quotaRequest'),
        tenantId: tenant.id,
        apiKey,
        limitName,
        current,
        wanted,
        why,
        requestedBy: caller.actor.label,
        createdAt: now,
        updatedAt: now,
      });
      await this.record(change, tenant, row, 'create', 'quota_request.created');
      return { tenant, row, warnings: [] };
    });
  }

  /** Raises the limit to the requested one. Errors: NOT_FOUND, CONFLICT, INVALID. */
  approve(caller: Caller, input: QuotaRequestApproveInput): Promise<Outcome<Result>> {
    return this.step(caller, 'approve', quotaRequestApproveSchema, input, async (change, subject, parsed) => {
      const { as, expiresAt, answer, reason } = parsed;
      const { wanted } = subject.row;
      const options = { as, limit: Number(wanted), expiresAt, reason: reason ?? answer };
      const granted = await this.granter.grant(change, subject, options);
      if ('ok' in granted) return granted;
      const { id: grantedId, until } = granted;
      const data = { status: QuotaRequestStatus.APPROVED, offered: wanted, until, grantedId, answer };
      return this.update(change, subject, 'approve', 'quota_request.approved', data, granted);
    });
  }

  /** Offers another limit. Errors: NOT_FOUND, CONFLICT, INVALID. */
  async counter(caller: Caller, input: QuotaRequestCounterInput): Promise<Outcome<Result>> {
    return this.step(caller, 'counter', quotaRequestCounterSchema, input, async (change, subject, parsed) => {
      const { offered, until = null, answer } = parsed;
      const { tenant, row } = subject;
      const refused = (error: UserError) => refuse<Result>([error], { tenant, row, warnings: [] });
      if (until !== null && until <= this.clock.now()) {
        return refused(invalid(['until'], 'The end is in the past. Choose a later end.'));
      }
      const current = await this.findLimit(change, tenant, row.apiKey, row.limitName);
      if (current !== undefined && offered <= current) {
        return refused(
          invalid(['offered'], `The limit is already ${current}. Offer a higher one, or decline.`),
        );
      }
      const data = { status: QuotaRequestStatus.COUNTERED, offered, until, answer };
      return this.update(change, subject, 'counter', 'quota_request.countered', data);
    });
  }

  /** Errors: NOT_FOUND, CONFLICT, INVALID. */
  decline(caller: Caller, input: QuotaRequestDeclineInput): Promise<Outcome<Result>> {
    return this.step(caller, 'decline', quotaRequestDeclineSchema, input, (change, subject, { answer }) => {
      const data = { status: QuotaRequestStatus.DECLINED, answer };
      return this.update(change, subject, 'decline', 'quota_request.declined', data);
    });
  }

  /** The tenant accepts a counter-offer: the limit is raised to it. Errors: NOT_FOUND, CONFLICT, INVALID. */
  accept(caller: Caller, input: QuotaRequestOwnInput): Promise<Outcome<Result>> {
    return this.step(caller, 'accept', quotaRequestOwnSchema, input, async (change, subject) => {
      const { offered, until: expiresAt, answer: reason } = subject.row;
      const options = { as: QuotaRequestGrant.OVERRIDE, limit: Number(offered), expiresAt, reason };
      const granted = await this.granter.grant(change, subject, options);
      if ('ok' in granted) return granted;
      const data = { status: QuotaRequestStatus.APPROVED, grantedId: granted.id };
      return this.update(change, subject, 'accept', 'quota_request.accepted', data, granted);
    });
  }

  /** The tenant withdraws its request. Errors: NOT_FOUND, CONFLICT, INVALID. */
  withdraw(caller: Caller, input: QuotaRequestOwnInput): Promise<Outcome<Result>> {
    return this.step(caller, 'withdraw', quotaRequestOwnSchema, input, (change, subject) => {
      const data = { status: QuotaRequestStatus.WITHDRAWN };
      return this.update(change, subject, 'withdraw', 'quota_request.withdrawn', data);
    });
  }

  /** Parses the input and runs `work` on the request if its version and status allow the step. */
  private async step<I extends { requestId: string; expectedVersion: number; reason: string | null }>(
    caller: Caller,
    step: QuotaRequestStep,
    schema: z.ZodType<I & { tenantKey?: string }>,
    input: object,
    work: (change: Change, subject: Subject, parsed: I) => Promise<Result | Refusal<Result>>,
  ): Promise<Outcome<Result>> {
    const parsed = parseInput(schema, input);
    if (!parsed.ok) return refuse(parsed.errors);
    const { requestId, expectedVersion, reason, tenantKey } = parsed.data;
    const missing = notFound(['requestId'], 'such request');
    const found = await this.requests.findById(requestId);
    const owner = found === null ? null : await this.tenants.findById(found.tenantId);
    if (owner === null || (tenantKey !== undefined && owner.key !== tenantKey)) return refuse([missing]);
    const options = { tenantKey: owner.key, expectedVersion: null, reason };
    return this.adjustments.change<QuotaRequestRow>(caller, options, async (change, tenant) => {
      // The tenant is locked, so decisions on the same request do not overlap.
      const row = await this.requests.findById(requestId, change.tx);
      if (row === null) return refuse([missing]);
      const current = { tenant, row, warnings: [] };
      if (row.version !== expectedVersion) return refuse([conflict('request')], current);
      const allowed: readonly QuotaRequestStatus[] = ALLOWED_IN[step];
      if (!allowed.includes(row.status)) {
        const message = `Not possible: the request is ${row.status.toLowerCase()}.`;
        return refuse([invalid(['requestId'], message)], current);
      }
      return work(change, { tenant, row }, parsed.data);
    });
  }

  private async update(
    change: Change,
    subject: Subject,
    step: QuotaRequestStep,
    notice: NoticeKind,
    data: Parameters<QuotaRequestsRepository['update']>[2],
    granted?: Granted,
  ): Promise<Result> {
    const { tenant, warnings } = granted ?? { tenant: subject.tenant, warnings: [] };
    const facts = { ...data, decidedBy: change.caller.actor.label, updatedAt: this.clock.now() };
    const row = await this.requests.update(change.tx, subject.row.id, facts);
    await this.record(change, tenant, row, step, notice, subject.row);
    return { tenant, row, warnings };
  }

  private async record(
    change: Change,
    tenant: TenantRow,
    row: QuotaRequestRow,
    step: QuotaRequestStep | 'create',
    kind: NoticeKind,
    before?: QuotaRequestRow,
  ): Promise<void> {
    await change.audit({
      action: `quotaRequest.${step}`,
      entityId: row.id,
      entityName: row.limitName,
      tenantKey: tenant.key,
      before: before === undefined ? null : factsOf(before),
      after: factsOf(row),
    });
    const { status: _, ...facts } = factsOf(row);
    await change.notify({ kind, tenant, data: { tenant: tenant.key, requestId: row.id, ...facts } });
  }

  /** Effective limit of the tenant; undefined if it has none of this name. */
  private async findLimit(
    change: Change,
    tenant: TenantRow,
    apiKey: string,
    limitName: string,
  ): Promise<number | undefined> {
    const { view } = await this.views.get(tenant.id, change.tx);
    const found = view.limits.find(({ policy: { api, name } }) => api === apiKey && name === limitName);
    return found?.policy.limit;
  }
}

function factsOf({ status, apiKey, limitName, wanted, offered, until, answer, grantedId }: QuotaRequestRow) {
  return {
    status,
    api: apiKey,
    limit: limitName,
    wanted: Number(wanted),
    offered: offered === null ? null : Number(offered),
    until: until?.toISOString() ?? null,
    answer,
    grantedId,
  };
}
