export type { RequestHandler } from './connection.js';
export { PendingBytes } from './frames.js';
export { type Fields, HeaderBlock } from './hpack.js';
export { DEFAULT_LIMITS, type Http2Limits } from './limits.js';
export type { RequestHead } from './request-heads.js';
export {
  createHttpServer,
  type HttpServer,
  type HttpServerOptions,
  type ServerTls,
  TRANSPORTS,
  type Transport,
} from './server.js';
export type { ServerStream, StreamSink } from './stream.js';
