import { setTimeout as delay } from 'node:timers/promises';
import { StepError } from '../run/steps.mjs';

const PUBLISH_LIMIT_MS = 15_000;
const RETRY_EVERY_MS = 50;

/**
 * Sends demo requests until each target is near its limit; a second start sends only what is missing.
 * @param {object} demo request of the printed example
 * @param {{ count: number }[]} targets requests with their number
 * @returns {Promise<{ name: string, limit: number, window: number }>} the binding limit of the example
 * @throws StepError when no limit applies after 15 s
 */
export async function runDemoTraffic(url, serviceToken, { tenant, api, operation, subject }, targets) {
  const headers = { authorization: `Bearer ${serviceToken}`, 'content-type': 'application/json' };
  const post = async (path, request) => {
    const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(request) });
    return await response.json();
  };
  for (const { count, ...request } of targets) {
    const { used } = await peekWhenPublished(post, request);
    for (let made = used; made < count; made++) await post('/v1/limit', request);
  }
  const { policies, policy } = await peekWhenPublished(post, { tenant, api, operation, subject });
  return policies.find(({ name }) => name === policy);
}

/** The policy of a new tenant may not be published yet. */
async function peekWhenPublished(post, request) {
  const deadline = Date.now() + PUBLISH_LIMIT_MS;
  for (;;) {
    const answer = await post('/v1/peek', request);
    if (answer.limit != null) return answer;
    if (Date.now() > deadline) {
      throw new StepError(`The demo data did not reach the decision API: ${JSON.stringify(answer)}`, {
        advice: 'read control-plane.log and decision-api.log in the folder of logs.',
      });
    }
    await delay(RETRY_EVERY_MS);
  }
}
