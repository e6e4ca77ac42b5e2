import type { NodeReport } from '@tollgate/contracts';

/** How often a node says that it lives. */
const REPORT_EVERY_MS = 3000;

/** A node of which nothing new is heard for this long is not counted as live. */
const SILENT_AFTER_MS = 5 * REPORT_EVERY_MS;

export interface NodeReporterOptions {
  /** What to say now. */
  report: () => NodeReport;
  send: (report: NodeReport) => Promise<void>;
  /** The last reports of all nodes; of one that is gone it may be old. */
  readReports: () => Promise<readonly NodeReport[]>;
  onError: (message: string, error: unknown) => void;
  /** How many nodes lived when this one ran the last time; undefined: not known. Holds until they are counted. */
  lastNodes?: () => number | undefined;
  /** Told when the number of live nodes is another one. */
  onNodes?: () => void;
  /** Monotonic, ms; left out: the process's. */
  clockMs?: () => number;
}

/** A node's last report, and when it was met first. */
interface Heard {
  readonly seenAtMs: number;
  readonly atMs: number;
}

/** Tells the control plane which policy this node runs, at each change and every few seconds. */
export class NodeReporter {
  private timer: NodeJS.Timeout | undefined;
  private sending: Promise<void> = Promise.resolve();
  private liveNodes: number | undefined;
  private heard: ReadonlyMap<string, Heard> = new Map();

  constructor(private readonly options: NodeReporterOptions) {}

  /** Nodes that lived when last asked; at least this one. Goes on at the last number while Redis cannot be asked. */
  get nodes(): number {
    return this.liveNodes ?? this.options.lastNodes?.() ?? 1;
  }

  /** Resolves once the live nodes are counted, or cannot be: a node that thought itself alone would spend all of a limit. */
  async start(): Promise<void> {
    this.reportNow();
    this.timer = setInterval(() => this.reportNow(), REPORT_EVERY_MS);
    this.timer.unref();
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

  // By this process's clock, from when a report was met here: clocks of nodes differ, and one that is behind would count
  // as gone.
  private countLive(reports: readonly NodeReport[]): number {
    const nowMs = this.options.clockMs?.() ?? performance.now();
    const { heard } = this;
    this.heard = new Map(
      reports.map(({ nodeId, seenAtMs }) => {
        const before = heard.get(nodeId);
        return [nodeId, before?.seenAtMs === seenAtMs ? before : { seenAtMs, atMs: nowMs }];
      }),
    );
    return [...this.heard.values()].filter(({ atMs }) => nowMs - atMs < SILENT_AFTER_MS).length;
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.sending;
  }
}
