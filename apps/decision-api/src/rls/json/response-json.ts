import { CODE, type Code, type DescriptorStatus, type RateLimitResponse, UNITS } from '../messages.js';

const CODE_NAMES = Object.keys(CODE);

/** A response as protobuf writes it in JSON: what is 0 or empty is left out. */
export function responseJson(response: RateLimitResponse): Record<string, unknown> {
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

function statusJson({ code, currentLimit, limitRemaining, resetMs }: DescriptorStatus) {
  return {
    code: nameOf(code),
    ...(currentLimit === undefined
      ? {}
      : {
          currentLimit: {
            name: currentLimit.name,
            requestsPerUnit: currentLimit.requestsPerUnit,
            ...(currentLimit.unit === 0 ? {} : { unit: UNITS[currentLimit.unit] }),
          },
        }),
    ...(limitRemaining === 0 ? {} : { limitRemaining }),
    ...(resetMs === undefined ? {} : { durationUntilReset: durationJson(resetMs) }),
  };
}

function nameOf(code: Code): string | undefined {
  return CODE_NAMES[code];
}

/** Seconds, with three digits behind the point or none. */
function durationJson(ms: number): string {
  const seconds = ms / 1000;
  return `${Number.isInteger(seconds) ? seconds : seconds.toFixed(3)}s`;
}
