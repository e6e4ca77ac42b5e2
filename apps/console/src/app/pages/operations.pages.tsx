import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Page, QueryFallback } from '../../components/page.js';
import { settingsQuery } from '../../features/installation/api.js';
import { SettingsForm } from '../../features/installation/settings-form.js';
import { JobsTable } from '../../features/jobs/jobs-table.js';
import { followChange } from '../../features/nodes/follow-change.js';
import { NodesTable, RecentPropagation } from '../../features/nodes/nodes-table.js';
import { NoticesPanel } from '../../features/notices/notices-panel.js';
import { RevisionDiff } from '../../features/revisions/revision-diff.js';
import { RevisionsTable, RollbackDialog } from '../../features/revisions/revisions-table.js';
import { formatNumber } from '../../lib/number-format.js';

export function NodesPage() {
  return (
    <Page
      title="Nodes"
      description="Processes that decide requests. Each node applies new revisions automatically and acknowledges them."
    >
      <NodesTable />
      <RecentPropagation />
    </Page>
  );
}

const route = getRouteApi('/shell/revisions');

export function RevisionsPage() {
  const { from, to, catalogue = false } = route.useSearch();
  const navigate = useNavigate({ from: '/revisions' });
  const [target, setTarget] = useState<{ toRevision: number; expectedRevision: number }>();
  const filter = catalogue ? { catalogue } : {};
  return (
    <Page title="Revisions" description="Published policy revisions. Compare two, or roll back to one.">
      <RevisionsTable
        catalogueOnly={catalogue}
        onCatalogueOnly={(only) => void navigate({ search: only ? { catalogue: true } : {}, replace: true })}
        onCompare={(a, b) => void navigate({ search: { ...filter, from: a, to: b } })}
        onRollback={(toRevision, expectedRevision) => setTarget({ toRevision, expectedRevision })}
      />
      {from !== undefined && to !== undefined && (
        <RevisionDiff
          from={from}
          to={to}
          onChange={(a, b) => void navigate({ search: { ...filter, from: a, to: b }, replace: true })}
          onClose={() => void navigate({ search: filter })}
        />
      )}
      {target && (
        <RollbackDialog
          {...target}
          onClose={() => setTarget(undefined)}
          onDone={(changeId) => {
            setTarget(undefined);
            followChange(changeId, `Rolled back to revision ${formatNumber(target.toRevision)}`);
          }}
        />
      )}
    </Page>
  );
}

const jobsRoute = getRouteApi('/shell/jobs');

export function JobsPage() {
  const { state } = jobsRoute.useSearch();
  const navigate = useNavigate({ from: '/jobs' });
  return (
    <Page
      title="Jobs"
      description="Background jobs of the control plane: publications, mails, webhooks, renewals, usage."
    >
      <JobsTable
        state={state}
        onState={(only) =>
          void navigate({ search: only === undefined ? {} : { state: only }, replace: true })
        }
      />
    </Page>
  );
}

export function CompanyPage() {
  const query = useQuery(settingsQuery);
  return (
    <Page title="Company and brand" description="How this installation presents itself to customers.">
      {query.data ? (
        <SettingsForm key={query.data.version} settings={query.data} />
      ) : (
        <QueryFallback query={query} rows={6} framed />
      )}
    </Page>
  );
}

const noticesRoute = getRouteApi('/shell/notices');

export function NoticesPage() {
  const { alarms = false } = noticesRoute.useSearch();
  const navigate = useNavigate({ from: '/notices' });
  return (
    <Page title="Notices" description="Reached limits, payments and offline nodes.">
      <NoticesPanel
        onlyAlarms={alarms}
        onOnlyAlarms={(only) => void navigate({ search: only ? { alarms: true } : {}, replace: true })}
      />
    </Page>
  );
}
