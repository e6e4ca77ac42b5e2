import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { type LimitRequest, limitPolicySchema } from '@tollgate/contracts';
import * as z from 'zod';

/** Fields of an answer of `POST /v1/limit` that the replay uses; ignores others. */
export const limitAnswerSchema = z.object({
  success: z.boolean(),
  policy: z.string().nullable(),
  cost: z.int().min(0),
  reason: z.string(),
  degraded: z.boolean(),
  revision: z.int(),
  policies: z.array(
    z.object({
      name: z.string(),
      limit: z.int(),
      window: z.number(),
      reset: z.int(),
      mode: z.enum(['enforce', 'shadow', 'candidate']),
    }),
  ),
});

export type ReadLimitAnswer = z.infer<typeof limitAnswerSchema>;

/** Fields of an answer of `GET /v1/limits` that the recount uses. */
export const tenantLimitsSchema = z.object({
  tenant: z.string(),
  api: z.string(),
  revision: z.int(),
  limits: z.array(z.object({ policy: limitPolicySchema, summary: z.string() })),
});

export type ReadTenantLimits = z.infer<typeof tenantLimitsSchema>;

/** Fields of RFC 9457 problem details that the replay uses. */
export const problemSchema = z.object({
  code: z.string(),
  title: z.string(),
  detail: z.string().optional(),
  errors: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
});

/** The largest answer that is read. */
const MAX_ANSWER_BYTES = 1024 * 1024;

export interface HttpAnswer {
  status: number;
  text: string;
}

export interface HttpCallerOptions {
  baseUrl: string;
  token: string;
  maxConnections: number;
  /** From the call to the last byte of its answer. */
  timeoutMs: number;
}

/** HTTP client for one server with keep-alive connections. */
export class HttpCaller {
  private readonly baseUrl: URL;
  private readonly agent: HttpAgent;
  private readonly send: typeof httpRequest;

  constructor(private readonly options: HttpCallerOptions) {
    const { baseUrl, maxConnections } = options;
    this.baseUrl = new URL(baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`);
    const isSecure = this.baseUrl.protocol === 'https:';
    const settings = { keepAlive: true, maxSockets: maxConnections, noDelay: true };
    this.agent = isSecure ? new HttpsAgent(settings) : new HttpAgent(settings);
    this.send = isSecure ? httpsRequest : httpRequest;
  }

  /**
   * One call, never repeated: a repeated one might charge twice.
   * @throws Error with a `code` of node:net, `TIMEOUT` or `ANSWER_TOO_LARGE`
   */
  call(method: 'GET' | 'POST', path: string, body?: string): Promise<HttpAnswer> {
    const { token, timeoutMs } = this.options;
    return new Promise((resolve, reject) => {
      const headers: Record<string, string | number> = { Authorization: `Bearer ${token}` };
      if (body !== undefined) {
        headers['Content-Type'] = 'application/json';
        headers['Content-Length'] = Buffer.byteLength(body);
      }
      const request = this.send(new URL(path, this.baseUrl), { method, agent: this.agent, headers });
      const timer = setTimeout(() => {
        request.destroy(coded('TIMEOUT', `no answer within ${timeoutMs} ms`));
      }, timeoutMs);
      const settle = (finish: () => void) => {
        clearTimeout(timer);
        finish();
      };
      request.on('error', (error) => settle(() => reject(error)));
      request.on('response', (response) => {
        readText(response, request).then(
          (text) => settle(() => resolve({ status: response.statusCode ?? 0, text })),
          (error: unknown) => settle(() => reject(error)),
        );
      });
      request.end(body);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

async function readText(
  response: IncomingMessage,
  request: { destroy(error: Error): void },
): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) {
      const error = coded('ANSWER_TOO_LARGE', `the answer is larger than ${MAX_ANSWER_BYTES} bytes`);
      request.destroy(error);
      throw error;
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function coded(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** A call that brought no decision. */
export interface CallFailure {
  /** Kind to count it as: a problem code, `http-502`, a network error code, `answer-unreadable`. */
  kind: string;
  message: string;
}

export type CallResult<T> = { ok: true; answer: T } | { ok: false; failure: CallFailure };

/** Client of the decision API. Methods never throw: errors are returned as failures with a kind. */
export class DecisionClient {
  private readonly caller: HttpCaller;

  constructor(options: HttpCallerOptions) {
    this.caller = new HttpCaller(options);
  }

  /** Decides and charges one request. */
  limit(request: LimitRequest): Promise<CallResult<ReadLimitAnswer>> {
    return this.send(limitAnswerSchema, () => this.caller.call('POST', 'v1/limit', JSON.stringify(request)));
  }

  /** The limits in force for a tenant's calls of an API. */
  limitsOf(tenant: string, api: string): Promise<CallResult<ReadTenantLimits>> {
    const query = new URLSearchParams({ tenant, api });
    return this.send(tenantLimitsSchema, () => this.caller.call('GET', `v1/limits?${query}`));
  }

  close(): void {
    this.caller.close();
  }

  private async send<T>(schema: z.ZodType<T>, call: () => Promise<HttpAnswer>): Promise<CallResult<T>> {
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
