export type { RequestHandler } from './connection.js';
export { PendingBytes } from './frames.js';
export { encodeBlock } from './hpack.js';
export type { RequestHead } from './request-heads.js';
export { Http2Server } from './server.js';
export type { Http2Stream, StreamSink } from './stream.js';
