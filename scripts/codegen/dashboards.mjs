import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as dashboards from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import * as stat from '@grafana/grafana-foundation-sdk/stat';
import * as timeseries from '@grafana/grafana-foundation-sdk/timeseries';
import { ROOT } from '../run/root.mjs';

// Writes deploy/monitoring/dashboards/*.json with Grafana's foundation SDK.

const DATASOURCE = { type: 'prometheus', uid: '$datasource' };
const RATE = '[$__rate_interval]';

/** Streams are open until their viewers leave. */
const NO_STREAMS = 'route!="/graphql/stream"';

/** @typedef {{ title: string, unit?: string, queries: Record<string, string>, stat?: boolean, goodFrom?: number }} Panel */

const rate = (metric, by, selector = '') => `sum by (${by}) (rate(${metric}{${selector}}${RATE}))`;
const quantile = (q, metric, by = '', selector = '') =>
  `histogram_quantile(${q}, sum by (le${by && `, ${by}`}) (rate(${metric}_bucket{${selector}}${RATE})))`;
const quantiles = (metric, selector) =>
  Object.fromEntries([0.5, 0.99, 0.999].map((q) => [`p${q * 100}`, quantile(q, metric, '', selector)]));

const DECISIONS = 'result=~"allowed|denied"';
const DECISION_ROUTES = 'route=~"/v1/limit.*|/v1/reserve|/v1/forward-auth/.*|/json|/envoy.*"';
const AVAILABILITY = `1 - (sum(rate(tollgate_requests_total{result="failed"}${RATE})) or vector(0)) / sum(rate(tollgate_requests_total${RATE}))`;

/** @type {Record<string, { title: string, description: string, rows: Record<string, Panel[]> }>} */
const DASHBOARDS = {
  overview: {
    title: 'Tollgate overview',
    description: 'Is it up, fast and current? Start here.',
    rows: {
      Now: [
        {
          title: 'Processes up',
          stat: true,
          queries: { '{{job}}': 'sum by (job) (up{job=~"decision-api|control-plane|worker"})' },
        },
        {
          title: 'Availability',
          stat: true,
          unit: 'percentunit',
          queries: { availability: AVAILABILITY },
          goodFrom: 0.999,
        },
        {
          title: 'Decisions per second',
          stat: true,
          unit: 'reqps',
          queries: { decisions: `sum(rate(tollgate_requests_total{${DECISIONS}}${RATE}))` },
        },
        {
          title: 'Latency p99',
          stat: true,
          unit: 's',
          queries: { p99: quantile(0.99, 'tollgate_request_duration_seconds', '', DECISION_ROUTES) },
        },
        { title: 'Policy revision', stat: true, queries: { revision: 'max(tollgate_policy_revision)' } },
        {
          title: 'Audit trail',
          stat: true,
          queries: { verified: 'min(tollgate_audit_chain_ok)' },
          goodFrom: 1,
        },
      ],
      Traffic: [
        {
          title: 'Decisions by result',
          unit: 'reqps',
          queries: { '{{result}}': rate('tollgate_requests_total', 'result', DECISIONS) },
        },
        {
          title: 'Failed and rejected requests',
          unit: 'reqps',
          queries: {
            '{{result}} {{reason}}': rate(
              'tollgate_requests_total',
              'result, reason',
              'result=~"failed|rejected"',
            ),
          },
        },
        {
          title: 'Latency of decisions',
          unit: 's',
          queries: quantiles('tollgate_request_duration_seconds', DECISION_ROUTES),
        },
        { title: 'Nodes by state', queries: { '{{state}}': 'max by (state) (tollgate_nodes)' } },
      ],
      'Versions and resources': [
        {
          title: 'Versions',
          queries: { '{{job}} {{version}}': 'count by (job, version) (tollgate_build_info)' },
        },
        {
          title: 'CPU',
          unit: 'percentunit',
          queries: {
            '{{job}} {{instance}}': `sum by (job, instance) (rate(process_cpu_seconds_total${RATE}))`,
          },
        },
        {
          title: 'Memory',
          unit: 'bytes',
          queries: { '{{job}} {{instance}}': 'sum by (job, instance) (process_resident_memory_bytes)' },
        },
        {
          title: 'Longest event loop delay',
          unit: 's',
          queries: { '{{job}} {{instance}}': 'max by (job, instance) (nodejs_eventloop_delay_max_seconds)' },
        },
      ],
    },
  },
  decisions: {
    title: 'Tollgate decisions',
    description: 'What the decision API answers, how fast, and what it does without Redis.',
    rows: {
      Decisions: [
        {
          title: 'By API',
          unit: 'reqps',
          queries: { '{{api}}': rate('tollgate_requests_total', 'api', DECISIONS) },
        },
        {
          title: 'Denied, by reason',
          unit: 'reqps',
          queries: { '{{reason}}': rate('tollgate_requests_total', 'reason', 'result="denied"') },
        },
        {
          title: 'Share of denied',
          unit: 'percentunit',
          queries: {
            '{{api}}': `sum by (api) (rate(tollgate_requests_total{result="denied"}${RATE})) / sum by (api) (rate(tollgate_requests_total{${DECISIONS}}${RATE}))`,
          },
        },
        {
          title: 'By route',
          unit: 'reqps',
          queries: { '{{route}}': rate('tollgate_requests_total', 'route') },
        },
      ],
      Latency: [
        {
          title: 'Percentiles',
          unit: 's',
          queries: quantiles('tollgate_request_duration_seconds', DECISION_ROUTES),
        },
        {
          title: 'p99 by route',
          unit: 's',
          queries: { '{{route}}': quantile(0.99, 'tollgate_request_duration_seconds', 'route') },
        },
        {
          title: 'Counter Redis',
          unit: 's',
          queries: quantiles('tollgate_redis_call_duration_seconds', 'role="counters"'),
        },
        {
          title: 'Calls to Redis by result',
          unit: 'ops',
          queries: {
            '{{role}} {{result}}': rate('tollgate_redis_call_duration_seconds_count', 'role, result'),
          },
        },
      ],
      'Counter cluster': [
        {
          title: 'Connections to masters',
          queries: { '{{mode}}': 'sum by (mode) (tollgate_cluster_connections)' },
        },
        {
          title: 'Requests per run',
          queries: {
            '{{mode}}': `${rate('tollgate_cluster_run_requests_total', 'mode')} / ${rate('tollgate_cluster_runs_total', 'mode')}`,
          },
        },
        {
          title: 'Requests sent again',
          unit: 'reqps',
          queries: { '{{reason}}': rate('tollgate_cluster_fallbacks_total', 'reason') },
        },
      ],
      Failures: [
        {
          title: 'Degraded decisions',
          unit: 'reqps',
          queries: { degraded: `sum(rate(tollgate_requests_total{reason="DEGRADED"}${RATE})) or vector(0)` },
        },
        {
          title: 'Nodes without counter Redis',
          queries: { '{{instance}}': 'max by (instance) (tollgate_degraded)' },
        },
        {
          title: 'Shed requests',
          unit: 'reqps',
          queries: { '{{reason}}': rate('tollgate_shed_total', 'reason') },
        },
        {
          title: 'Event loop lag',
          unit: 's',
          queries: { '{{instance}}': 'max by (instance) (tollgate_event_loop_lag_seconds)' },
        },
        {
          title: 'Last answer of the counter Redis',
          unit: 's',
          queries: {
            '{{instance}}': 'time() - min by (instance) (tollgate_counters_last_answer_timestamp_seconds)',
          },
        },
        {
          title: 'Memory of the counter Redis',
          unit: 'percentunit',
          queries: {
            '{{instance}}':
              'max by (instance) (tollgate_counters_memory_used_bytes / tollgate_counters_memory_max_bytes)',
          },
        },
        {
          title: 'Evicted counters',
          queries: { '{{instance}}': rate('tollgate_counters_evicted_keys_total', 'instance') },
        },
        {
          title: 'Certificate expires in',
          unit: 's',
          queries: {
            '{{instance}}': 'min by (instance) (tollgate_tls_certificate_expiry_timestamp_seconds) - time()',
          },
        },
      ],
    },
  },
  propagation: {
    title: 'Tollgate propagation',
    description: 'From a change in the console to every node.',
    rows: {
      Nodes: [
        {
          title: 'Active revision',
          queries: { '{{instance}}': 'max by (instance) (tollgate_policy_revision)' },
        },
        {
          title: 'Revisions behind the newest',
          queries: {
            '{{instance}}':
              'scalar(max(tollgate_policy_revision)) - min by (instance) (tollgate_policy_revision)',
          },
        },
        {
          title: 'Age of the policy',
          unit: 's',
          queries: { '{{instance}}': 'max by (instance) (tollgate_policy_age_seconds)' },
        },
        {
          title: 'Rejected policy',
          queries: {
            '{{instance}} {{reason}}':
              'sum by (instance, reason) (increase(tollgate_policy_refused_total[$__range]))',
          },
        },
      ],
      Relay: [
        { title: 'Pending changes', queries: { pending: 'max(tollgate_outbox_pending)' } },
        {
          title: 'Oldest pending change',
          unit: 's',
          queries: { age: 'max(tollgate_outbox_oldest_age_seconds)' },
        },
        {
          title: 'Failed publications',
          unit: 'ops',
          queries: { failed: `sum(rate(tollgate_relay_publish_failures_total${RATE}))` },
        },
        {
          title: 'Publication to node',
          unit: 's',
          queries: {
            p50: quantile(0.5, 'tollgate_propagation_duration_seconds'),
            p99: quantile(0.99, 'tollgate_propagation_duration_seconds'),
          },
        },
        { title: 'Nodes by state', queries: { '{{state}}': 'max by (state) (tollgate_nodes)' } },
        {
          title: 'Config Redis of nodes, p99',
          unit: 's',
          queries: {
            '{{instance}}': quantile(
              0.99,
              'tollgate_redis_call_duration_seconds',
              'instance',
              'role="config"',
            ),
          },
        },
      ],
    },
  },
  'control-plane': {
    title: 'Tollgate control plane and jobs',
    description: 'GraphQL, Postgres connections and background work.',
    rows: {
      Requests: [
        {
          title: 'By status',
          unit: 'reqps',
          queries: { '{{status}}': rate('tollgate_http_requests_total', 'status') },
        },
        {
          title: 'p99 by route',
          unit: 's',
          queries: {
            '{{route}}': quantile(0.99, 'tollgate_http_request_duration_seconds', 'route', NO_STREAMS),
          },
        },
        {
          title: 'GraphQL operations',
          unit: 'ops',
          queries: { '{{type}} {{outcome}}': rate('tollgate_graphql_operations_total', 'type, outcome') },
        },
        {
          title: 'Throttled operations',
          unit: 'ops',
          queries: { throttled: `sum(rate(tollgate_graphql_throttled_total${RATE}))` },
        },
        {
          title: 'Postgres connections',
          queries: { '{{job}} {{state}}': 'sum by (job, state) (tollgate_db_pool_connections)' },
        },
      ],
      Jobs: [
        {
          title: 'Runs',
          unit: 'ops',
          queries: { '{{exported_job}}': rate('tollgate_job_runs_total', 'exported_job') },
        },
        {
          title: 'Failed runs',
          unit: 'ops',
          queries: {
            '{{exported_job}}': `sum by (exported_job) (rate(tollgate_job_runs_total{outcome="failed"}${RATE})) or vector(0)`,
          },
        },
        {
          title: 'Duration p99',
          unit: 's',
          queries: { '{{exported_job}}': quantile(0.99, 'tollgate_job_duration_seconds', 'exported_job') },
        },
        {
          title: 'Intervals since the last success',
          queries: {
            '{{exported_job}}':
              '(time() - max by (exported_job) (tollgate_job_last_success_timestamp_seconds)) / max by (exported_job) (tollgate_job_interval_seconds)',
          },
        },
        { title: 'Queues', queries: { '{{queue}} {{state}}': 'max by (queue, state) (bullmq_job_count)' } },
      ],
    },
  },
  usage: {
    title: 'Tollgate usage and delivery',
    description: 'Counting usage, and what customers are sent.',
    rows: {
      Usage: [
        { title: 'Usage not counted yet', unit: 's', queries: { lag: 'max(tollgate_usage_lag_seconds)' } },
        {
          title: 'Usage not exported yet',
          unit: 's',
          queries: { lag: 'max(tollgate_usage_export_lag_seconds)' },
        },
        {
          title: 'Usage missing in the export',
          queries: { frames: 'sum(increase(tollgate_usage_export_missing_frames_total[$__range]))' },
        },
        {
          title: 'Lost usage',
          unit: 's',
          queries: {
            '{{instance}}': 'sum by (instance) (increase(tollgate_usage_frames_dropped_total[$__range]))',
          },
        },
        {
          title: 'Gaps in recorded traffic',
          queries: {
            'decisions dropped by {{instance}}':
              'sum by (instance) (increase(tollgate_traffic_decisions_dropped_total[$__range]))',
            'gaps: {{reason}}': 'sum by (reason) (increase(tollgate_traffic_gaps_total[$__range]))',
          },
        },
        {
          title: 'Unreadable stream entries',
          queries: { '{{stream}}': 'max by (stream) (tollgate_stream_rejects_total)' },
        },
        {
          title: 'Lost log lines',
          queries: {
            '{{instance}}': 'sum by (instance) (increase(tollgate_log_lines_dropped_total[$__range]))',
            'write errors {{instance}}':
              'sum by (instance) (increase(tollgate_log_write_errors_total[$__range]))',
          },
        },
      ],
      Delivery: [
        {
          title: 'Webhook attempts',
          unit: 'ops',
          queries: { '{{outcome}}': rate('tollgate_webhook_deliveries_total', 'outcome') },
        },
        {
          title: 'Oldest due webhook',
          unit: 's',
          queries: { waiting: 'max(tollgate_webhook_oldest_pending_seconds)' },
        },
        {
          title: 'Oldest due mail',
          unit: 's',
          queries: { waiting: 'max(tollgate_mail_oldest_pending_seconds)' },
        },
        { title: 'Purchases to review', queries: { purchases: 'max(tollgate_purchases_awaiting_operator)' } },
      ],
    },
  },
};

function panelOf({ title, unit = 'short', queries, stat: isStat = false, goodFrom }) {
  const panel = isStat
    ? new stat.PanelBuilder().span(4).height(4)
    : new timeseries.PanelBuilder().span(8).height(7);
  panel.title(title).datasource(DATASOURCE).unit(unit);
  if (goodFrom !== undefined)
    panel.thresholds(
      new dashboards.ThresholdsConfigBuilder().mode('absolute').steps([
        { value: null, color: 'red' },
        { value: goodFrom, color: 'green' },
      ]),
    );
  for (const [i, [legend, expr]] of Object.entries(queries).entries()) {
    const query = new DataqueryBuilder().refId('ABCDEF'[i]).expr(expr).legendFormat(legend);
    panel.withTarget(isStat ? query.instant() : query.range());
  }
  return panel;
}

function build(uid, { title, description, rows }) {
  const dashboard = new dashboards.DashboardBuilder(title)
    .uid(`tollgate-${uid}`)
    .description(description)
    .tags(['tollgate'])
    .timezone('browser')
    .refresh('30s')
    .time({ from: 'now-6h', to: 'now' })
    .tooltip(dashboards.DashboardCursorSync.Crosshair)
    .link(
      new dashboards.DashboardLinkBuilder('Tollgate').type('dashboards').tags(['tollgate']).asDropdown(true),
    )
    .withVariable(
      new dashboards.DatasourceVariableBuilder('datasource').label('Data source').type('prometheus'),
    );
  for (const [name, panels] of Object.entries(rows)) {
    dashboard.withRow(new dashboards.RowBuilder(name));
    for (const panel of panels) dashboard.withPanel(panelOf(panel));
  }
  return dashboard.build();
}

/** One line per panel. */
function textOf({ panels, ...rest }) {
  const lines = panels.map((panel) => `    ${JSON.stringify(panel)}`).join(',\n');
  return `${JSON.stringify({ ...rest, panels: [] }, null, 2).replace('"panels": []', `"panels": [\n${lines}\n  ]`)}\n`;
}

const folder = path.join(ROOT, 'deploy/monitoring/dashboards');
mkdirSync(folder, { recursive: true });
for (const [uid, described] of Object.entries(DASHBOARDS))
  writeFileSync(path.join(folder, `${uid}.json`), textOf(build(uid, described)));
