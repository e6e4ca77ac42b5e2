import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type DecisionPlane } from '@tollgate/decision-plane';
import { eventLoop } from '@tollgate/decision-plane/internals';
import type { LogDestination } from '@tollgate/logging';
import type { Family } from './exposition.js';

const STARTED_AT_S = Date.now() / 1000 - process.uptime();

/** Where the event loop's delay is sampled, ms. */
const LOOP_RESOLUTION_MS = 20;

/** Returns a reader of the metrics of this process, its node and its log. */
export function nodeMetrics(
  plane: DecisionPlane,
  log: Pick<LogDestination, 'droppedLines' | 'writeErrors'>,
): () => Family[] {
  const loop = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  loop.enable();
  return () => {
    const { user, system } = process.cpuUsage();
    // What is told is since the last time that somebody asked: a maximum over all time would say nothing of today.
    const delayS = Math.max(0, loop.max / 1e9 - LOOP_RESOLUTION_MS / 1000);
    loop.reset();
    return [
      gauge('tollgate_ready', 'Whether there is a policy to decide by', plane.ready ? 1 : 0),
      gauge('tollgate_degraded', 'Whether decisions are made without the counters', plane.degraded ? 1 : 0),
      gauge('tollgate_policy_revision', 'Policy revision in force', plane.revision),
      gauge(
        'tollgate_policy_age_seconds',
        'Since the control plane confirmed the policy',
        plane.policyAgeMs === null ? Number.NaN : plane.policyAgeMs / 1000,
      ),
      gauge('process_start_time_seconds', 'Start of the process, unix time', STARTED_AT_S),
      gauge('process_resident_memory_bytes', 'Resident memory', process.memoryUsage.rss()),
      counter('process_cpu_seconds_total', 'CPU time', (user + system) / 1e6),
      counter('tollgate_log_lines_dropped_total', 'Log lines that could not be written', log.droppedLines),
      counter('tollgate_log_write_errors_total', 'Failed writes to the log', log.writeErrors),
      gauge(
        'tollgate_event_loop_lag_seconds',
        'Average lag of the event loop; above MAX_EVENT_LOOP_LAG_MS, requests are shed',
        eventLoop.lagMs() / 1000,
      ),
      gauge('nodejs_eventloop_delay_max_seconds', 'Longest delay of the event loop since last asked', delayS),
    ];
  };
}

function gauge(name: string, help: string, value: number): Family {
  return { name, help, type: 'gauge', samples: [{ labels: {}, value }] };
}

function counter(name: string, help: string, value: number): Family {
  return { ...gauge(name, help, value), type: 'counter' };
}
