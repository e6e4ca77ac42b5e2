import { Gauge, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { metricsText } from '../../test/metrics-text.js';
import { ServerMetrics } from './metrics.js';
import { mergeMetrics, type ProcessMetrics } from './node-metrics.js';

const allowed = { success: true, reason: 'WITHIN_LIMIT' } as const;

const written = async (metrics: ServerMetrics) => (await metricsText(metrics)).split('\n');

describe('server metrics', () => {
  it('count decisions by API, result and reason, without series for APIs that callers invent', async () => {
    const metrics = new ServerMetrics((api) => api === 'maps');
    const route = metrics.route('/v1/limit', true);
    route.decided('maps', allowed);
    route.decided('maps', allowed);
    route.decided('maps', { success: false, reason: 'DEGRADED' });
    for (const api of ['invented', 'constructor']) route.decided(api, { success: true, reason: 'NO_LIMIT' });
    const sample = (api: string, result: string, reason: string) =>
      `tollgate_requests_total{route="/v1/limit",api="${api}",result="${result}",reason="${reason}"}`;
    for (let scrapes = 0; scrapes < 2; scrapes++) {
      const lines = await written(metrics);
      expect(lines).toContain(`${sample('maps', 'allowed', 'WITHIN_LIMIT')} 2`);
      expect(lines).toContain(`${sample('maps', 'denied', 'DEGRADED')} 1`);
      expect(lines).toContain(`${sample('unknown', 'allowed', 'NO_LIMIT')} 2`);
    }
  });

  it('count each duration in all buckets that include it, and every one in +Inf', async () => {
    const metrics = new ServerMetrics();
    const route = metrics.route('/v1/peek');
    for (const durationMs of [0.05, 1, 1.5, 5000]) route.responded(200, durationMs);
    const lines = await written(metrics);
    const bucket = (le: string) => `tollgate_request_duration_seconds_bucket{route="/v1/peek",le="${le}"}`;
    expect(lines).toContain(`${bucket('0.0001')} 1`);
    expect(lines).toContain(`${bucket('0.001')} 2`);
    expect(lines).toContain(`${bucket('0.0025')} 3`);
    expect(lines).toContain(`${bucket('1')} 3`);
    expect(lines).toContain(`${bucket('+Inf')} 4`);
    expect(lines).toContain('tollgate_request_duration_seconds_count{route="/v1/peek"} 4');
    expect(lines).toContain('tollgate_requests_total{route="/v1/peek",api="",result="ok",reason=""} 4');
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
