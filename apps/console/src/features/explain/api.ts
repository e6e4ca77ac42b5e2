import { queryOptions } from '@tanstack/react-query';
import type {
  DeniedRequestQuery,
  ExplanationQuery,
  LadderFieldsFragment,
  PastLimitFieldsFragment,
  RecentDenialsQuery,
  UsageOutcome,
  WhyQuery,
} from '../../generated/graphql.js';
import { graphql } from '../../generated/index.js';
import { graphqlRequest } from '../../lib/graphql-request.js';
import { readLimit } from '../../lib/limit-fields.js';

const WhyDocument = graphql(`
  query Why($text: String!, $publicId: String!) {
    decision(requestId: $text) {
      id tenantKey requestId at nodeId apiKey operation cost outcome reason ruleId limitName retryAfter delayMs revision
      subject { dimension pseudonym }
      policies { limitName label limit remaining resetAt mode success }
    }
    tenantOfApiKey(publicId: $publicId) { id key }
    tenant(key: $text) { id key }
  }
`);

graphql(`
  fragment PastLimitFields on PastLimit {
    tierName tierVersion since
    limit { tierLimit provenance { adjustmentId label source from to until } limit { ...LimitFields } }
  }
`);

const readPast = (past: PastLimitFieldsFragment) => ({
  ...past,
  limit: { ...past.limit, ...readLimit(past.limit.limit) },
});

const DeniedRequestDocument = graphql(`
  query DeniedRequest($link: String!) {
    deniedRequest(link: $link) {
      requestId at reason limitName retryAfter
      origin { tenantKey apiKey operation limitName past { ...PastLimitFields } }
    }
  }
`);

export type DeniedRequest = NonNullable<ReturnType<typeof readDenied>>;

function readDenied(found: DeniedRequestQuery['deniedRequest']) {
  if (!found) return null;
  const { origin } = found;
  return {
    ...found,
    origin: origin ? { ...origin, past: origin.past ? readPast(origin.past) : null } : null,
  };
}

/** The denied request of a link; null if the link is invalid or has expired. */
export const deniedRequestQuery = (link: string) =>
  queryOptions({
    queryKey: ['denied-request', link],
    queryFn: async ({ signal }) =>
      readDenied((await graphqlRequest(DeniedRequestDocument, { link }, signal)).deniedRequest),
    gcTime: 0,
  });

const ExplanationDocument = graphql(`
  query Explanation($tenantKey: String!, $requestId: String!) {
    decisionExplanation(tenantKey: $tenantKey, requestId: $requestId) {
      decision { requestId at apiKey operation limitName cost outcome reason ruleId retryAfter }
      limits { limitName label mode success limit before after sufficient { field value } }
      passing { at cost }
      rule { id dimension pattern kind forAllTenants live }
      sharedBy
      past { ...PastLimitFields }
      today { limit { ...LimitFields } }
      minute {
        from to counted replayProblem
        points { at requestId remaining cost success }
        replay { from to limit decisions compared mismatches reliable steps { at left allowed denied } }
      }
    }
  }
`);

export type Explanation = NonNullable<ReturnType<typeof readExplanation>>;

function readExplanation(found: ExplanationQuery['decisionExplanation']) {
  if (!found) return null;
  const { past, today } = found;
  return {
    ...found,
    past: past ? readPast(past) : null,
    today: today ? readLimit(today.limit) : null,
  };
}

/** Why a request was allowed or denied, by the policy of that time; null if it was not sampled. */
export const explanationQuery = (tenantKey: string, requestId: string) =>
  queryOptions({
    queryKey: ['explanation', tenantKey, requestId],
    queryFn: async ({ signal }) => {
      const variables = { tenantKey, requestId };
      return readExplanation(
        (await graphqlRequest(ExplanationDocument, variables, signal)).decisionExplanation,
      );
    },
    enabled: requestId !== '',
    refetchInterval: ({ state: { data } }) => (data && isBeingRecorded(data) ? 3_000 : false),
  });

/** Recorded traffic is stored a few seconds after the decision. */
const RECORDED_MS = 30_000;

const isBeingRecorded = ({ decision, minute }: Explanation): boolean =>
  minute?.replayProblem === 'NOT_RECORDED' && Date.now() - Date.parse(decision.at) < RECORDED_MS;

const RecentDenialsDocument = graphql(`
  query RecentDenials($tenantKey: String!) {
    decisions(tenantKey: $tenantKey, outcome: DENIED, first: 100) {
      nodes { id requestId at apiKey operation limitName reason subject { dimension pseudonym } }
    }
  }
`);

graphql(`
  fragment LadderFields on LimitLadder {
    revision publishedAt tierKey tierName tierVersion
    limit {
      source tierLimit
      provenance { source adjustmentId label from to until }
      limit { ...LimitFields }
    }
    sources { adjustmentId actor reason purchaseId changeId }
    tierChange { changeId actor action reason changeSetId changeSetTitle }
    introduced {
      revision at isScheduled
      changes { changeId actor action reason changeSetId changeSetTitle }
    }
  }
`);

const LadderDocument = graphql(`
  query Ladder(
    $tenantKey: String!, $apiKey: String!, $limitName: String!, $revision: Int!, $at: DateTime!, $rule: ID, $liveRule: ID
  ) {
    past: limitLadder(
      tenantKey: $tenantKey, apiKey: $apiKey, limitName: $limitName, revision: $revision, at: $at, subjectRuleId: $rule
    ) {
      ...LadderFields
    }
    today: limitLadder(tenantKey: $tenantKey, apiKey: $apiKey, limitName: $limitName, subjectRuleId: $liveRule) {
      ...LadderFields
    }
  }
`);

export type Ladder = ReturnType<typeof readLadder>;

const readLadder = (ladder: LadderFieldsFragment) => ({
  ...ladder,
  limit: { ...ladder.limit, ...readLimit(ladder.limit.limit) },
});

/**
 * The limit that decided, as it was in the decision's revision and as it is today, for the caller; null where it is not known.
 * @param found undefined: not loaded yet
 */
export function ladderQuery(
  decision: Decision,
  found: Pick<Explanation, 'rule' | 'sharedBy'> | null | undefined,
) {
  const { apiKey, limitName, revision, at } = decision;
  const tenantKey = found?.sharedBy ?? decision.tenantKey;
  const rule = found?.rule?.id ?? null;
  const liveRule = found?.rule?.live ? rule : null;
  return queryOptions({
    queryKey: ['ladder', tenantKey, apiKey, limitName, revision, at, rule, liveRule],
    queryFn: async ({ signal }) => {
      const variables = { tenantKey, apiKey, limitName: limitName ?? '', revision, at, rule, liveRule };
      const { past, today } = await graphqlRequest(LadderDocument, variables, signal);
      return { past: past ? readLadder(past) : null, today: today ? readLadder(today) : null };
    },
    enabled: limitName != null && found !== undefined,
  });
}

export type Decision = NonNullable<WhyQuery['decision']>;

const KEY_TEXT = /^tgk_(?:live|test)_([0-9A-Za-z]{12})/;

/** The public part of an API key; the rest is secret and is never sent. */
export function publicIdOf(text: string): string | undefined {
  return KEY_TEXT.exec(text.trim())?.[1] ?? (/^[0-9A-Za-z]{12}$/.test(text.trim()) ? text.trim() : undefined);
}

/** Resolves text to a decision, or to a tenant by its key or API key; null when nothing matches. */
export const whyQuery = (text: string) =>
  queryOptions({
    queryKey: ['why', text],
    queryFn: async ({ signal }) => {
      const publicId = publicIdOf(text);
      const request = KEY_TEXT.test(text.trim()) ? '' : text.trim();
      const { decision, tenantOfApiKey, tenant } = await graphqlRequest(
        WhyDocument,
        { text: request, publicId: publicId ?? '' },
        signal,
      );
      if (decision) return { tenantKey: decision.tenantKey, decision };
      const tenantKey = tenantOfApiKey?.key ?? tenant?.key;
      return tenantKey ? { tenantKey, decision: null } : null;
    },
    enabled: text !== '',
  });

/** The newest denied requests of a tenant, as sampled, newest first. */
export const recentDenialsQuery = (tenantKey: string) =>
  queryOptions({
    queryKey: ['recent-denials', tenantKey],
    queryFn: async ({ signal }) =>
      (await graphqlRequest(RecentDenialsDocument, { tenantKey }, signal)).decisions.nodes,
    refetchInterval: 5_000,
  });

type Denial = Omit<RecentDenialsQuery['decisions']['nodes'][number], '__typename' | 'id'>;

export interface DenialGroup extends Denial {
  /** Denials with the same limit, operation and caller; the other fields are those of the newest. */
  count: number;
}

/** One entry per limit, operation and caller, in the order of their newest denial. */
export function groupDenials(denials: readonly Denial[]): DenialGroup[] {
  const groups = Map.groupBy(denials, ({ apiKey, operation, limitName, reason, subject }) =>
    JSON.stringify([apiKey, operation, limitName, reason, subject.map(({ pseudonym }) => pseudonym)]),
  );
  return [...groups.values()].flatMap((group) => (group[0] ? { ...group[0], count: group.length } : []));
}

const DENIALS: readonly UsageOutcome[] = ['DENIED', 'POOL_DENIED', 'DEGRADED_DENIED'];

/** Whether the request was denied. */
export const isDenied = (outcome: UsageOutcome): boolean => DENIALS.includes(outcome);
