import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../run/root.mjs';
import { StepError } from '../run/steps.mjs';

const PUBLISH_LIMIT_MS = 15_000;
const RETRY_EVERY_MS = 50;

/** Sends decision requests to `url`. @param {() => AbortSignal} newSignal of each request */
function sender(url, serviceToken, newSignal) {
  const headers = { authorization: `Bearer ${serviceToken}`, 'content-type': 'application/json' };
  return async (route, request) => {
    const body = JSON.stringify(request);
    const response = await fetch(url + route, { method: 'POST', headers, body, signal: newSignal() });
    return { status: response.status, answer: await response.json() };
  };
}

/**
 * The binding limit of the demo's example request, once the policy reached the decision API.
 * @returns {Promise<{ name: string, limit: number, window: number }>}
 * @throws StepError when no limit applies after 15 s
 */
export async function findDemoLimit(url, serviceToken, { tenant, api, operation, subject }) {
  const post = sender(url, serviceToken, () => AbortSignal.timeout(PUBLISH_LIMIT_MS));
  const deadline = Date.now() + PUBLISH_LIMIT_MS;
  for (;;) {
    const { answer } = await post('/v1/peek', { tenant, api, operation, subject });
    if (answer.limit != null) return answer.policies.find(({ name }) => name === answer.policy);
    if (Date.now() > deadline) {
      throw new StepError(`The demo data did not reach the decision API: ${JSON.stringify(answer)}`, {
        advice: 'read control-plane.log and decision-api.log in the folder of logs.',
      });
    }
    await delay(RETRY_EVERY_MS);
  }
}

const MINUTE_MS = 60_000;
const ANSWER_LIMIT_MS = 2_000;
/** Requests waiting for an answer; while there are this many, further ones are skipped. */
const MAX_OPEN = 20;
/** About 20 per second: the largest jobs of the demo. */
const MAX_PER_MINUTE = 1_200;
const BACK_OFF_MS = { first: 1_000, max: 60_000 };

/**
 * A part of the stack that continues the demo's traffic in real time, except that of the quick start's tenant. While the
 * API fails, the delay before the next request doubles, up to a minute.
 */
export class LiveTraffic {
  #open = 0;
  #waitMs = 0;
  #stopping = new AbortController();
  #ended;
  /** Never resolves: traffic continues until it is stopped. */
  exited = new Promise(() => {});

  /** @param {Promise<unknown>} after sending starts when it resolves */
  constructor(url, serviceToken, quickStartTenant, after) {
    const { signal } = this.#stopping;
    this.post = sender(url, serviceToken, () =>
      AbortSignal.any([signal, AbortSignal.timeout(ANSWER_LIMIT_MS)]),
    );
    this.#ended = this.#run(quickStartTenant, after).catch((error) => {
      if (!this.#stopping.signal.aborted) console.error(`Demo traffic ended: ${error.message}`);
    });
  }

  kill() {
    this.#stopping.abort();
  }

  async stop() {
    this.kill();
    await this.#ended;
  }

  async #run(quickStartTenant, after) {
    const { signal } = this.#stopping;
    await Promise.race([after, new Promise((_, reject) => signal.addEventListener('abort', reject))]);
    const model = path.join(ROOT, 'apps/control-plane/dist/setup/demo-traffic.js');
    const { DemoTraffic, TRAFFIC_SEED } = await import(pathToFileURL(model).href);
    const demo = JSON.parse(readFileSync(path.join(ROOT, 'prisma/seed/demo.json'), 'utf8'));
    const streams = demo.traffic.filter(({ tenant }) => tenant !== quickStartTenant);
    const traffic = new DemoTraffic(streams, TRAFFIC_SEED, Date.now());
    for (;;) {
      const minute = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
      for (const { atMs, ...request } of traffic.list(minute).slice(0, MAX_PER_MINUTE)) {
        const aheadMs = atMs - Date.now();
        if (aheadMs < -1_000) continue; // its time passed while waiting
        await delay(Math.max(aheadMs, this.#waitMs), undefined, { signal });
        if (this.#open < MAX_OPEN) void this.#send(request);
      }
      await delay(Math.max(0, minute + MINUTE_MS - Date.now()), undefined, { signal });
    }
  }

  async #send(request) {
    this.#open++;
    try {
      const { status } = await this.post('/v1/limit', request);
      if (status >= 500) throw new Error(`status ${status}`);
      this.#waitMs = 0;
    } catch {
      this.#waitMs = Math.min(this.#waitMs * 2 || BACK_OFF_MS.first, BACK_OFF_MS.max);
    } finally {
      this.#open--;
    }
  }
}
