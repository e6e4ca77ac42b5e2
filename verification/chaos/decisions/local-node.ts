import { AsyncLocalStorage } from 'node:async_hooks';
import type { AmendAnswer, LimitAnswer, LimitRequest } from '@tollgate/contracts';
import type { DecisionStore, StoreReply } from '@tollgate/limiter/stores';
import { randomFrom } from '@tollgate/test-kit/random';
import { build } from 'hdr-histogram-js';
import { DecisionPlane } from '../../../packages/decision-plane/src/api/decision-plane.js';
import type {
  DecisionPlaneEvent,
  DecisionPlaneOptions,
} from '../../../packages/decision-plane/src/api/options.js';
import type {
  Amending,
  AskVerb,
  Flood,
  FloodReport,
  Load,
  LoadReport,
  NodeMemory,
  NodeSetup,
  Outcome,
  TestbedNode,
} from './testbed-node.ts';

const TICK_MS = 2;

/** Sends requests on schedule; resolves when all have outcomes. */
async function runLoad(
  load: Load,
  ask: (request: {
    tenant: string;
    api: string;
    operation: string;
    subject: { user: string };
  }) => Promise<Outcome>,
  api: string,
): Promise<LoadReport> {
  const { perSecond, ms, tenant, mix, outcomes: wanted } = load;
  const random = randomFrom(load.seed);
  const weights = mix.reduce((sum, { weight }) => sum + weight, 0);
  const latencies = build({ lowestDiscernibleValue: 1, highestTrackableValue: 120_000_000 });
  const outcomes: Outcome[] = [];
  const counts = { asked: 0, degraded: 0, thrown: 0, unmarked: 0, admitted: 0 };
  let pending = 0;
  let whenIdle: (() => void) | undefined;

  const choose = () => {
    let at = random.below(weights);
    const chosen = mix.find(({ weight }) => {
      at -= weight;
      return at < 0;
    });
    if (chosen === undefined) throw new Error('the load has an empty mix');
    return { operation: chosen.operation, user: `u${random.below(chosen.users)}` };
  };
  const note = (outcome: Outcome) => {
    latencies.recordValue(Math.max(1, outcome.latencyUs));
    if (outcome.degraded) counts.degraded++;
    if (outcome.thrown !== undefined) counts.thrown++;
    if (outcome.success && !outcome.fromStore && !outcome.degraded) counts.unmarked++;
    if (outcome.success) counts.admitted++;
    if (isWanted(outcome, wanted)) outcomes.push(outcome);
    if (--pending === 0) whenIdle?.();
  };
  const startMs = performance.now();
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const elapsedMs = Math.min(ms, performance.now() - startMs);
      while (counts.asked < (elapsedMs * perSecond) / 1000) {
        const { operation, user } = choose();
        counts.asked++;
        pending++;
        void ask({ tenant, api, operation, subject: { user } }).then(note);
      }
      if (elapsedMs < ms) return;
      clearInterval(timer);
      resolve();
    }, TICK_MS);
  });
  await new Promise<void>((resolve) => {
    whenIdle = resolve;
    if (pending === 0) resolve();
  });
  const atMs = (percentile: number) => latencies.getValueAtPercentile(percentile) / 1000;
  const maxMs = latencies.maxValue / 1000;
  return { ...counts, p50Ms: atMs(50), p99Ms: atMs(99), p999Ms: atMs(99.9), maxMs, outcomes };
}

function isWanted({ success, fromStore }: Outcome, wanted: Load['outcomes']): boolean {
  if (wanted === 'all') return true;
  if (wanted === 'admitted') return success;
  return wanted === 'store and admitted' && (success || fromStore);
}

/** Data that an oracle needs and an answer does not contain: the store's time of each decision, and the live nodes. */
interface Innards {
  readonly node: Node;
}

interface Node {
  readonly counters: DecisionStore;
  readonly reporter: { readonly nodes: number; reportNow(): void };
}

/** A decision plane whose outcomes include the store's time. */
class ObservedPlane {
  private readonly replies = new AsyncLocalStorage<{ reply?: StoreReply }>();
  private readonly innards: Node;
  private readonly plane: DecisionPlane;
  private readonly name: string;
  private asked = 0;

  private constructor(plane: DecisionPlane, name: string) {
    this.plane = plane;
    this.name = name;
    // Private by design; an oracle based on the answers would only compare the engine with itself.
    this.innards = (plane as unknown as Innards).node;
    const store = this.innards.counters;
    const decide = store.charge.bind(store);
    store.charge = async (request) => {
      const reply = await decide(request);
      const seen = this.replies.getStore();
      if (seen !== undefined) seen.reply = reply;
      return reply;
    };
  }

  static async start(options: DecisionPlaneOptions): Promise<ObservedPlane> {
    return new ObservedPlane(await DecisionPlane.start(options), options.nodeId);
  }

  /** Live nodes as counted by this one; makes it count again. */
  liveNodes(): number {
    this.innards.reporter.reportNow();
    return this.innards.reporter.nodes;
  }

  /** Never rejects: errors are outcomes. */
  async ask(request: LimitRequest, verb: AskVerb = 'limit'): Promise<Outcome> {
    const seen: { reply?: StoreReply } = {};
    const n = this.asked++;
    const startMs = performance.now();
    const startUs = Date.now() * 1000;
    let answer: LimitAnswer | undefined;
    let thrown: string | undefined;
    try {
      answer = await this.replies.run(seen, () => this.call(request, verb));
    } catch (error) {
      thrown = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    }
    const latencyUs = Math.round((performance.now() - startMs) * 1000);
    const reply = seen.reply?.available === true ? seen.reply : undefined;
    return {
      node: this.name,
      n,
      key: `${request.operation} ${request.subject?.user ?? ''}`,
      atUs: reply?.nowUs ?? (answer?.degraded === true ? Date.now() * 1000 : startUs),
      fromStore: reply !== undefined,
      success: answer?.success ?? false,
      degraded: answer?.degraded ?? false,
      reason: answer?.reason ?? '',
      used: answer?.used ?? 0,
      remaining: answer?.remaining ?? 0,
      delayMs: answer?.delayMs ?? 0,
      retryAfter: answer === undefined ? 0 : answer.retryAfter,
      latencyUs,
      ...(verb === 'peek' && answer !== undefined ? { left: leftOf(answer) } : {}),
      ...(thrown === undefined ? {} : { thrown }),
    };
  }

  amend(amending: Amending): Promise<AmendAnswer> {
    const { verb, ...request } = amending;
    return verb === 'release'
      ? this.plane.release(request)
      : this.plane.settle({ ...request, cost: (amending as { cost: number }).cost });
  }

  close(): Promise<void> {
    return this.plane.close();
  }

  private call(request: LimitRequest, verb: AskVerb): Promise<LimitAnswer> {
    if (verb === 'limit') return this.plane.limit(request);
    if (verb === 'peek') return this.plane.peek(request);
    return this.plane.reserve({ ...request, expiresInMs: 1000 });
  }
}

function leftOf({ policies }: LimitAnswer): Record<string, number> {
  return Object.fromEntries(policies.map(({ name, remaining }) => [name, remaining]));
}

/** API of all requests in the testbed. */
export const TESTBED_API = 'testbed';

/** A node in this process. */
export class LocalNode implements TestbedNode {
  readonly id: string;
  readonly pid = undefined;
  private readonly planes: readonly ObservedPlane[];
  private readonly kinds: DecisionPlaneEvent['kind'][];
  private readonly cut: () => Promise<void>;

  private constructor(
    id: string,
    planes: readonly ObservedPlane[],
    kinds: DecisionPlaneEvent['kind'][],
    cut: () => Promise<void>,
  ) {
    this.id = id;
    this.planes = planes;
    this.kinds = kinds;
    this.cut = cut;
  }

  /** @param cut ends its connections to the counters permanently, which looks like a crash to the store */
  static async start(
    setup: NodeSetup,
    cut: () => Promise<void> = () => Promise.resolve(),
  ): Promise<LocalNode> {
    const { id, countersUrl, configUrl, clients, deadlineMs, keysPerTenant } = setup;
    const kinds: DecisionPlaneEvent['kind'][] = [];
    const planes = Array.from({ length: clients }, (_, i) =>
      ObservedPlane.start({
        countersUrl,
        configUrl,
        policyKeys: 'unsigned',
        nodeId: clients === 1 ? id : `${id}-${i}`,
        version: 'chaos',
        onEvent: ({ kind }) => kinds.push(kind),
        ...(deadlineMs === undefined ? {} : { deadlineMs }),
        ...(keysPerTenant === undefined ? {} : { keysPerTenant }),
      }),
    );
    return new LocalNode(id, await Promise.all(planes), kinds, cut);
  }

  ask(requests: readonly LimitRequest[], verb: AskVerb = 'limit'): Promise<Outcome[]> {
    return Promise.all(requests.map((request, i) => this.planeFor(i).ask(request, verb)));
  }

  load(load: Load) {
    let n = 0;
    return runLoad(load, (request) => this.planeFor(n++).ask(request), TESTBED_API);
  }

  async flood({ tenant, operation, from, ids, inFlight }: Flood): Promise<FloodReport> {
    const report = { admitted: 0, degraded: 0, ms: 0, before: settledMemory() };
    let next = from;
    const caller = async (plane: ObservedPlane) => {
      while (next < from + ids) {
        const user = `visitor-${(next++).toString(36).padStart(32, '0')}`;
        const outcome = await plane.ask({ tenant, api: TESTBED_API, operation, subject: { user } });
        if (outcome.success) report.admitted++;
        if (outcome.degraded) report.degraded++;
      }
    };
    const startMs = performance.now();
    await Promise.all(Array.from({ length: inFlight }, (_, i) => caller(this.planeFor(i))));
    return { ...report, ms: performance.now() - startMs, after: settledMemory() };
  }

  amend(amendments: readonly Amending[]) {
    return Promise.all(amendments.map((amending, i) => this.planeFor(i).amend(amending)));
  }

  liveNodes(): Promise<number> {
    return Promise.resolve(Math.min(...this.planes.map((plane) => plane.liveNodes())));
  }

  events(): Promise<DecisionPlaneEvent['kind'][]> {
    return Promise.resolve([...this.kinds]);
  }

  kill(): Promise<void> {
    return this.cut();
  }

  async close(): Promise<void> {
    await Promise.all(this.planes.map((plane) => plane.close()));
  }

  private planeFor(i: number): ObservedPlane {
    const plane = this.planes[i % this.planes.length];
    if (plane === undefined) throw new Error('the node has no clients');
    return plane;
  }
}

/** After a garbage collection, if the process exposes it. */
function settledMemory(): NodeMemory {
  (globalThis as { gc?: () => void }).gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rss, held: heapUsed + external };
}
