import { isNewerId, rebased, type WirePolicy } from '../policy/compile.js';

const FIRST_CELLS = 1024;

/**
 * Counters of all limits with one key stem, by place: 0, 1, 2, … Columns, because a replay of many subjects takes as long as
 * its reads of memory.
 */
export class CounterTable {
  /** NaN: not counted yet. Without undefined, an array of numbers contains them, not references to them. */
  private readonly states: unknown[] = [];
  /** Of the policy that wrote the state. */
  private ids = new Uint8Array(FIRST_CELLS);
  private readonly places = new Map<string, number>();

  find(key: string): number | undefined {
    return this.places.get(key);
  }

  /** @returns the place of the new counter */
  add(key: string, state: unknown, policy: WirePolicy): number {
    const place = this.states.push(state ?? Number.NaN) - 1;
    if (place === this.ids.length) this.ids = doubled(this.ids);
    this.ids[place] = policy.id;
    this.places.set(key, place);
    return place;
  }

  /** The state for a step of `policy`; undefined: not counted yet. */
  read(place: number, policy: WirePolicy, nowUs: number): unknown {
    const state = this.states[place];
    if (Number.isNaN(state)) return undefined;
    const id = this.ids[place] as number;
    return id === policy.id ? state : rebased(state, id, policy, nowUs);
  }

  /** Keeps the id of a state that a later policy wrote, as `MemoryCounters` does. */
  write(place: number, policy: WirePolicy, state: unknown): void {
    const id = this.ids[place] as number;
    if (id !== policy.id && (Number.isNaN(this.states[place]) || !isNewerId(id, policy))) {
      this.ids[place] = policy.id;
    }
    this.states[place] = state;
  }
}

/** The limit does not apply to the subject's requests, which lack a dimension. */
export const SKIPPED = -1;

/**
 * Lists of places by subject and slot, in one array: objects per subject take more reads of memory. The lists of a subject
 * are linked, newest first: slot, position of the next list, places.
 */
export class PlaceLists {
  /** By subject; 0: none. */
  private first = new Int32Array(FIRST_CELLS);
  private cells = new Int32Array(FIRST_CELLS);
  private used = 1;

  /** Position of the list's first place; 0: there is no list. */
  find(subject: number, slot: number): number {
    const { cells } = this;
    for (let at = this.first[subject] ?? 0; at !== 0; at = cells[at + 1] as number) {
      if (cells[at] === slot) return at + 2;
    }
    return 0;
  }

  at(position: number): number {
    return this.cells[position] as number;
  }

  /** @returns the position of the list's first place */
  add(subject: number, slot: number, places: readonly number[]): number {
    while (subject >= this.first.length) this.first = doubled(this.first);
    while (this.used + places.length + 2 > this.cells.length) this.cells = doubled(this.cells);
    const at = this.used;
    this.cells.set([slot, this.first[subject] as number, ...places], at);
    this.first[subject] = at;
    this.used += places.length + 2;
    return at + 2;
  }
}

function doubled<T extends Uint8Array | Int32Array>(column: T): T {
  const larger = new (column.constructor as new (length: number) => T)(2 * column.length);
  larger.set(column);
  return larger;
}
