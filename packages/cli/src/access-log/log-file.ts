import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createGunzip, type Gunzip } from 'node:zlib';

/** Small, so that the progress of a gzip file, which unpacks to ten times its size, moves smoothly. */
const CHUNK_BYTES = 8 * 1024;

/** An access log that is being read. */
export interface LogFile {
  /** Its bytes, unpacked. Throws where the file cannot be read to its end or its gzip data are damaged. */
  readonly chunks: AsyncIterable<Buffer>;
  /** Size on disk; undefined for a pipe. */
  readonly totalBytes: number | undefined;
  /** Bytes of it that `chunks` have come to. */
  readBytes(): number;
  /** Lets go of the file, however far it was read. */
  close(): Promise<void>;
}

/** Opens a log, plain or gzip: its first bytes decide, not its name. Pipes too. @throws Error of node:fs */
export async function openLogFile(path: string): Promise<LogFile> {
  const handle = await open(path);
  try {
    const stat = await handle.stat();
    if (stat.isDirectory()) throw Object.assign(new Error('it is a folder'), { code: 'EISDIR' });
    const head = await readHead(handle);
    const stored = new StoredBytes(handle, head);
    const gunzip = isGzip(head) ? createGunzip() : undefined;
    return {
      chunks: gunzip === undefined ? stored.chunks() : unpack(stored.chunks(), gunzip),
      totalBytes: stat.isFile() ? stat.size : undefined,
      readBytes: () => gunzip?.bytesWritten ?? stored.takenBytes,
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function isGzip(head: Buffer): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

// A pipe may hand over one byte at a time.
async function readHead(handle: FileHandle): Promise<Buffer> {
  const head = Buffer.alloc(2);
  let length = 0;
  while (length < head.length) {
    const { bytesRead } = await handle.read(head, length, head.length - length, null);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return head.subarray(0, length);
}

/** The bytes of a file as they are on disk. */
class StoredBytes {
  takenBytes = 0;

  constructor(
    private readonly handle: FileHandle,
    private readonly head: Buffer,
  ) {}

  async *chunks(): AsyncGenerator<Buffer> {
    yield this.take(this.head);
    const stream = this.handle.createReadStream({ highWaterMark: CHUNK_BYTES });
    for await (const chunk of stream) yield this.take(chunk as Buffer);
  }

  private take(chunk: Buffer): Buffer {
    this.takenBytes += chunk.length;
    return chunk;
  }
}

async function* unpack(packed: AsyncIterable<Buffer>, gunzip: Gunzip): AsyncGenerator<Buffer> {
  const source = Readable.from(packed, { objectMode: false, highWaterMark: CHUNK_BYTES });
  source.on('error', (error) => gunzip.destroy(error));
  try {
    for await (const chunk of source.pipe(gunzip)) yield chunk as Buffer;
  } finally {
    source.destroy();
  }
}
