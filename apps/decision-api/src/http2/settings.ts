import { CODE, ConnectionError, MAX_FRAME, MAX_WINDOW, protocolError, SETTING } from './protocol.js';

const ENTRY_BYTES = 6;
const LARGEST_FRAME = 2 ** 24 - 1;

/** A SETTINGS payload. @param settings pairs of identifier and value */
export function encodeSettings(settings: readonly (readonly [id: number, value: number])[]): Buffer {
  const payload = Buffer.alloc(settings.length * ENTRY_BYTES);
  for (const [i, [id, value]] of settings.entries()) {
    payload.writeUInt16BE(id, i * ENTRY_BYTES);
    payload.writeUInt32BE(value, i * ENTRY_BYTES + 2);
  }
  return payload;
}

/**
 * What a peer's SETTINGS mean to us: how much it takes of a stream before it grants more. Our frames are never larger than any peer
 * takes, our header blocks refer to no table, and nothing is pushed: the rest need only be right.
 * @returns undefined: as before
 * @throws ConnectionError for what they may not be, RFC 9113 §6.5.2
 */
export function initialWindowOf(payload: Buffer): number | undefined {
  if (payload.length % ENTRY_BYTES !== 0) {
    throw new ConnectionError(CODE.FRAME_SIZE_ERROR, `SETTINGS has entries of ${ENTRY_BYTES} bytes`);
  }
  let window: number | undefined;
  for (let at = 0; at < payload.length; at += ENTRY_BYTES) {
    const id = payload.readUInt16BE(at);
    const value = payload.readUInt32BE(at + 2);
    if (id === SETTING.ENABLE_PUSH && value > 1) throw wrong('ENABLE_PUSH');
    if (id === SETTING.MAX_FRAME_SIZE && (value < MAX_FRAME || value > LARGEST_FRAME))
      throw wrong('MAX_FRAME_SIZE');
    if (id !== SETTING.INITIAL_WINDOW_SIZE) continue;
    if (value > MAX_WINDOW)
      throw new ConnectionError(CODE.FLOW_CONTROL_ERROR, 'INITIAL_WINDOW_SIZE is too large');
    window = value;
  }
  return window;
}

function wrong(name: string): ConnectionError {
  return protocolError(`${name} may not be that`);
}
