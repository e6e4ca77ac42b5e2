import {
  BlockBuilder,
  BlockCopier,
  encodeBlock,
  packBlock,
  type TrafficBlock,
  type TrafficSubject,
} from '@tollgate/replay';

/** Decisions of a stored block are within one clock hour. */
export const HOUR_US = 3_600_000_000;

/** A block with so many decisions is not merged again. */
export const FULL_ROWS = 65_536;

/** Level of a block that is not merged again; lower levels are merged into the next. */
export const SEALED = 3;

/** Blocks of a level that are merged into one of the next: each decision is packed at most four times. */
export const MERGE_AT = 16;

/** A block as stored. */
export interface PackedBlock {
  readonly apis: readonly string[];
  /** Times of its first and last decision, µs since the Unix epoch. */
  readonly fromUs: number;
  readonly toUs: number;
  readonly rows: number;
  readonly packed: Uint8Array;
}

/** Characters of a pseudonym in recorded traffic: 48 bits keep a million subjects of a tenant apart, with few bytes each. */
const HASH_LENGTH = 8;

/** The form in recorded traffic of a pseudonym, as samples have it. */
export const recordedValue = (pseudonym: string): string => pseudonym.slice(0, HASH_LENGTH);

/** Pseudonym of a subject's value. */
export type HashValue = (tenantId: string, dimension: string, value: string) => string;

/**
 * Remembers pseudonyms of recent values: an HMAC takes longer than all else that is done with a decision.
 * @param maxKept values are kept, at most twice as many
 */
export function remembering(hash: HashValue, maxKept: number): HashValue {
  let recent = new Map<string, string>();
  let older = new Map<string, string>();
  return (tenantId, dimension, value) => {
    const text = `${tenantId}\n${dimension}\n${value}`;
    const known = recent.get(text);
    if (known !== undefined) return known;
    const pseudonym = older.get(text) ?? hash(tenantId, dimension, value);
    if (recent.size >= maxKept) {
      older = recent;
      recent = new Map();
    }
    recent.set(text, pseudonym);
    return pseudonym;
  };
}

/**
 * Distributes the decisions of node blocks to blocks by tenant and clock hour, and replaces values by hashes. Decisions with
 * equal times keep their order.
 */
export class TrafficFold {
  /** Decisions outside of the time range or of unknown tenants. */
  discarded = 0;
  private readonly builders = new Map<string, Map<number, BlockBuilder>>();

  /** @param tenants ids by key @param hash of a value @param fromUs decisions before are discarded, likewise from `toUs` on */
  constructor(
    private readonly tenants: ReadonlyMap<string, string>,
    private readonly hash: HashValue,
    private readonly fromUs: number,
    private readonly toUs: number,
  ) {}

  add(block: TrafficBlock): void {
    const tenantIds = block.subjects.map(({ tenant }) => this.tenants.get(tenant));
    let hour = -1;
    let copiers = new Map<string, BlockCopier>();
    for (let row = 0; row < block.rows; row++) {
      const atUs = block.atUs[row] as number;
      const tenantId = tenantIds[block.subject[row] as number];
      if (tenantId === undefined || atUs < this.fromUs || atUs >= this.toUs) {
        this.discarded++;
        continue;
      }
      if (hour !== hourOf(atUs)) {
        hour = hourOf(atUs);
        copiers = new Map();
      }
      let copier = copiers.get(tenantId);
      if (copier === undefined) {
        copier = this.copierOf(block, tenantId, hour);
        copiers.set(tenantId, copier);
      }
      copier.copy(row);
    }
  }

  /** @param sequence orders the blocks of a tenant at equal times */
  *finish(sequence: number): Generator<PackedBlock & { tenantId: string }> {
    for (const [tenantId, byHour] of this.builders) {
      for (const builder of byHour.values()) yield { tenantId, ...packed(builder, sequence) };
    }
  }

  private copierOf(block: TrafficBlock, tenantId: string, hour: number): BlockCopier {
    const byHour = this.builders.get(tenantId) ?? new Map<number, BlockBuilder>();
    this.builders.set(tenantId, byHour);
    const builder = byHour.get(hour) ?? new BlockBuilder();
    byHour.set(hour, builder);
    const mapSubject = ({ tenant, values }: TrafficSubject): TrafficSubject => ({
      tenant,
      values: values.map(([dimension, value]) => [dimension, this.hash(tenantId, dimension, value)]),
    });
    return new BlockCopier(block, builder, mapSubject);
  }
}

/** One block with all decisions of a tenant's blocks, which are in the order of their ingestion. */
export function mergeBlocks(blocks: readonly TrafficBlock[]): PackedBlock {
  const builder = new BlockBuilder();
  for (const block of blocks) {
    const copier = new BlockCopier(block, builder);
    for (let row = 0; row < block.rows; row++) copier.copy(row);
  }
  return packed(builder, Math.max(...blocks.map(({ sequence }) => sequence)));
}

/** Consecutive runs that become a block each: as short as they can be with {@link FULL_ROWS}, except for the last. */
export function runsOf<T extends { readonly rows: number }>(blocks: readonly T[]): T[][] {
  const runs: T[][] = [];
  let rows = FULL_ROWS;
  for (const block of blocks) {
    if (rows >= FULL_ROWS) {
      runs.push([]);
      rows = 0;
    }
    runs.at(-1)?.push(block);
    rows += block.rows;
  }
  return runs;
}

function packed(builder: BlockBuilder, sequence: number): PackedBlock {
  // A source per block: sequence numbers of stored blocks show no gaps.
  const header = { node: '*', epoch: `${sequence}`, sequence, dropped: 0, resolutionUs: 1 };
  const block = builder.build(header);
  return {
    apis: [...new Set(block.operations.map(({ api }) => api))],
    fromUs: block.atUs[0] as number,
    toUs: block.atUs.at(-1) as number,
    rows: block.rows,
    packed: packBlock(encodeBlock(block)),
  };
}

function hourOf(atUs: number): number {
  return Math.floor(atUs / HOUR_US);
}

/** The last stored block of a node process. */
export interface SourcePosition {
  readonly nodeId: string;
  readonly epoch: string;
  readonly sequence: number;
  /** Time of the newest decision, µs. */
  readonly lastUs: number;
}

export const GAP_REASONS = ['DROPPED', 'MISSING', 'RESTARTED'] as const;

export interface NewGap {
  readonly nodeId: string;
  readonly epoch: string;
  readonly reason: (typeof GAP_REASONS)[number];
  readonly fromUs: number;
  readonly toUs: number;
  /** Null: unknown. */
  readonly decisions: number | null;
}

/**
 * Of the next blocks of one node process: those that are not stored yet, the position after them, and the gaps before them.
 * @param position undefined: the process is new @param earlier last position of an earlier process of the node
 */
export function acceptBlocks(
  blocks: readonly TrafficBlock[],
  position: SourcePosition | undefined,
  earlier: SourcePosition | undefined,
): { fresh: TrafficBlock[]; position: SourcePosition | undefined; gaps: NewGap[] } {
  const fresh: TrafficBlock[] = [];
  const gaps: NewGap[] = [];
  let last = position;
  for (const block of blocks) {
    const { node: nodeId, epoch, sequence, dropped } = block;
    if (sequence <= (last?.sequence ?? 0)) continue;
    const missing = sequence - (last?.sequence ?? 0) - 1;
    const beforeUs = last?.lastUs ?? earlier?.lastUs;
    const toUs = block.atUs[0] ?? beforeUs ?? 0;
    const between = { nodeId, epoch, fromUs: Math.min(beforeUs ?? toUs, toUs), toUs };
    if (last === undefined && earlier !== undefined)
      gaps.push({ ...between, reason: 'RESTARTED', decisions: null });
    if (dropped > 0) gaps.push({ ...between, reason: 'DROPPED', decisions: dropped });
    else if (missing > 0) gaps.push({ ...between, reason: 'MISSING', decisions: null });
    fresh.push(block);
    last = { nodeId, epoch, sequence, lastUs: Math.max(beforeUs ?? 0, block.atUs.at(-1) ?? 0) };
  }
  return { fresh, position: last, gaps };
}
