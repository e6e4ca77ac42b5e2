import type { LimitRequest } from '@tollgate/contracts';
import type * as z from 'zod';
import {
  limitAnswerSchema,
  problemSchema,
  type ReadLimitAnswer,
  type ReadTenantLimits,
  tenantLimitsSchema,
} from './answers.js';
import { type HttpAnswer, HttpCaller, type HttpCallerOptions } from './http-call.js';

/** A call that brought no decision. */
export interface CallFailure {
  /** What to count it under: a problem's code, `http-502`, a network error's code, `answer-unreadable`. */
  kind: string;
  message: string;
}

export type CallResult<T> = { ok: true; answer: T } | { ok: false; failure: CallFailure };

/** The decision API as a service calls it. No method throws: whatever goes wrong is a failure with a kind. */
export class DecisionClient {
  private readonly caller: HttpCaller;

  constructor(options: HttpCallerOptions) {
    this.caller = new HttpCaller(options);
  }

  /** Decides and charges one request. */
  limit(request: LimitRequest): Promise<CallResult<ReadLimitAnswer>> {
    return this.ask(limitAnswerSchema, () => this.caller.call('POST', 'v1/limit', JSON.stringify(request)));
  }

  /** The limits in force for a tenant's calls of an API. */
  limitsOf(tenant: string, api: string): Promise<CallResult<ReadTenantLimits>> {
    const query = new URLSearchParams({ tenant, api });
    return this.ask(tenantLimitsSchema, () => this.caller.call('GET', `v1/limits?${query}`));
  }

  close(): void {
    this.caller.close();
  }

  private async ask<T>(schema: z.ZodType<T>, call: () => Promise<HttpAnswer>): Promise<CallResult<T>> {
    let response: HttpAnswer;
    try {
      response = await call();
    } catch (error) {
      return { ok: false, failure: networkFailure(error) };
    }
    if (response.status !== 200) return { ok: false, failure: problemFailure(response) };
    const parsed = schema.safeParse(parseJson(response.text));
    if (parsed.success) return { ok: true, answer: parsed.data };
    const [issue] = parsed.error.issues;
    const message = `${issue?.path.join('.') || 'the answer'}: ${issue?.message}`;
    return { ok: false, failure: { kind: 'answer-unreadable', message } };
  }
}

function networkFailure(error: unknown): CallFailure {
  // A name with several addresses fails once for each of them.
  const first = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  const { code, message } = first as { code?: unknown; message?: unknown };
  const kind = typeof code === 'string' ? code : 'network';
  return { kind, message: typeof message === 'string' ? message : String(first) };
}

function problemFailure({ status, text }: HttpAnswer): CallFailure {
  const parsed = problemSchema.safeParse(parseJson(text));
  if (!parsed.success)
    return { kind: `http-${status}`, message: `the server answered with status ${status}` };
  const { code, title, detail, errors = [] } = parsed.data;
  const fields = errors.map(({ field, message }) => `${field}: ${message}`).join('; ');
  return { kind: code, message: [detail ?? title, fields].filter((part) => part !== '').join(' · ') };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // no schema accepts it
  }
}
