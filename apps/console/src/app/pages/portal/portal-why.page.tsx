import { IconHelpCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { EmptyState, Page, QueryFallback } from '../../../components/page.js';
import { explanationQuery } from '../../../features/explain/api.js';
import { WhyForm } from '../../../features/explain/decision-view.js';
import { PortalExplanation } from '../../../features/explain/portal-explanation.js';
import type { PortalTenant } from '../../../features/portal/api.js';
import { WithTenant } from './with-tenant.js';

const route = getRouteApi('/portal/$tenantKey/why');

/** Explains a request of the organization by its id. */
export function PortalWhyPage() {
  const { request = '' } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <WithTenant>
      {(tenant) => (
        <Page title="Why?" description="Why was a request allowed or denied? Paste its ID.">
          <WhyForm
            text={request}
            hint="Paste a request ID."
            onAsk={(asked) => void navigate({ search: asked ? { request: asked } : {} })}
          />
          <Explained tenant={tenant} request={request} />
        </Page>
      )}
    </WithTenant>
  );
}

function Explained({ tenant, request }: { tenant: PortalTenant; request: string }) {
  const query = useQuery(explanationQuery(tenant.key, request));
  if (request === '') {
    return (
      <EmptyState icon={IconHelpCircle} title="Every response has a request ID">
        It is in the body as <code>requestId</code>.
      </EmptyState>
    );
  }
  if (query.data === undefined) return <QueryFallback query={query} rows={5} framed />;
  if (query.data === null) {
    return (
      <EmptyState icon={IconHelpCircle} title="This request is not recorded">
        Denied requests are recorded while there are few, others are sampled. New requests appear within two
        seconds, and old ones are deleted.
      </EmptyState>
    );
  }
  return <PortalExplanation explanation={query.data} timeZone={tenant.timeZone} />;
}
