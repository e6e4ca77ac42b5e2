import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import type { LimitPolicy } from '@tollgate/contracts';
import type {
  ApiDefaultLimitsSetInput,
  ApisForMatrixQuery,
  DefaultLimitInput,
  TierCohortExtendInput,
  TierCompareQuery,
  TierCreateInput,
  TierDetailQuery,
  TierDuplicateInput,
  TierLifecycleInput,
  TierLintQuery,
  TierMigrateInput,
  TierPublishInput,
  TierUpdateInput,
  TierVersionRef,
} from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { everyPage, graphqlRequest, throwUserErrors } from '../../lib/graphql-request.js';
import { readLimit, readLimits, type StoredLimit, toLimitInput } from '../../lib/limit-fields.js';
import type { MutationCall } from '../../lib/mutation-text.js';

const TiersDocument = graphql(`
  query Tiers($first: Int!, $after: String) {
    tiers(first: $first, after: $after) {
      totalCount
      pageInfo { hasNextPage endCursor }
      nodes {
        id key name description rank version tenantCount managedBy archivedAt
        draft { id number }
        published {
          id number publishedAt
          limits { ...LimitFields }
        }
      }
    }
  }
`);

/** All tiers with their published limits, lowest rank first. */
export const tiersQuery = queryOptions({
  queryKey: ['tiers'],
  queryFn: async ({ signal }) => {
    const tiers = await everyPage(async (page) => (await graphqlRequest(TiersDocument, page, signal)).tiers);
    return tiers
      .map((tier) => ({ ...tier, published: tier.published && readLimits(tier.published) }))
      .toSorted((a, b) => a.rank - b.rank);
  },
});

export type TierInOverview = Awaited<ReturnType<NonNullable<(typeof tiersQuery)['queryFn']>>>[number];

const TierDetailDocument = graphql(`
  query TierDetail($key: String!) {
    tier(key: $key) {
      id key name description rank weight tags signUp version tenantCount managedBy archivedAt
      published { ...TierVersionFields }
      draft { ...TierVersionFields }
      versions { ...TierVersionFields }
    }
    apis(first: 100) { nodes { id key name operations { id name } pools { id name } } }
  }

  fragment TierVersionFields on TierVersion {
    id number status publishedAt publishedBy note audience automatic carryOver tenantCount
    cohort { percent tags tenantKeys }
    limits { ...LimitFields }
  }
`);

export type TierDetail = ReturnType<typeof readTier>;
export type TierVersionDetail = TierDetail['versions'][number];
export type ApiChoice = TierDetailQuery['apis']['nodes'][number];

/** The limits of a version as policies; none of no version. */
export const policiesOf = (version: Pick<TierVersionDetail, 'limits'> | null | undefined): LimitPolicy[] =>
  version?.limits.map(({ policy }) => policy) ?? [];

/** The limits that a version has itself; those that it has from an API's defaults are not to be copied into a new one. */
export const ownLimitsOf = (version: Pick<TierVersionDetail, 'limits'> | null | undefined): StoredLimit[] =>
  version?.limits.filter(({ origin }) => origin === 'TIER') ?? [];

export const ownPoliciesOf = (version: Pick<TierVersionDetail, 'limits'> | null | undefined): LimitPolicy[] =>
  ownLimitsOf(version).map(({ policy }) => policy);

/** One tier with its versions, and the APIs that a limit may name; `tier` is null when there is none. */
export const tierQuery = (key: string) =>
  queryOptions({
    queryKey: [...tiersQuery.queryKey, key],
    queryFn: async ({ signal }) => {
      const { tier, apis } = await graphqlRequest(TierDetailDocument, { key }, signal);
      return { tier: tier ? readTier(tier) : null, apis: apis.nodes };
    },
  });

function readTier(tier: NonNullable<TierDetailQuery['tier']>) {
  return {
    ...tier,
    published: tier.published && readLimits(tier.published),
    draft: tier.draft && readLimits(tier.draft),
    versions: tier.versions.map(readLimits),
  };
}

const TierCreateDocument = graphql(`
  mutation TierCreate($input: TierCreateInput!) {
    tierCreate(input: $input) { tier { id key } userErrors { code field message } }
  }
`);

/** The same as a script would ask. */
export function tierCreateCall(input: TierCreateInput): MutationCall {
  return { mutation: 'tierCreate', inputType: 'TierCreateInput', input, selection: 'tier { id key }' };
}

/** Creates a tier without limits. Fails with UserErrorsError when the input is refused. */
export function useTierCreate() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (input: TierCreateInput) => {
      const { tierCreate } = await graphqlRequest(TierCreateDocument, { input });
      throwUserErrors(tierCreate);
      return tierCreate.tier;
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: tiersQuery.queryKey }),
  });
}

const TierUpdateDocument = graphql(`
  mutation TierUpdate($input: TierUpdateInput!) {
    tierUpdate(input: $input) { changeId impact { ...ImpactFields } userErrors { code field message } }
  }
`);

const TierDuplicateDocument = graphql(`
  mutation TierDuplicate($input: TierDuplicateInput!) {
    tierDuplicate(input: $input) { tier { id key } userErrors { code field message } }
  }
`);

const TierArchiveDocument = graphql(`
  mutation TierArchive($input: TierLifecycleInput!) {
    tierArchive(input: $input) { tier { id version } userErrors { code field message } }
  }
`);

const TierRestoreDocument = graphql(`
  mutation TierRestore($input: TierLifecycleInput!) {
    tierRestore(input: $input) { tier { id version } userErrors { code field message } }
  }
`);

const TierDeleteDocument = graphql(`
  mutation TierDelete($input: TierLifecycleInput!) {
    tierDelete(input: $input) { tier { id version } userErrors { code field message } }
  }
`);

const TierMigrateDocument = graphql(`
  mutation TierMigrate($input: TierMigrateInput!) {
    tierMigrate(input: $input) { tenants impact { ...ImpactFields } userErrors { code field message } }
  }
`);

const TierCohortExtendDocument = graphql(`
  mutation TierCohortExtend($input: TierCohortExtendInput!) {
    tierCohortExtend(input: $input) { tenants impact { ...ImpactFields } userErrors { code field message } }
  }
`);

/** The same as a script would ask. */
export function tierDuplicateCall(input: TierDuplicateInput): MutationCall {
  return { mutation: 'tierDuplicate', inputType: 'TierDuplicateInput', input, selection: 'tier { id key }' };
}

/** Tier mutations other than limits; each invalidates tiers unless it is a dry run. */
export function useTierChanges() {
  const queryClient = useQueryClient();
  const debounced = async <T extends object>(dryRun: boolean | null | undefined, outcome: T): Promise<T> => {
    if (!dryRun) await queryClient.invalidateQueries({ queryKey: tiersQuery.queryKey });
    return outcome;
  };
  return {
    update: async (input: TierUpdateInput) =>
      debounced(input.dryRun, (await graphqlRequest(TierUpdateDocument, { input })).tierUpdate),
    duplicate: async (input: TierDuplicateInput) =>
      debounced(input.dryRun, (await graphqlRequest(TierDuplicateDocument, { input })).tierDuplicate),
    archive: async (input: TierLifecycleInput) =>
      debounced(input.dryRun, (await graphqlRequest(TierArchiveDocument, { input })).tierArchive),
    restore: async (input: TierLifecycleInput) =>
      debounced(input.dryRun, (await graphqlRequest(TierRestoreDocument, { input })).tierRestore),
    delete: async (input: TierLifecycleInput) =>
      debounced(input.dryRun, (await graphqlRequest(TierDeleteDocument, { input })).tierDelete),
    migrate: async (input: TierMigrateInput) =>
      debounced(input.dryRun, (await graphqlRequest(TierMigrateDocument, { input })).tierMigrate),
    extend: async (input: TierCohortExtendInput) =>
      debounced(input.dryRun, (await graphqlRequest(TierCohortExtendDocument, { input })).tierCohortExtend),
  };
}

const TierDraftSaveDocument = graphql(`
  mutation TierDraftSave($input: TierDraftSaveInput!) {
    tierDraftSave(input: $input) { tier { id version } userErrors { code field message } }
  }
`);

interface DraftToSave {
  tierKey: string;
  expectedVersion: number;
  limits: readonly LimitPolicy[];
}

/** Saves limits as a tier's draft. Fails with UserErrorsError. */
export function useTierDraftSave() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ limits, ...tier }: DraftToSave) => {
      const input = { ...tier, limits: limits.map(toLimitInput) };
      const { tierDraftSave } = await graphqlRequest(TierDraftSaveDocument, { input });
      throwUserErrors(tierDraftSave);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: tiersQuery.queryKey }),
  });
}

const TierDraftDiscardDocument = graphql(`
  mutation TierDraftDiscard($input: TierDraftDiscardInput!) {
    tierDraftDiscard(input: $input) { tier { id version } userErrors { code field message } }
  }
`);

/** Deletes a tier's draft; the published version is unaffected. */
export function useTierDraftDiscard() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (input: { tierKey: string; expectedVersion: number }) => {
      const { tierDraftDiscard } = await graphqlRequest(TierDraftDiscardDocument, { input });
      throwUserErrors(tierDraftDiscard);
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: tiersQuery.queryKey }),
  });
}

const TierPublishDocument = graphql(`
  mutation TierPublish($input: TierPublishInput!) {
    tierPublish(input: $input) {
      changeId
      impact { ...ImpactFields }
      warnings { severity message advice path }
      tier { id version published { id number } }
      userErrors { code field message }
    }
  }
`);

/** Publishes a tier's limits or tries to; invalidates tiers. */
export function useTierPublish() {
  const queryClient = useQueryClient();
  return async (input: TierPublishInput) => {
    const { tierPublish } = await graphqlRequest(TierPublishDocument, { input });
    const isOutdated = tierPublish.userErrors.some(({ code }) => code === 'CONFLICT');
    if (!input.dryRun || isOutdated) await queryClient.invalidateQueries({ queryKey: tiersQuery.queryKey });
    return tierPublish;
  };
}

export type TierPublished = Awaited<ReturnType<ReturnType<typeof useTierPublish>>>;

const TierLintDocument = graphql(`
  query TierLint($tierKey: String!, $version: Int) {
    tierLint(tierKey: $tierKey, version: $version) { severity code message advice path }
  }
`);

export type LintFinding = NonNullable<TierLintQuery['tierLint']>[number];

/** Lint findings of one tier version. */
export const tierLintQuery = (tierKey: string, version: number | undefined) =>
  queryOptions({
    queryKey: [...tiersQuery.queryKey, tierKey, 'lint', version ?? null],
    queryFn: async ({ signal }) => {
      const { tierLint } = await graphqlRequest(
        TierLintDocument,
        { tierKey, version: version ?? null },
        signal,
      );
      return tierLint ?? [];
    },
    enabled: version !== undefined,
  });

const TierCompareDocument = graphql(`
  query TierCompare($a: TierVersionRef!, $b: TierVersionRef!) {
    tierCompare(a: $a, b: $b) {
      increased decreased
      limits {
        apiKey name kind increased decreased
        before { ...LimitFields }
        after { ...LimitFields }
      }
    }
  }
`);

/** Differences between two tier versions with the policies of each limit; null when one does not exist. */
export const tierCompareQuery = (a: TierVersionRef, b: TierVersionRef) =>
  queryOptions({
    queryKey: [...tiersQuery.queryKey, 'compare', a, b],
    queryFn: async ({ signal }) => {
      const { tierCompare } = await graphqlRequest(TierCompareDocument, { a, b }, signal);
      return tierCompare ? readComparison(tierCompare) : null;
    },
  });

function readComparison({ limits, ...counts }: NonNullable<TierCompareQuery['tierCompare']>) {
  return {
    ...counts,
    before: limits.flatMap(({ before }) => (before ? [readLimit(before).policy] : [])),
    after: limits.flatMap(({ after }) => (after ? [readLimit(after).policy] : [])),
  };
}

const ApisForMatrixDocument = graphql(`
  query ApisForMatrix {
    apis(first: 100) { nodes { id key name operations { id name } } }
  }
`);

export type ApiInMatrix = ApisForMatrixQuery['apis']['nodes'][number];

/** The first hundred APIs with the names of their operations. */
export const apisForMatrixQuery = queryOptions({
  queryKey: ['apis', 'matrix'],
  queryFn: async ({ signal }) => (await graphqlRequest(ApisForMatrixDocument, {}, signal)).apis.nodes,
});

const ApiDefaultLimitsSetDocument = graphql(`
  mutation ApiDefaultLimitsSet($input: ApiDefaultLimitsSetInput!) {
    apiDefaultLimitsSet(input: $input) {
      changeId impact { ...ImpactFields } userErrors { code field message }
    }
  }
`);

/** Replaces an API's default limits or tries to; invalidates APIs and tiers. */
export function useDefaultLimitsSet() {
  const queryClient = useQueryClient();
  return async (input: ApiDefaultLimitsSetInput) => {
    const { apiDefaultLimitsSet } = await graphqlRequest(ApiDefaultLimitsSetDocument, { input });
    if (!input.dryRun) {
      await Promise.all([['apis'], ['tiers']].map((queryKey) => queryClient.invalidateQueries({ queryKey })));
    }
    return apiDefaultLimitsSet;
  };
}

/** A default limit as the mutation takes it: its API is known. */
export function toDefaultLimitInput(policy: LimitPolicy): DefaultLimitInput {
  const { apiKey: _, ...input } = toLimitInput(policy);
  return input;
}
