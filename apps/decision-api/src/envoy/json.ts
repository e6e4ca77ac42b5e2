import * as z from 'zod';
import { readJsonBody } from '../http/request-body.js';
import { decisionRoute, type Route, respondJson } from '../http/route.js';
import {
  CODE,
  type Code,
  type DescriptorStatus,
  MAX_UINT32,
  type RateLimitRequest,
  type RateLimitResponse,
  UNITS,
} from './messages.js';
import { type RateLimitService } from './rate-limit-service.js';

/** Protobuf JSON may write whole numbers as strings, and always does so for 64-bit ones. */
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
    limit,
    hitsAddend: hitsAddend == null ? null : { value: hitsAddend },
    isNegativeHits: isNegativeHits ?? false,
  }));

/** `RateLimitRequest` in protobuf JSON, names in camel case. */
export const camelCaseRequestSchema = z.strictObject({
  domain: z.string().default(''),
  descriptors: z.array(descriptor).default([]),
  hitsAddend: whole(MAX_UINT32).default(0),
});

/** Also accepts the names of the `.proto` file. */
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

const CODE_NAMES = Object.keys(CODE) as (keyof typeof CODE)[];

const code = z.enum(CODE_NAMES);

/** `RateLimitResponse` in protobuf JSON: default values are omitted. */
export const responseJsonSchema = z.strictObject({
  overallCode: code,
  statuses: z
    .array(
      z.strictObject({
        code,
        currentLimit: z
          .strictObject({
            name: z.string(),
            requestsPerUnit: z.int(),
            unit: z.enum(UNITS).exactOptional(),
          })
          .exactOptional()
          .describe('Absent: no limit matched'),
        limitRemaining: z.int().exactOptional().describe('Absent: 0'),
        durationUntilReset: z.string().exactOptional().describe('Seconds, such as `1.5s`'),
      }),
    )
    .describe('One a descriptor, in order'),
  responseHeadersToAdd: z.array(z.strictObject({ key: z.string(), value: z.string() })).exactOptional(),
  rawBody: z.base64().exactOptional().describe('Body of a denial'),
  dynamicMetadata: z.record(z.string(), z.unknown()),
});
type ResponseJson = z.input<typeof responseJsonSchema>;

export function responseJson(response: RateLimitResponse): ResponseJson {
  const { overallCode, statuses, responseHeaders, rawBody, metadata } = response;
  const headers = Object.entries(responseHeaders).map(([key, value]) => ({ key, value }));
  return {
    overallCode: nameOf(overallCode),
    statuses: statuses.map(statusJson),
    ...(headers.length === 0 ? {} : { responseHeadersToAdd: headers }),
    ...(rawBody === undefined ? {} : { rawBody: Buffer.from(rawBody).toString('base64') }),
    dynamicMetadata: metadata,
  };
}

function statusJson(status: DescriptorStatus): ResponseJson['statuses'][number] {
  const { currentLimit, limitRemaining, resetMs } = status;
  return {
    code: nameOf(status.code),
    ...(currentLimit === undefined
      ? {}
      : {
          currentLimit: {
            name: currentLimit.name,
            requestsPerUnit: currentLimit.requestsPerUnit,
            ...(currentLimit.unit === 0 ? {} : { unit: UNITS[currentLimit.unit] as (typeof UNITS)[number] }),
          },
        }),
    ...(limitRemaining === 0 ? {} : { limitRemaining }),
    ...(resetMs === undefined ? {} : { durationUntilReset: durationJson(resetMs) }),
  };
}

function nameOf(number: Code): keyof typeof CODE {
  return CODE_NAMES[number] as keyof typeof CODE;
}

function durationJson(ms: number): string {
  const seconds = ms / 1000;
  return `${Number.isInteger(seconds) ? seconds : seconds.toFixed(3)}s`;
}

/** `POST /json`: `ShouldRateLimit` as JSON, as in envoyproxy/ratelimit. 200 when allowed, 429 when over the limit. */
export function jsonRoute(service: RateLimitService): Route {
  return decisionRoute('/json', async (request, response, _query, metrics) => {
    const answer = await service.decide(await readJsonBody(request, requestJsonSchema), metrics);
    const status = answer.overallCode === CODE.OK ? 200 : 429;
    // That header describes the body Envoy sends to its client; this response is JSON.
    const { 'Content-Type': _, ...headers } = answer.responseHeaders;
    respondJson(response, status, responseJson(answer), headers);
  });
}
