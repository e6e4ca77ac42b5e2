import { describe, expect, it } from 'vitest';
import { labelled, writeExposition } from './exposition.js';
import { DoorMetrics } from './metrics.js';

const answer = { success: true, reason: 'WITHIN_LIMIT', degraded: false } as const;

function written(metrics: DoorMetrics): string[] {
  return writeExposition(metrics.families()).split('\n');
}

describe('the metrics of a door', () => {
  it('count decisions by result and reason, and those that were made without the counters', () => {
    const metrics = new DoorMetrics();
    metrics.decided(answer);
    metrics.decided(answer);
    metrics.decided({ success: false, reason: 'DEGRADED', degraded: true });
    const lines = written(metrics);
    expect(lines).toContain('tollgate_decisions_total{result="allowed",reason="WITHIN_LIMIT"} 2');
    expect(lines).toContain('tollgate_decisions_total{result="refused",reason="DEGRADED"} 1');
    expect(lines).toContain('tollgate_decisions_degraded_total 1');
  });

  it('count each duration in every bucket that it fits in, the last of which is all of them', () => {
    const metrics = new DoorMetrics();
    const route = metrics.route('http', '/v1/limit');
    for (const durationMs of [0.05, 1, 1.5, 5000]) route.answered(200, durationMs);
    const lines = written(metrics).filter((line) => line.startsWith('tollgate_request_duration_seconds'));
    const bucket = (le: string) =>
      `tollgate_request_duration_seconds_bucket{door="http",route="/v1/limit",le="${le}"}`;
    expect(lines).toContain(`${bucket('0.0001')} 1`);
    expect(lines).toContain(`${bucket('0.001')} 2`);
    expect(lines).toContain(`${bucket('0.0025')} 3`);
    expect(lines).toContain(`${bucket('1')} 3`);
    expect(lines).toContain(`${bucket('+Inf')} 4`);
    expect(lines).toContain('tollgate_request_duration_seconds_count{door="http",route="/v1/limit"} 4');
    expect(written(metrics)).toContain(
      'tollgate_requests_total{door="http",route="/v1/limit",status="200"} 4',
    );
  });
});

describe('the text format', () => {
  it('names each family once, whatever number of processes it is of, and escapes what labels hold', () => {
    const family = (value: string) => ({
      name: 'm',
      help: 'h',
      type: 'gauge' as const,
      samples: [{ labels: { l: value }, value: Number.POSITIVE_INFINITY }],
    });
    const text = writeExposition([
      ...labelled([family('a"b\\c\nd')], 'process', '1'),
      ...labelled([family('e')], 'process', '2'),
    ]);
    expect(text).toBe(
      '# HELP m h\n# TYPE m gauge\nm{l="a\\"b\\\\c\\nd",process="1"} +Inf\nm{l="e",process="2"} +Inf\n',
    );
  });
});
