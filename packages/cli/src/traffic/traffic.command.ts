import { writeFile } from 'node:fs/promises';
import { apiKeySchema, tenantKeySchema } from '@tollgate/contracts';
import { BlockBuilder, encodeBlock, packBlock, TRAFFIC_FLAGS, writeRecording } from '@tollgate/replay';
import { Command, Option } from 'commander';
import { MAX_LINE_BYTES, openLogFile, readLines } from '../access-log.js';
import { CommandError } from '../connection.js';
import { printable } from '../replay/report-text.js';
import { type LineReader, LOG_FORMATS, type LogFormat, lineReader } from './log-formats.js';

const BLOCK_ROWS = 262_144;

interface Flags {
  format: LogFormat;
  out: string;
  tenant: string;
  api: string;
}

/** Exit code: 0; 2 if the log cannot be read or contains no request. */
export function trafficCommand(): Command {
  const importCommand = new Command('import')
    .description('turn an access log into a recording for tollgate simulate; nothing is charged')
    .argument('<file>', 'access log, plain, gzip or zstd')
    .addOption(new Option('--format <format>', 'format of the log').choices(LOG_FORMATS).default('apache'))
    .requiredOption('--out <file>', 'recording to write')
    .option('--tenant <key>', 'tenant of requests that name none', 'imported')
    .option('--api <key>', 'API of all requests', 'website')
    .action(importLog);
  return new Command('traffic')
    .description('recordings of requests')
    .addCommand(importCommand.exitOverride());
}

async function importLog(file: string, flags: Flags): Promise<void> {
  if (!tenantKeySchema.safeParse(flags.tenant).success)
    throw new CommandError(`--tenant ${flags.tenant} is not a key.`);
  if (!apiKeySchema.safeParse(flags.api).success) throw new CommandError(`--api ${flags.api} is not a key.`);
  const log = await openLogFile(file).catch((error: Error) => {
    throw new CommandError(`${file} cannot be read: ${error.message}.`, { cause: error });
  });
  const recording = new ImportedRecording(flags);
  try {
    for await (const line of readLines(log.chunks)) recording.add(line);
  } catch (error) {
    throw new CommandError(`${file} cannot be read to its end: ${(error as Error).message}.`, {
      cause: error,
    });
  } finally {
    await log.close();
  }
  const { requests, malformed } = recording;
  process.stderr.write(recording.problems.map((text) => `${text}\n`).join(''));
  if (requests === 0) throw new CommandError(`${file} contains no request in the format ${flags.format}.`);
  await writeFile(flags.out, recording.finish());
  process.stdout.write(`${flags.out}: ${requests} requests imported, ${malformed} malformed lines skipped\n`);
}

/** Different problems that are kept and printed. */
const MAX_PROBLEMS = 10;
const EXAMPLE_LENGTH = 120;

interface Problem {
  lines: number;
  firstLine: number;
  example: string;
}

/** Precisions of clocks, µs. */
const RESOLUTIONS_US = [1_000_000, 1000, 1] as const;

/** Collects requests of a log in blocks. A malformed line is a dropped request of the recording. */
export class ImportedRecording {
  requests = 0;
  malformed = 0;
  private lines = 0;
  private dropped = 0;
  private builder = new BlockBuilder();
  private resolutionUs: number = RESOLUTIONS_US[0];
  private readonly packed: Buffer[] = [];
  private readonly problemsByText = new Map<string, Problem>();
  private readonly read: LineReader;

  constructor(private readonly options: Pick<Flags, 'format' | 'tenant' | 'api'>) {
    this.read = lineReader(options.format);
  }

  /** One text per kind of problem, with its first line. */
  get problems(): string[] {
    return [...this.problemsByText].map(
      ([problem, { lines, firstLine, example }]) =>
        `line ${firstLine}${lines > 1 ? ` and ${lines - 1} more` : ''}: ${printable(problem)}\n  ${printable(example)}`,
    );
  }

  /** @param line null: too long */
  add(line: string | null): void {
    this.lines++;
    if (line?.trim() === '') return;
    const read: ReturnType<LineReader> =
      line === null ? { ok: false, problem: `longer than ${MAX_LINE_BYTES} bytes` } : this.read(line);
    if (read === undefined) return;
    if (!read.ok) {
      this.addMalformed(read.problem, line ?? '');
      return;
    }
    const { tenant, api } = this.options;
    const { builder } = this;
    const { atUs, operation, subject, cost } = read.request;
    const flags = TRAFFIC_FLAGS.imported | (cost === undefined ? 0 : TRAFFIC_FLAGS.ownCost);
    builder.add(
      atUs,
      builder.subjectOf(read.request.tenant ?? tenant, subject),
      builder.operationOf(api, operation),
      cost ?? 1,
      builder.verdictOf('no_limit', flags, null, 0),
    );
    // The coarsest clock that can have shown all times of the block.
    this.resolutionUs = RESOLUTIONS_US.find((us) => us <= this.resolutionUs && atUs % us === 0) ?? 1;
    this.requests++;
    if (builder.rows === BLOCK_ROWS) this.closeBlock();
  }

  /** The recording file. */
  finish(): Buffer {
    if (this.builder.rows > 0 || this.dropped > 0) this.closeBlock();
    return writeRecording(this.packed);
  }

  private addMalformed(text: string, line: string): void {
    this.malformed++;
    this.dropped++;
    const known = this.problemsByText.get(text);
    if (known !== undefined) known.lines++;
    else if (this.problemsByText.size < MAX_PROBLEMS)
      this.problemsByText.set(text, {
        lines: 1,
        firstLine: this.lines,
        example: line.slice(0, EXAMPLE_LENGTH),
      });
  }

  private closeBlock(): void {
    const { dropped, resolutionUs } = this;
    const header = {
      node: 'import',
      epoch: 'import',
      sequence: this.packed.length + 1,
      dropped,
      resolutionUs,
    };
    this.packed.push(packBlock(encodeBlock(this.builder.build(header))));
    this.builder = new BlockBuilder();
    this.resolutionUs = RESOLUTIONS_US[0];
    this.dropped = 0;
  }
}
