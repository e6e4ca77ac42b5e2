import { IconApi, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { EmptyState } from '../../components/empty-state.js';
import { Failure } from '../../components/failure.js';
import { GatedButton } from '../../components/gated-button.js';
import { LinkButton } from '../../components/link.js';
import { Page, Panel, RowsSkeleton } from '../../components/page.js';
import { apisQuery } from '../../features/apis/api/apis.js';
import { ApiCreate } from '../../features/apis/components/api-create.js';
import { ApisList } from '../../features/apis/components/apis-list.js';
import { DiscoveredOperations } from '../../features/apis/components/discovered-operations.js';

/** The protected services. */
export function ApisPage() {
  const texts = useTranslations('pages.apisList');
  const { data, error, refetch } = useQuery(apisQuery);
  const t = useTranslations('apis');
  const [creating, setCreating] = useState<string>();
  const navigate = useNavigate();
  const createButton = (
    <GatedButton
      permission="apis:write"
      leftSection={<IconPlus size={15} aria-hidden />}
      onClick={() => setCreating('')}
    >
      {texts('registerApi')}
    </GatedButton>
  );
  return (
    <Page
      title={texts('apis')}
      description={texts('theServicesThatAsk')}
      actions={data && data.nodes.length > 0 && createButton}
    >
      <Panel flush>
        {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
        {!data && !error && <RowsSkeleton rows={4} />}
        {data?.nodes.length === 0 && (
          <EmptyState
            icon={<IconApi size={30} stroke={1.5} aria-hidden />}
            title={texts('noApisYet')}
            action={createButton}
          >
            {texts('registerTheServiceThat')}
          </EmptyState>
        )}
        {data && data.nodes.length > 0 && <ApisList apis={data.nodes} />}
      </Panel>
      <DiscoveredOperations
        action={({ apiKey, apiKnown }) =>
          apiKnown ? (
            <LinkButton to="/apis/$apiKey" params={{ apiKey }} variant="default">
              {t('open')}
            </LinkButton>
          ) : (
            <GatedButton
              permission="apis:write"
              variant="default"
              aria-label={t('registerNamed', { api: apiKey })}
              onClick={() => setCreating(apiKey)}
            >
              {t('registerApi')}
            </GatedButton>
          )
        }
      />
      {creating !== undefined && (
        <ApiCreate
          opened
          suggestedKey={creating}
          onClose={() => setCreating(undefined)}
          onCreated={(apiKey) => void navigate({ to: '/apis/$apiKey', params: { apiKey } })}
        />
      )}
    </Page>
  );
}
