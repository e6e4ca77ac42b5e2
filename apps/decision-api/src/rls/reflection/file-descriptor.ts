import { ProtoWriter } from '../wire/proto-writer.js';
import type { EnumSchema, FieldSchema, FileSchema, MessageSchema, Scalar } from './schema.js';

/** `google.protobuf.FieldDescriptorProto.Type`. */
const TYPES: Record<Scalar, number> = {
  double: 1,
  float: 2,
  int64: 3,
  uint64: 4,
  int32: 5,
  bool: 8,
  string: 9,
  bytes: 12,
  uint32: 13,
};
const MESSAGE_TYPE = 11;
const ENUM_TYPE = 14;
const ENUM_PREFIX = 'enum ';

const writer = new ProtoWriter();

/** A file as `google.protobuf.FileDescriptorProto`. */
export function fileDescriptor(file: FileSchema): Buffer {
  writer.begin();
  writer.string(1, file.name);
  writer.string(2, file.package);
  for (const name of file.imports) writer.string(3, name);
  for (const message of file.messages) writeMessage(4, message);
  for (const one of file.enums ?? []) writeEnum(5, one);
  for (const { name, methods } of file.services ?? []) {
    const service = writer.open(6);
    writer.string(1, name);
    for (const { name: method, input, output, isStream = false, isServerStream = false } of methods) {
      const open = writer.open(2);
      writer.string(1, method);
      writer.string(2, input);
      writer.string(3, output);
      if (isStream) writer.bool(5, true);
      if (isStream || isServerStream) writer.bool(6, true);
      writer.close(open);
    }
    writer.close(service);
  }
  writer.string(12, 'proto3');
  return writer.finish();
}

function writeMessage(as: number, { name, fields, messages, enums, isMapEntry }: MessageSchema): void {
  const message = writer.open(as);
  writer.string(1, name);
  const oneofs = [...new Set(fields.flatMap(({ oneof }) => oneof ?? []))];
  for (const field of fields) writeField(field, oneofs);
  for (const nested of messages ?? []) writeMessage(3, nested);
  for (const nested of enums ?? []) writeEnum(4, nested);
  if (isMapEntry) {
    const options = writer.open(7);
    writer.bool(7, true);
    writer.close(options);
  }
  for (const oneof of oneofs) {
    const declaration = writer.open(8);
    writer.string(1, oneof);
    writer.close(declaration);
  }
  writer.close(message);
}

function writeField({ name, number, type, repeated, oneof }: FieldSchema, oneofs: readonly string[]): void {
  const field = writer.open(2);
  writer.string(1, name);
  writer.number(3, number);
  writer.number(4, repeated ? 3 : 1);
  if (type.startsWith(ENUM_PREFIX)) {
    writer.number(5, ENUM_TYPE);
    writer.string(6, type.slice(ENUM_PREFIX.length));
  } else if (type.startsWith('.')) {
    writer.number(5, MESSAGE_TYPE);
    writer.string(6, type);
  } else {
    writer.number(5, TYPES[type as Scalar]);
  }
  if (oneof !== undefined) writer.explicit(9, oneofs.indexOf(oneof));
  writer.close(field);
}

function writeEnum(as: number, { name, values }: EnumSchema): void {
  const one = writer.open(as);
  writer.string(1, name);
  for (const [number, value] of values.entries()) {
    const open = writer.open(2);
    writer.string(1, value);
    writer.explicit(2, number);
    writer.close(open);
  }
  writer.close(one);
}
