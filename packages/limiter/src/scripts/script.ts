import { createHash } from 'node:crypto';
import { Command, type Redis } from 'ioredis';

/** Text of a Lua script and its SHA-1. */
export interface Script {
  readonly text: string;
  readonly sha: string;
}

export function scriptOf(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') };
}

/**
 * Runs a script by its hash; sends the text if the server does not know it (first run, SCRIPT FLUSH, failover).
 * @returns the raw reply, strings as buffers
 */
export async function runScript(
  redis: Redis,
  script: Script,
  keys: readonly string[],
  args: readonly (string | Buffer)[],
): Promise<unknown> {
  try {
    return await redis.callBuffer('EVALSHA', script.sha, keys.length, ...keys, ...args);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return await redis.callBuffer('EVAL', script.text, keys.length, ...keys, ...args);
  }
}

/**
 * As {@link runScript}, for many keys: writes the command as one text or buffer. As separate arguments, hundreds of keys cost
 * this process more CPU than the rest of a decision (measured in docs/benchmarks/decisions.md).
 */
export async function runScriptOnKeys(
  redis: Redis,
  script: Script,
  keys: readonly string[],
  args: readonly (string | Buffer)[],
): Promise<unknown> {
  try {
    return await redis.sendCommand(new ScriptCommand(script, keys, args));
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
    return await redis.callBuffer('EVAL', script.text, keys.length, ...keys, ...args);
  }
}

/** Can be written once. Exported for its test. */
export class ScriptCommand extends Command {
  private bytes: string | Buffer | undefined;

  constructor({ sha }: Script, keys: readonly string[], args: readonly (string | Buffer)[]) {
    super('evalsha', [sha]);
    const head = `*${3 + keys.length + args.length}\r\n$7\r\nEVALSHA\r\n$40\r\n${sha}`;
    this.bytes = commandBytes(`${head}${argument(keys.length.toString())}`, keys, args);
  }

  override toWritable(): string | Buffer {
    const { bytes } = this;
    if (bytes === undefined) throw new Error('a script call cannot be sent again');
    // Commands survive minor collections long after their reply; with their bytes, these took twice as long.
    this.bytes = undefined;
    return bytes;
  }
}

function commandBytes(
  head: string,
  keys: readonly string[],
  args: readonly (string | Buffer)[],
): string | Buffer {
  let start = head + joined(keys);
  // Lengths in characters are those in bytes only for ASCII, which nearly all keys are.
  if (args.every((arg) => typeof arg === 'string')) {
    const text = `${start}${joined(args)}\r\n`;
    if (isAscii(text)) return text;
  }
  if (!isAscii(start)) start = head + joined(keys.map(binaryText));
  return Buffer.from(`${start}${joined(args.map(binaryText))}\r\n`, 'latin1');
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}

/** One character per byte. */
function binaryText(value: string | Buffer): string {
  return (typeof value === 'string' ? Buffer.from(value) : value).toString('latin1');
}

/** By length: what precedes an argument in a command. */
const ARGUMENT_HEADS = Array.from({ length: 256 }, (_, length) => `\r\n$${length}\r\n`);

function joined(values: readonly string[]): string {
  let text = '';
  for (const value of values) text += argument(value);
  return text;
}

/** @param value one character per byte */
function argument(value: string): string {
  return (ARGUMENT_HEADS[value.length] ?? `\r\n$${value.length}\r\n`) + value;
}

/**
 * Writes a MessagePack array of integers, -2^31 to 2^53 - 1. As a RESP array, a reply of a thousand integers cost this
 * process five times the CPU (measured in docs/adr/0011-decide-script.md).
 */
export class IntegerArrayWriter {
  private bytes = Buffer.allocUnsafe(16_384);
  private at = HEADER_BYTES;
  private count = 0;

  push(value: number): void {
    if (this.at + 9 > this.bytes.length) this.grow();
    const { bytes } = this;
    this.count++;
    if (value < 0x80) {
      if (value < -32) {
        bytes[this.at] = 0xd2;
        this.at = bytes.writeInt32BE(value, this.at + 1);
      } else {
        bytes[this.at++] = value;
      }
    } else if (value < 0x1_00_00) {
      bytes[this.at] = 0xcd;
      bytes[this.at + 1] = value >>> 8;
      bytes[this.at + 2] = value & 0xff;
      this.at += 3;
    } else if (value < 0x1_00_00_00_00) {
      bytes[this.at] = 0xce;
      bytes.writeUInt32BE(value, this.at + 1);
      this.at += 5;
    } else {
      bytes[this.at] = 0xcf;
      bytes.writeUInt32BE(Math.floor(value / 0x1_00_00_00_00), this.at + 1);
      bytes.writeUInt32BE(value >>> 0, this.at + 5);
      this.at += 9;
    }
  }

  /** Starts a new array and discards an unfinished one. */
  begin(): void {
    this.at = HEADER_BYTES;
    this.count = 0;
  }

  /** Returns a copy of the array and resets the writer. */
  finish(): Buffer {
    this.bytes[0] = 0xdd;
    this.bytes.writeUInt32BE(this.count, 1);
    const result = Buffer.from(this.bytes.subarray(0, this.at));
    this.begin();
    return result;
  }

  private grow(): void {
    const larger = Buffer.allocUnsafe(this.bytes.length * 2);
    this.bytes.copy(larger, 0, 0, this.at);
    this.bytes = larger;
  }
}

const HEADER_BYTES = 5;

/** A MessagePack array of `integers`. */
export function packIntegers(integers: readonly number[]): Buffer {
  const writer = new IntegerArrayWriter();
  for (const integer of integers) writer.push(integer);
  return writer.finish();
}

/** Reads an array of integers. @throws Error for any other bytes */
export class IntegerArrayReader {
  /** Number of elements. */
  readonly length: number;
  private at = 0;

  constructor(private readonly bytes: Buffer) {
    const head = bytes[this.at++] ?? 0;
    if (head >= 0x90 && head <= 0x9f) {
      this.length = head & 0x0f;
    } else if (head === 0xdc) {
      this.length = bytes.readUInt16BE(this.at);
      this.at += 2;
    } else if (head === 0xdd) {
      this.length = bytes.readUInt32BE(this.at);
      this.at += 4;
    } else {
      throw new Error(`not a MessagePack array: first byte 0x${head.toString(16)}`);
    }
  }

  next(): number {
    const { bytes } = this;
    const head = bytes[this.at++];
    if (head === undefined) throw new Error('the MessagePack array is truncated');
    if (head < 0x80) return head;
    if (head >= 0xe0) return head - 0x100;
    switch (head) {
      case 0xcc:
        return bytes.readUInt8(this.skip(1));
      case 0xcd:
        return bytes.readUInt16BE(this.skip(2));
      case 0xce:
        return bytes.readUInt32BE(this.skip(4));
      case 0xcf: {
        const from = this.skip(8);
        return bytes.readUInt32BE(from) * 0x1_00_00_00_00 + bytes.readUInt32BE(from + 4);
      }
      case 0xd0:
        return bytes.readInt8(this.skip(1));
      case 0xd1:
        return bytes.readInt16BE(this.skip(2));
      case 0xd2:
        return bytes.readInt32BE(this.skip(4));
      case 0xd3:
        return Number(bytes.readBigInt64BE(this.skip(8)));
      default:
        throw new Error(`not a supported integer: byte 0x${head.toString(16)}`);
    }
  }

  private skip(width: number): number {
    const from = this.at;
    this.at += width;
    return from;
  }
}
