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
 * memory that overlap. @param blocks in the order of their first decision @param open called once per block
 * @param isSpread whether requests of one tick of a coarse clock are spread evenly over it, instead of together at its start
 * @throws RangeError if the blocks are not in order
 */
export function visitRows<T>(
  blocks: Iterable<TrafficBlock>,
  open: (block: TrafficBlock) => T,
  visit: VisitRow<T>,
  isSpread = false,
): void {
  const waiting = blocks[Symbol.iterator]();
  const cursors: Cursor<T>[] = [];
  let next = nextBlock(waiting, 0);
  while (next !== undefined || cursors.length > 0) {
    let first = earliest(cursors);
    while (next !== undefined && (first === undefined || startOf(next) <= timeOf(first))) {
      const atUs = isSpread && next.resolutionUs > 1 ? spread(next) : next.atUs;
      cursors.push({ block: next, opened: open(next), atUs, row: 0 });
      next = nextBlock(waiting, startOf(next));
      first = earliest(cursors);
    }
    if (first === undefined) return;
    // Rows before any of another block need no further comparison.
    const othersUs = Math.min(
      next === undefined ? Number.POSITIVE_INFINITY : startOf(next),
      ...timesOf(cursors, first),
    );
    const { atUs, opened } = first;
    do visit(opened, first.row, atUs[first.row++] as number);
    while (first.row < atUs.length && timeOf(first) < othersUs);
    if (first.row === atUs.length) cursors.splice(cursors.indexOf(first), 1);
  }
}

function nextBlock(waiting: Iterator<TrafficBlock>, afterUs: number): TrafficBlock | undefined {
  for (let entry = waiting.next(); entry.done !== true; entry = waiting.next()) {
    if (entry.value.rows === 0) continue;
    if (startOf(entry.value) < afterUs)
      throw new RangeError('blocks must be in the order of their first decision');
    return entry.value;
  }
  return undefined;
}

function startOf(block: TrafficBlock): number {
  return block.atUs[0] as number;
}

function timeOf<T>({ atUs, row }: Cursor<T>): number {
  return atUs[row] as number;
}

function* timesOf<T>(cursors: readonly Cursor<T>[], except: Cursor<T>): Generator<number> {
  for (const cursor of cursors) if (cursor !== except) yield timeOf(cursor);
}

// About one cursor per node: a scan costs less than a heap.
function earliest<T>(cursors: readonly Cursor<T>[]): Cursor<T> | undefined {
  let first = cursors[0];
  for (const cursor of cursors) if (first !== undefined && isBefore(cursor, first)) first = cursor;
  return first;
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
