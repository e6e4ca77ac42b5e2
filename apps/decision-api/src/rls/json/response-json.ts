import * as z from 'zod';
import { CODE, type Code, type DescriptorStatus, type RateLimitResponse, UNITS } from '../messages.js';

const CODE_NAMES = Object.keys(CODE) as (keyof typeof CODE)[];

const code = z.enum(CODE_NAMES);

/** `RateLimitResponse` as protobuf writes it in JSON: what is 0 or empty is left out. */
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
          .describe('Left out: no limit matched'),
        limitRemaining: z.int().exactOptional().describe('Left out: 0'),
        durationUntilReset: z.string().exactOptional().describe('Seconds, such as `1.5s`'),
      }),
    )
    .describe('One a descriptor, in order'),
  responseHeadersToAdd: z.array(z.strictObject({ key: z.string(), value: z.string() })).exactOptional(),
  rawBody: z.base64().exactOptional().describe('Body of the refusal'),
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

/** Seconds, with three digits behind the point or none. */
function durationJson(ms: number): string {
  const seconds = ms / 1000;
  return `${Number.isInteger(seconds) ? seconds : seconds.toFixed(3)}s`;
}
