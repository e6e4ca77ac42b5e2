import {
  type Amendment,
  type ClockUs,
  DEFAULT_DEADLINE_MS,
  type DecisionStore,
  type StoreReply,
  type StoreRequest,
} from '@tollgate/limiter/stores';
import type { Pool } from '@tollgate/policy';
import { CounterBook } from '../counters/counter-book.js';
import { KeyBudget, type ServerMemory } from '../counters/key-budget.js';
import { LeaseBook } from '../counters/lease-book.js';
import { LimitCrossings } from '../counters/limit-crossings.js';
import { LimitPeaks } from '../counters/limit-peaks.js';
import { DegradedMode } from '../outage/degraded-mode.js';
import { LastKnown } from '../outage/local-shares.js';
import { ChargeReplay } from '../outage/recovery.js';
import type { PoolAnswer, PoolReport } from '../pools/exchange.js';
import { PoolBook, type Schedule } from '../pools/pool-book.js';
import { DecisionLog, type DecisionSampler } from '../usage/decision-log.js';
import { HeavyHitters } from '../usage/heavy-hitters.js';
import type { QuotaCheckpoints } from '../usage/quota-checkpoints.js';
import { QuotaRestores } from '../usage/quota-restores.js';
import type { TrafficRecorder } from '../usage/traffic-recorder.js';
import type { UsageAggregator } from '../usage/usage-aggregator.js';
import { DenialCache } from './denial-cache.js';
import type { OnStale, UnknownApis } from './requests.js';
import { TenantOperations } from './tenant-operations.js';
import { type PolicyView, TenantPolicies } from './tenant-policies.js';

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
  /** Default: traffic is not recorded. */
  traffic?: Pick<TrafficRecorder, 'record'>;
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
  /** Default: deny. */
  unknownApis?: UnknownApis | undefined;
  keysPerTenant?: number | undefined;
  /** Default: unbounded. */
  memory?: ServerMemory;
  thresholds?: readonly number[] | undefined;
  /** Unix ms by the store's clock; default: the process's clock. @param monotonicMs `performance.now()`, just read */
  nowMs?: (monotonicMs?: number) => number;
  /** Replaces all clocks. */
  clockUs?: ClockUs;
  /** Default: the process's timers. */
  schedule?: Schedule;
}

export type EngineParts = ReturnType<typeof engineParts>;

/** The parts that decide a request, built once per node. */
export function engineParts(options: EngineOptions) {
  const { nodeId, epoch, store, nodes, checkpoints, onError, clockUs } = options;
  const nowMs: (monotonicMs?: number) => number =
    clockUs === undefined ? (options.nowMs ?? Date.now) : () => clockUs() / 1000;
  const clockMs = clockUs === undefined ? () => performance.now() : nowMs;
  const nowUs = () => Math.round(nowMs() * 1000);
  const amend = (amendment: Amendment) => store.amend(amendment);
  const charge = (request: StoreRequest) => store.charge(request);
  const { keysPerTenant, memory, thresholds, onBudgetSpent, usage, sampler, traffic } = options;
  const budget = new KeyBudget({ onSpent: onBudgetSpent, keysPerTenant, memory });
  const policies = new TenantPolicies(options.policies, nowMs);
  const lastKnown = new LastKnown();
  const degraded = new DegradedMode(lastKnown, { clockUs: clockUs ?? nowUs });
  const deadlineMs = options.deadlineMs ?? DEFAULT_DEADLINE_MS;
  const restores =
    checkpoints &&
    new QuotaRestores({
      checkpoints,
      restore: async (check, used) => (await amend({ op: 'restore', check, used })).available,
      peek: (check) => charge({ checks: [check], peek: true }),
      deadlineMs,
      nowUs,
    });
  const replay = new ChargeReplay({
    degraded,
    charge,
    amend,
    clockMs,
    ...(restores && {
      withKnown: (owed) => restores.withKnown(owed),
      onApplied: (...applied) => restores.applied(...applied),
    }),
  });
  const leases = new LeaseBook({
    amend,
    mayLease: restores && ((check) => restores.mayLease(check)),
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
  const peaks = new LimitPeaks();
  const crossings = new LimitCrossings({ thresholds });
  const nextRequestId = requestIds(epoch);
  return {
    store,
    deadlineMs,
    policies,
    operations: new TenantOperations(policies, nowMs),
    counters: new CounterBook(budget),
    pools,
    leases,
    denials: new DenialCache(),
    degraded,
    replay,
    lastKnown,
    checkpoints,
    restores,
    log: new DecisionLog({ usage, crossings, offenders, peaks, sampler, traffic, checkpoints, restores }),
    offenders,
    peaks,
    admitKey: budget.admit.bind(budget),
    isKeyAdmitted: budget.isAdmitted.bind(budget),
    nextRequestId,
    nodes,
    onReply: options.onReply,
    onStale: options.onStale ?? 'keep',
    unknownApis: options.unknownApis ?? 'deny',
    nowMs,
    clockMs,
  };
}

/** The last two digits of request ids. */
const LAST_DIGITS = Array.from({ length: 36 ** 2 }, (_, n) => n.toString(36).padStart(2, '0'));

/** Numbers the requests of this process. Formats only two digits each: a number's text costs as much as its lease. */
function requestIds(epoch: string): () => string {
  let requests = 0;
  let start = '';
  return () => {
    const last = requests % LAST_DIGITS.length;
    if (last === 0) start = `req_${epoch}${(requests / LAST_DIGITS.length).toString(36)}`;
    requests++;
    return start + LAST_DIGITS[last];
  };
}
