import { fileURLToPath } from 'node:url';
import {
  type CallOptions,
  type ChannelCredentials,
  Client,
  type ClientReadableStream,
  type ClientUnaryCall,
  credentials,
  Metadata,
  type MethodDefinition,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

export const PROTO_DIR = fileURLToPath(new URL('../proto', import.meta.url));

/** Files below {@link PROTO_DIR}. */
export const PROTO_FILES = [
  'envoy/service/ratelimit/v3/rls.proto',
  'grpc/health/v1/health.proto',
  'grpc/reflection/v1/reflection.proto',
  'grpc/reflection/v1alpha/reflection.proto',
];

const definitions = loadSync(PROTO_FILES, {
  includeDirs: [PROTO_DIR],
  keepCase: true,
  longs: Number,
  enums: String,
  defaults: true,
  oneofs: true,
});

/** A method by the full name of its service and its own name. */
export function methodOf(service: string, method: string): MethodDefinition<object, object> {
  const found = (definitions[service] as Record<string, MethodDefinition<object, object>> | undefined)?.[
    method
  ];
  if (found === undefined) throw new Error(`no ${service}/${method} in the tests' files`);
  return found;
}

/** Tries after the first one. */
const MAX_RETRIES = 50;

const WATCH = methodOf('grpc.health.v1.Health', 'Watch');
const SHOULD_RATE_LIMIT = methodOf('envoy.service.ratelimit.v3.RateLimitService', 'ShouldRateLimit');

export interface EntryMessage {
  key: string;
  value?: string;
}

export interface RequestMessage {
  domain?: string;
  descriptors?: {
    entries: EntryMessage[];
    limit?: { requests_per_unit: number; unit: string | number };
    hits_addend?: { value: number };
    is_negative_hits?: boolean;
  }[];
  hits_addend?: number;
}

export interface StatusMessage {
  code: string;
  current_limit: { requests_per_unit: number; unit: string; name: string } | null;
  limit_remaining: number;
  duration_until_reset: { seconds: number; nanos: number } | null;
}

export interface ResponseMessage {
  overall_code: string;
  statuses: StatusMessage[];
  response_headers_to_add: { key: string; value: string }[];
  raw_body: Buffer;
  dynamic_metadata: { fields: Record<string, unknown> } | null;
}

/** A client of `@grpc/grpc-js`. */
export class RlsClient {
  readonly client: Client;

  constructor(
    address: string,
    private readonly token: string,
    options: object = {},
    channel: ChannelCredentials = credentials.createInsecure(),
  ) {
    this.client = new Client(address, channel, options);
  }

  metadata(authorization = `Bearer ${this.token}`): Metadata {
    const metadata = new Metadata();
    if (authorization !== '') metadata.set('authorization', authorization);
    return metadata;
  }

  /**
   * Retries UNAVAILABLE like other clients: a busy node may not load a tenant in time.
   * @throws ServiceError
   */
  async ask(
    request: RequestMessage,
    metadata = this.metadata(),
    options: CallOptions = {},
  ): Promise<ResponseMessage> {
    for (let again = MAX_RETRIES; ; again--) {
      try {
        return (await this.call(SHOULD_RATE_LIMIT, request, metadata, options)) as ResponseMessage;
      } catch (error) {
        if ((error as ServiceError).code !== status.UNAVAILABLE || again === 0) throw error;
      }
    }
  }

  /** As `ask`, with an encoded request, which may be invalid. */
  async askBytes(request: Buffer): Promise<ResponseMessage> {
    const method = { ...SHOULD_RATE_LIMIT, requestSerialize: () => request };
    return (await this.call(method, {})) as ResponseMessage;
  }

  /** @param onCall receives the call, to cancel it */
  call(
    method: MethodDefinition<object, object>,
    request: object,
    metadata = this.metadata(),
    options: CallOptions = {},
    onCall: (call: ClientUnaryCall) => void = () => undefined,
  ): Promise<object> {
    return new Promise((resolve, reject) => {
      const call = this.client.makeUnaryRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        request,
        metadata,
        options,
        (error: ServiceError | null, response) => (error === null ? resolve(response ?? {}) : reject(error)),
      );
      onCall(call);
    });
  }

  /** Always ends with a status, which is also raised as an error. */
  watchHealth(service = ''): ClientReadableStream<{ status: string }> {
    const { path, requestSerialize, responseDeserialize } = WATCH;
    const stream = this.client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, {
      service,
    });
    return stream.on('error', () => undefined) as ClientReadableStream<{ status: string }>;
  }

  close(): void {
    this.client.close();
  }
}

/** Converts a struct to the value it represents. */
export function structOf(struct: { fields: Record<string, unknown> } | null): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(struct?.fields ?? {}).map(([key, value]) => [key, plainValue(value)]),
  );
}

function plainValue(value: unknown): unknown {
  const { kind, ...held } = value as { kind: string } & Record<string, unknown>;
  const inner = held[kind];
  if (kind === 'nullValue') return null;
  if (kind === 'listValue') return (inner as { values: unknown[] }).values.map(plainValue);
  return kind === 'structValue' ? structOf(inner as { fields: Record<string, unknown> }) : inner;
}
