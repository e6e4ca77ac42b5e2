import {
  type AmendAnswer,
  type Called,
  type DenialProblem,
  denialProblem,
  type HeaderStyle,
  type LimitAnswer,
  type LimitRequest,
  type LimitResult,
  labeledName,
  MAX_COST,
  type Problem,
  type RefundRequest,
  rateLimitHeaders,
  TollgateError,
  UNCOUNTABLE_CODES,
  UNCOUNTABLE_DENIAL,
} from '@tollgate/contracts';
import { Generations, getOrAdd } from '@tollgate/contracts/maps';
import {
  type DecisionPlane,
  type OverrideLimit,
  type TogetherOptions,
  type TogetherRequest,
} from '@tollgate/decision-plane';
import type { DenialLinks } from '../denial-links.js';
import { withSpreadRetry } from '../http/route.js';
import { type RouteMetrics } from '../metrics/metrics.js';
import { type DomainMappings, type MappedCall } from './mapping.js';
import {
  CODE,
  type Descriptor,
  type DescriptorLimit,
  type DescriptorStatus,
  MAX_UINT32,
  type Metadata,
  numberOf,
  type RateLimitRequest,
  type RateLimitResponse,
} from './messages.js';

/** No limit decides about the descriptor, for this reason. */
interface Unmatched {
  readonly unmatched: string;
  /** Absent: the request passes. */
  readonly denial?: DenialProblem;
}

export type DescriptorResult =
  | { readonly answer: LimitAnswer; readonly refund?: Pick<AmendAnswer, 'status' | 'returned'> }
  | Unmatched;

/** Envoy units by window length in seconds; other windows appear only in the metadata. */
const UNIT_OF_SECONDS: ReadonlyMap<number, number> = new Map([
  [1, 1],
  [60, 2],
  [3600, 3],
  [86_400, 4],
  [30 * 86_400, 5],
  [365 * 86_400, 6],
  [7 * 86_400, 7],
]);

export function responseOf(
  domain: string,
  results: readonly DescriptorResult[],
  nowMs: number,
  styles: readonly HeaderStyle[],
): RateLimitResponse {
  const isDenied = results.some((one) => !passes(one));
  const answers: LimitAnswer[] = [];
  for (const one of results) if ('answer' in one) answers.push(one.answer);
  const headers = headersOf(answers, nowMs, styles);
  return {
    overallCode: isDenied ? CODE.OVER_LIMIT : CODE.OK,
    statuses: results.map((one) => statusOf(one, nowMs)),
    responseHeaders: isDenied ? { ...headers, 'Content-Type': 'application/problem+json' } : headers,
    ...(isDenied ? { rawBody: JSON.stringify(denialProblemOfAll(results)) } : {}),
    metadata: metadataOf(domain, results, answers),
  };
}

/** Refunds always succeed. */
function passes(one: DescriptorResult): boolean {
  return 'answer' in one ? one.refund !== undefined || one.answer.success : one.denial === undefined;
}

function statusOf(one: DescriptorResult, nowMs: number): DescriptorStatus {
  const code = passes(one) ? CODE.OK : CODE.OVER_LIMIT;
  if (!('answer' in one)) return { code, limitRemaining: 0 };
  const { answer } = one;
  const binding = bindingOf(answer);
  if (binding === undefined) {
    // Only a pool limits this request; the tenant has no limit.
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
    resetMs: Math.max(0, Math.ceil(binding.reset - (answer.decidedAt ?? nowMs))),
  };
}

/** The limit itself or the amount of a label. */
function bindingOf({ policy, policies, limit, remaining }: LimitAnswer): LimitResult | undefined {
  let first: LimitResult | undefined;
  for (const own of policies) {
    if (own.name !== policy || own.mode === 'candidate') continue;
    if (own.limit === limit && own.remaining === remaining) return own;
    first ??= own;
  }
  return first;
}

function headersOf(
  answers: readonly LimitAnswer[],
  nowMs: number,
  styles: readonly HeaderStyle[],
): Record<string, string> {
  const [first] = answers;
  if (first === undefined) return {};
  if (answers.length === 1) return rateLimitHeaders(first, nowMs, styles);
  const policies = new Map<string, LimitResult>();
  // A limit that several descriptors share appears once, with the state after the last of them.
  for (const answer of answers)
    for (const policy of answer.policies) policies.set(labeledName(policy), policy);
  return rateLimitHeaders(
    { ...(longestWait(answers) ?? first), policies: [...policies.values()] },
    nowMs,
    styles,
  );
}

/** Undefined if none was denied. */
function longestWait(answers: readonly LimitAnswer[]): LimitAnswer | undefined {
  const waitOf = ({ retryAfter }: LimitAnswer) => retryAfter ?? Number.POSITIVE_INFINITY;
  const denied = answers.filter(({ success }) => !success);
  return denied.toSorted((a, b) => waitOf(b) - waitOf(a))[0];
}

/** Envoy uses one status for every denied request. */
const STATUS = 429;

function denialProblemOfAll(results: readonly DescriptorResult[]): DenialProblem {
  const denied = results.flatMap((one) => ('answer' in one && !passes(one) ? one.answer : []));
  const binding = longestWait(denied);
  if (binding === undefined)
    return results.flatMap((one) => ('denial' in one ? (one.denial ?? []) : []))[0] ?? UNKNOWN_CALLER;
  const violated = denied.flatMap((answer) => denialProblem(answer)['violated-policies']);
  return { ...denialProblem(binding, { status: STATUS }), 'violated-policies': [...new Set(violated)] };
}

const UNKNOWN_CALLER: DenialProblem = {
  type: 'urn:tollgate:denial:unknown-caller',
  title: 'Access denied',
  status: STATUS,
  detail: 'Unknown tenant, API key or API',
  'violated-policies': [],
};

const UNCOUNTABLE: DenialProblem = { ...UNCOUNTABLE_DENIAL, status: STATUS };

/** Metadata by what determines it. Responses share an object, so that it is encoded once. */
const sharedMetadata = new Generations<Metadata>(500);

/** Domains come from callers. */
const MAX_SHARED_DOMAIN = 256;

function metadataOf(
  domain: string,
  results: readonly DescriptorResult[],
  answers: readonly LimitAnswer[],
): Metadata {
  const [first] = answers;
  if (first === undefined || !isPlain(results) || domain.length > MAX_SHARED_DOMAIN)
    return newMetadata(domain, results, answers);
  const { name, window } = bindingOf(first) ?? { name: '', window: 0 };
  const key = `${first.revision} ${first.degraded} ${first.reason} ${window} ${name}\n${domain}`;
  return getOrAdd(sharedMetadata, key, () => newMetadata(domain, results, answers));
}

/** One descriptor, allowed without a delay or refund. */
function isPlain(results: readonly DescriptorResult[]): boolean {
  const [one] = results;
  if (results.length !== 1 || one === undefined || !('answer' in one)) return false;
  return one.answer.success && one.answer.delayMs === 0 && one.refund === undefined;
}

function newMetadata(
  domain: string,
  results: readonly DescriptorResult[],
  answers: readonly LimitAnswer[],
): Metadata {
  return {
    domain,
    revision: answers[0]?.revision ?? null,
    degraded: answers.some(({ degraded }) => degraded),
    descriptors: results.map(metadataOfOne),
  };
}

function metadataOfOne(one: DescriptorResult): Metadata {
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

/** Maximum descriptors per request; their limits are decided in one call. */
export const MAX_DESCRIPTORS = 100;

const SECOND_MS = 1000;
const DAY_MS = 86_400 * SECOND_MS;

/** Length of an override's unit, ms, by number: months and years have fixed lengths, as in envoyproxy/ratelimit. */
const UNIT_MS = [0, SECOND_MS, 60 * SECOND_MS, 3600 * SECOND_MS, DAY_MS, 30 * DAY_MS, 365 * DAY_MS] as const;

export type RatePlane = Pick<DecisionPlane, 'limit' | 'limitTogether' | 'peek' | 'refund' | 'headerStyles'>;

interface Hit {
  readonly call: Called<TogetherRequest>;
  readonly isRefund: boolean;
}

export interface RateLimitServiceParts {
  plane: RatePlane;
  mappings: DomainMappings;
  /** Default: none. */
  links?: Pick<DenialLinks, 'add'>;
}

export class RateLimitService {
  constructor(private readonly parts: RateLimitServiceParts) {}

  /**
   * Decides all descriptors of a request. Charges are atomic; refunds run first and are independent of them.
   * @param metrics counts decisions, except peeks
   * @throws TollgateError `body-invalid` for an invalid request; else as `DecisionPlane.limitTogether`
   */
  async decide(request: RateLimitRequest, metrics?: RouteMetrics): Promise<RateLimitResponse> {
    assertValid(request);
    const { domain, descriptors, hitsAddend } = request;
    const mapping = this.parts.mappings.of(domain);
    // Without a mapping, the domain has no limits.
    const unknownCaller = mapping?.unknownCaller ?? 'allow';
    const hits = descriptors.map((descriptor, i): Hit | Unmatched => {
      const call = mapping?.map(descriptor) ?? { unmatched: 'domain' };
      return 'unmatched' in call
        ? unknown(call.unmatched, unknownCaller)
        : hitOf(call, descriptor, hitsAddend, i);
    });
    const refunds: DescriptorResult[] = [];
    for (const hit of hits) if ('call' in hit && hit.isRefund) refunds.push(await this.refund(hit.call));
    const answers = await this.take(takenOf(hits), unknownCaller);
    const [nextRefund, nextAnswer] = [refunds.values(), answers.values()];
    const results = hits.map((hit): DescriptorResult => {
      if ('unmatched' in hit) {
        metrics?.count(hit.denial === undefined ? 'ok' : 'rejected', 'unmatched');
        return hit;
      }
      if (hit.isRefund) return nextRefund.next().value as DescriptorResult;
      const answer = nextAnswer.next().value as LimitAnswer | Problem;
      if ('code' in answer) {
        metrics?.undecided(answer);
        return UNCOUNTABLE_CODES.has(answer.code)
          ? { unmatched: answer.code, denial: UNCOUNTABLE }
          : unknown(answer.code, unknownCaller);
      }
      if (hit.call.look !== true) metrics?.decided(hit.call.api, answer);
      return { answer: this.withLinks(hit.call, withSpreadRetry(answer)) };
    });
    return responseOf(domain, results, Date.now(), this.parts.plane.headerStyles(apiOf(hits)));
  }

  /** A look is not recorded, so there is nothing to explain. */
  private withLinks(call: Called<TogetherRequest>, answer: LimitAnswer): LimitAnswer {
    return call.look === true ? answer : (this.parts.links?.add(call, answer) ?? answer);
  }

  /**
   * A single ordinary descriptor uses `limit`, which costs two thirds of `limitTogether`. What cannot be decided because of
   * the request's own values is a problem of each descriptor, not an error: Envoy passes a request on errors.
   */
  private async take(
    taken: readonly Called<TogetherRequest>[],
    unknownCaller: TogetherOptions['unknownCaller'],
  ): Promise<(LimitAnswer | Problem)[]> {
    const [first] = taken;
    if (first === undefined) return [];
    const { plane } = this.parts;
    try {
      if (taken.length > 1 || first.look === true || first.override !== undefined) {
        return await plane.limitTogether(taken, { unknownCaller });
      }
      return [await plane.limit(first)];
    } catch (error) {
      if (!isOfRequest(error)) throw error;
      return taken.map(() => error.toProblem());
    }
  }

  /** Refunds always succeed; a missing charge refunds nothing. */
  private async refund({ cost = 1, ...described }: Called<TogetherRequest>): Promise<DescriptorResult> {
    try {
      const { status, returned } = await this.parts.plane.refund({
        ...described,
        cost,
      } as Called<RefundRequest>);
      const answer = await this.parts.plane.peek(described as Called<LimitRequest>);
      return { answer, refund: { status, returned } };
    } catch (error) {
      if (!isOfRequest(error)) throw error;
      return { unmatched: error.code };
    }
  }
}

/** The names are valid, but there is no such tenant, key, API or limit: `unknownCaller` decides. */
const UNKNOWN_CODES: ReadonlySet<string> = new Set([
  'tenant-unknown',
  'api-unknown',
  'key-invalid',
  'key-scope-missing',
  'operation-unlimited',
]);

/** Whether the request's own values are the cause. */
function isOfRequest(error: unknown): error is TollgateError {
  return (
    error instanceof TollgateError && (UNKNOWN_CODES.has(error.code) || UNCOUNTABLE_CODES.has(error.code))
  );
}

function unknown(unmatched: string, unknownCaller: 'allow' | 'deny'): Unmatched {
  return unknownCaller === 'deny' ? { unmatched, denial: UNKNOWN_CALLER } : { unmatched };
}

/** To charge. Only looks if another descriptor is denied already: all are charged or none. */
function takenOf(hits: readonly (Hit | Unmatched)[]): Called<TogetherRequest>[] {
  const isDenied = hits.some((hit) => 'unmatched' in hit && hit.denial !== undefined);
  const taken: Called<TogetherRequest>[] = [];
  for (const hit of hits) {
    if ('unmatched' in hit || hit.isRefund) continue;
    taken.push(isDenied ? { ...hit.call, look: true } : hit.call);
  }
  return taken;
}

/** Header styles follow the API of the first descriptor. */
function apiOf(hits: readonly (Hit | Unmatched)[]): string {
  const first = hits.find((hit): hit is Hit => 'call' in hit);
  return first?.call.api ?? '';
}

function assertValid({ domain, descriptors }: RateLimitRequest): void {
  if (domain === '') throw invalid('domain', 'a request names its domain');
  if (descriptors.length === 0) throw invalid('descriptors', 'a request has at least one descriptor');
  if (descriptors.length > MAX_DESCRIPTORS) {
    throw invalid('descriptors', `at most ${MAX_DESCRIPTORS} descriptors per request`);
  }
  for (const [i, { entries }] of descriptors.entries()) {
    if (entries.length === 0)
      throw invalid(`descriptors.${i}.entries`, 'a descriptor has at least one entry');
    if (entries.some(({ key }) => key === '')) {
      throw invalid(`descriptors.${i}.entries`, 'the key of an entry is not empty');
    }
  }
}

function hitOf(call: MappedCall, descriptor: Descriptor, hitsAddend: number, place: number): Hit | Unmatched {
  const { hitsAddend: own, isNegativeHits } = descriptor;
  const limit = descriptor.limit ?? undefined;
  // No hits given: use the cost of the operation.
  const hits = own ? numberOf(own.value) : hitsAddend === 0 ? undefined : hitsAddend;
  if (hits !== undefined && hits > MAX_COST) return { unmatched: 'hits_addend', denial: UNCOUNTABLE };
  const isRefund = isNegativeHits && hits !== 0;
  if (isRefund && limit !== undefined) {
    throw invalid(
      `descriptors.${place}.is_negative_hits`,
      'refunds cannot be combined with a limit override',
    );
  }
  const { subject, ...named } = call;
  return {
    isRefund,
    call: {
      ...named,
      ...(subject === undefined ? {} : { subject }),
      ...(hits === undefined || hits === 0 ? {} : { cost: hits }),
      ...(hits === 0 ? { look: true } : {}),
      ...(limit === undefined ? {} : { override: overrideOf(limit, place) }),
    } as Called<TogetherRequest>,
  };
}

function overrideOf({ requestsPerUnit, unit }: DescriptorLimit, place: number): OverrideLimit {
  const windowMs = UNIT_MS[unit] ?? 0;
  if (windowMs === 0) {
    throw invalid(`descriptors.${place}.limit.unit`, 'is SECOND, MINUTE, HOUR, DAY, MONTH or YEAR');
  }
  return { limit: requestsPerUnit, windowMs };
}

function invalid(field: string, message: string): TollgateError {
  return new TollgateError('body-invalid', { detail: `${field}: ${message}`, errors: [{ field, message }] });
}
