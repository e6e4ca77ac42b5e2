import { once } from 'node:events';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { type LimitRequest, limitPolicySchema } from '@tollgate/contracts';
import * as z from 'zod';

/** Fields of an answer of `POST /v1/limit` that the replay uses. */
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
      label: z.string().optional(),
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

export const problemSchema = z.object({
  code: z.string(),
  title: z.string(),
  detail: z.string().optional(),
  errors: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
});

const MAX_ANSWER_BYTES = 1024 * 1024;

interface HttpAnswer {
  status: number;
  text: string;
}

export interface CallFailure {
  /** A problem code, `http-502`, a network error code or `answer-unreadable`. */
  kind: string;
  message: string;
}

export type CallResult<T> = { ok: true; answer: T } | { ok: false; failure: CallFailure };

export interface DecisionClientOptions {
  baseUrl: string;
  token: string;
  maxConnections: number;
  /** Until the last byte of the answer. */
  timeoutMs: number;
}

/** Methods never throw: errors are returned as failures. Calls are never repeated: that might charge twice. */
export class DecisionClient {
  private readonly baseUrl: URL;
  private readonly agent: HttpAgent;
  private readonly request: typeof httpRequest;

  constructor(private readonly options: DecisionClientOptions) {
    const { baseUrl, maxConnections } = options;
    this.baseUrl = new URL(baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`);
    const isSecure = this.baseUrl.protocol === 'https:';
    const settings = { keepAlive: true, maxSockets: maxConnections, noDelay: true };
    this.agent = isSecure ? new HttpsAgent(settings) : new HttpAgent(settings);
    this.request = isSecure ? httpsRequest : httpRequest;
  }

  limit(request: LimitRequest): Promise<CallResult<ReadLimitAnswer>> {
    return this.call(limitAnswerSchema, 'POST', 'v1/limit', JSON.stringify(request));
  }

  limitsOf(tenant: string, api: string): Promise<CallResult<ReadTenantLimits>> {
    return this.call(tenantLimitsSchema, 'GET', `v1/limits?${new URLSearchParams({ tenant, api })}`);
  }

  close(): void {
    this.agent.destroy();
  }

  private async call<T>(
    schema: z.ZodType<T>,
    method: 'GET' | 'POST',
    path: string,
    body?: string,
  ): Promise<CallResult<T>> {
    let response: HttpAnswer;
    try {
      response = await this.send(method, path, body);
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

  /** @throws Error with a `code` of node:net, `TIMEOUT` or `ANSWER_TOO_LARGE` */
  private async send(method: 'GET' | 'POST', path: string, body?: string): Promise<HttpAnswer> {
    const { token, timeoutMs } = this.options;
    const headers: Record<string, string | number> = { Authorization: `Bearer ${token}` };
    if (body !== undefined) {
      headers['Content-Type'] = 'application/json';
      headers['Content-Length'] = Buffer.byteLength(body);
    }
    const request = this.request(new URL(path, this.baseUrl), { method, agent: this.agent, headers });
    const timer = setTimeout(() => {
      request.destroy(coded('TIMEOUT', `no answer within ${timeoutMs} ms`));
    }, timeoutMs);
    try {
      request.end(body);
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      // A timeout may also occur after the response has begun.
      request.on('error', (error) => response.destroy(error));
      return { status: response.statusCode ?? 0, text: await readText(response) };
    } finally {
      clearTimeout(timer);
    }
  }
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) {
      throw coded('ANSWER_TOO_LARGE', `the answer is larger than ${MAX_ANSWER_BYTES} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function coded(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

function networkFailure(error: unknown): CallFailure {
  // A name with several addresses fails once for each.
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
