import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Page } from '../../components/page.js';
import { NoticesPanel } from '../../features/notices/components/notices-panel.js';

const route = getRouteApi('/shell/notices');

/** What happened that somebody should know. */
export function NoticesPage() {
  const { alarms = false } = route.useSearch();
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
