export interface Example {
  title: string;
  /** One-line description. */
  what: string;
  query: string;
  variables?: object;
}

/** A test validates them against the schema. */
export const EXAMPLES: readonly Example[] = [
  {
    title: 'Who am I?',
    what: 'The caller and its permissions',
    query:
      '# The caller and its permissions.\nquery WhoAmI {\n  viewer {\n    name\n    role\n    permissions\n  }\n}\n',
  },
  {
    title: 'Tenants and their tiers',
    what: 'A page of tenants; `after` is the cursor',
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
    title: 'Effective limits of a tenant',
    what: 'With source and live counters',
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
    what: 'Published versions and drafts',
    query: `query Tiers {
  tiers(first: 20) {
    nodes { key name tenantCount published { number limits { apiKey name summary } } draft { number note } }
  }
}
`,
  },
  {
    title: 'APIs and operations',
    what: 'With cost, priority and pools',
    query: `query Apis {
  apis(first: 20) {
    nodes { key name operations { name cost priority } pools { name capacity } }
  }
}
`,
  },
  {
    title: 'Publish a draft, as a dry run',
    what: 'Shows how many tenants are affected',
    query: `# dryRun: true changes nothing.
mutation PublishTier($input: TierPublishInput!) {
  tierPublish(input: $input) {
    impact { tenants increased decreased }
    userErrors { code field message }
    changeId
  }
}
`,
    variables: {
      input: { tierKey: 'pro', expectedVersion: 1, dryRun: true, reason: 'Check the impact' },
    },
  },
  {
    title: 'Suspend a tenant, as a dry run',
    what: 'Send an Idempotency-Key header to make retries safe',
    query: `mutation SuspendTenant($input: TenantStatusInput!) {
  tenantSuspend(input: $input) {
    tenant { key status version }
    impact { tenants decreased }
    userErrors { code field message }
  }
}
`,
    variables: { input: { tenantKey: 'acme', expectedVersion: 1, dryRun: true } },
  },
  {
    title: 'Is my change live?',
    what: 'Propagation of a change, by node',
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
    what: 'Decisions per second, as a stream',
    query: `subscription Usage($tenantKey: String!) {
  usageTick(tenantKey: $tenantKey) { at allowed denied apis { apiKey allowed denied } }
}
`,
    variables: { tenantKey: 'acme' },
  },
];
