import { isDimension, isOperationName, type Outcome } from '@tollgate/contracts';
import { getOrAdd } from '@tollgate/contracts/maps';
import { dimensionValue } from '@tollgate/limiter/rules';

/** Circumstances that a replay cannot or need not reproduce; bits of {@link Verdict.flags}. */
export const TRAFFIC_FLAGS = {
  /** Decided by a lease or share of the node. */
  leased: 1,
  /** Drew on a pool. */
  pooled: 2,
  /** Has a receipt: its charge may have been settled, refunded or released later. */
  receipt: 4,
  /** The request named its cost; otherwise the cost is that of its operation. */
  ownCost: 8,
  /** From a log: neither decided nor charged, so its outcome is a placeholder. */
  imported: 16,
  /** Decided with other requests as one, or by a limit that the caller sent. */
  together: 32,
} as const;

export const ALL_FLAGS = 63;

/** Most decisions in a block. */
export const MAX_BLOCK_ROWS = 1_048_576;

/** A tenant and all dimension values that a request sent. */
export interface TrafficSubject {
  readonly tenant: string;
  /** Values as in counter keys, from `dimensionValue`, or keyed hashes of them. */
  readonly values: readonly (readonly [dimension: string, value: string])[];
}

export interface TrafficOperation {
  readonly api: string;
  /** {@link OTHER_OPERATION} for names that no API can register. */
  readonly name: string;
}

/** The part of an answer that many decisions share. */
export interface Verdict {
  readonly outcome: Outcome;
  /** Sum of {@link TRAFFIC_FLAGS}. */
  readonly flags: number;
  /** The binding limit; null: none. */
  readonly limit: string | null;
  readonly revision: number;
}

/** Origin of a block and its place among the others. */
export interface BlockHeader {
  /** Node and process start that recorded it. Blocks of one source have consecutive sequence numbers. */
  readonly node: string;
  readonly epoch: string;
  readonly sequence: number;
  /** Decisions before this block that were dropped for lack of space. */
  readonly dropped: number;
  /** Precision of the times, µs: 1, or that of an imported log's clock. */
  readonly resolutionUs: number;
}

/** Decisions in columns, in ascending order of time; at equal times in the order of their decision. */
export interface TrafficBlock extends BlockHeader {
  readonly rows: number;
  /** Time of the counter store, µs since the Unix epoch. */
  readonly atUs: Float64Array;
  /** Index in `subjects`; likewise `operation` and `verdict`. */
  readonly subject: Uint32Array;
  readonly operation: Uint32Array;
  readonly cost: Uint32Array;
  readonly verdict: Uint32Array;
  readonly subjects: readonly TrafficSubject[];
  readonly operations: readonly TrafficOperation[];
  readonly verdicts: readonly Verdict[];
}

export const OTHER_OPERATION = '*';

const FIRST_ROWS = 1024;

/** Memory of a dictionary entry besides its texts, approximate. */
const ENTRY_BYTES = 200;

export type SentValues = Readonly<Record<string, string>>;

/** Collects decisions for a block, with its operations and verdicts, which are few. */
export class DecisionRows {
  rows = 0;
  protected operations: TrafficOperation[] = [];
  protected verdicts: Verdict[] = [];
  private columns = columnsOf(FIRST_ROWS);
  private isAscending = true;
  private lastUs = 0;
  private readonly operationsByApi = new Map<string, Map<string, number>>();
  private readonly verdictsByLimit = new Map<string | null, number[]>();
  /** Of the last decision: most have the same as the one before. */
  private lastVerdict = 0;

  /** Memory in use, bytes, approximate. */
  get bytes(): number {
    return ROW_BYTES * this.rows + ENTRY_BYTES * (this.operations.length + this.verdicts.length);
  }

  /** @param atUs whole, 0 to 2^53 - 1 @param cost 0 to 2^32 - 1 @param subject index in the block, likewise the others */
  add(atUs: number, subject: number, operation: number, cost: number, verdict: number): void {
    const row = this.rows++;
    if (row === this.columns.atUs.length) this.columns = enlarged(this.columns);
    const { columns } = this;
    if (atUs < this.lastUs) this.isAscending = false;
    this.lastUs = atUs;
    columns.atUs[row] = atUs;
    columns.subject[row] = subject;
    columns.operation[row] = operation;
    columns.cost[row] = cost;
    columns.verdict[row] = verdict;
  }

  operationOf(api: string, name: string): number {
    const ofApi = getOrAdd(this.operationsByApi, api, () => new Map<string, number>());
    let index = ofApi.get(name);
    if (index === undefined) {
      index = this.operations.push({ api, name: isOperationName(name) ? name : OTHER_OPERATION }) - 1;
      ofApi.set(name, index);
    }
    return index;
  }

  verdictOf(outcome: Outcome, flags: number, limit: string | null, revision: number): number {
    const verdict: Verdict = { outcome, flags, limit, revision };
    const last = this.verdicts[this.lastVerdict];
    if (last === undefined || !isSameVerdict(last, verdict)) this.lastVerdict = this.indexOf(verdict);
    return this.lastVerdict;
  }

  private indexOf(verdict: Verdict): number {
    const ofLimit = getOrAdd(this.verdictsByLimit, verdict.limit, (): number[] => []);
    const known = ofLimit.findLast((index) => isSameVerdict(this.verdicts[index] as Verdict, verdict));
    if (known !== undefined) return known;
    const index = this.verdicts.push(verdict) - 1;
    ofLimit.push(index);
    return index;
  }

  /** The decisions in order of time, equal times in the order of their addition. Shares memory: valid until the next one. */
  protected ordered(): Columns {
    const { rows, columns } = this;
    const order = this.isAscending ? undefined : ascending(columns.atUs.subarray(0, rows));
    const inOrder = <T extends Float64Array | Uint32Array>(column: T): T => {
      const filled = column.subarray(0, rows) as T;
      return order === undefined
        ? filled
        : (filled.map((_, row) => filled[order[row] as number] as number) as T);
    };
    return {
      atUs: inOrder(columns.atUs),
      subject: inOrder(columns.subject),
      operation: inOrder(columns.operation),
      cost: inOrder(columns.cost),
      verdict: inOrder(columns.verdict),
    };
  }

  protected clear(): void {
    this.rows = 0;
    this.isAscending = true;
    this.lastUs = 0;
    this.operations = [];
    this.verdicts = [];
    this.operationsByApi.clear();
    this.verdictsByLimit.clear();
  }
}

function isSameVerdict(a: Verdict, b: Verdict): boolean {
  return a.outcome === b.outcome && a.flags === b.flags && a.limit === b.limit && a.revision === b.revision;
}

/** Collects decisions for a block in memory. */
export class BlockBuilder extends DecisionRows {
  private readonly subjects: TrafficSubject[] = [];
  private readonly subjectsByText = new Map<string, number>();

  /** @param sent as in the request; values that cannot be in a counter key are omitted */
  subjectOf(tenant: string, sent: SentValues | undefined): number {
    return this.addSubject({ tenant, values: writtenValues(sent) });
  }

  /** Adds a subject, unless it was added before. */
  addSubject(subject: TrafficSubject): number {
    // No name or written value contains a line break.
    const text = [subject.tenant, ...subject.values.flat()].join('\n');
    return getOrAdd(this.subjectsByText, text, () => this.subjects.push(subject) - 1);
  }

  /** The block shares the builder's memory: add nothing afterwards. */
  build(header: BlockHeader): TrafficBlock {
    const { rows, subjects, operations, verdicts } = this;
    return { ...header, rows, ...this.ordered(), subjects, operations, verdicts };
  }
}

/** Copies decisions of one block into builders, for example one per tenant. Each dictionary entry is copied once. */
export class BlockCopier {
  private readonly subjects: Int32Array;
  private readonly operations: Int32Array;
  private readonly verdicts: Int32Array;

  /** @param mapSubject for example, replaces values by keyed hashes */
  constructor(
    private readonly from: TrafficBlock,
    private readonly to: BlockBuilder,
    private readonly mapSubject: (subject: TrafficSubject) => TrafficSubject = (subject) => subject,
  ) {
    this.subjects = new Int32Array(from.subjects.length).fill(-1);
    this.operations = new Int32Array(from.operations.length).fill(-1);
    this.verdicts = new Int32Array(from.verdicts.length).fill(-1);
  }

  copy(row: number): void {
    const { from, to, subjects, operations, verdicts } = this;
    const [subject, operation] = [from.subject[row] as number, from.operation[row] as number];
    const verdict = from.verdict[row] as number;
    if ((subjects[subject] as number) < 0) {
      subjects[subject] = to.addSubject(this.mapSubject(from.subjects[subject] as TrafficSubject));
    }
    if ((operations[operation] as number) < 0) {
      const { api, name } = from.operations[operation] as TrafficOperation;
      operations[operation] = to.operationOf(api, name);
    }
    if ((verdicts[verdict] as number) < 0) {
      const { outcome, flags, limit, revision } = from.verdicts[verdict] as Verdict;
      verdicts[verdict] = to.verdictOf(outcome, flags, limit, revision);
    }
    to.add(
      from.atUs[row] as number,
      subjects[subject] as number,
      operations[operation] as number,
      from.cost[row] as number,
      verdicts[verdict] as number,
    );
  }
}

/** The columns of a block. */
interface Columns {
  atUs: Float64Array;
  subject: Uint32Array;
  operation: Uint32Array;
  cost: Uint32Array;
  verdict: Uint32Array;
}

const ROW_BYTES = 24;

function columnsOf(size: number): Columns {
  return {
    atUs: new Float64Array(size),
    subject: new Uint32Array(size),
    operation: new Uint32Array(size),
    cost: new Uint32Array(size),
    verdict: new Uint32Array(size),
  };
}

function enlarged(columns: Columns): Columns {
  const larger = columnsOf(2 * columns.atUs.length);
  for (const name of Object.keys(columns) as (keyof Columns)[]) larger[name].set(columns[name]);
  return larger;
}

/** Rows in order of time; equal times keep their order. */
function ascending(atUs: Float64Array): Uint32Array {
  const order = new Uint32Array(atUs.length).map((_, row) => row);
  return order.sort((a, b) => (atUs[a] as number) - (atUs[b] as number) || a - b);
}

/** Values of a request as in counter keys, without those that no key can have. */
export function writtenValues(sent: SentValues = {}): TrafficSubject['values'] {
  const values: [string, string][] = [];
  for (const dimension in sent) {
    const written = isDimension(dimension) ? dimensionValue(dimension, sent[dimension] as string) : undefined;
    if (written !== undefined) values.push([dimension, written]);
  }
  return values;
}
