import { FRAME_HEAD, withFrameHead } from './grpc/framing.js';
import { GrpcError, STATUS } from './grpc/status.js';
import { ProtoReader, WIRE } from './wire/proto-reader.js';
import { ProtoWriter } from './wire/proto-writer.js';

const SERVING = 1;
const NOT_SERVING = 2;

const writer = new ProtoWriter();

/**
 * Answers `grpc.health.v1.Health/Check`: of the server as a whole, or one of `services`. Ready is who has a policy: without
 * Redis, decisions go on.
 * @returns a frame. @throws GrpcError `NOT_FOUND` for a service that there is not
 */
export function checkHealth(message: Buffer, services: ReadonlySet<string>, isReady: boolean): Buffer {
  const service = readService(message);
  if (service !== '' && !services.has(service)) {
    throw new GrpcError(STATUS.NOT_FOUND, `there is no service ${service.slice(0, 200)}`);
  }
  writer.begin(FRAME_HEAD);
  writer.number(1, isReady ? SERVING : NOT_SERVING);
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
