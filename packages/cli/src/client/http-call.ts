import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

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

/** Makes calls to one server over connections that stay open. */
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
