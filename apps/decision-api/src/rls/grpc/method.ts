import type { ShedReason } from '../../http/admission.js';

/** What a call came with besides its message, by name. */
export type CallMetadata = ReadonlyMap<string, string>;

/** One request, one response. The answer is a frame: see `framing.ts`. */
export interface UnaryMethod {
  readonly kind: 'unary';
  /** Runs before the request is read. @throws TollgateError if the caller is not allowed. Left out: open to all */
  readonly authorize?: (metadata: CallMetadata) => void;
  /** Why calls are shed before they are read; left out: none is. */
  readonly shedReason?: () => ShedReason | undefined;
  readonly handle: (message: Buffer) => Buffer | Promise<Buffer>;
}

/** Any number of requests, a response to each, in order. */
export interface StreamMethod {
  readonly kind: 'stream';
  readonly handle: (message: Buffer) => Buffer;
}

/** One request, any number of responses, until the caller has enough or the server ends. */
export interface WatchMethod {
  readonly kind: 'watch';
  /** @returns what ends it */
  readonly handle: (message: Buffer, send: (frame: Buffer) => void) => () => void;
}

export type Method = UnaryMethod | StreamMethod | WatchMethod;

/** By path: `/package.Service/Method`. */
export type Methods = ReadonlyMap<string, Method>;
