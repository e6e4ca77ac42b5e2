import { Gauge, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { metricsText } from '../../test/metrics-text.js';
import { ServerMetrics } from './metrics.js';
import { mergeMetrics, type ProcessMetrics } from './metrics-server.js';

const answer = { success: true, reason: 'WITHIN_LIMIT', degraded: false } as const;

const written = async (metrics: ServerMetrics) => (await metricsText(metrics)).split('\n');

describe('server metrics', () => {
  it('count decisions by result and reason, and degraded decisions', async () => {
    const metrics = new ServerMetrics();
    metrics.decided(answer);
    metrics.decided(answer);
    metrics.decided({ success: false, reason: 'DEGRADED', degraded: true });
    for (let scrapes = 0; scrapes < 2; scrapes++) {
      const lines = await written(metrics);
      expect(lines).toContain('tollgate_decisions_total{result="allowed",reason="WITHIN_LIMIT"} 2');
      expect(lines).toContain('tollgate_decisions_total{result="denied",reason="DEGRADED"} 1');
      expect(lines).toContain('tollgate_decisions_degraded_total 1');
    }
  });

  it('count each duration in all buckets that include it, and every one in +Inf', async () => {
    const metrics = new ServerMetrics();
    const route = metrics.route('http', '/v1/limit');
    for (const durationMs of [0.05, 1, 1.5, 5000]) route.answered(200, durationMs);
    const lines = (await written(metrics)).filter((line) =>
      line.startsWith('tollgate_request_duration_seconds'),
    );
    const bucket = (le: string) =>
      `tollgate_request_duration_seconds_bucket{transport="http",route="/v1/limit",le="${le}"}`;
    expect(lines).toContain(`${bucket('0.0001')} 1`);
    expect(lines).toContain(`${bucket('0.001')} 2`);
    expect(lines).toContain(`${bucket('0.0025')} 3`);
    expect(lines).toContain(`${bucket('1')} 3`);
    expect(lines).toContain(`${bucket('+Inf')} 4`);
    expect(lines).toContain('tollgate_request_duration_seconds_count{transport="http",route="/v1/limit"} 4');
    expect(await written(metrics)).toContain(
      'tollgate_requests_total{transport="http",route="/v1/limit",status="200"} 4',
    );
  });
});

describe('merged metrics', () => {
  it('contain each metric once with a label per process, and escape labels', async () => {
    const metricsOf = async (value: string) => {
      const registry = new Registry();
      new Gauge({ name: 'm', help: 'h', labelNames: ['l'], registers: [registry] }).set(
        { l: value },
        Number.POSITIVE_INFINITY,
      );
      return (await registry.getMetricsAsJSON()) as ProcessMetrics;
    };
    const text = await mergeMetrics(
      new Map([
        [1, await metricsOf('a"b\\c\nd')],
        [2, await metricsOf('e')],
      ]),
    );
    expect(text).toBe(
      '# HELP m h\n# TYPE m gauge\nm{l="a\\"b\\\\c\\nd",process="1"} +Inf\nm{l="e",process="2"} +Inf\n',
    );
  });
});
