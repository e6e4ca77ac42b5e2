import { type Random, randomFrom } from '@tollgate/test-kit/random';
import { converse, framed, mutated, statusesIn } from './http-messages.ts';

/** 5xx statuses caused by load, not by faults. */
const EXPLAINED = new Set([503]);
/** Details that responses must not contain: stacks, paths, versions. */
const INNARDS = /\bat \S+ \(|node:internal|\/(?:work|root|home)\/|node_modules/;

/** A valid call. */
export const CALL = {
  tenant: 'acme',
  api: 'url-shortener',
  operation: 'createURL',
  subject: { user: 'u1', ip: '::1' },
  cost: 1,
};
const receipt = { tenant: 'acme', requestId: 'r-1' };
const BODIES: readonly [path: string, body: object][] = [
  ['/v1/limit?status=http', { ...CALL, requestId: 'r-1' }],
  ['/v1/limit/batch', { requests: [CALL, { ...CALL, cost: 3 }] }],
  ['/v1/peek', CALL],
  ['/v1/reserve', { ...CALL, requestId: 'r-2', expiresInMs: 5000 }],
  ['/v1/settle', { ...receipt, cost: 1, overrun: 'cap' }],
  ['/v1/release', receipt],
  ['/v1/renew', receipt],
  ['/v1/refund', { ...CALL, cost: 1 }],
  ['/v1/report', { ...receipt, outcome: 'failure' }],
  ['/v1/capacity', { api: 'url-shortener', pool: 'cpu', service: 's', utilizationPercent: 50 }],
];
const GETS = [
  '/v1/limits?tenant=acme&api=url-shortener',
  '/v1/forward-auth/nginx?api=url-shortener&operation=createURL&tenant=acme&subject.user=u',
  '/v1/forward-auth/envoy/api=url-shortener&operation=createURL&tenant=acme/path?x=1',
  '/docs/errors/internal',
];

export interface DamagedMessages {
  port: number;
  token: string;
  messages: number;
  seed: number;
}

const AT_ONCE = 16;

/** Sends each damaged message on a new connection. @returns counts by status, and unexpected responses */
export async function sendDamaged({ port, token, messages, seed }: DamagedMessages) {
  const random = randomFrom(seed).below;
  const statuses = new Map<number, number>();
  const faults: string[] = [];
  let left = messages;
  const client = async () => {
    while (left-- > 0) {
      const { text, isWhole } = damaged(token, random);
      const said = await converse(port, text, !isWhole);
      const told = statusesIn(said);
      for (const status of told) statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (told.some((status) => status >= 500 && !EXPLAINED.has(status))) faults.push(`${text}\n→ ${said}`);
      if (INNARDS.test(said)) faults.push(`leaks internals: ${text}\n→ ${said}`);
      if (isWhole && told.length === 0) faults.push(`not answered: ${text}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
  return { statuses, faults };
}

/** Four in five keep valid framing, so that their content is parsed; the others are damaged anywhere. */
function damaged(token: string, random: Random['below']): { text: string; isWhole: boolean } {
  const headers = [
    `Authorization: Bearer ${token}`,
    'X-Forwarded-For: 1.2.3.4, 5.6.7.8',
    'Content-Type: application/json',
    'Connection: close',
  ];
  const isGet = random(4) === 0;
  const method = isGet ? 'GET' : 'POST';
  const [path, body] = BODIES[random(BODIES.length)] as (typeof BODIES)[number];
  const target = isGet ? (GETS[random(GETS.length)] ?? '') : path;
  const content = isGet ? '' : JSON.stringify(body);
  const whole = framed(method, target, headers, content);
  if (random(5) === 0) return { text: mutated(whole, random), isWhole: false };
  const changed = isGet ? '' : mutated(content, random);
  const changedTarget = isGet ? mutated(target, random).replace(/[^\x21-\x7e]/g, '') : target;
  return { text: framed(method, changedTarget, headers, changed), isWhole: !isGet && changed !== '' };
}
