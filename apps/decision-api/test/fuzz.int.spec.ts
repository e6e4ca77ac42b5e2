import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { converse, framed, mutated, seeded, statusesIn } from './http-fuzz.js';
import { useRunningDoor } from './running-door.js';

/** `FUZZ_MESSAGES=100000 FUZZ_SEED=7 IDLE_SOCKETS=9000 npx vitest run apps/decision-api/test/fuzz` is the long form. */
const MESSAGES = Number(process.env.FUZZ_MESSAGES ?? 400);
const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000);
const IDLE = Number(process.env.IDLE_SOCKETS ?? 300);
const SLOW = 50;
const AT_ONCE = 16;

/** Statuses of 5xx that say something about us and not about the message. */
const EXPLAINED = new Set([503]);
/** What an answer must not tell: stacks, paths, versions. */
const INNARDS = /\bat \S+ \(|node:internal|\/(?:work|root|home)\/|node_modules/;

const call = {
  tenant: 'acme',
  api: 'url-shortener',
  operation: 'createURL',
  subject: { user: 'u1', ip: '::1' },
  cost: 1,
};
const receipt = { tenant: 'acme', requestId: 'r-1' };
const BODIES: readonly [path: string, body: object][] = [
  ['/v1/limit?status=http', { ...call, requestId: 'r-1' }],
  ['/v1/limit/batch', { requests: [call, { ...call, cost: 3 }] }],
  ['/v1/peek', call],
  ['/v1/reserve', { ...call, requestId: 'r-2', expiresInMs: 5000 }],
  ['/v1/settle', { ...receipt, cost: 1, overrun: 'cap' }],
  ['/v1/release', receipt],
  ['/v1/renew', receipt],
  ['/v1/refund', { ...call, cost: 1 }],
  ['/v1/report', { ...receipt, outcome: 'failure' }],
  ['/v1/capacity', { api: 'url-shortener', pool: 'cpu', service: 's', utilisationPercent: 50 }],
];
const GETS = [
  '/v1/limits?tenant=acme&api=url-shortener',
  '/v1/forward-auth/nginx?api=url-shortener&operation=createURL&tenant=acme&subject.user=u',
  '/v1/forward-auth/envoy/api=url-shortener&operation=createURL&tenant=acme/path?x=1',
  '/metrics',
  '/docs/errors/internal',
];

describe(`messages that nobody means (seed ${SEED})`, () => {
  const door = useRunningDoor((relay) => ({
    limits: [
      {
        name: 'by-user',
        api: 'url-shortener',
        operations: [],
        per: ['user', 'ip'],
        onUnavailable: 'share',
        algorithm: 'fixed_window',
        limit: 1000,
        windowMs: 3_600_000,
        alignment: 'first_request',
      },
    ],
    tenants: [relay.tenant('acme')],
  }));
  const port = () => Number(new URL(door.origin).port);
  const headers = () => [`Authorization: Bearer ${door.token.token}`, 'X-Forwarded-For: 1.2.3.4, 5.6.7.8'];
  const isServed = async () => (await door.post('/v1/peek', call)).status === 200;

  /** Four in five keep their frame, so that what is in them is read; of the others anything may be wrong. */
  function message(random: ReturnType<typeof seeded>): { text: string; isWhole: boolean } {
    const json = 'Content-Type: application/json';
    const isGet = random(4) === 0;
    const [path, body] = BODIES[random(BODIES.length)] as (typeof BODIES)[number];
    const target = isGet ? (GETS[random(GETS.length)] ?? '') : path;
    const content = isGet ? '' : JSON.stringify(body);
    const whole = framed(isGet ? 'GET' : 'POST', target, [...headers(), json, 'Connection: close'], content);
    if (random(5) === 0) return { text: mutated(whole, random), isWhole: false };
    const changed = isGet ? '' : mutated(content, random);
    const changedTarget = isGet ? mutated(target, random).replace(/[^\x21-\x7e]/g, '') : target;
    const text = framed(
      isGet ? 'GET' : 'POST',
      changedTarget,
      [...headers(), json, 'Connection: close'],
      changed,
    );
    return { text, isWhole: !isGet && changed !== '' };
  }

  it(`${MESSAGES} of them: each is answered or cut off, none by a fault of ours, and others are served`, async () => {
    const random = seeded(SEED);
    const statuses = new Map<number, number>();
    const faults: string[] = [];
    const rssBefore = process.memoryUsage.rss();
    let left = MESSAGES;
    const client = async () => {
      while (left-- > 0) {
        const { text, isWhole } = message(random);
        const said = await converse(port(), text, !isWhole);
        const told = statusesIn(said);
        for (const status of told) statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (told.some((status) => status >= 500 && !EXPLAINED.has(status))) faults.push(`${text}\n→ ${said}`);
        if (INNARDS.test(said)) faults.push(`tells innards: ${text}\n→ ${said}`);
        if (isWhole && told.length === 0) faults.push(`not answered: ${text}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, client));
    expect(faults.slice(0, 3)).toEqual([]);
    expect(statuses.get(400)).toBeGreaterThan(MESSAGES / 10);
    expect(await isServed()).toBe(true);
    const grownMb = (process.memoryUsage.rss() - rssBefore) / 2 ** 20;
    console.log(
      `answers by status: ${JSON.stringify(Object.fromEntries(statuses))}, RSS + ${grownMb.toFixed(0)} MB`,
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
  }, 3_600_000);

  it(`${IDLE} idle connections and ${SLOW} that send a byte now and then keep nobody else from being served`, async () => {
    const sockets: Socket[] = [];
    const open = async () => {
      const socket = connect(port(), '127.0.0.1').on('error', () => undefined);
      sockets.push(socket);
      await once(socket, 'connect');
      return socket;
    };
    try {
      while (sockets.length < IDLE) await open();
      const slow = await Promise.all(Array.from({ length: SLOW }, open));
      const text = framed(
        'POST',
        '/v1/limit',
        [...headers(), 'Content-Type: application/json'],
        JSON.stringify(call),
      );
      for (let at = 0; at < 20; at++) {
        for (const socket of slow) socket.write(text[at] ?? '');
        expect(await isServed()).toBe(true);
      }
    } finally {
      for (const socket of sockets) socket.destroy();
    }
  }, 600_000);
});
