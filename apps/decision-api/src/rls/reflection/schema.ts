/** What is told of the services by server reflection: the messages of them, as far as anything here reads or writes them. */

export type Scalar =
  | 'double'
  | 'float'
  | 'int64'
  | 'uint64'
  | 'int32'
  | 'bool'
  | 'string'
  | 'bytes'
  | 'uint32';

/** `.package.Message`, or `.package.Enum` after `enum `. */
export type FieldType = Scalar | `.${string}` | `enum .${string}`;

export interface FieldSchema {
  readonly name: string;
  readonly number: number;
  readonly type: FieldType;
  readonly repeated?: true;
  /** Of the choice of this name. */
  readonly oneof?: string;
}

export interface EnumSchema {
  readonly name: string;
  /** By number. */
  readonly values: readonly string[];
}

export interface MessageSchema {
  readonly name: string;
  readonly fields: readonly FieldSchema[];
  readonly messages?: readonly MessageSchema[];
  readonly enums?: readonly EnumSchema[];
  /** An entry of a map: `key` and `value`. */
  readonly isMapEntry?: true;
}

export interface MethodSchema {
  readonly name: string;
  readonly input: string;
  readonly output: string;
  /** Both sides send any number of messages. */
  readonly isStream?: true;
  /** The server does, to one message. */
  readonly isServerStream?: true;
}

export interface FileSchema {
  readonly name: string;
  readonly package: string;
  readonly imports: readonly string[];
  readonly messages: readonly MessageSchema[];
  readonly enums?: readonly EnumSchema[];
  readonly services?: readonly { readonly name: string; readonly methods: readonly MethodSchema[] }[];
}

/** A field, `name`, `number`, `type`. */
export function field(name: string, number: number, type: FieldType): FieldSchema {
  return { name, number, type };
}

/** A field that holds a list. */
export function repeated(name: string, number: number, type: FieldType): FieldSchema {
  return { name, number, type, repeated: true };
}

/** The fields of a choice. */
export function oneof(name: string, ...fields: readonly FieldSchema[]): FieldSchema[] {
  return fields.map((one) => ({ ...one, oneof: name }));
}
