import {
  capacityReportSchema,
  limitBatchSchema,
  limitRequestSchema,
  limitsQuerySchema,
  type ProblemCode,
  receiptRequestSchema,
  refundByDescriptionSchema,
  refundByReceiptSchema,
  reportRequestSchema,
  reserveRequestSchema,
  resetRequestSchema,
  settleRequestSchema,
} from '@tollgate/contracts';
import type * as z from 'zod';
import { camelCaseRequestSchema } from '../rls/json/request-json.js';
import { responseJsonSchema } from '../rls/json/response-json.js';
import {
  amendAnswerSchema,
  batchAnswerSchema,
  capacityAnswerSchema,
  healthSchema,
  limitAnswerSchema,
  readinessSchema,
  reservationSchema,
  tenantLimitsSchema,
} from './answers.js';

/** One call of the door, as its document tells it. */
export interface Endpoint {
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly name: string;
  readonly summary: string;
  /** Several: one of them. */
  readonly body?: readonly z.ZodType[];
  /** The body's tenant may be named by one of its API keys. */
  readonly takesKey?: boolean;
  readonly query?: z.ZodObject;
  /** Left out: text. */
  readonly answer?: z.ZodType;
  /** A refusal has the same body, under this status. */
  readonly refusalStatus?: number;
  /** Scope of the service token; null: open to all. */
  readonly scope: 'decide' | 'reset' | null;
  /** Beside those that every call with a token or a body may meet. */
  readonly problems: readonly ProblemCode[];
  readonly queryFlags?: Readonly<Record<string, string>>;
}

const DECIDING: readonly ProblemCode[] = [
  'dimension-missing',
  'dimension-invalid',
  'request-id-reused',
  'tenant-unknown',
  'api-unknown',
  'tenant-unavailable',
  'key-invalid',
  'key-scope-missing',
];
const AMENDING: readonly ProblemCode[] = [
  'tenant-unknown',
  'tenant-unavailable',
  'key-invalid',
  'key-scope-missing',
];

const amend = (path: string, summary: string, body: readonly z.ZodType[]): Endpoint => ({
  method: 'post',
  path,
  name: path.slice('/v1/'.length),
  summary,
  body,
  takesKey: true,
  answer: amendAnswerSchema,
  scope: 'decide',
  problems: AMENDING,
});

/** Every call, in the order of the reference. */
export const ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'post',
    path: '/v1/limit',
    name: 'limit',
    summary: 'Decides and charges; all limits of a request pass together, or none is charged',
    body: [limitRequestSchema],
    takesKey: true,
    answer: limitAnswerSchema,
    scope: 'decide',
    problems: DECIDING,
    queryFlags: {
      status:
        '`http`: a refusal is answered with its own status, as a problem with the members of the answer',
    },
  },
  {
    method: 'post',
    path: '/v1/limit/batch',
    name: 'limitMany',
    summary: 'Decides up to 1,000 requests, each by itself; one answer or problem an item, in order',
    body: [limitBatchSchema],
    answer: batchAnswerSchema,
    scope: 'decide',
    problems: [],
  },
  {
    method: 'post',
    path: '/v1/peek',
    name: 'peek',
    summary: 'What limit would answer now; nothing is charged',
    body: [limitRequestSchema],
    takesKey: true,
    answer: limitAnswerSchema,
    scope: 'decide',
    problems: DECIDING,
  },
  {
    method: 'post',
    path: '/v1/reserve',
    name: 'reserve',
    summary: 'As limit, but the charge is only held: settle or release it, else it comes back',
    body: [reserveRequestSchema],
    takesKey: true,
    answer: reservationSchema,
    scope: 'decide',
    problems: DECIDING,
  },
  amend('/v1/settle', 'Puts what a reservation really cost in the place of what was held; once', [
    settleRequestSchema,
  ]),
  amend('/v1/release', 'Gives a reservation back; of any other request, frees the slots that it holds', [
    receiptRequestSchema,
  ]),
  amend('/v1/renew', 'Holds slots and reservation for another term', [receiptRequestSchema]),
  {
    ...amend('/v1/refund', 'Gives back what a request id was charged, or cost units of what is described', [
      refundByReceiptSchema,
      refundByDescriptionSchema,
    ]),
    problems: DECIDING,
  },
  amend('/v1/report', 'Says how a request turned out, for limits that charge by it; once', [
    reportRequestSchema,
  ]),
  {
    ...amend('/v1/reset', 'Forgets the counters that a request would be decided by', [resetRequestSchema]),
    takesKey: false,
    scope: 'reset',
    problems: [...DECIDING, 'operation-unlimited'],
  },
  {
    method: 'post',
    path: '/v1/capacity',
    name: 'reportCapacity',
    summary: 'Tells a pool how loaded a service is',
    body: [capacityReportSchema],
    answer: capacityAnswerSchema,
    scope: 'decide',
    problems: ['pool-unknown'],
  },
  {
    method: 'get',
    path: '/v1/limits',
    name: 'limits',
    summary: 'The limits that apply to a tenant; with an API key in the header, to the caller itself',
    query: limitsQuerySchema.partial({ tenant: true }),
    answer: tenantLimitsSchema,
    scope: 'decide',
    problems: AMENDING,
  },
  {
    method: 'post',
    path: '/json',
    name: 'shouldRateLimit',
    summary:
      'What Envoy asks over gRPC, as JSON; fields may be called as in `rls.proto` too, numbers may be texts',
    body: [camelCaseRequestSchema],
    answer: responseJsonSchema,
    refusalStatus: 429,
    scope: 'decide',
    problems: ['dimension-missing', 'dimension-invalid', 'tenant-unavailable'],
  },
  {
    method: 'get',
    path: '/healthz',
    name: 'health',
    summary: 'The process lives',
    answer: healthSchema,
    scope: null,
    problems: [],
  },
  {
    method: 'get',
    path: '/readyz',
    name: 'readiness',
    summary:
      'The process has a policy, is not about to stop and, as `READY_WITHOUT_COUNTERS` says, has reached the counters',
    answer: readinessSchema,
    scope: null,
    problems: ['not-ready', 'counters-unreached', 'draining'],
  },
];
