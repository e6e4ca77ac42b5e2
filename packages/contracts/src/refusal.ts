import type { LimitAnswer, Reason } from './answers.js';

/** A refused request as RFC 9457 problem details, by the types of draft-ietf-httpapi-ratelimit-headers-11. */
export interface Refusal {
  type: string;
  title: string;
  status: number;
  detail: string;
  /** Names of the limits that refused, but for those that are kept out of headers. */
  'violated-policies': string[];
}

const IANA = 'https://iana.org/assignments/http-problem-types#';

const KINDS = {
  quota: { type: `${IANA}quota-exceeded`, title: 'A limit was reached', status: 429 },
  capacity: { type: `${IANA}temporary-reduced-capacity`, title: 'Capacity is short for now', status: 503 },
  blocked: { type: 'urn:tollgate:refusal:blocked', title: 'This call is not allowed', status: 403 },
} as const;

/**
 * What a refusal is in HTTP: 429 for a limit, 503 where the API is short of capacity, 403 where waiting never helps.
 * @param over answered where these would not do
 */
export function refusalOf(answer: LimitAnswer, over: { status?: number } = {}): Refusal {
  const { type, title, status } = KINDS[kindOf(answer.reason)];
  return { type, title, status, ...over, detail: detailOf(answer), 'violated-policies': violatedBy(answer) };
}

function kindOf(reason: Reason): keyof typeof KINDS {
  if (reason === 'BLOCKED') return 'blocked';
  return reason === 'POOL_EXHAUSTED' ? 'capacity' : 'quota';
}

function violatedBy({ policies }: LimitAnswer): string[] {
  return policies
    .filter(({ success, mode, inHeaders }) => !success && mode === 'enforce' && inHeaders !== false)
    .map(({ name }) => name);
}

function detailOf({ policy, policies, reason, retryAfter, cost }: LimitAnswer): string {
  if (reason === 'BLOCKED')
    return 'The tenant is suspended, or its API refuses operations that are not configured';
  if (reason === 'POOL_EXHAUSTED') return 'The API is short of capacity; try again soon';
  const isHidden = policies.some(({ name, inHeaders }) => name === policy && inHeaders === false);
  const limit = policy === null || isHidden ? 'A limit' : `The limit ${policy}`;
  if (retryAfter === null) return `${limit} never lets a cost of ${cost} through; waiting does not help`;
  return `${limit} lets this through again in ${retryAfter} s`;
}
