import { IconKey, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { EmptyState } from '../../components/empty-state.js';
import { Failure } from '../../components/failure.js';
import { GatedButton } from '../../components/gated-button.js';
import { Page, Panel, RowsSkeleton } from '../../components/page.js';
import { SecretModal } from '../../components/secret-modal.js';
import { useServiceTokenRevoke } from '../../features/service-tokens/api/service-token-revoke.js';
import {
  type ServiceTokenInList,
  serviceTokensQuery,
} from '../../features/service-tokens/api/service-tokens.js';
import { ServiceTokenCreate } from '../../features/service-tokens/components/service-token-create.js';
import { ServiceTokenRotate } from '../../features/service-tokens/components/service-token-rotate.js';
import { ServiceTokensTable } from '../../features/service-tokens/components/service-tokens-table.js';
import { tellFailed } from '../../lib/tell-failed.js';

/** What services show to the decision API, and scripts to GraphQL. */
export function ServiceTokensPage() {
  const t = useTranslations('serviceTokens');
  const { data, error, refetch } = useQuery(serviceTokensQuery);
  const revoke = useServiceTokenRevoke();
  const [creating, setCreating] = useState(false);
  const [rotating, setRotating] = useState<ServiceTokenInList>();
  const [issued, setIssued] = useState<string>();
  const show = (token: string) => {
    setCreating(false);
    setRotating(undefined);
    setIssued(token);
  };
  const createButton = (
    <GatedButton
      permission="service-tokens:write"
      leftSection={<IconPlus size={15} aria-hidden />}
      onClick={() => setCreating(true)}
    >
      {t('create')}
    </GatedButton>
  );
  const revokeToken = ({ id }: ServiceTokenInList) => revoke.mutate(id, { onError: tellFailed(t('failed')) });
  return (
    <Page title={t('title')} description={t('description')} actions={data && data.length > 0 && createButton}>
      <Panel flush>
        {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
        {!data && !error && <RowsSkeleton rows={3} />}
        {data?.length === 0 && (
          <EmptyState
            icon={<IconKey size={30} stroke={1.5} aria-hidden />}
            title={t('empty')}
            action={createButton}
          >
            {t('emptyHint')}
          </EmptyState>
        )}
        {data && data.length > 0 && (
          <ServiceTokensTable tokens={data} onRotate={setRotating} onRevoke={revokeToken} />
        )}
      </Panel>
      {creating && <ServiceTokenCreate onClose={() => setCreating(false)} onIssued={show} />}
      {rotating && (
        <ServiceTokenRotate token={rotating} onClose={() => setRotating(undefined)} onIssued={show} />
      )}
      {issued !== undefined && (
        <SecretModal
          title={t('secretTitle')}
          hint={t('secretHint')}
          secret={issued}
          copyLabel={t('secretCopy')}
          doneLabel={t('stored')}
          onClose={() => setIssued(undefined)}
        />
      )}
    </Page>
  );
}
