import * as z from 'zod';
import { MAX_UINT32, type RateLimitRequest, UNITS } from '../messages.js';

/** Whole numbers may be written as texts: those of 64 bits always are. */
const whole = (max: number) =>
  z
    .union([z.number(), z.string().regex(/^\d{1,20}$/)])
    .transform(Number)
    .pipe(z.int().min(0).max(max));

const unit = z.union([
  z.enum(UNITS).transform((name) => UNITS.indexOf(name)),
  z.int().min(0).max(MAX_UINT32),
]);

const descriptor = z
  .strictObject({
    entries: z
      .array(z.strictObject({ key: z.string().default(''), value: z.string().default('') }))
      .default([]),
    limit: z.strictObject({ requestsPerUnit: whole(MAX_UINT32).default(0), unit: unit.default(0) }).nullish(),
    hitsAddend: whole(Number.MAX_SAFE_INTEGER).nullish(),
    isNegativeHits: z.boolean().nullish(),
  })
  .transform(({ entries, limit, hitsAddend, isNegativeHits }) => ({
    entries,
    limit: limit ?? undefined,
    hitsAddend: hitsAddend ?? undefined,
    isNegativeHits: isNegativeHits ?? false,
  }));

/** `RateLimitRequest` as protobuf writes it in JSON, with names in camel case. */
export const camelCaseRequestSchema = z.strictObject({
  domain: z.string().default(''),
  descriptors: z.array(descriptor).default([]),
  hitsAddend: whole(MAX_UINT32).default(0),
});

/** The same, with names in camel case or as in the `.proto` file. */
export const requestJsonSchema: z.ZodType<RateLimitRequest> = z.preprocess(
  withCamelCase,
  camelCaseRequestSchema,
);

function withCamelCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withCamelCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      withCamelCase(inner),
    ]),
  );
}
