import { createHash, hash } from 'node:crypto';
import { type FileHandle, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import { readJson } from '../policy-redis/config-redis.js';

const FIRST_LINE = 'tollgate-last-good 2\n';

/** Records are in stored form, with their seals. */
const contentSchema = z.strictObject({
  head: z.string(),
  catalogue: z.string(),
  confirmation: z.string().nullable(),
  nodes: z.int().min(1).nullable(),
});

/** The policy that a node needs to decide without Redis. */
export type LastGood = z.infer<typeof contentSchema> & {
  readonly tenants: readonly (readonly [tenant: string, stored: string])[];
};

/** Tenant records written per turn of the event loop, so that decisions are not delayed. */
const CHUNK = 500;

const HASH_CHARS = 64;
const NEWLINE = 10;

/** Two generations: an interrupted write leaves the previous one; a file that does not match its hash is ignored. */
export class LastGoodFile {
  constructor(private readonly path: string) {}

  async *generations(): AsyncGenerator<LastGood> {
    for (const path of [this.path, this.previousPath]) {
      const lastGood = parse(await readFile(path).catch(() => undefined));
      if (lastGood !== undefined) yield lastGood;
    }
  }

  async write(lastGood: LastGood): Promise<void> {
    const temporary = `${this.path}.new`;
    const file = await open(temporary, 'w', 0o600);
    try {
      await writeContent(file, lastGood);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(this.path, this.previousPath).catch(ignoreMissing);
    await rename(temporary, this.path);
    await syncFolder(dirname(this.path));
  }

  private get previousPath(): string {
    return `${this.path}.previous`;
  }
}

async function writeContent(file: FileHandle, { tenants, ...content }: LastGood): Promise<void> {
  const digest = createHash('sha256');
  const append = async (text: string) => {
    digest.update(text);
    await file.writeFile(text);
  };
  await append(`${FIRST_LINE}${JSON.stringify(content)}\n`);
  for (let i = 0; i < tenants.length; i += CHUNK) {
    const lines = tenants.slice(i, i + CHUNK).map(([tenant, stored]) => `${tenant} ${stored}\n`);
    await append(lines.join(''));
  }
  await file.writeFile(digest.digest('hex'));
}

function parse(bytes: Buffer | undefined): LastGood | undefined {
  if (bytes === undefined || bytes.length < HASH_CHARS) return undefined;
  const body = bytes.subarray(0, -HASH_CHARS);
  if (hash('sha256', body, 'hex') !== bytes.subarray(-HASH_CHARS).toString('latin1')) return undefined;
  if (!body.subarray(0, FIRST_LINE.length).equals(Buffer.from(FIRST_LINE))) return undefined;
  const contentEnd = body.indexOf(NEWLINE, FIRST_LINE.length);
  const content = readJson(contentSchema, body.toString('utf8', FIRST_LINE.length, contentEnd));
  if (content === undefined) return undefined;
  const tenants: [string, string][] = [];
  for (let begin = contentEnd + 1; begin < body.length; ) {
    const end = body.indexOf(NEWLINE, begin);
    // Separate strings: slices of one text would keep the whole text in memory.
    const line = body.toString('utf8', begin, end);
    const space = line.indexOf(' ');
    tenants.push([line.slice(0, space), line.slice(space + 1)]);
    begin = end + 1;
  }
  return { ...content, tenants };
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** Changes within this time are written together. */
const SAVE_AFTER_MS = 1000;

/** A node spends at most 1 ÷ this of its time on writing. */
const REST_FACTOR = 20;

export interface LastGoodKeeperOptions {
  file: LastGoodFile;
  /** Undefined before the first policy. */
  content: () => LastGood | undefined;
  onError: (message: string, error: unknown) => void;
}

export class LastGoodKeeper {
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();
  private restMs = SAVE_AFTER_MS;
  private closed = false;

  constructor(private readonly options: LastGoodKeeperOptions) {}

  saveSoon(): void {
    if (this.timer !== undefined || this.closed) return;
    this.timer = setTimeout(() => void this.save(), this.restMs).unref();
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.timer === undefined) return this.writing;
    clearTimeout(this.timer);
    await this.save();
  }

  private save(): Promise<void> {
    this.timer = undefined;
    this.writing = this.writing.then(async () => {
      const content = this.options.content();
      if (content === undefined) return;
      const startMs = performance.now();
      try {
        await this.options.file.write(content);
      } catch (error) {
        this.options.onError('cannot save the last good policy', error);
      }
      this.restMs = Math.max(SAVE_AFTER_MS, (performance.now() - startMs) * REST_FACTOR);
    });
    return this.writing;
  }
}
