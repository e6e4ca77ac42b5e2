import { open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { headSchema, tenantRecordSchema } from '@tollgate/contracts';
import * as z from 'zod';
import { hashText } from '../store/config-store.js';
import { readJson } from '../store/json-record.js';

const contentSchema = z.strictObject({
  head: headSchema,
  /** The catalogue's JSON text, as its hash was taken. */
  catalogue: z.string(),
  tenants: z.array(tenantRecordSchema),
});

/** What a node needs to decide without Redis. */
export type LastGood = z.infer<typeof contentSchema>;

const fileSchema = z.strictObject({ hash: z.string(), content: z.string() });

/**
 * The last policy that was in force, on disk, in two generations. A write that is cut short leaves the generation
 * before it; a file that does not match its own hash is not used.
 */
export class LastGoodFile {
  constructor(private readonly path: string) {}

  /** The newest generation that is whole; undefined when there is none. */
  async read(): Promise<LastGood | undefined> {
    for (const path of [this.path, this.previousPath]) {
      const text = await readFile(path, 'utf8').catch(() => undefined);
      const file = readJson(fileSchema, text);
      if (file === undefined || hashText(file.content) !== file.hash) continue;
      const content = readJson(contentSchema, file.content);
      if (content !== undefined) return content;
    }
    return undefined;
  }

  /** Replaces the newest generation. @throws the file system's errors. */
  async write(lastGood: LastGood): Promise<void> {
    const content = JSON.stringify(lastGood);
    const temporary = `${this.path}.new`;
    await writeAndSync(temporary, JSON.stringify({ hash: hashText(content), content }));
    await rename(this.path, this.previousPath).catch(ignoreMissing);
    await rename(temporary, this.path);
    await syncFolder(dirname(this.path));
  }

  private get previousPath(): string {
    return `${this.path}.previous`;
  }
}

async function writeAndSync(path: string, text: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
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
