import { getOrAdd } from '@tollgate/contracts/maps';
import { isNewerId, rebased, type WirePolicy } from '@tollgate/limiter/rules';

const FIRST_CELLS = 1024;

/** Ids of the policies that wrote the states of one side: usually one for all. */
class PolicyIds {
  private common: number | undefined;
  /** By place; undefined: all are `common`. */
  private own: Uint8Array | undefined;

  at(place: number): number | undefined {
    return this.own === undefined ? this.common : this.own[place];
  }

  set(place: number, id: number): void {
    this.common ??= id;
    if (this.own === undefined) {
      if (id === this.common) return;
      this.own = new Uint8Array(Math.max(FIRST_CELLS, 2 * place)).fill(this.common);
    }
    if (place >= this.own.length) {
      const { length } = this.own;
      this.own = doubled(this.own).fill(this.common, length);
      this.set(place, id);
      return;
    }
    this.own[place] = id;
  }
}

/**
 * Counters of all limits with one key stem, by place: 0, 1, 2, … Each side of a replay has its own states, beside those of the
 * other sides, because a replay of many subjects takes as long as its reads of memory.
 */
export class CounterTable {
  /** NaN: not counted yet. Without undefined, an array of numbers contains them, not references to them. */
  private readonly states: unknown[] = [];
  private readonly ids: readonly PolicyIds[];
  private readonly places = new Map<string, number>();

  constructor(private readonly sides: number) {
    this.ids = Array.from({ length: sides }, () => new PolicyIds());
  }

  find(key: string): number | undefined {
    return this.places.get(key);
  }

  /** @returns the place of the new counter */
  add(key: string): number {
    const place = this.places.size;
    for (let side = 0; side < this.sides; side++) this.states.push(Number.NaN);
    this.places.set(key, place);
    return place;
  }

  isCounted(place: number, side: number): boolean {
    return !Number.isNaN(this.states[place * this.sides + side]);
  }

  /** The state for a step of `policy`; undefined: not counted yet. */
  read(place: number, side: number, policy: WirePolicy, nowUs: number): unknown {
    const state = this.states[place * this.sides + side];
    if (Number.isNaN(state)) return undefined;
    const id = (this.ids[side] as PolicyIds).at(place) as number;
    return id === policy.id ? state : rebased(state, id, policy, nowUs);
  }

  /** Keeps the id of a state that a later policy wrote, as `MemoryCounters` does. */
  write(place: number, side: number, policy: WirePolicy, state: unknown): void {
    const at = place * this.sides + side;
    const ids = this.ids[side] as PolicyIds;
    const id = ids.at(place);
    if (id !== policy.id && (id === undefined || Number.isNaN(this.states[at]) || !isNewerId(id, policy))) {
      ids.set(place, policy.id);
    }
    this.states[at] = state;
  }
}

/** The counters of all sides, by key stem, so that the versions of a limit share counters. */
export class CounterTables {
  private readonly byStem = new Map<string, CounterTable>();
  private counters = 0;

  /** @param maxCounters bounds the memory: about 300 bytes each */
  constructor(
    readonly sides: number,
    private readonly maxCounters: number,
  ) {}

  table(stem: string): CounterTable {
    return getOrAdd(this.byStem, stem, () => new CounterTable(this.sides));
  }

  /** The place of a counter, which is added if it is new. @throws RangeError above the maximum */
  place(table: CounterTable, key: string): number {
    const known = table.find(key);
    if (known !== undefined) return known;
    if (++this.counters > this.maxCounters) {
      throw new RangeError(
        `the replay needs more than ${this.maxCounters} counters; replay a shorter time or one tenant`,
      );
    }
    return table.add(key);
  }
}

const HEADER_CELLS = 3;

/**
 * Lists of numbers by subject and slot, in one array: objects per subject take more reads of memory. The lists of a subject are
 * linked, newest first: slot, position of the next list, epoch, numbers.
 */
export class SubjectLists {
  cells = new Int32Array(FIRST_CELLS);
  /** By subject; 0: none. */
  private first = new Int32Array(FIRST_CELLS);
  private used = 1;

  /** Position of the list's first number; negative: that of one of an earlier epoch; 0: there is none. */
  find(subject: number, slot: number, epoch: number): number {
    const { cells } = this;
    for (let at = this.first[subject] ?? 0; at !== 0; at = cells[at + 1] as number) {
      if (cells[at] === slot) return cells[at + 2] === epoch ? at + HEADER_CELLS : -(at + HEADER_CELLS);
    }
    return 0;
  }

  /** @returns the position of the list's first number */
  add(subject: number, slot: number, epoch: number, numbers: readonly number[]): number {
    while (subject >= this.first.length) this.first = doubled(this.first);
    while (this.used + numbers.length + HEADER_CELLS > this.cells.length) this.cells = doubled(this.cells);
    const at = this.used;
    this.cells.set([slot, this.first[subject] as number, epoch, ...numbers], at);
    this.first[subject] = at;
    this.used += numbers.length + HEADER_CELLS;
    return at + HEADER_CELLS;
  }

  /** @param position of a list with as many numbers */
  replace(position: number, epoch: number, numbers: readonly number[]): number {
    this.cells[position - 1] = epoch;
    this.cells.set(numbers, position);
    return position;
  }
}

function doubled<T extends Uint8Array | Int32Array>(column: T): T {
  const larger = new (column.constructor as new (length: number) => T)(2 * column.length);
  larger.set(column);
  return larger;
}
