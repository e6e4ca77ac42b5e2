export interface Example {
  title: string;
  /** What it answers, in a line. */
  what: string;
  query: string;
  variables?: object;
}

/** Held against the schema by a test. */
export const EXAMPLES: readonly Example[] = [
  {
    title: 'Who am I?',
    what: 'The caller and what it may do',
    query:
      '# Who is asking, and what they may do.\nquery WhoAmI {\n  viewer {\n    name\n    role\n    permissions\n  }\n}\n',
  },
  {
    title: 'Tenants and their tiers',
    what: 'A page of tenants; `after` turns it',
    query: `query Tenants($after: String) {
  tenants(first: 20, after: $after) {
    totalCount
    nodes { key name status subscription { tier { key } pinned } }
    pageInfo { hasNextPage endCursor }
  }
}
`,
    variables: { after: null },
  },
  {
    title: 'What applies to a tenant',
    what: 'Effective limits with their source and live counters',
    query: `query EffectiveLimits($key: String!) {
  tenant(key: $key) {
    effectiveLimits { source limit { apiKey name summary } live { used remaining resetAt } }
  }
}
`,
    variables: { key: 'acme' },
  },
  {
    title: 'Tiers with their limits',
    what: 'What is sold, and what is being drafted',
    query: `query Tiers {
  tiers(first: 20) {
    nodes { key name tenantCount published { number limits { apiKey name summary } } draft { number note } }
  }
}
`,
  },
  {
    title: 'APIs and operations',
    what: 'What is protected, what a call costs',
    query: `query Apis {
  apis(first: 20) {
    nodes { key name operations { name cost priority } pools { name capacity } }
  }
}
`,
  },
  {
    title: 'Publish a draft, as a dry run',
    what: 'How many tenants would be loosened and tightened',
    query: `# Nothing is changed as long as dryRun is true.
mutation PublishTier($input: TierPublishInput!) {
  tierPublish(input: $input) {
    impact { tenants loosened tightened }
    userErrors { code field message }
    changeId
  }
}
`,
    variables: {
      input: { tierKey: 'pro', expectedVersion: 1, dryRun: true, reason: 'To see whom it reaches' },
    },
  },
  {
    title: 'Suspend a tenant, as a dry run',
    what: 'Send an Idempotency-Key header to make retries safe',
    query: `mutation SuspendTenant($input: TenantStatusInput!) {
  tenantSuspend(input: $input) {
    tenant { key status version }
    impact { tenants tightened }
    userErrors { code field message }
  }
}
`,
    variables: { input: { tenantKey: 'acme', expectedVersion: 1, dryRun: true } },
  },
  {
    title: 'Is my change live?',
    what: 'How far a change has travelled, node by node',
    query: `query Propagation($changeId: ID!) {
  propagation(changeId: $changeId) { state revision liveNodes totalNodes slowestMs nodes { nodeId live latencyMs } }
  decisionNodes { nodeId revision stale degraded }
}
`,
    variables: { changeId: 'chg_…' },
  },
  {
    title: 'Who changed what?',
    what: 'The audit trail, newest first',
    query: `query AuditTrail {
  auditEntries(first: 20) {
    nodes { at actor action entity entityId tenantKey reason }
  }
}
`,
  },
  {
    title: 'Watch a tenant',
    what: 'Decisions second by second, as a stream',
    query: `subscription Usage($tenantKey: String!) {
  usageTick(tenantKey: $tenantKey) { at allowed refused apis { apiKey allowed refused } }
}
`,
    variables: { tenantKey: 'acme' },
  },
];
