import {
  Field,
  type FieldOptions,
  Float,
  ID,
  InputType,
  Int,
  type ReturnTypeFuncValue,
} from '@nestjs/graphql';
import * as z from 'zod';
import { DateTime } from './scalars.js';

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
