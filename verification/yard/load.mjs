import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

const DECISION_LIMIT_MS = 5000;
const CHANGE_LIMIT_MS = 10_000;
const RETRY_LIMIT_MS = 240_000;
/** HAProxy closes idle connections after 60 s, and a request on one that it has just closed fails: the client closes them first. */
const IDLE_LIMIT_MS = 20_000;

/** Sends JSON over the agent's connections. Rejects when there is no complete answer. */
function post(agent, url, headers, body, limitMs) {
  return new Promise((resolve, reject) => {
    const options = {
      agent,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      signal: AbortSignal.timeout(limitMs),
    };
    const sent = request(url, options, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk) => (text += chunk));
      answer.on('end', () => resolve({ status: answer.statusCode, text }));
      answer.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Decisions at a constant rate, as a service behind the load balancer sends them, without retries. */
export class DecisionLoad {
  counts = { answered: 0, degraded: 0, failed: 0 };
  failures = [];
  #agent = new Agent({ keepAlive: true, maxSockets: 64, timeout: IDLE_LIMIT_MS });
  #isOn = true;

  /** @param request body of `POST /v1/limit` */
  constructor({ decisionUrl, serviceToken }, request, perSecond) {
    this.url = `${decisionUrl}/v1/limit`;
    this.headers = { authorization: `Bearer ${serviceToken}` };
    this.body = JSON.stringify(request);
    this.running = this.#run(perSecond);
  }

  async #run(perSecond) {
    const begin = performance.now();
    const pending = new Set();
    for (let sent = 0; this.#isOn; sent++) {
      const one = this.#decide().finally(() => pending.delete(one));
      pending.add(one);
      const waitMs = begin + ((sent + 1) * 1000) / perSecond - performance.now();
      if (waitMs > 0) await pause(waitMs);
    }
    await Promise.all(pending);
  }

  async #decide() {
    try {
      const { status, text } = await post(this.#agent, this.url, this.headers, this.body, DECISION_LIMIT_MS);
      if (status !== 200) throw new Error(`${status} ${text.slice(0, 200)}`);
      this.counts[JSON.parse(text).degraded ? 'degraded' : 'answered']++;
    } catch (error) {
      this.counts.failed++;
      if (this.failures.length < 20) this.failures.push(`${new Date().toISOString()} ${error.message}`);
    }
  }

  /** Counts since the start or the last call. */
  take() {
    const { counts, failures } = this;
    this.counts = { answered: 0, degraded: 0, failed: 0 };
    this.failures = [];
    return { ...counts, failures };
  }

  async stop() {
    this.#isOn = false;
    await this.running;
    this.#agent.destroy();
  }
}

const CREATE = `mutation($input: TenantCreateInput!) {
  tenantCreate(input: $input) { tenant { key } changeId userErrors { code message } }
}`;

/**
 * Creates tenants one after the other, each until it is acknowledged: a change without an answer is sent again with the
 * same idempotency key, as docs/architecture/graphql.md describes.
 */
export class ChangeLoad {
  acknowledged = [];
  retries = 0;
  rejected = [];
  #agent = new Agent({ keepAlive: true, timeout: IDLE_LIMIT_MS });
  #isOn = true;

  constructor({ graphqlUrl, adminToken }, { prefix, tierKey, everyMs }) {
    Object.assign(this, { graphqlUrl, adminToken, prefix, tierKey, everyMs });
    this.running = this.#run();
  }

  async #run() {
    for (let count = 1; this.#isOn; count++) {
      const key = `${this.prefix}-${count}`;
      await this.#create(key);
      await pause(this.everyMs);
    }
  }

  async #create(key) {
    const headers = { authorization: `Bearer ${this.adminToken}`, 'idempotency-key': randomUUID() };
    const body = JSON.stringify({
      query: CREATE,
      variables: { input: { key, name: key, tierKey: this.tierKey } },
    });
    const end = Date.now() + RETRY_LIMIT_MS;
    for (;;) {
      try {
        const { text } = await post(this.#agent, this.graphqlUrl, headers, body, CHANGE_LIMIT_MS);
        const { data, errors } = JSON.parse(text);
        if (errors !== undefined) throw new Error(JSON.stringify(errors));
        const { changeId, userErrors } = data.tenantCreate;
        if (userErrors.length === 0) this.acknowledged.push({ key, changeId });
        else this.rejected.push(`${key}: ${JSON.stringify(userErrors)}`);
        return;
      } catch (error) {
        if (Date.now() > end) return void this.rejected.push(`${key}: ${error.message}`);
        this.retries++;
        await pause(200);
      }
    }
  }

  async stop() {
    this.#isOn = false;
    await this.running;
    this.#agent.destroy();
  }
}
