import {
  type ConfigDocument,
  type ConfigTenant,
  type LimitDraft,
  policyOfConfig,
  type SubjectRule,
  type TenantRecord,
} from '@tollgate/contracts';
import type { ReplayPolicy } from '@tollgate/replay';
import { CommandError } from '../connection.js';

/**
 * The policy that a configuration describes, without overrides. A limit of a tier replaces the default limit of the same
 * API and name. @param tenants of the recording @param tier of tenants that the configuration does not name; default: its
 * only tier @throws CommandError if that tier is unknown
 */
export function policyOfDocument(
  { apis = {}, tiers = {}, tenants: named = {} }: ConfigDocument,
  tenants: Iterable<string>,
  tier: string | undefined,
): ReplayPolicy {
  const defaults = Object.entries(apis).flatMap(([api, { defaultLimits = [] }]) =>
    defaultLimits.map((limit) => policyOfConfig(limit, api)),
  );
  const tierKeys = Object.keys(tiers);
  const unnamedTier = tier ?? (tierKeys.length === 1 ? tierKeys[0] : undefined);
  if (tier !== undefined && tiers[tier] === undefined) throw new CommandError(`There is no tier ${tier}.`);
  const records = [...tenants].flatMap((tenant): TenantRecord[] => {
    const { tier: ownTier = unnamedTier, timeZone, billingAnchorDay, subjectRules } = named[tenant] ?? {};
    if (ownTier === undefined) return [];
    const record: TenantRecord = {
      kind: 'tenant',
      revision: 1,
      tenant,
      status: 'active',
      tier: ownTier,
      pinnedVersion: null,
    };
    return [
      {
        ...record,
        ...(timeZone && { timeZone }),
        ...(billingAnchorDay && { billingAnchorDay }),
        ...(subjectRules?.length && { subjectRules: subjectRules.map(toRule) }),
      },
    ];
  });
  const catalogue = {
    kind: 'catalogue',
    revision: 1,
    apis: Object.entries(apis).map(([key, { unknownOperations = 'count', operations = {} }]) => ({
      key,
      unknownOperations,
      operations: Object.entries(operations).map(([name, { cost = 1 }]) => ({ name, cost })),
    })),
    tiers: Object.entries(tiers).map(([key, { limits = [] }]) => {
      const own = limits.map((limit) => policyOfConfig(limit));
      const inherited = defaults.filter((limit) => !own.some((other) => isSame(limit, other)));
      return { key, currentVersion: 1, versions: [{ number: 1, limits: [...inherited, ...own] }] };
    }),
    serviceTokens: [],
  };
  return { revision: 1, catalogueText: JSON.stringify(catalogue), tenants: records };
}

type ConfigRule = NonNullable<ConfigTenant['subjectRules']>[number];

function toRule({ reason: _, starts, expires, ...rule }: ConfigRule, index: number): SubjectRule {
  return {
    ...rule,
    id: `rule-${index}`,
    ...(starts && { fromMs: Date.parse(starts) }),
    ...(expires && { untilMs: Date.parse(expires) }),
  };
}

function isSame(a: LimitDraft, b: LimitDraft): boolean {
  return a.api === b.api && a.name === b.name;
}
