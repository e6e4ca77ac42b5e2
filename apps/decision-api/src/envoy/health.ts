import { FRAME_HEAD, GrpcError, STATUS, withFrameHead } from './grpc/protocol.js';
import { ProtoReader, ProtoWriter, WIRE } from './protobuf.js';

const SERVING = 1;
const NOT_SERVING = 2;
const SERVICE_UNKNOWN = 3;
type ServingStatus = typeof SERVING | typeof NOT_SERVING | typeof SERVICE_UNKNOWN;

/** Open calls of `Watch`, which need no token. */
export const MAX_WATCHERS = 200;

const writer = new ProtoWriter();

/** `grpc.health.v1.Health` of the server or one of its services. Serving while `/readyz` is 200. */
export class Health {
  private readonly watchers = new Set<(frame: Buffer) => void>();
  private lastStatus: ServingStatus;

  /** @param isServing current readiness; call {@link refresh} after it changes */
  constructor(
    private readonly services: ReadonlySet<string>,
    private readonly isServing: () => boolean,
  ) {
    this.lastStatus = this.status();
  }

  check(message: Buffer): Buffer {
    const service = readService(message);
    if (!this.has(service)) {
      throw new GrpcError(STATUS.NOT_FOUND, `unknown service ${service.slice(0, 200)}`);
    }
    return frameOf(this.status());
  }

  /**
   * Sends the current status, then each change; `SERVICE_UNKNOWN` for unknown services. Returns a function that stops
   * it.
   * @throws GrpcError `RESOURCE_EXHAUSTED` when too many calls watch
   */
  watch(message: Buffer, send: (frame: Buffer) => void): () => void {
    if (this.watchers.size >= MAX_WATCHERS) {
      throw new GrpcError(STATUS.RESOURCE_EXHAUSTED, 'too many watch already; ask Check from time to time');
    }
    const isOurs = this.has(readService(message));
    const watcher = isOurs ? send : () => undefined;
    this.watchers.add(watcher);
    send(frameOf(isOurs ? this.status() : SERVICE_UNKNOWN));
    return () => this.watchers.delete(watcher);
  }

  refresh(): void {
    const status = this.status();
    if (status === this.lastStatus) return;
    this.lastStatus = status;
    for (const send of this.watchers) send(frameOf(status));
  }

  private status(): ServingStatus {
    return this.isServing() ? SERVING : NOT_SERVING;
  }

  private has(service: string): boolean {
    return service === '' || this.services.has(service);
  }
}

function frameOf(status: ServingStatus): Buffer {
  writer.begin(FRAME_HEAD);
  writer.number(1, status);
  return withFrameHead(writer.finish());
}

function readService(message: Buffer): string {
  const reader = new ProtoReader(message);
  let service = '';
  while (!reader.isDone) {
    const tag = reader.tag();
    if (tag === 8 + WIRE.bytes) service = reader.string();
    else reader.skip(tag);
  }
  return service;
}
