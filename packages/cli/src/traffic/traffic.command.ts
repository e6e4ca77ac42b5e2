import { writeFile } from 'node:fs/promises';
import { apiKeySchema, tenantKeySchema } from '@tollgate/contracts';
import {
  BlockBuilder,
  encodeBlock,
  packBlock,
  TRAFFIC_FLAGS,
  writeRecording,
} from '@tollgate/decision-plane/internals';
import { Command, Option } from 'commander';
import { openLogFile, readLines } from '../access-log.js';
import { CommandError } from '../connection.js';
import { LOG_FORMATS, type LogFormat, parseLogLine, RESOLUTION_US } from './log-formats.js';

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
    .argument('<file>', 'access log, plain or gzip')
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
  if (requests === 0) throw new CommandError(`${file} contains no request in the format ${flags.format}.`);
  await writeFile(flags.out, recording.finish());
  process.stdout.write(`${flags.out}: ${requests} requests imported, ${malformed} malformed lines skipped\n`);
}

/** Collects requests of a log in blocks. */
export class ImportedRecording {
  requests = 0;
  malformed = 0;
  private builder = new BlockBuilder();
  private readonly packed: Buffer[] = [];

  constructor(private readonly options: Pick<Flags, 'format' | 'tenant' | 'api'>) {}

  /** @param line null: too long */
  add(line: string | null): void {
    if (line === '') return;
    const { format, tenant, api } = this.options;
    const request = line === null ? undefined : parseLogLine(line, format);
    if (request === undefined) {
      this.malformed++;
      return;
    }
    const { builder } = this;
    const { atUs, operation, subject, cost } = request;
    const flags = TRAFFIC_FLAGS.imported | (cost === undefined ? 0 : TRAFFIC_FLAGS.ownCost);
    builder.add(
      atUs,
      builder.subjectOf(request.tenant ?? tenant, subject),
      builder.operationOf(api, operation),
      cost ?? 1,
      builder.verdictOf('no_limit', flags, null, 0),
    );
    this.requests++;
    if (builder.rows === BLOCK_ROWS) this.closeBlock();
  }

  /** The recording file. */
  finish(): Buffer {
    if (this.builder.rows > 0) this.closeBlock();
    return writeRecording(this.packed);
  }

  private closeBlock(): void {
    const header = { node: 'import', epoch: 'import', sequence: this.packed.length + 1, dropped: 0 };
    const block = this.builder.build({ ...header, resolutionUs: RESOLUTION_US[this.options.format] });
    this.packed.push(packBlock(encodeBlock(block)));
    this.builder = new BlockBuilder();
  }
}
