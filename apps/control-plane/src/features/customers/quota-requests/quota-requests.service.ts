import { Injectable } from '@nestjs/common';
import { type Caller } from '../../../platform/access/actor.js';
import { type Change } from '../../../platform/changes/change.js';
import { type NoticeKind } from '../../../platform/changes/notice-kinds.js';
import {
  conflict,
  notFound,
  type Outcome,
  parseInput,
  type Refusal,
  refuse,
  userError,
} from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import { type UserError, UserErrorCode } from '../../../platform/graphql/user-error.graphql.js';
import { newId } from '../../../platform/ids.js';
import { CarryOver, OverrideKind, QuotaRequestStatus } from '../../../platform/prisma/schema.js';
import { type Adjusted, AdjustmentService } from '../entitlements/adjustment.service.js';
import { EntitlementsService } from '../entitlements/entitlements.service.js';
import { overrideTimes } from '../overrides/overrides.graphql.js';
import { OverridesService } from '../overrides/overrides.service.js';
import { TenantViews } from '../tenants/tenant-record.repository.js';
import { type TenantRow, TenantsRepository } from '../tenants/tenants.repository.js';
import {
  POSSIBLE,
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

/** What a request came to. */
export interface Granted {
  tenant: TenantRow;
  id: string;
  until: Date | null;
  warnings: string[];
}

interface GrantOptions {
  as: QuotaRequestGrant;
  number: number;
  /** Undefined: as long as overrides last when nobody says; null: for good. */
  expiresAt: Date | null | undefined;
  reason: string | null;
}

/** Raises a limit as a request asks for, or as was offered. */
@Injectable()
export class QuotaRequestGranter {
  constructor(
    private readonly overrides: OverridesService,
    private readonly entitlements: EntitlementsService,
    private readonly tenants: TenantsRepository,
    private readonly views: TenantViews,
    private readonly clock: Clock,
  ) {}

  async grant(
    change: Change,
    tenant: TenantRow,
    row: QuotaRequestRow,
    options: GrantOptions,
  ): Promise<Granted | Refusal<Adjusted<QuotaRequestRow>>> {
    const times = overrideTimes(options, this.clock.now());
    if ('code' in times) return refuse([times], { tenant, row, warnings: [] });
    const grant = { ...options, ...times };
    return options.as === QuotaRequestGrant.OVERRIDE
      ? this.override(change, tenant, row, grant)
      : this.entitle(change, tenant, row, grant);
  }

  private async override(
    change: Change,
    tenant: TenantRow,
    row: QuotaRequestRow,
    { number, startsAt, endsAt, reason }: GrantOptions & { startsAt: Date; endsAt: Date | null },
  ): Promise<Granted | Refusal<Adjusted<QuotaRequestRow>>> {
    const made = await this.overrides.make(change, tenant, {
      kind: OverrideKind.OVERRIDE,
      apiKey: row.apiKey,
      limit: row.limitName,
      appliesTo: undefined,
      effect: { kind: 'set', limit: number },
      carryOver: CarryOver.KEEP,
      reason: reason ?? `Asked for: ${row.why}`,
      startsAt,
      endsAt,
    });
    if ('ok' in made) return refuse(made.errors, { tenant, row, warnings: [] });
    return { tenant: made.tenant, id: made.row?.id ?? '', until: endsAt, warnings: made.warnings };
  }

  private async entitle(
    change: Change,
    tenant: TenantRow,
    row: QuotaRequestRow,
    { number, startsAt, endsAt, reason }: GrantOptions & { startsAt: Date; endsAt: Date | null },
  ): Promise<Granted | Refusal<Adjusted<QuotaRequestRow>>> {
    const { view } = await this.views.get(tenant.id, change.tx);
    const { apiKey: api, limitName: limit } = row;
    const present = view.limits.find(({ policy }) => policy.api === api && policy.name === limit);
    const isRaised = present !== undefined && present.policy.limit < number;
    // What comes after upgrades would change what an entitlement adds.
    if (!isRaised || present.source === 'override' || present.source === 'boost') {
      const message = isRaised
        ? 'An override or boost decides this limit now, so adding to it would not come to that number; approve it as an override.'
        : 'The limit is as high already, or there is none of that name any more; decline the request.';
      return refuse([userError(UserErrorCode.INVALID, ['as'], message)], { tenant, row, warnings: [] });
    }
    const units = number - present.policy.limit;
    const [granted] = await this.entitlements.grant(change, tenant, {
      source: 'topup',
      cause: 'GRANT',
      purchaseId: null,
      label: `Asked for: ${units} more`,
      effects: [{ api, limit, effect: { kind: 'add', units } }],
      startsAt,
      endsAt,
      reason,
    });
    const changed = (await this.tenants.lockByKey(change.tx, tenant.key)) ?? tenant;
    return { tenant: changed, id: granted?.id ?? '', until: endsAt, warnings: [] };
  }
}

type Result = Adjusted<QuotaRequestRow>;
type Settled = Pick<Result, 'tenant' | 'row' | 'warnings'>;

/** Requests of tenants for higher limits, and what becomes of them. */
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

  /** Asks for a higher limit. Refused: NOT_FOUND, INVALID when it is no more than there is, TAKEN. */
  create(caller: Caller, input: QuotaRequestCreateInput): Promise<Outcome<Result>> {
    const parsed = parseInput(quotaRequestCreateSchema, input);
    if (!parsed.ok) return Promise.resolve(refuse(parsed.errors));
    const { tenantKey, apiKey, limit: limitName, wanted, why, reason } = parsed.data;
    const options = { tenantKey, expectedVersion: null, reason };
    return this.adjustments.change<QuotaRequestRow>(caller, options, async (change, tenant) => {
      const current = await this.currentOf(change, tenant, apiKey, limitName);
      const refused = (error: UserError) => refuse<Result>([error], { tenant, row: null, warnings: [] });
      if (current === undefined) {
        return refused(notFound(['limit'], `limit "${limitName}" on API "${apiKey}" for this tenant`));
      }
      if (wanted <= current) {
        const message = `It is ${current} already; ask for more than that.`;
        return refused(userError(UserErrorCode.INVALID, ['wanted'], message));
      }
      if ((await this.requests.findUndecided(change.tx, tenant.id, apiKey, limitName)) !== null) {
        const message = 'There is a request for this limit that nobody has decided; withdraw it to ask anew.';
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

  /** Raises the limit to what is wanted. Refused: NOT_FOUND, CONFLICT, INVALID. */
  approve(caller: Caller, input: QuotaRequestApproveInput): Promise<Outcome<Result>> {
    const parsed = parseInput(quotaRequestApproveSchema, input);
    if (!parsed.ok) return Promise.resolve(refuse(parsed.errors));
    const { as, expiresAt, answer, reason } = parsed.data;
    return this.step(caller, 'approve', parsed.data, async (change, tenant, row) => {
      const number = Number(row.wanted);
      const granted = await this.granter.grant(change, tenant, row, {
        as,
        number,
        expiresAt,
        reason: reason ?? answer,
      });
      if ('ok' in granted) return granted;
      return this.settle(change, { ...granted, row }, 'approve', 'quota_request.approved', {
        status: QuotaRequestStatus.APPROVED,
        offered: row.wanted,
        until: granted.until,
        grantedId: granted.id,
        answer,
      });
    });
  }

  /** Offers another number. Refused: NOT_FOUND, CONFLICT, INVALID. */
  counter(caller: Caller, input: QuotaRequestCounterInput): Promise<Outcome<Result>> {
    const parsed = parseInput(quotaRequestCounterSchema, input);
    if (!parsed.ok) return Promise.resolve(refuse(parsed.errors));
    const { offered, until = null, answer } = parsed.data;
    if (until !== null && until <= this.clock.now()) {
      return Promise.resolve(
        refuse([
          userError(UserErrorCode.INVALID, ['until'], 'It would have ended already; choose a later end.'),
        ]),
      );
    }
    return this.step(caller, 'counter', parsed.data, async (change, tenant, row) => {
      const current = await this.currentOf(change, tenant, row.apiKey, row.limitName);
      if (current !== undefined && offered <= current) {
        const message = `The limit is ${current} already; offer more, or decline.`;
        return refuse([userError(UserErrorCode.INVALID, ['offered'], message)], {
          tenant,
          row,
          warnings: [],
        });
      }
      const status = QuotaRequestStatus.COUNTERED;
      const data = { status, offered, until, answer };
      return this.settle(change, { tenant, row, warnings: [] }, 'counter', 'quota_request.countered', data);
    });
  }

  /** Refused: NOT_FOUND, CONFLICT, INVALID. */
  decline(caller: Caller, input: QuotaRequestDeclineInput): Promise<Outcome<Result>> {
    const parsed = parseInput(quotaRequestDeclineSchema, input);
    if (!parsed.ok) return Promise.resolve(refuse(parsed.errors));
    const { answer } = parsed.data;
    return this.step(caller, 'decline', parsed.data, (change, tenant, row) => {
      const data = { status: QuotaRequestStatus.DECLINED, answer };
      return this.settle(change, { tenant, row, warnings: [] }, 'decline', 'quota_request.declined', data);
    });
  }

  /** The tenant takes what was offered: the limit is raised to that. Refused: NOT_FOUND, CONFLICT, INVALID. */
  accept(caller: Caller, input: QuotaRequestOwnInput): Promise<Outcome<Result>> {
    const parsed = parseInput(quotaRequestOwnSchema, input);
    if (!parsed.ok) return Promise.resolve(refuse(parsed.errors));
    return this.step(caller, 'accept', parsed.data, async (change, tenant, row) => {
      const granted = await this.granter.grant(change, tenant, row, {
        as: QuotaRequestGrant.OVERRIDE,
        number: Number(row.offered),
        expiresAt: row.until,
        reason: row.answer,
      });
      if ('ok' in granted) return granted;
      return this.settle(change, { ...granted, row }, 'accept', 'quota_request.accepted', {
        status: QuotaRequestStatus.APPROVED,
        grantedId: granted.id,
      });
    });
  }

  /** The tenant does not want it any more. Refused: NOT_FOUND, CONFLICT, INVALID. */
  withdraw(caller: Caller, input: QuotaRequestOwnInput): Promise<Outcome<Result>> {
    const parsed = parseInput(quotaRequestOwnSchema, input);
    if (!parsed.ok) return Promise.resolve(refuse(parsed.errors));
    return this.step(caller, 'withdraw', parsed.data, (change, tenant, row) => {
      const data = { status: QuotaRequestStatus.WITHDRAWN };
      return this.settle(change, { tenant, row, warnings: [] }, 'withdraw', 'quota_request.withdrawn', data);
    });
  }

  /** Runs `work` on a request that is as the caller saw it, in a status in which the step can be done. */
  private async step(
    caller: Caller,
    step: QuotaRequestStep,
    input: { requestId: string; expectedVersion: number; reason: string | null; tenantKey?: string },
    work: (change: Change, tenant: TenantRow, row: QuotaRequestRow) => Promise<Settled | Refusal<Result>>,
  ): Promise<Outcome<Result>> {
    const { requestId, expectedVersion, reason, tenantKey } = input;
    const found = await this.requests.findById(requestId);
    const owner = found === null ? null : await this.tenants.findById(found.tenantId);
    const isOther = tenantKey !== undefined && owner?.key !== tenantKey;
    if (owner === null || isOther) return refuse([notFound(['requestId'], 'such request')]);
    const options = { tenantKey: owner.key, expectedVersion: null, reason };
    return this.adjustments.change<QuotaRequestRow>(caller, options, async (change, tenant) => {
      // The tenant is locked: nobody else decides meanwhile.
      const row = await this.requests.findById(requestId, change.tx);
      if (row === null) return refuse([notFound(['requestId'], 'such request')]);
      const current = { tenant, row, warnings: [] };
      if (row.version !== expectedVersion) return refuse([conflict('request')], current);
      if (!(POSSIBLE[step] as readonly QuotaRequestStatus[]).includes(row.status)) {
        const message = `It is ${row.status.toLowerCase()}; nothing more can be done with it that way.`;
        return refuse([userError(UserErrorCode.INVALID, ['requestId'], message)], current);
      }
      return work(change, tenant, row);
    });
  }

  private async settle(
    change: Change,
    { tenant, row, warnings }: { tenant: TenantRow; row: QuotaRequestRow; warnings: string[] },
    step: QuotaRequestStep,
    notice: NoticeKind,
    data: Parameters<QuotaRequestsRepository['update']>[2],
  ): Promise<Settled> {
    const facts = { ...data, decidedBy: change.caller.actor.label, updatedAt: this.clock.now() };
    const changed = await this.requests.update(change.tx, row.id, facts);
    await this.record(change, tenant, changed, step, notice, row);
    return { tenant, row: changed, warnings };
  }

  private async record(
    change: Change,
    tenant: TenantRow,
    row: QuotaRequestRow,
    step: QuotaRequestStep | 'create',
    notice: NoticeKind,
    before?: QuotaRequestRow,
  ): Promise<void> {
    await change.audit({
      action: `quotaRequest.${step}`,
      entity: 'QuotaRequest',
      entityId: row.id,
      tenantKey: tenant.key,
      before: before === undefined ? null : factsOf(before),
      after: factsOf(row),
    });
    const { status: _, ...facts } = factsOf(row);
    await change.notify({
      kind: notice,
      tenant,
      data: { tenant: tenant.key, requestId: row.id, ...facts },
    });
  }

  private async currentOf(
    change: Change,
    tenant: TenantRow,
    apiKey: string,
    limitName: string,
  ): Promise<number | undefined> {
    const { view } = await this.views.get(tenant.id, change.tx);
    return view.limits.find(({ policy: { api, name } }) => api === apiKey && name === limitName)?.policy
      .limit;
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
