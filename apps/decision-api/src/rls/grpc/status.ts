import { type ProblemCode, TollgateError } from '@tollgate/contracts';
import { WireError } from '../wire/proto-reader.js';

/** The status codes of gRPC that this door answers with. */
export const STATUS = {
  OK: 0,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const;
export type Status = (typeof STATUS)[keyof typeof STATUS];

/** How statuses are called, by number. */
export const STATUS_NAMES = Object.fromEntries(
  Object.entries(STATUS).map(([name, number]) => [number, name]),
) as Record<Status, string>;

/** A call ends with a status other than OK; `message` is public. */
export class GrpcError extends Error {
  override readonly name = 'GrpcError';

  constructor(
    readonly status: Status,
    message: string,
  ) {
    super(message);
  }
}

/** A call is turned away. Made once: to do so has to cost little. */
export const OVERLOADED = new GrpcError(
  STATUS.UNAVAILABLE,
  'overloaded: This node has as many requests in work as it can answer in time',
);

const STATUS_OF: Partial<Record<ProblemCode, Status>> = {
  'body-invalid': STATUS.INVALID_ARGUMENT,
  'dimension-missing': STATUS.INVALID_ARGUMENT,
  'dimension-invalid': STATUS.INVALID_ARGUMENT,
  'api-unknown': STATUS.NOT_FOUND,
  'token-missing': STATUS.UNAUTHENTICATED,
  'token-invalid': STATUS.UNAUTHENTICATED,
  'scope-missing': STATUS.PERMISSION_DENIED,
  'not-ready': STATUS.UNAVAILABLE,
  'counters-unreached': STATUS.UNAVAILABLE,
  'tenant-unavailable': STATUS.UNAVAILABLE,
};

/** How a fault ends a call; undefined: it is one of ours, and nobody's business outside. */
export function grpcErrorOf(error: unknown): GrpcError | undefined {
  if (error instanceof GrpcError) return error;
  if (error instanceof WireError) return new GrpcError(STATUS.INVALID_ARGUMENT, error.message);
  if (!(error instanceof TollgateError)) return undefined;
  const status = STATUS_OF[error.code];
  if (status === undefined) return undefined;
  const fields = error.errors?.map(({ field, message }) => `${field}: ${message}`).join('; ');
  const detail = fields === undefined || error.message.includes(fields) ? '' : `; ${fields}`;
  return new GrpcError(status, `${error.code}: ${error.message}${detail}`.slice(0, 1000));
}
