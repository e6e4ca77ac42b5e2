import { frame, numberFrame } from './frames.js';
import { DEFAULT_WINDOW, FLAG, FRAME, SETTING } from './protocol.js';
import { MAX_HEAD_BYTES } from './request-head.js';
import { encodeSettings } from './settings.js';
import { STREAM_WINDOW } from './stream.js';

/** Requests of one connection at once. */
export const MAX_STREAMS = 1000;

/** What may be sent on all streams of a connection before more is granted. */
export const CONNECTION_WINDOW = 1024 * 1024;

/** What a server says first. */
export const GREETING = Buffer.concat([
  frame(
    FRAME.SETTINGS,
    0,
    0,
    encodeSettings([
      [SETTING.MAX_CONCURRENT_STREAMS, MAX_STREAMS],
      [SETTING.INITIAL_WINDOW_SIZE, STREAM_WINDOW],
      [SETTING.MAX_HEADER_LIST_SIZE, MAX_HEAD_BYTES],
    ]),
  ),
  numberFrame(FRAME.WINDOW_UPDATE, 0, CONNECTION_WINDOW - DEFAULT_WINDOW),
]);

/** What it says to the client's settings. */
export const SETTINGS_ACK = frame(FRAME.SETTINGS, FLAG.ACK, 0, Buffer.alloc(0));
