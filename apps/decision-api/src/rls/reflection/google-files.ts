import { type FileSchema, field, oneof, repeated, type Scalar } from './schema.js';

const WRAPPED: readonly (readonly [string, Scalar])[] = [
  ['Double', 'double'],
  ['Float', 'float'],
  ['Int64', 'int64'],
  ['UInt64', 'uint64'],
  ['Int32', 'int32'],
  ['UInt32', 'uint32'],
  ['Bool', 'bool'],
  ['String', 'string'],
  ['Bytes', 'bytes'],
];

const PACKAGE = 'google.protobuf';

export const DURATION_FILE: FileSchema = {
  name: 'google/protobuf/duration.proto',
  package: PACKAGE,
  imports: [],
  messages: [{ name: 'Duration', fields: [field('seconds', 1, 'int64'), field('nanos', 2, 'int32')] }],
};

export const WRAPPERS_FILE: FileSchema = {
  name: 'google/protobuf/wrappers.proto',
  package: PACKAGE,
  imports: [],
  messages: WRAPPED.map(([name, type]) => ({ name: `${name}Value`, fields: [field('value', 1, type)] })),
};

export const STRUCT_FILE: FileSchema = {
  name: 'google/protobuf/struct.proto',
  package: PACKAGE,
  imports: [],
  enums: [{ name: 'NullValue', values: ['NULL_VALUE'] }],
  messages: [
    {
      name: 'Struct',
      fields: [repeated('fields', 1, '.google.protobuf.Struct.FieldsEntry')],
      messages: [
        {
          name: 'FieldsEntry',
          isMapEntry: true,
          fields: [field('key', 1, 'string'), field('value', 2, '.google.protobuf.Value')],
        },
      ],
    },
    {
      name: 'Value',
      fields: oneof(
        'kind',
        field('null_value', 1, 'enum .google.protobuf.NullValue'),
        field('number_value', 2, 'double'),
        field('string_value', 3, 'string'),
        field('bool_value', 4, 'bool'),
        field('struct_value', 5, '.google.protobuf.Struct'),
        field('list_value', 6, '.google.protobuf.ListValue'),
      ),
    },
    { name: 'ListValue', fields: [repeated('values', 1, '.google.protobuf.Value')] },
  ],
};
