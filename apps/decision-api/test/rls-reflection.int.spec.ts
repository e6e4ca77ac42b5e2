import { loadSync } from '@grpc/proto-loader';
import protobuf from 'protobufjs';
import descriptorExtension from 'protobufjs/ext/descriptor/index.js';
import { describe, expect, it } from 'vitest';
import { methodOf, PROTO_DIR, PROTO_FILES } from './rls-client.js';
import { rlsPolicy } from './rls-policy.js';
import { useRunningRls } from './running-rls.js';

const { FileDescriptorProto, FileDescriptorSet } = descriptorExtension as unknown as Record<
  'FileDescriptorProto' | 'FileDescriptorSet',
  protobuf.Type
>;

interface Answer {
  message_response: string;
  list_services_response?: { service: { name: string }[] };
  file_descriptor_response?: { file_descriptor_proto: Buffer[] };
  error_response?: { error_code: number };
}

describe.each(['v1', 'v1alpha'])('server reflection %s', (version) => {
  const rls = useRunningRls(rlsPolicy);
  const method = methodOf(`grpc.reflection.${version}.ServerReflection`, 'ServerReflectionInfo');

  /** Sends requests over one stream, in order. */
  const ask = (...requests: object[]) =>
    new Promise<Answer[]>((resolve, reject) => {
      const answers: Answer[] = [];
      const stream = rls.client.client.makeBidiStreamRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
      );
      stream.on('data', (answer: Answer) => answers.push(answer));
      stream.on('error', reject);
      stream.on('end', () => resolve(answers));
      for (const request of requests) stream.write(request);
      stream.end();
    });

  it('names the services', async () => {
    const [answer] = await ask({ list_services: '' });
    expect(answer?.list_services_response?.service.map(({ name }) => name)).toEqual([
      'envoy.service.ratelimit.v3.RateLimitService',
      'grpc.health.v1.Health',
      'grpc.reflection.v1.ServerReflection',
      'grpc.reflection.v1alpha.ServerReflection',
    ]);
  });

  it('answers a stream in order, unknown names with NOT_FOUND and extensions with UNIMPLEMENTED', async () => {
    const answers = await ask(
      { file_by_filename: 'nothing.proto' },
      { file_containing_symbol: 'grpc.health.v1.Health.Check' },
      { all_extension_numbers_of_type: 'x' },
    );
    expect(answers).toMatchObject([
      { error_response: { error_code: 5 } },
      { message_response: 'file_descriptor_response' },
      { error_response: { error_code: 12 } },
    ]);
  });

  it('describes the messages as the published files do: every name, number and type', async () => {
    const [rlsAnswer, healthAnswer] = await ask(
      { file_containing_symbol: 'envoy.service.ratelimit.v3.RateLimitService' },
      { file_by_filename: 'grpc/health/v1/health.proto' },
    );
    const files = [rlsAnswer, healthAnswer].flatMap(
      (answer) => answer?.file_descriptor_response?.file_descriptor_proto ?? [],
    );
    const set = { file: files.map((file) => FileDescriptorProto.decode(file)) };
    const told = (protobuf.Root as unknown as { fromDescriptor(set: object): protobuf.Root }).fromDescriptor(
      FileDescriptorSet.create(set),
    );
    const published = new protobuf.Root();
    published.resolvePath = (_, file) => (file.startsWith('google/') ? file : `${PROTO_DIR}/${file}`);
    published.loadSync(PROTO_FILES);
    for (const name of MESSAGES) {
      expect([name, shapeOf(told.lookupType(name))]).toEqual([name, shapeOf(published.lookupType(name))]);
    }
    expect(loadSync(PROTO_FILES, { includeDirs: [PROTO_DIR] })).toHaveProperty(['grpc.health.v1.Health']);
  });
});

const MESSAGES = [
  'envoy.service.ratelimit.v3.RateLimitRequest',
  'envoy.service.ratelimit.v3.RateLimitResponse',
  'envoy.service.ratelimit.v3.RateLimitResponse.RateLimit',
  'envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus',
  'envoy.extensions.common.ratelimit.v3.RateLimitDescriptor',
  'envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.Entry',
  'envoy.extensions.common.ratelimit.v3.RateLimitDescriptor.RateLimitOverride',
  'envoy.config.core.v3.HeaderValue',
  'google.protobuf.Duration',
  'google.protobuf.Struct',
  'google.protobuf.Value',
  'google.protobuf.ListValue',
  'google.protobuf.UInt64Value',
  'grpc.health.v1.HealthCheckRequest',
  'grpc.health.v1.HealthCheckResponse',
];

function shapeOf(type: protobuf.Type): unknown {
  return Object.fromEntries(
    type.fieldsArray.map((field) => {
      const { resolvedType } = field.resolve();
      const values = resolvedType instanceof protobuf.Enum ? resolvedType.values : undefined;
      const of = resolvedType === null ? field.type : resolvedType.fullName;
      // Descriptors represent a map as a list of entries.
      const isList = field.repeated || field.map;
      return [snake(field.name), { id: field.id, isList, of: field.map ? 'map' : ofEntry(of), values }];
    }),
  );
}

function ofEntry(type: string): string {
  return type.endsWith('Entry') && type.includes('Struct') ? 'map' : type;
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
