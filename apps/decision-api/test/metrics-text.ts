import { Registry } from 'prom-client';
import type { ServerMetrics } from '../src/metrics/metrics.js';

/** The Prometheus text of `metrics`. */
export function metricsText(metrics: ServerMetrics): Promise<string> {
  const registry = new Registry();
  metrics.register(registry);
  return registry.metrics();
}
