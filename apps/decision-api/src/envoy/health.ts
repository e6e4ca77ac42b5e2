import { grpc as requests } from '../generated/requests.js';
import { grpc as responses } from '../generated/responses.js';
import { decodeMessage, encodeFrame, GrpcError, STATUS } from './grpc/protocol.js';

const { HealthCheckRequest } = requests.health.v1;
const { HealthCheckResponse } = responses.health.v1;
const { SERVING, NOT_SERVING, SERVICE_UNKNOWN } = HealthCheckResponse.ServingStatus;
type ServingStatus = responses.health.v1.HealthCheckResponse.ServingStatus;

/** Open calls of `Watch`, which need no token. */
export const MAX_WATCHERS = 200;

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
    const service = decodeMessage(HealthCheckRequest, message).service;
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
    const isOurs = this.has(decodeMessage(HealthCheckRequest, message).service);
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
  return encodeFrame(HealthCheckResponse, { status });
}
