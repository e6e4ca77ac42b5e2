import {
  ArgsType,
  Extensions,
  Field,
  type FieldOptions,
  ID,
  Int,
  ObjectType,
  type ReturnTypeFuncValue,
  registerEnumType,
} from '@nestjs/graphql';
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
