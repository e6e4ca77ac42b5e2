import { Injectable } from '@nestjs/common';
import type { Change } from '../../../platform/changes/change.js';
import { type Refusal, refuse, userError } from '../../../platform/changes/outcome.js';
import { Clock } from '../../../platform/clock.js';
import { UserErrorCode } from '../../../platform/graphql/user-error.graphql.js';
import { CarryOver, OverrideKind } from '../../../platform/prisma/schema.js';
import type { Adjusted } from '../entitlements/adjustment.service.js';
import { EntitlementsService } from '../entitlements/entitlements.service.js';
import { overrideTimes } from '../overrides/overrides.graphql.js';
import { OverridesService } from '../overrides/overrides.service.js';
import { TenantViews } from '../tenants/tenant-record.repository.js';
import { type TenantRow, TenantsRepository } from '../tenants/tenants.repository.js';
import { QuotaRequestGrant } from './quota-requests.graphql.js';
import type { QuotaRequestRow } from './quota-requests.repository.js';

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
