import type { NodeReport } from '@tollgate/contracts';

/** How often a node says that it lives. Whoever is silent for five times this is not counted as live. */
const REPORT_EVERY_MS = 3000;

export interface NodeReporterOptions {
  /** What to say now. */
  report: () => NodeReport;
  send: (report: NodeReport) => Promise<void>;
  /** Counts the nodes that live. */
  countNodes: () => Promise<number>;
  onError: (message: string, error: unknown) => void;
}

/** Tells the control plane which policy this node runs, at each change and every few seconds. */
export class NodeReporter {
  private timer: NodeJS.Timeout | undefined;
  private sending: Promise<void> = Promise.resolve();
  private liveNodes = 1;

  constructor(private readonly options: NodeReporterOptions) {}

  /** Nodes that lived when last asked; at least this one. Goes on at the last number while Redis cannot be asked. */
  get nodes(): number {
    return this.liveNodes;
  }

  start(): void {
    this.reportNow();
    this.timer = setInterval(() => this.reportNow(), REPORT_EVERY_MS);
    this.timer.unref();
  }

  reportNow(): void {
    this.sending = this.sending.then(async () => {
      try {
        await this.options.send(this.options.report());
        this.liveNodes = Math.max(1, await this.options.countNodes());
      } catch (error) {
        this.options.onError('cannot report this node', error);
      }
    });
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.sending;
  }
}
