import { type IncomingMessage } from 'node:http';
import { type LimitAnswer } from '@tollgate/contracts';
import { startSampledSpan, type Tracing } from '@tollgate/logging';
import { type RouteMetrics } from '../metrics/metrics.js';

type Span = NonNullable<ReturnType<typeof startSampledSpan>>;

/** The span of a request whose caller samples it. Recorded by hand: automatic instrumentation would halve the throughput. */
export class RequestTrace {
  private constructor(private readonly span: Span) {}

  /** Undefined: the request is not sampled. */
  static start(tracing: Tracing, { headers, method = '' }: IncomingMessage, route: string) {
    const attributes = { 'http.request.method': method, 'http.route': route };
    const span = startSampledSpan(tracing, headers.traceparent, `${method} ${route}`, attributes);
    return span === undefined ? undefined : new RequestTrace(span);
  }

  /** Metrics that also record each decision in the span. */
  recording(metrics: RouteMetrics): RouteMetrics {
    const decided = (api: string, answer: LimitAnswer) => {
      metrics.decided(api, answer);
      this.span.addEvent('decision', {
        'tollgate.api': api,
        'tollgate.success': answer.success,
        'tollgate.reason': answer.reason,
        'tollgate.degraded': answer.degraded,
        'tollgate.revision': answer.revision,
      });
    };
    return Object.assign(Object.create(metrics) as RouteMetrics, { decided });
  }

  /** @param code of the problem, if the response is one */
  end(status: number, code: string | undefined): void {
    this.span.setAttribute('http.response.status_code', status);
    if (code !== undefined) this.span.setAttribute('error.type', code);
    this.span.end();
  }
}
