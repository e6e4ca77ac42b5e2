import type { LimitAnswer, LimitRequest, Outcome } from '@tollgate/contracts';
import { BlockEncoder, decodeBlock, encodeBlock, TRAFFIC_FLAGS } from '@tollgate/replay';
import { Flusher } from './flusher.js';

export interface RecorderOptions {
  readonly nodeId: string;
  /** New at each start of the process. */
  readonly epoch: string;
  /** Writes an encoded block; blocks are written one at a time, in order. */
  readonly write: (block: Buffer) => Promise<void>;
  readonly onError: (message: string, error: unknown) => void;
  /** Default 2048: no decision waits longer than a tenth of a millisecond for the encoding of their columns. */
  readonly maxBlockRows?: number;
  /** Memory of the block that is being filled. Default 4 MiB. */
  readonly maxBlockBytes?: number;
  /** Encoded blocks that wait; beyond it, the oldest are dropped. Default 16 MiB. */
  readonly maxWaitingBytes?: number;
}

interface WaitingBlock {
  readonly bytes: Buffer;
  readonly decisions: number;
}

/**
 * Records every decision of a node in blocks (docs/adr/0055-traffic-replay.md) and writes them once a second. Never samples:
 * without space, it drops the oldest block, which shows as a gap in the sequence and in the next block's `dropped`.
 */
export class TrafficRecorder extends Flusher {
  /** Decisions dropped since the start. */
  decisionsDropped = 0;
  private readonly block = new BlockEncoder();
  private readonly waiting: WaitingBlock[] = [];
  private waitingBytes = 0;
  private isWriting = false;
  private sequence = 0;
  /** Dropped decisions that no written block counts yet. */
  private uncounted = 0;
  private readonly maxBlockRows: number;
  private readonly maxBlockBytes: number;
  private readonly maxWaitingBytes: number;

  constructor(private readonly options: RecorderOptions) {
    super();
    this.maxBlockRows = options.maxBlockRows ?? 2048;
    this.maxBlockBytes = options.maxBlockBytes ?? 4 * 1024 * 1024;
    this.maxWaitingBytes = options.maxWaitingBytes ?? 16 * 1024 * 1024;
  }

  /** @param nowUs time of the counter store @param flags sum of `TRAFFIC_FLAGS`, without `ownCost` */
  record(request: LimitRequest, answer: LimitAnswer, outcome: Outcome, nowUs: number, flags = 0): void {
    const { block } = this;
    const ownCost = request.cost === undefined ? 0 : TRAFFIC_FLAGS.ownCost;
    block.add(
      Math.floor(nowUs),
      block.subjectOf(request.tenant, request.subject),
      block.operationOf(request.api, request.operation),
      answer.cost,
      block.verdictOf(outcome, flags | ownCost, answer.policy, answer.revision),
    );
    if (block.rows >= this.maxBlockRows || block.bytes >= this.maxBlockBytes) this.closeBlock();
  }

  /** Closes the current block and writes all that wait; after a failure, the rest is written next time. Never rejects. */
  override flush(): Promise<void> {
    if (this.block.rows > 0) this.closeBlock();
    return super.flush();
  }

  protected async write(): Promise<void> {
    this.isWriting = true;
    try {
      for (let block = this.waiting[0]; block !== undefined; block = this.waiting[0]) {
        const { uncounted } = this;
        await this.options.write(uncounted === 0 ? block.bytes : withDropped(block.bytes, uncounted));
        this.uncounted -= uncounted;
        this.waiting.shift();
        this.waitingBytes -= block.bytes.length;
      }
    } catch (error) {
      this.options.onError('cannot write recorded traffic', error);
    } finally {
      this.isWriting = false;
    }
  }

  private closeBlock(): void {
    const { nodeId: node, epoch } = this.options;
    const decisions = this.block.rows;
    const header = { node, epoch, sequence: ++this.sequence, dropped: 0, resolutionUs: 1 };
    const bytes = this.block.finish(header);
    this.waiting.push({ bytes, decisions });
    this.waitingBytes += bytes.length;
    while (this.waitingBytes > this.maxWaitingBytes && this.dropOldest());
  }

  /** Keeps the block that is being written. Returns false if there is no other. */
  private dropOldest(): boolean {
    const [oldest] = this.waiting.splice(this.isWriting ? 1 : 0, 1);
    if (oldest === undefined) return false;
    this.waitingBytes -= oldest.bytes.length;
    this.uncounted += oldest.decisions;
    this.decisionsDropped += oldest.decisions;
    return true;
  }
}

function withDropped(bytes: Buffer, dropped: number): Buffer {
  return encodeBlock({ ...decodeBlock(bytes), dropped });
}
