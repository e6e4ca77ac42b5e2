import { CODE, UNITS } from '../messages.js';
import { DURATION_FILE, STRUCT_FILE, WRAPPERS_FILE } from './google-files.js';
import { type FileSchema, field, repeated } from './schema.js';

const RESPONSE = '.envoy.service.ratelimit.v3.RateLimitResponse';
const DESCRIPTOR = '.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor';

export const UNIT_FILE: FileSchema = {
  name: 'envoy/type/v3/ratelimit_unit.proto',
  package: 'envoy.type.v3',
  imports: [],
  messages: [],
  // Without WEEK, which only answers may say.
  enums: [{ name: 'RateLimitUnit', values: UNITS.slice(0, 7) }],
};

export const BASE_FILE: FileSchema = {
  name: 'envoy/config/core/v3/base.proto',
  package: 'envoy.config.core.v3',
  imports: [],
  messages: [
    {
      name: 'HeaderValue',
      fields: [field('key', 1, 'string'), field('value', 2, 'string'), field('raw_value', 3, 'bytes')],
    },
  ],
};

export const DESCRIPTOR_FILE: FileSchema = {
  name: 'envoy/extensions/common/ratelimit/v3/ratelimit.proto',
  package: 'envoy.extensions.common.ratelimit.v3',
  imports: [UNIT_FILE.name, WRAPPERS_FILE.name],
  messages: [
    {
      name: 'RateLimitDescriptor',
      fields: [
        repeated('entries', 1, `${DESCRIPTOR}.Entry`),
        field('limit', 2, `${DESCRIPTOR}.RateLimitOverride`),
        field('hits_addend', 3, '.google.protobuf.UInt64Value'),
        field('is_negative_hits', 4, 'bool'),
      ],
      messages: [
        { name: 'Entry', fields: [field('key', 1, 'string'), field('value', 2, 'string')] },
        {
          name: 'RateLimitOverride',
          fields: [
            field('requests_per_unit', 1, 'uint32'),
            field('unit', 2, 'enum .envoy.type.v3.RateLimitUnit'),
          ],
        },
      ],
    },
  ],
};

export const RLS_FILE: FileSchema = {
  name: 'envoy/service/ratelimit/v3/rls.proto',
  package: 'envoy.service.ratelimit.v3',
  imports: [BASE_FILE.name, DESCRIPTOR_FILE.name, DURATION_FILE.name, STRUCT_FILE.name],
  messages: [
    {
      name: 'RateLimitRequest',
      fields: [
        field('domain', 1, 'string'),
        repeated('descriptors', 2, DESCRIPTOR),
        field('hits_addend', 3, 'uint32'),
      ],
    },
    {
      name: 'RateLimitResponse',
      fields: [
        field('overall_code', 1, `enum ${RESPONSE}.Code`),
        repeated('statuses', 2, `${RESPONSE}.DescriptorStatus`),
        repeated('response_headers_to_add', 3, '.envoy.config.core.v3.HeaderValue'),
        repeated('request_headers_to_add', 4, '.envoy.config.core.v3.HeaderValue'),
        field('raw_body', 5, 'bytes'),
        field('dynamic_metadata', 6, '.google.protobuf.Struct'),
      ],
      enums: [{ name: 'Code', values: Object.keys(CODE) }],
      messages: [
        {
          name: 'RateLimit',
          fields: [
            field('requests_per_unit', 1, 'uint32'),
            field('unit', 2, `enum ${RESPONSE}.RateLimit.Unit`),
            field('name', 3, 'string'),
          ],
          enums: [{ name: 'Unit', values: UNITS }],
        },
        {
          name: 'DescriptorStatus',
          fields: [
            field('code', 1, `enum ${RESPONSE}.Code`),
            field('current_limit', 2, `${RESPONSE}.RateLimit`),
            field('limit_remaining', 3, 'uint32'),
            field('duration_until_reset', 4, '.google.protobuf.Duration'),
          ],
        },
      ],
    },
  ],
  services: [
    {
      name: 'RateLimitService',
      methods: [
        {
          name: 'ShouldRateLimit',
          input: '.envoy.service.ratelimit.v3.RateLimitRequest',
          output: RESPONSE,
        },
      ],
    },
  ],
};
