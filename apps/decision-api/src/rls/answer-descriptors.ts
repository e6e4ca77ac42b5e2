import {
  type AmendAnswer,
  type HeaderStyle,
  type LimitAnswer,
  type PolicyResult,
  type Refusal,
  rateLimitHeaders,
  refusalOf,
} from '@tollgate/contracts';
import {
  CODE,
  type DescriptorStatus,
  MAX_UINT32,
  type Metadata,
  type RateLimitResponse,
} from './messages.js';

/** What became of one descriptor. */
export type Judged =
  | { readonly answer: LimitAnswer; readonly refund?: Pick<AmendAnswer, 'status' | 'returned'> }
  /** No limit is known for it, and why; `refuses`: it is refused for that. */
  | { readonly unmatched: string; readonly refuses?: boolean };

/** Units that a window may be as long as, by seconds; any other is told in the metadata alone. */
const UNIT_OF_SECONDS: ReadonlyMap<number, number> = new Map([
  [1, 1],
  [60, 2],
  [3600, 3],
  [86_400, 4],
  [30 * 86_400, 5],
  [365 * 86_400, 6],
  [7 * 86_400, 7],
]);

/**
 * The response that says what became of each descriptor.
 * @param nowMs the moment of the answer, unix ms
 * @param styles how the API wants its limits told in headers
 */
export function responseOf(
  domain: string,
  judged: readonly Judged[],
  nowMs: number,
  styles: readonly HeaderStyle[],
): RateLimitResponse {
  const isRefused = judged.some((one) => !passes(one));
  const answers = judged.flatMap((one) => ('answer' in one ? one.answer : []));
  const headers = headersOf(answers, nowMs, styles);
  return {
    overallCode: isRefused ? CODE.OVER_LIMIT : CODE.OK,
    statuses: judged.map((one) => statusOf(one, nowMs)),
    responseHeaders: isRefused ? { ...headers, 'Content-Type': 'application/problem+json' } : headers,
    ...(isRefused ? { rawBody: JSON.stringify(refusalOfAll(judged)) } : {}),
    metadata: metadataOf(domain, judged, answers),
  };
}

/** Who gives back is always allowed. */
function passes(one: Judged): boolean {
  return 'answer' in one ? one.refund !== undefined || one.answer.success : one.refuses !== true;
}

function statusOf(one: Judged, nowMs: number): DescriptorStatus {
  const code = passes(one) ? CODE.OK : CODE.OVER_LIMIT;
  if (!('answer' in one)) return { code, limitRemaining: 0 };
  const { answer } = one;
  const binding = bindingOf(answer);
  if (binding === undefined) {
    // Admitted by a pool alone, the tenant has no limit of its own.
    return { code, limitRemaining: answer.reason === 'WITHIN_LIMIT' ? MAX_UINT32 : 0 };
  }
  return {
    code,
    currentLimit: {
      requestsPerUnit: Math.min(binding.limit, MAX_UINT32),
      unit: UNIT_OF_SECONDS.get(binding.window) ?? 0,
      name: binding.name,
    },
    limitRemaining: Math.min(binding.remaining, MAX_UINT32),
    resetMs: Math.max(0, Math.ceil(binding.reset - nowMs)),
  };
}

function bindingOf({ policy, policies }: LimitAnswer): PolicyResult | undefined {
  return policies.find(({ name, mode }) => name === policy && mode !== 'candidate');
}

function headersOf(
  answers: readonly LimitAnswer[],
  nowMs: number,
  styles: readonly HeaderStyle[],
): Record<string, string> {
  const [first] = answers;
  if (first === undefined) return {};
  if (answers.length === 1) return rateLimitHeaders(first, nowMs, styles);
  const policies = new Map<string, PolicyResult>();
  // A limit that several descriptors meet is told once: as who asked last has left it.
  for (const answer of answers) for (const policy of answer.policies) policies.set(policy.name, policy);
  const { success, retryAfter, policy } = longestWait(answers) ?? first;
  return rateLimitHeaders({ success, retryAfter, policy, policies: [...policies.values()] }, nowMs, styles);
}

/** Of the refusals, the one to wait for longest; undefined without one. */
function longestWait(answers: readonly LimitAnswer[]): LimitAnswer | undefined {
  const waitOf = ({ retryAfter }: LimitAnswer) => retryAfter ?? Number.POSITIVE_INFINITY;
  const refused = answers.filter(({ success }) => !success);
  return refused.toSorted((a, b) => waitOf(b) - waitOf(a))[0];
}

/** What Envoy answers with whatever was short: it has one status for all refusals. */
const STATUS = 429;

function refusalOfAll(judged: readonly Judged[]): Refusal {
  const refused = judged.flatMap((one) => ('answer' in one && !passes(one) ? one.answer : []));
  const binding = longestWait(refused);
  if (binding === undefined) return UNKNOWN_CALLER;
  const violated = refused.flatMap((answer) => refusalOf(answer)['violated-policies']);
  return { ...refusalOf(binding, { status: STATUS }), 'violated-policies': [...new Set(violated)] };
}

const UNKNOWN_CALLER: Refusal = {
  type: 'urn:tollgate:refusal:unknown-caller',
  title: 'This call is not allowed',
  status: STATUS,
  detail: 'The tenant or key of this call is not known',
  'violated-policies': [],
};

function metadataOf(domain: string, judged: readonly Judged[], answers: readonly LimitAnswer[]): Metadata {
  return {
    domain,
    revision: answers[0]?.revision ?? null,
    degraded: answers.some(({ degraded }) => degraded),
    descriptors: judged.map(metadataOfOne),
  };
}

function metadataOfOne(one: Judged): Metadata {
  if (!('answer' in one)) return { reason: 'NO_LIMIT', unmatched: one.unmatched };
  const { answer, refund } = one;
  const binding = bindingOf(answer);
  return {
    reason: answer.reason,
    ...(binding === undefined ? {} : { limit: binding.name, window: binding.window }),
    ...(answer.success ? {} : { retryAfter: answer.retryAfter }),
    ...(answer.delayMs === 0 ? {} : { delayMs: answer.delayMs }),
    ...(refund === undefined ? {} : { refund: refund.status, returned: refund.returned }),
  };
}
