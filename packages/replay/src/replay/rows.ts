import type { TrafficBlock } from '../traffic/block.js';

/** @param atUs as recorded, or within the tick of a coarse clock */
export type VisitRow<T> = (opened: T, row: number, atUs: number) => void;

interface Cursor<T> {
  readonly block: TrafficBlock;
  readonly opened: T;
  readonly atUs: Float64Array;
  row: number;
}

/**
 * Visits the decisions of all blocks in order of time; equal times in the order of node and sequence. Keeps only blocks in
 * memory that overlap.
 */
export class RowOrder<T> {
  /** Rows of the blocks in memory. */
  openRows = 0;
  /** A heap: earliest row first. */
  private readonly cursors: Cursor<T>[] = [];
  private lastUs = Number.NEGATIVE_INFINITY;

  /**
   * @param open called once per block @param isSpread whether requests of one tick of a coarse clock are spread evenly over
   * it, instead of together at its start
   */
  constructor(
    private readonly open: (block: TrafficBlock) => T,
    private readonly visit: VisitRow<T>,
    private readonly isSpread = false,
  ) {}

  /** Adds a block, in the order of the first decision, after visiting all decisions before it. @throws RangeError */
  add(block: TrafficBlock): void {
    if (block.rows === 0) return;
    const startUs = block.atUs[0] as number;
    if (startUs < this.lastUs) throw new RangeError('blocks must be in the order of their first decision');
    this.lastUs = startUs;
    this.visitBefore(startUs);
    const atUs = this.isSpread && block.resolutionUs > 1 ? spread(block) : block.atUs;
    this.openRows += block.rows;
    this.cursors.push({ block, opened: this.open(block), atUs, row: 0 });
    this.rise();
  }

  /** Visits the remaining decisions; blocks of any time may follow. */
  end(): void {
    this.visitBefore(Number.POSITIVE_INFINITY);
    this.lastUs = Number.NEGATIVE_INFINITY;
  }

  private visitBefore(untilUs: number): void {
    const { cursors, visit } = this;
    for (let first = cursors[0]; first !== undefined && timeOf(first) < untilUs; first = cursors[0]) {
      // Rows before any of another block need no further comparison.
      const othersUs = Math.min(untilUs, startOf(cursors[1]), startOf(cursors[2]));
      const { atUs, opened } = first;
      let { row } = first;
      do {
        visit(opened, row, atUs[row] as number);
        row++;
      } while (row < atUs.length && (atUs[row] as number) < othersUs);
      first.row = row;
      if (row === atUs.length) this.removeFirst(first);
      this.sink();
    }
  }

  private removeFirst({ block }: Cursor<T>): void {
    this.openRows -= block.rows;
    const last = this.cursors.pop();
    if (last !== undefined && this.cursors.length > 0) this.cursors[0] = last;
  }

  private rise(): void {
    const { cursors } = this;
    for (let at = cursors.length - 1; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!isBefore(cursors[at] as Cursor<T>, cursors[parent] as Cursor<T>)) return;
      this.swap(at, parent);
      at = parent;
    }
  }

  private sink(): void {
    const { cursors } = this;
    for (let at = 0; ; ) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        const cursor = cursors[child];
        if (cursor !== undefined && isBefore(cursor, cursors[least] as Cursor<T>)) least = child;
      }
      if (least === at) return;
      this.swap(at, least);
      at = least;
    }
  }

  private swap(a: number, b: number): void {
    const { cursors } = this;
    [cursors[a], cursors[b]] = [cursors[b] as Cursor<T>, cursors[a] as Cursor<T>];
  }
}

function startOf<T>(cursor: Cursor<T> | undefined): number {
  return cursor === undefined ? Number.POSITIVE_INFINITY : timeOf(cursor);
}

function timeOf<T>({ atUs, row }: Cursor<T>): number {
  return atUs[row] as number;
}

function isBefore<T>(a: Cursor<T>, b: Cursor<T>): boolean {
  const [atA, atB] = [timeOf(a), timeOf(b)];
  if (atA !== atB) return atA < atB;
  if (a.block.node !== b.block.node) return a.block.node < b.block.node;
  return a.block.sequence < b.block.sequence;
}

function spread({ atUs, rows, resolutionUs }: TrafficBlock): Float64Array {
  const times = new Float64Array(rows);
  for (let start = 0, end = 0; start < rows; start = end) {
    while (end < rows && atUs[end] === atUs[start]) end++;
    const stepUs = resolutionUs / (end - start);
    for (let row = start; row < end; row++) {
      times[row] = (atUs[start] as number) + Math.floor((row - start) * stepUs);
    }
  }
  return times;
}
