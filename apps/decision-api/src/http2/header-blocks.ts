import { BlockDecoder } from './hpack/block-decoder.js';
import { CODE, ConnectionError, protocolError } from './protocol.js';
import { type HeadFault, HeadReader, type RequestHead } from './request-head.js';

/** All frames of one block together, as they come. */
const MAX_BLOCK_BYTES = 64 * 1024;

/** A block over several frames: whose, and what came of it. */
interface OpenBlock {
  readonly stream: number;
  readonly isEnd: boolean;
  readonly parts: Buffer[];
  bytes: number;
}

/** A block that is whole. */
export interface WholeBlock {
  readonly stream: number;
  /** Nothing follows on its stream. */
  readonly isEnd: boolean;
  readonly bytes: Buffer;
}

/** Puts the frames of a header block together, and reads what they say. */
export class HeaderBlocks {
  private readonly decoder = new BlockDecoder();
  private open: OpenBlock | undefined;
  private last = { bytes: Buffer.alloc(0), generation: -1, head: 'malformed' as RequestHead | HeadFault };

  /** Whether a block was begun that is not whole: nothing else may come before its rest. */
  get isMidway(): boolean {
    return this.open !== undefined;
  }

  /** HEADERS, without its padding. @returns the block when this is all of it */
  begin(block: WholeBlock, isWhole: boolean): WholeBlock | undefined {
    if (isWhole) return block;
    const { stream, isEnd, bytes } = block;
    this.open = { stream, isEnd, parts: [Buffer.from(bytes)], bytes: bytes.length };
    return undefined;
  }

  /** CONTINUATION. @throws ConnectionError when it continues nothing, or the block becomes too large */
  continue(stream: number, bytes: Buffer, isWhole: boolean): WholeBlock | undefined {
    const { open } = this;
    if (open?.stream !== stream) throw protocolError('CONTINUATION of nothing');
    open.bytes += bytes.length;
    if (open.bytes > MAX_BLOCK_BYTES) {
      throw new ConnectionError(
        CODE.ENHANCE_YOUR_CALM,
        `a header block has ${MAX_BLOCK_BYTES} bytes at most`,
      );
    }
    open.parts.push(Buffer.from(bytes));
    if (!isWhole) return undefined;
    this.open = undefined;
    return { stream, isEnd: open.isEnd, bytes: Buffer.concat(open.parts) };
  }

  /**
   * The head of a request. Clients send the same one call after call, as the same bytes: those are read once.
   * @throws ConnectionError
   */
  requestHead(bytes: Buffer): RequestHead | HeadFault {
    const { last, decoder } = this;
    const { generation } = decoder;
    if (last.generation === generation && last.bytes.equals(bytes)) return last.head;
    const head = this.read(bytes, new HeadReader(false));
    // One that put something into the table means something else the next time.
    if (decoder.generation === generation) this.last = { bytes: Buffer.from(bytes), generation, head };
    return head;
  }

  /** Fields behind a body, read as the table has to be kept. @throws ConnectionError */
  trailers(bytes: Buffer): RequestHead | HeadFault {
    return this.read(bytes, new HeadReader(true));
  }

  private read(bytes: Buffer, reader: HeadReader): RequestHead | HeadFault {
    this.decoder.decode(bytes, (field) => reader.take(field));
    return reader.finish();
  }
}
