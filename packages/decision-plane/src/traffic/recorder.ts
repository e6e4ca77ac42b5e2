import type { LimitAnswer, LimitRequest, Outcome } from '@tollgate/contracts';
import { BlockBuilder, TRAFFIC_FLAGS } from './block.js';
import { encodeBlock } from './block-codec.js';

export interface RecorderOptions {
  readonly nodeId: string;
  /** New at each start of the process. */
  readonly epoch: string;
  /** Default 8192: encoding them takes about a millisecond. */
  readonly maxBlockRows?: number;
  /** Memory of the block that is being filled. Default 4 MiB. */
  readonly maxBuilderBytes?: number;
  /** Encoded blocks that wait; beyond it, the oldest are dropped. Default 16 MiB. */
  readonly maxWaitingBytes?: number;
}

interface WaitingBlock {
  readonly bytes: Buffer;
  /** Decisions that are lost with it, its header's `dropped` included. */
  readonly decisions: number;
}

/**
 * Records every decision of a node in blocks (docs/adr/0055-traffic-replay.md). Never samples: without space, it drops the
 * oldest block, which shows as a gap in the sequence and in the next block's `dropped`.
 */
export class TrafficRecorder {
  private builder = new BlockBuilder();
  private waiting: WaitingBlock[] = [];
  private waitingBytes = 0;
  private sequence = 0;
  private dropped = 0;
  private readonly maxBlockRows: number;
  private readonly maxBuilderBytes: number;
  private readonly maxWaitingBytes: number;

  constructor(private readonly options: RecorderOptions) {
    this.maxBlockRows = options.maxBlockRows ?? 8192;
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

  /** The encoded blocks since the last call, oldest first. Call it once a second. */
  take(): Buffer[] {
    if (this.builder.rows > 0) this.closeBlock();
    const { waiting } = this;
    this.waiting = [];
    this.waitingBytes = 0;
    return waiting.map(({ bytes }) => bytes);
  }

  private closeBlock(): void {
    const { nodeId: node, epoch } = this.options;
    const decisions = this.builder.rows + this.dropped;
    const bytes = encodeBlock(
      this.builder.build({ node, epoch, sequence: ++this.sequence, dropped: this.dropped, resolutionUs: 1 }),
    );
    this.builder = new BlockBuilder();
    this.dropped = 0;
    this.waiting.push({ bytes, decisions });
    this.waitingBytes += bytes.length;
    while (this.waitingBytes > this.maxWaitingBytes) this.dropOldest();
  }

  private dropOldest(): void {
    const oldest = this.waiting.shift();
    if (oldest === undefined) return;
    this.waitingBytes -= oldest.bytes.length;
    this.dropped += oldest.decisions;
  }
}
