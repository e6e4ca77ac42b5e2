import { setImmediate as turn } from 'node:timers/promises';
import { damagedFrames, type FuzzedCall, soundConversation } from './frame-conversation.js';
import { block } from './hpack-encoder.js';
import { numbersFrom } from './random.js';
import { CODE, FLAG, frame, ping, RawH2, TYPE } from './raw-client.js';

/** Connections at once. */
const AT_ONCE = 16;

/** How long a connection may keep quiet before it counts as one that hangs, ms: no machine is so busy. */
const HANGS_AFTER_MS = 30_000;

/** When the rest of a frame is sent, that the server may be waiting for, ms. */
const WAITS_AFTER_MS = 200;

/** Makes any frame whole, and is wrong behind it. */
const REST = Buffer.alloc(20_000);

const UNREADABLE = 'unreadable answer';

export interface FrameFuzzReport {
  /** Connections by how they ended: `goes on`, or the code of GOAWAY, or `closed`. */
  readonly endings: Map<string, number>;
  /** Connections that hung, and sound ones that were ended, with what was sent, in base64. */
  readonly unexplained: string[];
  /** Calls of a sound client beside them that were answered; others are unexplained. */
  readonly beside: number;
}

/** Holds damaged conversations with a server, frame by frame, and says how they ended. */
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
    const isExplained = damages === 0 ? ending === 'goes on' : ending !== 'hangs' && ending !== UNREADABLE;
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
    if (isAnswered) return 'goes on';
    if (isHanging) return 'hangs';
    if (connection.fault !== undefined) return UNREADABLE;
    const code = connection.frames.find(({ type }) => type === TYPE.GOAWAY)?.payload.readUInt32BE(4);
    return (
      Object.entries(CODE).find(([, one]) => one === code)?.[0] ??
      (code === undefined ? 'closed' : `code ${code}`)
    );
  }

  /** Calls one after the other, until all is over and once more. @returns how many were answered */
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
