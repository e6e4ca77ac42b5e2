import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { MAX_COST } from '@tollgate/contracts';
import { getOrAdd } from '@tollgate/contracts/maps';
import { ALL_FLAGS, MAX_BLOCK_ROWS, type TrafficBlock, type TrafficSubject, type Verdict } from './block.js';
import { ByteReader, ByteWriter, InvalidTraffic } from './bytes.js';

/** First byte of an encoded block; changes with the format. */
const VERSION = 1;

/** Largest encoded block. */
export const MAX_BLOCK_BYTES = 32 * 1024 * 1024;

/** Numbers of the outcomes in blocks; append only. */
const OUTCOMES = [
  'allowed',
  'denied',
  'over_limit',
  'shadow_denied',
  'pool_denied',
  'no_limit',
  'degraded_allowed',
  'degraded_denied',
] as const satisfies readonly Verdict['outcome'][];

/** Writes the dictionary of subjects entry by entry, with the names of a block. */
export class SubjectWriter {
  count = 0;
  private values = 0;
  private readonly names = new Map<string, number>();
  private readonly entries = new ByteWriter();
  private readonly valueLengths = new ByteWriter();
  private readonly valueTexts = new ByteWriter();

  /** Of the subjects. */
  get bytes(): number {
    return this.entries.length + this.valueLengths.length + this.valueTexts.length;
  }

  /** @returns the subject's index */
  add({ tenant, values }: TrafficSubject): number {
    const { entries } = this;
    entries.varint(this.indexOf(tenant));
    entries.varint(values.length);
    for (const [dimension, value] of values) {
      entries.varint(this.indexOf(dimension));
      this.valueLengths.varint(value.length);
      this.valueTexts.text(value);
      this.values++;
    }
    return this.count++;
  }

  /** Index of a name; adds it. */
  indexOf(name: string): number {
    return getOrAdd(this.names, name, () => this.names.size);
  }

  /** Lengths in UTF-16 units, then all texts together: encoding and decoding them one by one takes longer than all the rest. */
  writeTexts(to: ByteWriter): void {
    const { names, values, valueLengths, valueTexts } = this;
    to.varint(names.size);
    for (const { length } of names.keys()) to.varint(length);
    to.varint(values);
    to.append(valueLengths.written());
    const nameTexts = Buffer.from([...names.keys()].join(''));
    to.varint(nameTexts.length + valueTexts.length);
    to.append(nameTexts);
    to.append(valueTexts.written());
  }

  writeEntries(to: ByteWriter): void {
    to.varint(this.count);
    to.append(this.entries.written());
  }

  clear(): void {
    this.count = 0;
    this.values = 0;
    this.names.clear();
    for (const part of [this.entries, this.valueLengths, this.valueTexts]) part.clear();
  }
}

/**
 * Bytes of a block: version, texts, header, dictionaries, columns. All numbers are varints. Names are written once and
 * referred to by index; subjects' values follow the names in order (docs/adr/0055-traffic-replay.md).
 */
export function encodeBlock(block: TrafficBlock): Buffer {
  const subjects = new SubjectWriter();
  for (const subject of block.subjects) subjects.add(subject);
  return writeBlock(block, subjects);
}

/** As {@link encodeBlock}, with subjects that are already written. Adds the other names to `subjects`. */
export function writeBlock(block: Omit<TrafficBlock, 'subjects'>, subjects: SubjectWriter): Buffer {
  const body = new ByteWriter(8 * block.rows);
  const name = (text: string) => body.varint(subjects.indexOf(text));
  for (const number of [block.sequence, block.dropped, block.resolutionUs, block.rows]) body.varint(number);
  name(block.node);
  name(block.epoch);
  subjects.writeEntries(body);
  body.varint(block.operations.length);
  for (const operation of block.operations) {
    name(operation.api);
    name(operation.name);
  }
  body.varint(block.verdicts.length);
  for (const { outcome, flags, limit, revision } of block.verdicts) {
    body.varint(OUTCOMES.indexOf(outcome));
    body.varint(flags);
    body.varint(limit === null ? 0 : 1);
    if (limit !== null) name(limit);
    body.varint(revision);
  }
  const column = new ByteWriter(8 * block.rows + 8);
  const writeColumn = (write: () => void) => {
    column.clear();
    write();
    body.varint(column.length);
    body.append(column.written());
  };
  const { atUs, subject, operation, cost, verdict } = block;
  writeColumn(() => column.differences(atUs));
  for (const values of [subject, operation, cost, verdict]) writeColumn(() => column.varints(values));
  const texts = new ByteWriter();
  subjects.writeTexts(texts);
  return Buffer.concat([Buffer.of(VERSION), texts.written(), body.written()]);
}

/** @throws InvalidTraffic unless `bytes` are a whole block; needs memory in proportion to their length only */
export function decodeBlock(bytes: Uint8Array): TrafficBlock {
  if (bytes.length > MAX_BLOCK_BYTES) throw new InvalidTraffic(`the block exceeds ${MAX_BLOCK_BYTES} bytes`);
  const reader = new ByteReader(bytes);
  const version = reader.varint();
  if (version !== VERSION) throw new InvalidTraffic(`version ${version} of the block is unknown`);
  const { names, values } = decodeTexts(reader);
  const name = () => names[reader.index(names.length, 'name')] as string;
  let nextValue = 0;
  const value = () => {
    if (nextValue === values.length) throw new InvalidTraffic('a subject has a value too many');
    return values[nextValue++] as string;
  };
  const list = <T>(of: string, read: () => T): T[] => {
    const count = reader.count(of);
    return Array.from({ length: count }, read);
  };
  const [sequence, dropped, resolutionUs] = [reader.varint(), reader.varint(), reader.varint()];
  const rows = reader.varint();
  // Each row takes at least one byte in each of the five columns.
  if (rows > MAX_BLOCK_ROWS || 5 * rows > reader.left) throw new InvalidTraffic(`${rows} rows do not fit`);
  if (resolutionUs === 0) throw new InvalidTraffic('the resolution is 0');
  const [node, epoch] = [name(), name()];
  const subjects = list('subjects', (): TrafficSubject => {
    const tenant = name();
    return { tenant, values: list('values', () => [name(), value()] as const) };
  });
  const operations = list('operations', () => ({ api: name(), name: name() }));
  const verdicts = list('verdicts', () => decodeVerdict(reader, name));
  const block: TrafficBlock = {
    ...{ node, epoch, sequence, dropped, resolutionUs, rows },
    atUs: decodeTimes(reader, rows),
    subject: decodeColumn(reader, rows, subjects.length, 'subject'),
    operation: decodeColumn(reader, rows, operations.length, 'operation'),
    cost: decodeColumn(reader, rows, MAX_COST + 1, 'cost'),
    verdict: decodeColumn(reader, rows, verdicts.length, 'verdict'),
    ...{ subjects, operations, verdicts },
  };
  reader.end('the block');
  return block;
}

function decodeTexts(reader: ByteReader): { names: string[]; values: string[] } {
  const lengthsOf = (list: string) => Array.from({ length: reader.count(list) }, () => reader.varint());
  const [ofNames, ofValues] = [lengthsOf('names'), lengthsOf('values')];
  const text = decodeText(reader.take(reader.varint()));
  let at = 0;
  const next = (length: number) => {
    if (at + length > text.length) throw new InvalidTraffic('a text is missing');
    at += length;
    return text.slice(at - length, at);
  };
  const texts = { names: ofNames.map(next), values: ofValues.map(next) };
  if (at < text.length) throw new InvalidTraffic('there is more text than names and values');
  return texts;
}

function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new InvalidTraffic('a text is not UTF-8');
  }
}

function decodeVerdict(reader: ByteReader, name: () => string): Verdict {
  const outcome = OUTCOMES[reader.index(OUTCOMES.length, 'outcome')] as Verdict['outcome'];
  const flags = reader.index(ALL_FLAGS + 1, 'flags');
  const limit = reader.index(2, 'limit') === 0 ? null : name();
  return { outcome, flags, limit, revision: reader.varint() };
}

/** The bytes of a column. */
function columnOf<T>(reader: ByteReader, read: (column: ByteReader) => T): T {
  const column = new ByteReader(reader.take(reader.varint()));
  const values = read(column);
  column.end('a column');
  return values;
}

function decodeTimes(reader: ByteReader, rows: number): Float64Array {
  const atUs = columnOf(reader, (column) => column.differences(rows));
  if ((atUs[rows - 1] ?? 0) > Number.MAX_SAFE_INTEGER) throw new InvalidTraffic('a time exceeds 2^53 µs');
  return atUs;
}

function decodeColumn(reader: ByteReader, rows: number, size: number, name: string): Uint32Array {
  return columnOf(reader, (column) => column.indexes(rows, size, name));
}

/** Higher qualities take more time than they save. */
const QUALITY = 5;

/** Compresses an encoded block by Brotli, for storage. */
export function packBlock(encoded: Uint8Array): Buffer {
  return brotliCompressSync(encoded, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: QUALITY,
      [constants.BROTLI_PARAM_SIZE_HINT]: encoded.length,
    },
  });
}

/** @throws InvalidTraffic, also if it would exceed {@link MAX_BLOCK_BYTES} */
export function unpackBlock(packed: Uint8Array): TrafficBlock {
  let encoded: Buffer;
  try {
    encoded = brotliDecompressSync(packed, { maxOutputLength: MAX_BLOCK_BYTES });
  } catch (error) {
    throw new InvalidTraffic('the block cannot be decompressed', { cause: error });
  }
  return decodeBlock(encoded);
}
