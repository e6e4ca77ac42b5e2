import { queryOptions } from '@tanstack/react-query';
import {
  BoostEndDocument,
  BoostStartDocument,
  EntitlementGrantDocument,
  EntitlementRevokeDocument,
  OverrideRemoveDocument,
  OverrideSetDocument,
  type TenantAdjustmentsQuery,
} from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { effectOf } from '../../lib/effect-text.js';
import { graphqlRequest } from '../../lib/graphql-request.js';
import type { AdjustmentDraft, AdjustmentMaking } from './adjustment-draft.js';

const TenantAdjustmentsDocument = graphql(`
  query TenantAdjustments($tenantKey: String!) {
    overrides(tenantKey: $tenantKey, first: 50) {
      totalCount
      nodes {
        id kind status apiKey limit appliesTo reason startsAt endsAt createdAt createdBy removedAt
        effect { kind units percent limit }
      }
    }
    entitlements(tenantKey: $tenantKey, first: 50) {
      totalCount
      nodes {
        id source cause label purchaseId apiKey limit appliesTo startsAt endsAt unitsExpireAt remaining inForce createdAt actor
        effect { kind units percent limit }
      }
    }
  }
`);

export type OverrideInList = TenantAdjustmentsQuery['overrides']['nodes'][number];
export type EntitlementInList = TenantAdjustmentsQuery['entitlements']['nodes'][number];

export const adjustmentsKey = ['adjustments'] as const;

/** Current and past adjustments of a tenant, newest first. */
export const tenantAdjustmentsQuery = (tenantKey: string) =>
  queryOptions({
    queryKey: [...adjustmentsKey, tenantKey],
    queryFn: ({ signal }) => graphqlRequest(TenantAdjustmentsDocument, { tenantKey }, signal),
    refetchInterval: 10_000,
  });

export const ADJUSTMENT_ENDS = {
  OVERRIDE: OverrideRemoveDocument,
  BOOST: BoostEndDocument,
  ENTITLEMENT: EntitlementRevokeDocument,
};

export interface AdjustmentEnd {
  kind: keyof typeof ADJUSTMENT_ENDS;
  id: string;
}

export const adjustmentEndInput = ({ kind, id }: AdjustmentEnd, reason: string) =>
  ({
    OVERRIDE: { overrideId: id, reason },
    BOOST: { boostId: id, reason },
    ENTITLEMENT: { entitlementId: id, reason },
  })[kind];

/** The tenant, with the version its form was loaded with. */
export interface AdjustedTenant {
  key: string;
  version: number;
}

interface Making {
  making: AdjustmentMaking;
  tenant: AdjustedTenant;
  draft: AdjustmentDraft;
  /** Null: no end; undefined: not a valid duration. */
  end: Date | null | undefined;
}

export const ADJUSTMENTS = {
  override: OverrideSetDocument,
  boost: BoostStartDocument,
  grant: EntitlementGrantDocument,
};

export function adjustmentInput({ making, tenant, draft, end }: Making) {
  const { apiKey, limit, kind, label, source } = draft;
  const terms = { tenantKey: tenant.key, expectedVersion: tenant.version };
  const effect = { apiKey, limit, effect: effectOf(draft) ?? { kind } };
  const endsAt = end?.toISOString() ?? null;
  return {
    override: { ...terms, ...effect, expiresAt: endsAt },
    boost: { ...terms, ...effect, endsAt: endsAt ?? '' },
    grant: { ...terms, label: label.trim(), source, endsAt, effects: [effect] },
  }[making];
}
