import {
  ArgsType,
  Extensions,
  Field,
  type FieldOptions,
  Float,
  ID,
  InputType,
  Int,
  ObjectType,
  type ReturnTypeFuncValue,
  registerEnumType,
} from '@nestjs/graphql';
import * as z from 'zod';
import { DateTime, SafeInt } from './scalars.js';

/** A field of {@link ObjectOf} or {@link ArgsOf}, with `T` as the type of its value. */
class FieldSpec<T, Optional extends boolean = false> {
  declare readonly value: T;
  declare readonly isOptional: Optional;

  constructor(
    readonly type: () => unknown,
    readonly options: FieldOptions,
    readonly extensions: Record<string, unknown> = {},
  ) {}

  list(): FieldSpec<T[], Optional> {
    return new FieldSpec(() => [this.type()], this.options, this.extensions);
  }

  nullable(): FieldSpec<T | null, Optional> {
    return this.with({ nullable: true });
  }

  /** A resolver computes the value, so objects may lack it. */
  resolved(): FieldSpec<T, true> {
    return this.with({});
  }

  /** An argument that may be omitted or null. */
  optional(defaultValue?: T): FieldSpec<T | null, true> {
    return this.with({ nullable: true, ...(defaultValue === undefined ? {} : { defaultValue }) });
  }

  complexity(complexity: number): FieldSpec<T, Optional> {
    return this.with({ complexity });
  }

  /** Assumed length of a list without pages, for the query cost. */
  usualLength(usualLength: number): FieldSpec<T, Optional> {
    return this.with({}, { usualLength });
  }

  private with(options: FieldOptions, extensions = this.extensions): FieldSpec<never, never> {
    return new FieldSpec<never, never>(this.type, { ...this.options, ...options }, extensions);
  }
}

const scalar =
  <T>(type: unknown) =>
  (description: string) =>
    new FieldSpec<T>(() => type, { description });

type ValueOf<R> = R extends abstract new (...args: never[]) => infer T ? T : R[keyof R];

export const field = {
  string: scalar<string>(String),
  boolean: scalar<boolean>(Boolean),
  id: scalar<string>(ID),
  int: scalar<number>(Int),
  safeInt: scalar<number>(SafeInt),
  dateTime: scalar<Date>(DateTime),
  /** A field of another class or of an enum. */
  of: <R extends object>(type: () => R, description: string) =>
    new FieldSpec<ValueOf<R>>(type, { description }),
  /** For values of another type than `type` implies. */
  as: <T>(type: () => unknown, description: string) => new FieldSpec<T>(type, { description }),
};

type Shape = Record<string, FieldSpec<unknown, boolean>>;

type OptionalIn<S extends Shape> = {
  [K in keyof S]: true extends S[K]['isOptional'] ? K : never;
}[keyof S];

type Values<S extends Shape> = { [K in Exclude<keyof S, OptionalIn<S>>]: S[K]['value'] } & {
  [K in OptionalIn<S>]?: S[K]['value'];
};

type Base<B> = abstract new () => B;

/**
 * Returns a base class of a GraphQL object: `class ApiTick extends ObjectOf({ apiKey: field.string('Key of the API.') })
 * {}`
 */
export function ObjectOf<S extends Shape>(shape: S): new () => Values<S>;
export function ObjectOf<B extends object, S extends Shape>(base: Base<B>, shape: S): new () => B & Values<S>;
export function ObjectOf(...parts: [Shape] | [Base<object>, Shape]): never {
  return withFields(ObjectType({ isAbstract: true }), ...parts);
}

/** Returns a base class of the arguments of a query. */
export function ArgsOf<S extends Shape>(shape: S): new () => Values<S>;
export function ArgsOf<B extends object, S extends Shape>(base: Base<B>, shape: S): new () => B & Values<S>;
export function ArgsOf(...parts: [Shape] | [Base<object>, Shape]): never {
  return withFields(ArgsType(), ...parts);
}

function withFields(decorate: ClassDecorator, ...parts: [Shape] | [Base<object>, Shape]): never {
  const [base, shape] = parts.length === 1 ? [Object, parts[0]] : parts;
  class Fields extends (base as new () => object) {}
  for (const [name, { type, options, extensions }] of Object.entries(shape)) {
    Field(() => type() as ReturnTypeFuncValue, options)(Fields.prototype, name);
    Extensions(extensions)(Fields.prototype, name);
  }
  decorate(Fields);
  return Fields as never;
}

/** Registers a GraphQL enum with a description of each value. */
export function registerEnum<E extends object>(
  type: E,
  name: string,
  description: string,
  values: Record<keyof E, string>,
): void {
  const entries = Object.entries<string>(values).map(([value, text]) => [value, { description: text }]);
  registerEnumType(type, { name, description, valuesMap: Object.fromEntries(entries) });
}

/** Declares and registers a GraphQL enum that the database does not have. */
export function enumOf<K extends string>(name: string, description: string, values: Record<K, string>) {
  const type = Object.fromEntries(Object.keys(values).map((value) => [value, value])) as {
    readonly [V in K]: V;
  };
  registerEnum(type, name, description, values);
  return type;
}

/** GraphQL options in `.meta()` that the zod type does not determine. */
interface FieldMeta {
  description?: string;
  /** Scalar or class if the zod type is not sufficient, such as `() => SafeInt`. */
  graphql?: () => unknown;
  defaultValue?: unknown;
}

type Constructor<T> = new () => T;

const classes = new WeakMap<z.core.$ZodType, Constructor<object>>();

/**
 * Returns a base class with the fields of `schema`: `class OfferCreateInput extends InputOf(offerCreateSchema,
 * MutationInput) {}`. @throws Error for unsupported zod types
 */
export function InputOf<S extends z.ZodObject, B extends object = object>(
  schema: S,
  base: abstract new () => B = Object as never,
): Constructor<Omit<z.input<S>, keyof B> & B> {
  class Fields extends (base as unknown as Constructor<object>) {}
  for (const [name, field] of Object.entries(schema.shape)) {
    if (name in INHERITED && base !== (Object as never)) continue;
    const { type, nullable, meta } = describe(field);
    const { description, defaultValue } = meta;
    const options: FieldOptions = { nullable, ...(description === undefined ? {} : { description }) };
    if (defaultValue !== undefined) options.defaultValue = defaultValue;
    Field(() => type() as ReturnTypeFuncValue, options)(Fields.prototype, name);
  }
  InputType({ isAbstract: true })(Fields);
  return Fields as never;
}

/** Registers the input class of a nested object. */
export function NestedInput(schema: z.core.$ZodType) {
  return (target: Constructor<object>): void => void classes.set(schema, target);
}

export const idField = (description: string) => z.string().meta({ graphql: () => ID, description });

/** Fields that `MutationInput` declares and the schema validates. */
const INHERITED = { reason: true, dryRun: true, force: true };

interface Described {
  type: () => unknown;
  nullable: boolean;
  meta: FieldMeta;
}

function describe(schema: z.core.$ZodType): Described {
  const meta = (z.globalRegistry.get(schema) ?? {}) as FieldMeta;
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'optional':
    case 'nullable':
    case 'default':
      return withMeta({ ...describe(def.innerType), nullable: true }, meta);
    case 'pipe':
      return withMeta(describe(def.in), meta);
    default:
      return { type: meta.graphql ?? (() => typeOf(schema)), nullable: false, meta };
  }
}

function withMeta({ type, nullable, meta: inner }: Described, meta: FieldMeta): Described {
  return { type: meta.graphql ? () => meta.graphql?.() : type, nullable, meta: { ...inner, ...meta } };
}

function typeOf(schema: z.core.$ZodType): unknown {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'string':
      return String;
    case 'boolean':
      return Boolean;
    case 'number':
      return (schema as z.ZodNumber).format === 'safeint' ? Int : Float;
    case 'date':
      return DateTime;
    case 'enum':
      return def.entries;
    case 'array': {
      const { type, nullable } = describe(def.element);
      if (nullable) throw new Error('Lists of nullable elements have no input class');
      return [type()];
    }
    case 'object':
      return classes.get(schema) ?? fail('a nested object without @NestedInput');
    default:
      return fail(def.type);
  }
}

function fail(type: string): never {
  throw new Error(`No GraphQL input type for ${type}`);
}
