import type { Problem } from '@tollgate/contracts/problems';
import { TollgateFault, UnavailableError } from './errors.js';
import type { Answers, Bodies, Transport, Verb } from './requests.js';

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export class HttpTransport implements Transport {
  private readonly base: string;
  private readonly headers: Record<string, string>;

  constructor(
    url: string,
    token: string,
    private readonly fetch: Fetch,
  ) {
    this.base = `${url.replace(/\/+$/, '')}/v1/`;
    this.headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  }

  async call<V extends Verb>(verb: V, body: Bodies[V], withinMs: number): Promise<Answers[V]> {
    const text = JSON.stringify(body);
    const { status, answer } = await this.post(verb, text, withinMs);
    if (status === 200) return checked<V>(answer);
    // A 503 with `status: unavailable` is an answer (counters unavailable), not an outage.
    if (isRecord(answer) && answer.status === 'unavailable') return answer as unknown as Answers[V];
    if (!isProblem(answer)) {
      throw new UnavailableError(status >= 500 ? 'server' : 'unreadable', `answered with status ${status}`);
    }
    if (status >= 500 || status === 429 || answer.retryable) {
      throw new UnavailableError('server', `${answer.code}: ${answer.title}`);
    }
    throw new TollgateFault(answer);
  }

  /** An empty request is rejected only after the token was accepted. */
  async verify(withinMs: number): Promise<void> {
    try {
      await this.call('peek', {} as Bodies['peek'], withinMs);
    } catch (error) {
      if (error instanceof TollgateFault && error.code === 'body-invalid') return;
      throw error;
    }
  }

  private async post(
    verb: Verb,
    body: string,
    withinMs: number,
  ): Promise<{ status: number; answer: unknown }> {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), withinMs);
    const init = { method: 'POST', headers: this.headers, body, signal: abort.signal };
    try {
      const response = await this.fetch(this.base + verb, init);
      return { status: response.status, answer: parseJson(await response.text()) };
    } catch (error) {
      if (abort.signal.aborted) {
        throw new UnavailableError('timeout', `no answer within ${Math.round(withinMs)} ms`, {
          cause: error,
        });
      }
      throw new UnavailableError('network', networkMessage(error), { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Rejects answers of a proxy in between; tolerates new fields. */
function checked<V extends Verb>(answer: unknown): Answers[V] {
  if (isRecord(answer)) {
    const { success, status, answers } = answer;
    if (typeof success === 'boolean' || typeof status === 'string' || Array.isArray(answers)) {
      return answer as unknown as Answers[V];
    }
  }
  throw new UnavailableError('unreadable', 'the answer is not one of Tollgate');
}

function isProblem(answer: unknown): answer is Problem {
  return isRecord(answer) && typeof answer.code === 'string' && typeof answer.title === 'string';
}

export function isProblemItem(item: object): item is Problem {
  return 'code' in item && !('success' in item);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // neither an answer nor a problem
  }
}

/** undici throws `fetch failed` with the actual error as its cause. */
function networkMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
