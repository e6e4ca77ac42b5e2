import { setImmediate as turn } from 'node:timers/promises';
import { block, type Field, huffman, indexed, KEEP, literal, plain } from './hpack.js';
import {
  CODE,
  FLAG,
  frame,
  grant,
  PREFACE,
  padded,
  ping,
  RawH2,
  reset,
  settings,
  TYPE,
} from './raw-client.js';

/** Numbers from a seed, 0 to `below` - 1, the same ones each time. */
export function numbersFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** Connections at once. */
const AT_ONCE = 16;

/** Silence after which a connection counts as hanging, ms; ample for a busy machine. */
const HANGS_AFTER_MS = 120_000;

/** When the rest of a frame is sent, that the server may be waiting for, ms. */
const WAITS_AFTER_MS = 200;

/** Makes any frame whole, and is wrong behind it. */
const REST = Buffer.alloc(20_000);

const UNREADABLE = 'unreadable answer';

export interface FrameFuzzReport {
  /** Connections by result: `continues`, the code of GOAWAY, or `closed`. */
  readonly endings: Map<string, number>;
  /** Sent bytes (base64) of connections that hung, and of valid ones that were closed. */
  readonly unexplained: string[];
  /** Calls of a sound client beside them that were answered; others are unexplained. */
  readonly beside: number;
}

/** Sends damaged conversations to a server, frame by frame, and records the results. */
export class FrameFuzzer {
  private readonly port: number;
  private readonly call: FuzzedCall;
  private readonly seed: number;

  constructor(port: number, call: FuzzedCall, seed: number) {
    this.port = port;
    this.call = call;
    this.seed = seed;
  }

  async run(conversations: number): Promise<FrameFuzzReport> {
    const endings = new Map<string, number>();
    const unexplained: string[] = [];
    let next = 0;
    const worker = async () => {
      while (next < conversations) {
        const { ending, isExplained, sent } = await this.converse(this.seed + next++ * 7919);
        endings.set(ending, (endings.get(ending) ?? 0) + 1);
        if (!isExplained && unexplained.length < 20) unexplained.push(`${ending} ${sent.toString('base64')}`);
      }
    };
    const workers = Promise.all(Array.from({ length: AT_ONCE }, worker));
    let isOver = false;
    const ended = workers.then(() => {
      isOver = true;
    });
    const beside = await this.callUntil(() => isOver, unexplained);
    await ended;
    return { endings, unexplained, beside };
  }

  private async converse(seed: number): Promise<{ ending: string; isExplained: boolean; sent: Buffer }> {
    const random = numbersFrom(seed);
    let frames = soundConversation(random, this.call);
    const damages = random(5);
    for (let i = 0; i < damages; i++) frames = damagedFrames(random, frames);
    const sent = Buffer.concat(frames);
    const connection = await RawH2.connect(this.port);
    for (let at = 0; at < sent.length && !connection.isClosed; ) {
      const end = at + 1 + random(random(3) === 0 ? 30 : sent.length);
      connection.send(sent.subarray(at, end));
      at = end;
      if (random(3) === 0) await turn();
    }
    const ending = await this.endingOf(connection, damages === 0);
    connection.close();
    const isExplained = damages === 0 ? ending === 'continues' : ending !== 'hangs' && ending !== UNREADABLE;
    return { ending, isExplained, sent };
  }

  private async endingOf(connection: RawH2, isSound: boolean): Promise<string> {
    connection.send(ping('the last'));
    const rest = setTimeout(() => !isSound && connection.send(REST), WAITS_AFTER_MS);
    let isHanging = false;
    const hanging = setTimeout(() => {
      isHanging = true;
      connection.close();
    }, HANGS_AFTER_MS);
    const isAnswered = await connection
      .next(
        ({ type, flags, payload }) =>
          type === TYPE.PING && flags === FLAG.ACK && String(payload) === 'the last',
      )
      .then(
        () => true,
        () => false,
      );
    clearTimeout(rest);
    clearTimeout(hanging);
    if (isAnswered) return 'continues';
    if (isHanging) return 'hangs';
    if (connection.fault !== undefined) return UNREADABLE;
    const code = connection.frames.find(({ type }) => type === TYPE.GOAWAY)?.payload.readUInt32BE(4);
    return (
      Object.entries(CODE).find(([, one]) => one === code)?.[0] ??
      (code === undefined ? 'closed' : `code ${code}`)
    );
  }

  /** Sends calls until `isOver`, then one more. @returns number of answered calls */
  private async callUntil(isOver: () => boolean, unexplained: string[]): Promise<number> {
    const connection = await RawH2.open(this.port);
    const { path, token, message } = this.call;
    const head = block([
      [':method', 'POST'],
      [':scheme', 'http'],
      [':path', path],
      ['content-type', 'application/grpc'],
      ['authorization', `Bearer ${token}`],
    ]);
    for (let stream = 1; ; stream += 2) {
      const isLast = isOver();
      connection.send(
        frame(TYPE.HEADERS, FLAG.END_HEADERS, stream, head),
        frame(TYPE.DATA, FLAG.END_STREAM, stream, message),
      );
      connection.send(frame(TYPE.WINDOW_UPDATE, 0, 0, Buffer.from([0, 0, 1, 0])));
      const end = await connection
        .next(
          (one) => one.stream === stream && (one.flags & FLAG.END_STREAM) !== 0 && one.type === TYPE.HEADERS,
        )
        .catch(() => undefined);
      const status = end?.fields?.find(([name]) => name === 'grpc-status')?.[1];
      // Of a busy node that could not look up a tenant in time, too.
      if (status !== '0' && status !== '14')
        unexplained.push(`a sound call beside them ended with ${status}`);
      connection.frames.length = 0;
      if (isLast || end === undefined) {
        connection.close();
        return (stream + 1) / 2;
      }
    }
  }
}

type Random = (below: number) => number;

/** The repeated call. */
export interface FuzzedCall {
  readonly path: string;
  readonly token: string;
  /** In its frame of gRPC. */
  readonly message: Buffer;
}

const { END_HEADERS, END_STREAM, PADDED, PRIORITY } = FLAG;
const HOW = Object.keys(KEEP) as (keyof typeof KEEP)[];

/** Generates a valid client conversation of up to six calls, frame by frame; the first part is the preface. */
export function soundConversation(random: Random, call: FuzzedCall): Buffer[] {
  const calls = Array.from({ length: 1 + random(6) }, (_, i) => callFrames(random, call, 1 + 2 * i, i > 0));
  const frames = [PREFACE, settings(...(random(3) === 0 ? [[4, random(100_000)] as const] : []))];
  // Calls start in order and then interleave.
  let begun = 0;
  while (calls.some((left) => left.length > 0)) {
    const mayBegin = begun < calls.length && (begun === 0 || random(2) === 0);
    const one = mayBegin ? begun++ : random(begun);
    const next = calls[one]?.shift();
    if (next !== undefined) frames.push(...next);
    if (random(6) === 0) frames.push(between(random, 1 + 2 * random(Math.max(1, begun))));
  }
  return frames;
}

/** Parts that are sent in one piece: a header block, then DATA. */
function callFrames(
  random: Random,
  { path, token, message }: FuzzedCall,
  stream: number,
  isLater: boolean,
): Buffer[][] {
  const fields: Field[] = [
    [':method', 'POST'],
    [':scheme', 'http'],
    [':path', path],
    [':authority', 'localhost'],
    ['content-type', 'application/grpc'],
    ['te', 'trailers'],
    ['authorization', `Bearer ${token}`],
  ];
  const text = random(2) === 0 ? plain : huffman;
  const block = Buffer.concat([
    ...fields.map(([name, value]) => literal(name, value, HOW[random(2) + 1], text)),
    // The first call leaves one field in the table at least.
    isLater && random(2) === 0
      ? indexed(62)
      : literal(`x-${random(9)}`, 'y'.repeat(random(300)), 'kept', text),
  ]);
  const pieces: Buffer[][] = [headerFrames(random, stream, block)];
  const cut = random(3) === 0 ? random(message.length) : 0;
  if (cut > 0) pieces.push([dataFrame(random, stream, message.subarray(0, cut), 0)]);
  if (random(12) === 0) pieces.push([reset(stream)]);
  else pieces.push([dataFrame(random, stream, message.subarray(cut), END_STREAM)]);
  return pieces;
}

function headerFrames(random: Random, stream: number, block: Buffer): Buffer[] {
  const cut = random(3) === 0 ? random(block.length) : block.length;
  let flags: number = cut === block.length ? END_HEADERS : 0;
  let payload: Buffer = block.subarray(0, cut);
  if (random(5) === 0) {
    flags |= PRIORITY;
    payload = Buffer.concat([Buffer.from([0, 0, 0, 0, 15]), payload]);
  }
  if (random(5) === 0) {
    flags |= PADDED;
    payload = padded(payload, random(256));
  }
  const first = frame(TYPE.HEADERS, flags, stream, payload);
  return cut === block.length
    ? [first]
    : [first, frame(TYPE.CONTINUATION, END_HEADERS, stream, block.subarray(cut))];
}

function dataFrame(random: Random, stream: number, bytes: Buffer, flags: number): Buffer {
  if (random(5) > 0) return frame(TYPE.DATA, flags, stream, bytes);
  return frame(TYPE.DATA, flags | PADDED, stream, padded(bytes, random(256)));
}

/** A frame that is valid at any time. */
function between(random: Random, stream: number): Buffer {
  const kinds = [
    () => ping('between!'),
    () => settings([4, 65_535 + random(1000)]),
    () => grant(0, 1 + random(1000)),
    () => grant(stream, 1 + random(1000)),
    () => frame(TYPE.PRIORITY, 0, stream, Buffer.from([0, 0, 0, 0, 15])),
    () => frame(64 + random(100), random(256), random(9), Buffer.alloc(random(50))),
  ];
  return (kinds[random(kinds.length)] as () => Buffer)();
}

/** Damages the frames once: a byte, length, type, flag, number, the order, or a missing frame. */
export function damagedFrames(random: Random, frames: readonly Buffer[]): Buffer[] {
  const all = frames.map((one): Buffer => Buffer.from(one));
  const at = random(all.length);
  const one = all[at] as Buffer;
  const set = (byte: number) => {
    if (byte < one.length) one[byte] = random(256);
    return all;
  };
  const kinds = [
    () => set(random(one.length)),
    () => set(random(3)),
    () => set(2),
    () => set(3),
    () => set(4),
    () => set(8),
    () => all.splice(random(all.length), 0, ...all.splice(at, 1)),
    () => all.splice(at, 0, Buffer.from(one)),
    () => all.splice(at, 1),
    () => all.splice(at, 1, one.subarray(0, random(one.length))),
    () => all.splice(at, 0, Buffer.from(Array.from({ length: random(40) }, () => random(256)))),
  ];
  (kinds[random(kinds.length)] as () => unknown)();
  return all;
}
