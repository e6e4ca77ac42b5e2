import { setTimeout as delay } from 'node:timers/promises';
import { StepError } from '../run/step-error.mjs';

const PUBLISH_LIMIT_MS = 15_000;
const RETRY_EVERY_MS = 50;

/** The two calls of the decision API that a start needs. */
export class DecisionClient {
  #url;
  #headers;

  constructor(url, serviceToken) {
    this.#url = url;
    this.#headers = { authorization: `Bearer ${serviceToken}`, 'content-type': 'application/json' };
  }

  /** Asks once, charging the limits. */
  limit(request) {
    return this.#post('/v1/limit', request);
  }

  /**
   * What the next request would be told; charges nothing. Waits for the policy of a tenant that was made a moment ago.
   * @throws StepError when no limit applies after 15 s
   */
  async peek(request) {
    const deadline = Date.now() + PUBLISH_LIMIT_MS;
    for (;;) {
      const answer = await this.#post('/v1/peek', request);
      if (answer.limit != null) return answer;
      if (Date.now() > deadline) {
        throw new StepError(`The demo data did not reach the decision API: ${JSON.stringify(answer)}`, {
          advice: 'read control-plane.log and decision-api.log in the folder of logs.',
        });
      }
      await delay(RETRY_EVERY_MS);
    }
  }

  async #post(path, request) {
    const response = await fetch(this.#url + path, {
      method: 'POST',
      headers: this.#headers,
      body: JSON.stringify(request),
    });
    return await response.json();
  }
}
