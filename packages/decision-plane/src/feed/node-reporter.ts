import type { NodeReport } from '@tollgate/contracts';

const REPORT_EVERY_MS = 3000;
const SILENT_AFTER_MS = 5 * REPORT_EVERY_MS;

export interface NodeReporterOptions {
  report: () => NodeReport;
  send: (report: NodeReport) => Promise<void>;
  readReports: () => Promise<readonly NodeReport[]>;
  onError: (message: string, error: unknown) => void;
  /** Live nodes in the previous run, used until they are counted; undefined: unknown. */
  lastNodes?: () => number | undefined;
  onNodes?: () => void;
  /** Monotonic ms; default: the process's clock. */
  clockMs?: () => number;
}

interface SeenReport {
  readonly seenAtMs: number;
  readonly atMs: number;
}

export class NodeReporter {
  private timer: NodeJS.Timeout | undefined;
  private sending: Promise<void> = Promise.resolve();
  private liveNodes: number | undefined;
  private seen: ReadonlyMap<string, SeenReport> = new Map();

  constructor(private readonly options: NodeReporterOptions) {}

  /** At least 1. Keeps the last number while Redis is unavailable. */
  get nodes(): number {
    return this.liveNodes ?? this.options.lastNodes?.() ?? 1;
  }

  /** Resolves when live nodes are counted or cannot be: a node that believes to be alone would spend entire limits. */
  async start(): Promise<void> {
    this.reportNow();
    this.timer = setInterval(() => this.reportNow(), REPORT_EVERY_MS).unref();
    await this.sending;
  }

  reportNow(): void {
    this.sending = this.sending.then(async () => {
      try {
        await this.options.send(this.options.report());
        this.count(Math.max(1, this.countLive(await this.options.readReports())));
      } catch (error) {
        this.options.onError('cannot report this node', error);
      }
    });
  }

  private count(nodes: number): void {
    const before = this.nodes;
    this.liveNodes = nodes;
    if (nodes !== before) this.options.onNodes?.();
  }

  // By this process's clock since it first read a report: node clocks differ, and a slow clock would make a node look stopped.
  private countLive(reports: readonly NodeReport[]): number {
    const nowMs = this.options.clockMs?.() ?? performance.now();
    const { seen } = this;
    this.seen = new Map(
      reports.map(({ nodeId, seenAtMs }) => {
        const before = seen.get(nodeId);
        return [nodeId, before?.seenAtMs === seenAtMs ? before : { seenAtMs, atMs: nowMs }];
      }),
    );
    return [...this.seen.values()].filter(({ atMs }) => nowMs - atMs < SILENT_AFTER_MS).length;
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.sending;
  }
}
