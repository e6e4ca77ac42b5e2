import { isDimension, isOperationName, type Outcome } from '@tollgate/contracts';
import { getOrAdd } from '../store/bounded-keys.js';
import { HashedCache, hashOn } from '../store/hashed-cache.js';
import { dimensionValue } from '../store/keys.js';

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
const MAX_KNOWN_SUBJECTS = 65_536;

/** Memory of dictionary entries besides their texts, approximate. */
const ENTRY_BYTES = 200;

type SentValues = Readonly<Record<string, string>>;

interface KnownSubject {
  readonly tenant: string;
  readonly sent: SentValues | undefined;
  readonly index: number;
}

/** Finds subjects without joining their texts. May forget some: a dictionary with equal entries costs only space. */
class KnownSubjects extends HashedCache<KnownSubject, string, SentValues | undefined> {
  private lastHash = 0;

  constructor() {
    super(MAX_KNOWN_SUBJECTS);
  }

  find(tenant: string, sent: SentValues | undefined): number | undefined {
    let hash = hashOn(0, tenant);
    for (const dimension in sent) hash = hashOn(hash, sent[dimension] as string);
    this.lastHash = hash;
    return this.get(hash, tenant, sent)?.index;
  }

  /** Adds the subject that {@link find} was last called with. */
  remember(index: number, tenant: string, sent: SentValues | undefined): void {
    this.add(this.lastHash, { tenant, sent, index }, tenant, sent);
  }

  protected override matches(known: KnownSubject, tenant: string, sent: SentValues | undefined): boolean {
    return known.tenant === tenant && isEqual(known.sent, sent);
  }
}

function isEqual(a: SentValues | undefined, b: SentValues | undefined): boolean {
  let left = 0;
  for (const dimension in a) {
    if (b?.[dimension] !== a[dimension]) return false;
    left++;
  }
  for (const _ in b) left--;
  return left === 0;
}

/** Collects decisions for a block. */
export class BlockBuilder {
  rows = 0;
  private columns = columnsOf(FIRST_ROWS);
  private isAscending = true;
  private lastUs = 0;
  private dictionaryBytes = 0;
  private readonly subjects: TrafficSubject[] = [];
  private readonly operations: TrafficOperation[] = [];
  private readonly verdicts: Verdict[] = [];
  private readonly known = new KnownSubjects();
  private readonly added = new Map<string, number>();
  private readonly operationsByApi = new Map<string, Map<string, number>>();
  private readonly verdictsByLimit = new Map<string | null, number[]>();

  /** Memory in use, bytes, approximate. */
  get bytes(): number {
    return ROW_BYTES * this.rows + this.dictionaryBytes;
  }

  /** @param atUs whole, 0 to 2^53 - 1 @param cost 0 to 2^32 - 1 @param subject index in this builder, likewise the others */
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

  /** @param sent as in the request, not changed afterwards; values that cannot be in a counter key are omitted */
  subjectOf(tenant: string, sent: SentValues | undefined): number {
    const known = this.known.find(tenant, sent);
    if (known !== undefined) return known;
    const index = this.pushSubject({ tenant, values: writtenValues(sent) });
    for (const dimension in sent)
      this.dictionaryBytes += 2 * (dimension.length + (sent[dimension] as string).length);
    this.known.remember(index, tenant, sent);
    return index;
  }

  /** Adds a subject of another block, unless it was added before. */
  addSubject(subject: TrafficSubject): number {
    // No name or written value contains a line break.
    const text = [subject.tenant, ...subject.values.flat()].join('\n');
    return getOrAdd(this.added, text, () => this.pushSubject(subject));
  }

  private pushSubject(subject: TrafficSubject): number {
    this.dictionaryBytes += ENTRY_BYTES;
    return this.subjects.push(subject) - 1;
  }

  operationOf(api: string, name: string): number {
    const ofApi = getOrAdd(this.operationsByApi, api, () => new Map<string, number>());
    let index = ofApi.get(name);
    if (index === undefined) {
      index = this.operations.push({ api, name: isOperationName(name) ? name : OTHER_OPERATION }) - 1;
      ofApi.set(name, index);
      this.dictionaryBytes += ENTRY_BYTES + 2 * name.length;
    }
    return index;
  }

  verdictOf(outcome: Outcome, flags: number, limit: string | null, revision: number): number {
    const ofLimit = getOrAdd(this.verdictsByLimit, limit, (): number[] => []);
    for (let i = ofLimit.length - 1; i >= 0; i--) {
      const index = ofLimit[i] as number;
      const known = this.verdicts[index] as Verdict;
      if (known.outcome === outcome && known.flags === flags && known.revision === revision) return index;
    }
    const index = this.verdicts.push({ outcome, flags, limit, revision }) - 1;
    ofLimit.push(index);
    return index;
  }

  /** The block shares the builder's memory: add nothing afterwards. */
  build(header: BlockHeader): TrafficBlock {
    const { rows, columns, subjects, operations, verdicts } = this;
    const order = this.isAscending ? undefined : ascending(columns.atUs.subarray(0, rows));
    const ordered = <T extends Float64Array | Uint32Array>(column: T): T => {
      const filled = column.subarray(0, rows) as T;
      return order === undefined
        ? filled
        : (filled.map((_, row) => filled[order[row] as number] as number) as T);
    };
    return {
      ...header,
      rows,
      atUs: ordered(columns.atUs),
      subject: ordered(columns.subject),
      operation: ordered(columns.operation),
      cost: ordered(columns.cost),
      verdict: ordered(columns.verdict),
      subjects,
      operations,
      verdicts,
    };
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

function writtenValues(sent: SentValues = {}): TrafficSubject['values'] {
  const values: [string, string][] = [];
  for (const dimension in sent) {
    const written = isDimension(dimension) ? dimensionValue(dimension, sent[dimension] as string) : undefined;
    if (written !== undefined) values.push([dimension, written]);
  }
  return values;
}
