import type { LimitRequest } from '@tollgate/contracts';
import type { DecisionPlaneEvent } from '@tollgate/decision-plane';
import { ObservedPlane } from './observed-plane.ts';
import { runLoad } from './open-loop.ts';
import type {
  Amending,
  AskVerb,
  Flood,
  FloodReport,
  Load,
  NodeMemory,
  NodeSetup,
  Outcome,
  YardNode,
} from './yard-node.ts';

/** The API that everything in the yard is asked of. */
export const YARD_API = 'yard';

/** A node in this process. */
export class LocalNode implements YardNode {
  readonly id: string;
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

  /** @param cut ends its connections to the counters for good: to the store, that is what a crash looks like */
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
    return runLoad(load, (request) => this.planeFor(n++).ask(request), YARD_API);
  }

  async flood({ tenant, operation, from, ids, inFlight }: Flood): Promise<FloodReport> {
    const report = { admitted: 0, degraded: 0, ms: 0, before: settledMemory() };
    let next = from;
    const caller = async (plane: ObservedPlane) => {
      while (next < from + ids) {
        const user = `visitor-${(next++).toString(36).padStart(32, '0')}`;
        const outcome = await plane.ask({ tenant, api: YARD_API, operation, subject: { user } });
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
    if (plane === undefined) throw new Error('a node without clients');
    return plane;
  }
}

/** Without garbage, where the process was started to let us collect it. */
function settledMemory(): NodeMemory {
  (globalThis as { gc?: () => void }).gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rss, held: heapUsed + external };
}
