import { type Field, huffman, indexed, KEEP, literal, plain } from './hpack-encoder.js';
import { FLAG, frame, grant, PREFACE, padded, ping, reset, settings, TYPE } from './raw-client.js';

type Random = (below: number) => number;

/** What is called again and again. */
export interface FuzzedCall {
  readonly path: string;
  readonly token: string;
  /** In its frame of gRPC. */
  readonly message: Buffer;
}

const { END_HEADERS, END_STREAM, PADDED, PRIORITY } = FLAG;
const HOW = Object.keys(KEEP) as (keyof typeof KEEP)[];

/** A conversation of a client that keeps to the rules, of up to six calls, frame by frame; the first is the preface. */
export function soundConversation(random: Random, call: FuzzedCall): Buffer[] {
  const calls = Array.from({ length: 1 + random(6) }, (_, i) => callFrames(random, call, 1 + 2 * i, i > 0));
  const frames = [PREFACE, settings(...(random(3) === 0 ? [[4, random(100_000)] as const] : []))];
  // A call may begin when those before it have; then each goes on when it likes.
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

/** What is sent in one piece each: a header block, then DATA. */
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

/** What may come at any time. */
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

/** The same frames, damaged once: a byte, a length, a type, a flag, a number, the order, or what is there at all. */
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
