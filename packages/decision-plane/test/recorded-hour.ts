import type { Adjustment, LimitPolicy, LimitRequest, SubjectRule, TenantRecord } from '@tollgate/contracts';
import { connectCounters } from '@tollgate/limiter/stores';
import { CompiledCatalogue } from '@tollgate/policy';
import { encodeBlock, packBlock, type ReplayPolicy, type TrafficBlock, unpackBlock } from '@tollgate/replay';
import { WAIT_LIMIT_MS } from '@tollgate/test-kit';
import { seededRandom } from '@tollgate/test-kit/random';
import { fixedWindowPolicy, gcraPolicy, policyBy } from '../../limiter/test/policies.js';
import { START_MS } from '../../limiter/test/script-clock.js';
import { Engine } from '../src/decide/engine.js';
import type { PolicyView } from '../src/decide/tenant-policies.js';
import { UsageRows } from '../src/usage/usage-aggregator.js';
import { FILES, inOrder, recordingTraffic, SITE, tenantOf } from './recorded-traffic.js';

const TENANTS = ['acme', 'globex', 'initech', 'hooli'];
const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const NODES = ['n1', 'n2', 'n3'];

/** Every strict kind of limit, by all dimensions and storages; `k` multiplies the amounts. */
function limitsOf(k: number): LimitPolicy[] {
  const site = { api: 'site' };
  return [
    gcraPolicy({ ...site, name: 'gcra', per: ['user'], limit: 60 * k, windowMs: MINUTE_MS, burst: 12 * k }),
    gcraPolicy({
      ...site,
      name: 'even',
      per: ['user'],
      limit: 90 * k,
      windowMs: MINUTE_MS,
      burst: 15 * k,
      storage: 'subject',
    }),
    fixedWindowPolicy({
      ...{ ...site, name: 'soft', limit: 90 * k, windowMs: 10 * SECOND_MS },
      throttle: { mode: 'soft', percent: 20 },
    }),
    fixedWindowPolicy({
      ...{ ...site, name: 'first', per: ['ip'], limit: 100 * k, windowMs: MINUTE_MS },
      alignment: 'first_request',
    }),
    fixedWindowPolicy({
      ...{ ...site, name: 'packed', per: ['user'], limit: 70 * k, windowMs: MINUTE_MS },
      ...{ storage: 'packed', expectedSubjects: 40 },
    }),
    policyBy(
      { algorithm: 'sliding_window_log', limit: 90 * k, windowMs: MINUTE_MS },
      { ...site, name: 'log', per: ['ip'] },
    ),
    policyBy(
      { algorithm: 'sliding_window_counter', limit: 2500 * k, windowMs: 5 * MINUTE_MS, buckets: 10 },
      { ...site, name: 'steps' },
    ),
    policyBy(
      { algorithm: 'sliding_window_counter', limit: 500 * k, windowMs: MINUTE_MS, buckets: 1 },
      { ...site, name: 'estimate' },
    ),
    policyBy(
      {
        algorithm: 'token_bucket',
        limit: 60 * k,
        windowMs: MINUTE_MS,
        capacity: 90 * k,
        refill: 'continuous',
      },
      { ...site, name: 'bucket', per: ['ip'], operations: ['write'] },
    ),
    policyBy(
      {
        algorithm: 'token_bucket',
        limit: 40 * k,
        windowMs: 30 * SECOND_MS,
        capacity: 60 * k,
        refill: 'interval',
      },
      { ...site, name: 'batches', per: ['user'], operations: ['write'], onMissing: 'skip' },
    ),
    policyBy(
      { algorithm: 'leaky_bucket', limit: 90 * k, windowMs: MINUTE_MS, queue: 20 * k },
      { api: 'files', name: 'queue', per: ['ip'] },
    ),
    fixedWindowPolicy({
      ...{
        ...site,
        name: 'penalized',
        per: ['user'],
        operations: ['write'],
        limit: 12 * k,
        windowMs: MINUTE_MS,
      },
      penalty: { denials: 5, windowMs: MINUTE_MS, blockMs: 2 * MINUTE_MS, maxBlockMs: 10 * MINUTE_MS },
    }),
    fixedWindowPolicy({
      ...site,
      name: 'blocked',
      per: ['user'],
      operations: ['write'],
      limit: 0,
      enforcement: { mode: 'percent', percent: 5 },
    }),
    fixedWindowPolicy({
      ...site,
      name: 'half',
      per: ['user'],
      limit: 45 * k,
      windowMs: MINUTE_MS,
      enforcement: { mode: 'percent', percent: 50 },
    }),
    fixedWindowPolicy({ api: 'files', name: 'app', alsoApis: ['site'], limit: 700 * k, windowMs: MINUTE_MS }),
    policyBy({ algorithm: 'quota', limit: 14_000 * k, period: 'day' }, { ...site, name: 'daily' }),
    fixedWindowPolicy({
      ...{
        ...site,
        name: 'regions',
        per: ['user'],
        operations: ['read'],
        limit: 80 * k,
        windowMs: MINUTE_MS,
      },
      amounts: {
        by: 'region',
        labels: [
          { label: 'eu', limit: 25 * k },
          { label: 'us', limit: 60 * k },
        ],
        others: 20 * k,
      },
    }),
    gcraPolicy({
      ...{ api: 'files', name: 'sites', limit: 600 * k, windowMs: MINUTE_MS, burst: 150 * k },
      amounts: { by: 'region', labels: [{ label: 'eu', limit: 200 * k }] },
    }),
    gcraPolicy({ ...site, name: 'tried', limit: 5, enforcement: { mode: 'shadow' } }),
  ];
}

/** Rules for subjects that start and end at their time, by value, prefix and network. */
function rulesOf(at: (part: number) => number): SubjectRule[] {
  const change = { api: 'site', limit: 'gcra', dimension: 'user' } as const;
  return [
    {
      id: 'r1',
      dimension: 'user',
      pattern: 'u1',
      effect: { kind: 'deny' },
      fromMs: at(0.1),
      untilMs: at(0.4),
    },
    { id: 'r2', dimension: 'ip', pattern: '192.0.2.4/31', effect: { kind: 'exempt' }, fromMs: at(0.6) },
    { id: 'r3', ...change, pattern: 'u2*', effect: { kind: 'multiply', percent: 30 } },
    { id: 'r4', ...change, pattern: 'u2', effect: { kind: 'set', limit: 200 }, untilMs: at(0.55) },
    { id: 'r5', dimension: 'region', pattern: 'us', api: 'site', limit: 'half', effect: { kind: 'exempt' } },
  ];
}

/** Revisions of one policy: new versions, a move to another tier, rules, and a boost that starts and ends at its time. */
function revisionsOf(startMs: number, seconds: number): ReplayPolicy[] {
  const at = (part: number) => startMs + Math.floor(part * seconds) * SECOND_MS;
  const boost: Adjustment = {
    id: 'b',
    source: 'boost',
    api: 'site',
    effect: { kind: 'multiply', percent: 150 },
  };
  const boosted: Partial<TenantRecord> = {
    adjustments: [boost],
    next: [
      { atMs: at(0.45), generation: 4, carryOver: 'keep', adjusted: [0] },
      { atMs: at(0.7), generation: 8, carryOver: 'proportional' },
    ],
  };
  const moved: Partial<TenantRecord> = {
    tier: 'other',
    generation: 4,
    moves: [{ tier: 'test', version: 2, generation: 0, carryOver: 'additive', atMs: at(0.5) }],
  };
  const subjectRules = rulesOf(at);
  const versions = [
    { number: 1, limits: limitsOf(1) },
    { number: 2, limits: limitsOf(2), replaces: { number: 1, carryOver: 'proportional', atMs: at(0.25) } },
    { number: 3, limits: limitsOf(1), replaces: { number: 2, carryOver: 'keep', atMs: at(0.75) } },
  ];
  const revision = (
    number: number,
    currentVersion: number,
    records: Readonly<Record<string, Partial<TenantRecord>>>,
  ) => ({
    revision: number,
    catalogueText: JSON.stringify({
      ...{ kind: 'catalogue', revision: number, apis: [SITE, FILES], serviceTokens: [] },
      tiers: [
        { key: 'test', currentVersion, versions: versions.slice(0, currentVersion) },
        { key: 'other', currentVersion: 1, versions: [{ number: 1, limits: limitsOf(3) }] },
      ],
    }),
    tenants: TENANTS.map((key) => tenantOf(key, records[key])),
  });
  return [
    revision(1, 1, { globex: boosted, acme: { subjectRules } }),
    revision(2, 2, { globex: boosted, acme: { subjectRules } }),
    revision(3, 2, { globex: boosted, initech: moved, acme: { subjectRules: subjectRules.slice(1) } }),
    revision(4, 3, { globex: boosted, initech: moved, acme: { subjectRules } }),
  ];
}

/** A node's policy, which the test replaces. */
class NodePolicies implements PolicyView {
  readonly staleFromMs = Number.POSITIVE_INFINITY;
  catalogue!: CompiledCatalogue;
  revision = 0;
  private tenants!: ReadonlyMap<string, TenantRecord>;

  constructor(policy: ReplayPolicy) {
    this.apply(policy);
  }

  get version(): number {
    return this.revision;
  }

  apply({ revision, catalogueText, tenants }: ReplayPolicy): void {
    this.catalogue = CompiledCatalogue.compile(catalogueText);
    this.revision = revision;
    this.tenants = new Map(tenants.map((record) => [record.tenant, record]));
  }

  findTenant(key: string): TenantRecord | null {
    return this.tenants.get(key) ?? null;
  }

  loadTenant(key: string): Promise<TenantRecord | null> {
    return Promise.resolve(this.findTenant(key));
  }

  refresh(): Promise<void> {
    return Promise.resolve();
  }
}

export interface RecordedHour {
  /** As stored, in order. */
  readonly blocks: readonly TrafficBlock[];
  /** The live policy, by revision. */
  readonly policies: readonly ReplayPolicy[];
  readonly decisions: number;
}

/**
 * Records mixed traffic of three nodes on one store. Its clock is the test's, so that an hour takes seconds: each script run has a
 * different time, as on one server; nodes send in turns, because runs of several connections would reach the server in another
 * order than their times.
 */
export async function recordHour(url: string, seconds: number, seed: number): Promise<RecordedHour> {
  const random = seededRandom(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  // Starts and ends in the middle of windows.
  let nowUs = (START_MS + 12_345 - seconds * SECOND_MS) * 1000;
  const startUs = nowUs;
  const policies = revisionsOf(startUs / 1000, seconds);
  const nodes = NODES.map((nodeId) => {
    const store = connectCounters({ url, deadlineMs: 5000, clockUs: () => ++nowUs });
    const { traffic, blocks } = recordingTraffic(nodeId, { maxBlockRows: 2048 });
    const view = new NodePolicies(policies[0] as ReplayPolicy);
    const rows = new UsageRows();
    const engine = new Engine({
      ...{ nodeId, epoch: nodeId, store, traffic, policies: view },
      exchangePool: () => Promise.reject(new Error('there are no pools')),
      usage: { tally: (...names) => rows.tally(...names), addCrossings: () => undefined },
      nodes: () => NODES.length,
      onReply: () => undefined,
      onBudgetSpent: () => undefined,
      onError: (message, error) => {
        throw new Error(message, { cause: error });
      },
      clockUs: () => nowUs,
    });
    return { store, engine, blocks, view };
  });
  const requestOf = (): LimitRequest => {
    const api = below(4) === 0 ? 'files' : 'site';
    const user = below(8) === 0 ? undefined : `u${Math.floor(40 * random() ** 2)}`;
    return {
      ...{ tenant: TENANTS[Math.floor(TENANTS.length * random() ** 2)] ?? '', api },
      operation: api === 'site' && below(4) === 0 ? 'write' : 'read',
      subject: {
        ip: `192.0.2.${below(6)}`,
        ...(user === undefined ? {} : { user }),
        ...(below(4) === 0 ? {} : { region: ['eu', 'us', 'ap'][below(3)] as string }),
      },
      ...(below(10) === 0 ? { cost: 1 + below(4) } : {}),
    };
  };
  let decisions = 0;
  try {
    await Promise.all(nodes.map(({ store }) => store.connected(WAIT_LIMIT_MS)));
    while (nowUs < startUs + seconds * 1e6) {
      const part = (nowUs - startUs) / (seconds * 1e6);
      const policy = policies[Math.floor(part * policies.length)] as ReplayPolicy;
      const { engine, view } = nodes[below(nodes.length)] as (typeof nodes)[number];
      // Now and then, so that nodes have different revisions for a while.
      if (view.revision !== policy.revision && below(4) === 0) view.apply(policy);
      const requests = Array.from({ length: below(5) === 0 ? 60 : 1 + below(15) }, requestOf);
      await Promise.all(requests.map((request) => engine.limit(request)));
      decisions += requests.length;
      nowUs += below(10) === 0 ? below(8_000_000) : below(1_000_000);
    }
    const blocks = (await Promise.all(nodes.map((node) => node.blocks()))).flat();
    return {
      blocks: inOrder(blocks.map((block) => unpackBlock(packBlock(encodeBlock(block))))),
      policies,
      decisions,
    };
  } finally {
    await Promise.all(nodes.map(({ engine }) => engine.close()));
    await Promise.all(nodes.map(({ store }) => store.close()));
  }
}
