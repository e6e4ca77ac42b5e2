import { type LimitAnswer } from '@tollgate/contracts';
import { startSampledSpan, type Tracing } from '@tollgate/logging';
import { type RouteMetrics } from '../metrics/metrics.js';

type Span = NonNullable<ReturnType<typeof startSampledSpan>>;
type Attributes = Readonly<Record<string, string | number>>;

/** The span of a request whose caller samples it. Recorded by hand: automatic instrumentation would halve the throughput. */
export class RequestTrace {
  private constructor(private readonly span: Span) {}

  /** Undefined: the request is not sampled. */
  static start(
    tracing: Tracing,
    traceparent: string | string[] | undefined,
    name: string,
    attributes: Attributes,
  ): RequestTrace | undefined {
    const span = startSampledSpan(tracing, traceparent, name, attributes);
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

  /** @param error its code, if the response is one */
  end(attributes: Attributes, error: string | undefined): void {
    this.span.setAttributes(attributes);
    if (error !== undefined) this.span.setAttribute('error.type', error);
    this.span.end();
  }
}
