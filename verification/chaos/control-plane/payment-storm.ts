import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '@tollgate/test-kit/random';
import { signBody } from '../../../apps/control-plane/src/features/commerce/payments/incoming-payments.js';
import { id, type OrderedPurchase } from '../../../apps/control-plane/test/support/ordered-purchases.ts';

const AT_ONCE = 8;
const MAX_DELIVERIES = 5;
/** Percentage of events whose deliveries all arrive at the same time. */
const TOGETHER_PERCENT = 20;
const DAY_MS = 86_400_000;
/** Events without a 200 after this time are lost; a real provider gives up after days. */
const GIVE_UP_MS = 120_000;

export interface Storm {
  /** Base URL of the control plane. */
  url: string;
  webhookSecret: string;
  /** Unpaid purchases. */
  purchases: OrderedPurchase[];
  random: Random;
}

export interface StormReport {
  purchases: OrderedPurchase[];
  events: number;
  deliveries: number;
  /** Repeated posts: without a response or without status 200. */
  repeated: number;
}

/**
 * Posts the events of purchases like the worst provider: each one to five times, in any order, some concurrently; repeated
 * until answered with 200. Ends when all are accepted.
 */
export async function runStorm({ url, webhookSecret, purchases, random }: Storm): Promise<StormReport> {
  const nowMs = Date.now();
  const events = purchases.flatMap((purchase) =>
    purchase.story.facts.map(([daysAgo, fact]) => {
      const at = new Date(nowMs - daysAgo * DAY_MS).toISOString();
      return JSON.stringify({ id: id('tpe', random), object: 'test_event', purchase: purchase.id, at, fact });
    }),
  );
  const posts = events.flatMap((body) => {
    const times = 1 + random.below(MAX_DELIVERIES);
    const together = random.below(100) < TOGETHER_PERCENT;
    return together
      ? [Array.from({ length: times }, () => body)]
      : Array.from({ length: times }, () => [body]);
  });
  shuffle(posts, random);
  let repeated = 0;
  const post = async (body: string) => {
    const deadline = Date.now() + GIVE_UP_MS;
    for (;;) {
      const refusal = await deliver(url, body, webhookSecret);
      if (refusal === undefined) return;
      repeated++;
      if (Date.now() > deadline) throw new Error(`never taken: ${body}, at last for ${refusal}`);
      await delay(100);
    }
  };
  const queue = posts.values();
  const work = async () => {
    for (const bodies of queue) await Promise.all(bodies.map(post));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { purchases, events: events.length, deliveries: posts.flat().length, repeated };
}

/** The reason for a failure; undefined on success. */
async function deliver(url: string, text: string, secret: string): Promise<string | undefined> {
  const body = Buffer.from(text);
  try {
    const response = await fetch(`${url}/webhooks/test`, {
      method: 'POST',
      headers: { 'tollgate-signature': signBody(body, secret, Date.now()) },
      body,
      signal: AbortSignal.timeout(20_000),
    });
    const answer = await response.text();
    return response.status === 200 ? undefined : `${response.status} ${answer.slice(0, 300)}`;
  } catch (error) {
    return String(error);
  }
}

function shuffle(values: unknown[], random: Random): void {
  for (let i = values.length - 1; i > 0; i--) {
    const other = random.below(i + 1);
    [values[i], values[other]] = [values[other], values[i]];
  }
}
