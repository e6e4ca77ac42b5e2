import type { Offender } from '@tollgate/contracts';
import { DegradedMode } from '../outage/degraded-mode.js';
import { LastKnown } from '../outage/last-known.js';
import { ChargeReplay } from '../outage/recovery.js';
import type { PoolAnswer, PoolReport } from '../pools/exchange.js';
import type { Pool } from '../pools/pool.js';
import { PoolBook, type Schedule } from '../pools/pool-book.js';
import type { ClockUs } from '../store/clocks.js';
import type { Amendment, DecisionStore, StoreReply, StoreRequest } from '../store/decision-store.js';
import { DEFAULT_DEADLINE_MS } from '../store/redis/redis-store.js';
import { DecisionLog, type DecisionSampler } from '../usage/decision-log.js';
import { HeavyHitters } from '../usage/heavy-hitters.js';
import { LimitCrossings } from '../usage/limit-crossings.js';
import type { QuotaCheckpoints } from '../usage/quota-checkpoints.js';
import { QuotaRestores } from '../usage/quota-restores.js';
import type { UsageAggregator } from '../usage/usage-aggregator.js';
import { DenialCache } from './denial-cache.js';
import { KeyBudget } from './key-budget.js';
import { LeaseBook } from './lease-book.js';
import type { OnStale, UnknownApis } from './requests.js';
import { type AdmitKey, type PolicyView, TenantPolicies } from './resolve.js';

export interface EngineOptions {
  nodeId: string;
  /** New at each start of the process. */
  epoch: string;
  store: DecisionStore;
  deadlineMs?: number | undefined;
  exchangePool: (pool: Pool, report: PoolReport) => Promise<PoolAnswer>;
  policies: PolicyView;
  usage: Pick<UsageAggregator, 'tally' | 'addCrossings'>;
  /** Default: no decisions are sampled. */
  sampler?: DecisionSampler;
  /** Default: quota usage is as durable as the store. */
  checkpoints?: QuotaCheckpoints;
  /** Live nodes that share the limits, at least 1. */
  nodes: () => number;
  /** Called with the store's reply to each decision, also when it was unavailable. */
  onReply: (reply: StoreReply) => void;
  onBudgetSpent: (tenant: string, cause: string) => void;
  onError: (message: string, error: unknown) => void;
  /** Default: keep. */
  onStale?: OnStale | undefined;
  /** Default: refuse. */
  unknownApis?: UnknownApis | undefined;
  keysPerTenant?: number | undefined;
  thresholds?: readonly number[] | undefined;
  /** Unix ms by the store's clock; default: the process's clock. */
  nowMs?: () => number;
  /** Replaces all clocks. */
  clockUs?: ClockUs;
  /** Default: the process's timers. */
  schedule?: Schedule;
}

export interface EngineParts {
  readonly store: DecisionStore;
  /** Default deadline, ms. */
  readonly deadlineMs: number;
  readonly policies: TenantPolicies;
  readonly pools: PoolBook;
  readonly leases: LeaseBook;
  readonly denials: DenialCache;
  readonly degraded: DegradedMode;
  readonly replay: ChargeReplay;
  readonly lastKnown: LastKnown;
  readonly checkpoints: QuotaCheckpoints | undefined;
  readonly restores: QuotaRestores | undefined;
  readonly log: DecisionLog;
  readonly offenders: { take(max: number): Offender[] };
  readonly admitKey: AdmitKey;
  /** As `admitKey`, without charging. */
  readonly isKeyAdmitted: AdmitKey;
  readonly nextRequestId: () => string;
  readonly nodes: () => number;
  readonly onReply: (reply: StoreReply) => void;
  readonly onStale: OnStale;
  readonly unknownApis: UnknownApis;
  /** Unix ms. */
  readonly nowMs: () => number;
  /** Monotonic ms. */
  readonly clockMs: () => number;
}

export function engineParts(options: EngineOptions): EngineParts {
  const { nodeId, epoch, store, nodes, checkpoints, onError, clockUs } = options;
  const nowMs = clockUs === undefined ? (options.nowMs ?? Date.now) : () => clockUs() / 1000;
  const clockMs = clockUs === undefined ? () => performance.now() : nowMs;
  const nowUs = () => Math.round(nowMs() * 1000);
  const amend = (amendment: Amendment) => store.amend(amendment);
  const decide = (request: StoreRequest) => store.decide(request);
  const { keysPerTenant, thresholds, onBudgetSpent, usage, sampler } = options;
  const budget = new KeyBudget({ onSpent: onBudgetSpent, keysPerTenant });
  const lastKnown = new LastKnown();
  const degraded = new DegradedMode(lastKnown, { clockUs: clockUs ?? nowUs });
  const restores =
    checkpoints &&
    new QuotaRestores({
      checkpoints,
      restore: async (check, used) => (await amend({ op: 'restore', check, used })).available,
      nowUs,
    });
  const replay = new ChargeReplay({
    degraded,
    decide,
    amend,
    clockMs,
    ...(restores && {
      withKnown: (owed) => restores.withKnown(owed),
      onApplied: (...applied) => restores.applied(...applied),
    }),
  });
  const leases = new LeaseBook({
    amend,
    nodes,
    clockMs,
    onReading: (...reading) => lastKnown.note(...reading),
  });
  const pools = new PoolBook({
    nodeId,
    exchange: options.exchangePool,
    liveNodes: nodes,
    onError,
    clockMs,
    schedule: options.schedule,
  });
  const offenders = new HeavyHitters();
  const crossings = new LimitCrossings({ thresholds });
  let requests = 0;
  return {
    store,
    deadlineMs: options.deadlineMs ?? DEFAULT_DEADLINE_MS,
    policies: new TenantPolicies(options.policies, nowMs),
    pools,
    leases,
    denials: new DenialCache(),
    degraded,
    replay,
    lastKnown,
    checkpoints,
    restores,
    log: new DecisionLog({ usage, crossings, offenders, sampler, checkpoints, restores }),
    offenders,
    admitKey: budget.admit.bind(budget),
    isKeyAdmitted: budget.isAdmitted.bind(budget),
    nextRequestId: () => {
      requests++;
      return `req_${epoch}${requests.toString(36)}`;
    },
    nodes,
    onReply: options.onReply,
    onStale: options.onStale ?? 'keep',
    unknownApis: options.unknownApis ?? 'deny',
    nowMs,
    clockMs,
  };
}
