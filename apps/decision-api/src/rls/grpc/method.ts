/** What a call came with besides its message, by name. */
export type CallMetadata = ReadonlyMap<string, string>;

/** One request, one response. The answer is a frame: see `framing.ts`. */
export interface UnaryMethod {
  readonly kind: 'unary';
  /** Before anything is read of a call. @throws TollgateError when it may not be made */
  readonly authorize: (metadata: CallMetadata) => void;
  /** Whether a call is turned away, before anything of it is looked at. */
  readonly isFull: () => boolean;
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
