/** Types of frames, RFC 9113 §6. */
export const FRAME = {
  DATA: 0,
  HEADERS: 1,
  PRIORITY: 2,
  RST_STREAM: 3,
  SETTINGS: 4,
  PUSH_PROMISE: 5,
  PING: 6,
  GOAWAY: 7,
  WINDOW_UPDATE: 8,
  CONTINUATION: 9,
} as const;

/** How types are called, by number. */
export const FRAME_NAMES: readonly string[] = Object.keys(FRAME);

/** Flags of frames: which ones a type knows differs. */
export const FLAG = { ACK: 1, END_STREAM: 1, END_HEADERS: 4, PADDED: 8, PRIORITY: 0x20 } as const;

/** Why a stream or a connection ends, RFC 9113 §7. */
export const CODE = {
  NO_ERROR: 0,
  PROTOCOL_ERROR: 1,
  INTERNAL_ERROR: 2,
  FLOW_CONTROL_ERROR: 3,
  STREAM_CLOSED: 5,
  FRAME_SIZE_ERROR: 6,
  REFUSED_STREAM: 7,
  CANCEL: 8,
  COMPRESSION_ERROR: 9,
  ENHANCE_YOUR_CALM: 11,
} as const;
export type Code = (typeof CODE)[keyof typeof CODE];

/** Settings that either side tells the other, RFC 9113 §6.5.2. */
export const SETTING = {
  HEADER_TABLE_SIZE: 1,
  ENABLE_PUSH: 2,
  MAX_CONCURRENT_STREAMS: 3,
  INITIAL_WINDOW_SIZE: 4,
  MAX_FRAME_SIZE: 5,
  MAX_HEADER_LIST_SIZE: 6,
} as const;

/** What a client says first, before its SETTINGS. */
export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

/** Bytes of a frame before its payload. */
export const FRAME_HEAD = 9;

/** The largest payload that is read; never raised, as what is asked here is small. */
export const MAX_FRAME = 16_384;

/** What may be sent before anybody grants more. */
export const DEFAULT_WINDOW = 65_535;

/** A window never becomes larger. */
export const MAX_WINDOW = 2 ** 31 - 1;

/** The peer broke a rule that the whole connection rests on, or asks too much: it ends. `message` is told to the peer. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';

  constructor(
    readonly code: Code,
    message: string,
  ) {
    super(message);
  }
}

/** A rule that has no code of its own was broken. */
export function protocolError(message: string): ConnectionError {
  return new ConnectionError(CODE.PROTOCOL_ERROR, message);
}

/** @throws ConnectionError for a payload of another length */
export function assertLength(name: string, payload: Uint8Array, bytes: number): void {
  if (payload.length !== bytes)
    throw new ConnectionError(CODE.FRAME_SIZE_ERROR, `${name} has ${bytes} bytes`);
}
