import { type FileSchema, field, oneof, repeated } from './schema.js';

export const HEALTH_FILE: FileSchema = {
  name: 'grpc/health/v1/health.proto',
  package: 'grpc.health.v1',
  imports: [],
  messages: [
    { name: 'HealthCheckRequest', fields: [field('service', 1, 'string')] },
    {
      name: 'HealthCheckResponse',
      fields: [field('status', 1, 'enum .grpc.health.v1.HealthCheckResponse.ServingStatus')],
      enums: [{ name: 'ServingStatus', values: ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'] }],
    },
  ],
  services: [
    {
      name: 'Health',
      methods: [
        {
          name: 'Check',
          input: '.grpc.health.v1.HealthCheckRequest',
          output: '.grpc.health.v1.HealthCheckResponse',
        },
        {
          name: 'Watch',
          input: '.grpc.health.v1.HealthCheckRequest',
          output: '.grpc.health.v1.HealthCheckResponse',
          isServerStream: true,
        },
      ],
    },
  ],
};

/** Reflection itself, which is the same in both of its versions but for the name. */
export function reflectionFile(version: 'v1' | 'v1alpha'): FileSchema {
  const name = `grpc.reflection.${version}`;
  return {
    name: `grpc/reflection/${version}/reflection.proto`,
    package: name,
    imports: [],
    messages: [
      {
        name: 'ServerReflectionRequest',
        fields: [
          field('host', 1, 'string'),
          ...oneof(
            'message_request',
            field('file_by_filename', 3, 'string'),
            field('file_containing_symbol', 4, 'string'),
            field('file_containing_extension', 5, `.${name}.ExtensionRequest`),
            field('all_extension_numbers_of_type', 6, 'string'),
            field('list_services', 7, 'string'),
          ),
        ],
      },
      {
        name: 'ExtensionRequest',
        fields: [field('containing_type', 1, 'string'), field('extension_number', 2, 'int32')],
      },
      {
        name: 'ServerReflectionResponse',
        fields: [
          field('valid_host', 1, 'string'),
          field('original_request', 2, `.${name}.ServerReflectionRequest`),
          ...oneof(
            'message_response',
            field('file_descriptor_response', 4, `.${name}.FileDescriptorResponse`),
            field('all_extension_numbers_response', 5, `.${name}.ExtensionNumberResponse`),
            field('list_services_response', 6, `.${name}.ListServiceResponse`),
            field('error_response', 7, `.${name}.ErrorResponse`),
          ),
        ],
      },
      { name: 'FileDescriptorResponse', fields: [repeated('file_descriptor_proto', 1, 'bytes')] },
      {
        name: 'ExtensionNumberResponse',
        fields: [field('base_type_name', 1, 'string'), repeated('extension_number', 2, 'int32')],
      },
      { name: 'ListServiceResponse', fields: [repeated('service', 1, `.${name}.ServiceResponse`)] },
      { name: 'ServiceResponse', fields: [field('name', 1, 'string')] },
      {
        name: 'ErrorResponse',
        fields: [field('error_code', 1, 'int32'), field('error_message', 2, 'string')],
      },
    ],
    services: [
      {
        name: 'ServerReflection',
        methods: [
          {
            name: 'ServerReflectionInfo',
            input: `.${name}.ServerReflectionRequest`,
            output: `.${name}.ServerReflectionResponse`,
            isStream: true,
          },
        ],
      },
    ],
  };
}
