import { Registry } from 'prom-client';
import type { ServerMetrics } from '../src/metrics/metrics.js';

/** The Prometheus text of `metrics`. */
export function metricsText(metrics: ServerMetrics): Promise<string> {
  const registry = new Registry();
  metrics.register(registry);
  return registry.metrics();
}

/** The samples of a metric whose labels contain `label`. */
export function samplesOf(text: string, name: string, label = ''): { line: string; value: number }[] {
  return text
    .split('\n')
    .filter((line) => (line.startsWith(`${name}{`) || line.startsWith(`${name} `)) && line.includes(label))
    .map((line) => ({ line, value: Number(line.slice(line.lastIndexOf(' '))) }));
}

/** Sum of {@link samplesOf}. */
export function sumOf(text: string, name: string, label = ''): number {
  return samplesOf(text, name, label).reduce((sum, { value }) => sum + value, 0);
}
