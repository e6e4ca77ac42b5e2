import type { LimitAnswer, LimitRequest, Outcome } from '@tollgate/contracts';
import { Flusher } from '../usage/flusher.js';
import { BlockBuilder, TRAFFIC_FLAGS } from './block.js';
import { decodeBlock, encodeBlock } from './block-codec.js';

export interface RecorderOptions {
  readonly nodeId: string;
  /** New at each start of the process. */
  readonly epoch: string;
  /** Writes an encoded block; blocks are written one at a time, in order. */
  readonly write: (block: Buffer) => Promise<void>;
  readonly onError: (message: string, error: unknown) => void;
  /** Default 2048: no decision waits longer than half a millisecond for their encoding. */
  readonly maxBlockRows?: number;
  /** Memory of the block that is being filled. Default 4 MiB. */
  readonly maxBuilderBytes?: number;
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
  private builder = new BlockBuilder();
  private readonly waiting: WaitingBlock[] = [];
  private waitingBytes = 0;
  private isWriting = false;
  private sequence = 0;
  /** Dropped decisions that no written block counts yet. */
  private uncounted = 0;
  private readonly maxBlockRows: number;
  private readonly maxBuilderBytes: number;
  private readonly maxWaitingBytes: number;

  constructor(private readonly options: RecorderOptions) {
    super();
    this.maxBlockRows = options.maxBlockRows ?? 2048;
    this.maxBuilderBytes = options.maxBuilderBytes ?? 4 * 1024 * 1024;
    this.maxWaitingBytes = options.maxWaitingBytes ?? 16 * 1024 * 1024;
  }

  /** @param nowUs time of the counter store @param flags sum of `TRAFFIC_FLAGS`, without `ownCost` */
  record(request: LimitRequest, answer: LimitAnswer, outcome: Outcome, nowUs: number, flags = 0): void {
    const { builder } = this;
    const ownCost = request.cost === undefined ? 0 : TRAFFIC_FLAGS.ownCost;
    builder.add(
      Math.floor(nowUs),
      builder.subjectOf(request.tenant, request.subject),
      builder.operationOf(request.api, request.operation),
      answer.cost,
      builder.verdictOf(outcome, flags | ownCost, answer.policy, answer.revision),
    );
    if (builder.rows >= this.maxBlockRows || builder.bytes >= this.maxBuilderBytes) this.closeBlock();
  }

  /** Closes the current block and writes all that wait; after a failure, the rest is written next time. Never rejects. */
  override flush(): Promise<void> {
    if (this.builder.rows > 0) this.closeBlock();
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
    const decisions = this.builder.rows;
    const header = { node, epoch, sequence: ++this.sequence, dropped: 0, resolutionUs: 1 };
    const bytes = encodeBlock(this.builder.build(header));
    this.builder = new BlockBuilder();
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
