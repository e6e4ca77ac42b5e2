/** Charge of one limit for an admitted request, as reported by the answer. */
export interface Charge {
  limit: string;
  /** Sender of the request, from `clientKey`. */
  client: string;
  revision: number;
  /** At the time of the charge. */
  limitMax: number;
  windowMs: number;
  cost: number;
  /** Unix ms, not after the request was sent. */
  sentMs: number;
  /** Unix ms, not before the answer was complete. */
  receivedMs: number;
  /** `reset` in the answer, unix ms. */
  resetMs: number;
}

const COLUMNS = 9;

/** Per client, or all clients of the tenant together. */
export type CountedBy = 'client' | 'tenant';

export class ChargeLog {
  private rows = new Float64Array(COLUMNS * 1024);
  private length = 0;
  private readonly limits = new Names();
  private readonly clients = new Names();
  /** Admissions that cannot be recounted, by reason. */
  readonly uncounted = new Map<string, number>();

  get size(): number {
    return this.length;
  }

  add(charge: Charge): void {
    const at = this.length * COLUMNS;
    if (at === this.rows.length) {
      const larger = new Float64Array(this.rows.length * 2);
      larger.set(this.rows);
      this.rows = larger;
    }
    const { limit, client, revision, limitMax, windowMs, cost, sentMs, receivedMs, resetMs } = charge;
    const ids = [this.limits.idOf(limit), this.clients.idOf(client)];
    this.rows.set([...ids, revision, limitMax, windowMs, cost, sentMs, receivedMs, resetMs], at);
    this.length++;
  }

  leaveOut(reason: string): void {
    this.uncounted.set(reason, (this.uncounted.get(reason) ?? 0) + 1);
  }

  /** Groups of charges by limit, or by limit and client, in insertion order. */
  *groups(by: CountedBy): Generator<Charge[]> {
    const keyColumns = by === 'client' ? [0, 1] : [0];
    const compare = (a: number, b: number) =>
      keyColumns.reduce((order, column) => order || this.cell(a, column) - this.cell(b, column), 0);
    const rows = new Uint32Array(this.length).map((_, row) => row).sort((a, b) => compare(a, b) || a - b);
    let charges: Charge[] = [];
    for (const [place, row] of rows.entries()) {
      charges.push(this.charge(row));
      const next = rows[place + 1];
      if (next === undefined || compare(row, next) !== 0) {
        yield charges;
        charges = [];
      }
    }
  }

  private charge(row: number): Charge {
    const cell = (column: number) => this.cell(row, column);
    return {
      limit: this.limits.at(cell(0)),
      client: this.clients.at(cell(1)),
      revision: cell(2),
      limitMax: cell(3),
      windowMs: cell(4),
      cost: cell(5),
      sentMs: cell(6),
      receivedMs: cell(7),
      resetMs: cell(8),
    };
  }

  private cell(row: number, column: number): number {
    return this.rows[row * COLUMNS + column] as number;
  }
}

class Names {
  private readonly ids = new Map<string, number>();
  private readonly names: string[] = [];

  idOf(name: string): number {
    let id = this.ids.get(name);
    if (id === undefined) {
      id = this.names.push(name) - 1;
      this.ids.set(name, id);
    }
    return id;
  }

  at(id: number): string {
    return this.names[id] as string;
  }
}
