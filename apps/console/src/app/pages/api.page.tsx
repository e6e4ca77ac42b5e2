import { Badge, Text } from '@mantine/core';
import { IconApi, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { DataTable, NumericCell } from '../../components/data-table.js';
import { EmptyState } from '../../components/empty-state.js';
import { Failure } from '../../components/failure.js';
import { GatedButton } from '../../components/gated-button.js';
import { KeyText } from '../../components/key-text.js';
import { LinkButton } from '../../components/link.js';
import { Page, PageSkeleton, Panel } from '../../components/page.js';
import { apiQuery } from '../../features/apis/api/api.js';
import { ApiLimits } from '../../features/apis/components/api-limits.js';
import { OperationCreate } from '../../features/apis/components/operation-create.js';
import { UNKNOWN_OPERATIONS } from '../../features/apis/components/unknown-operations.js';
import type { ApiQuery } from '../../generated/graphql.js';
import { formatNumber } from '../../lib/number-format.js';

const route = getRouteApi('/shell/apis/$apiKey');
const PARENT = { label: 'APIs', to: '/apis' } as const;

/** One API: its operations, and what the tiers allow on it. */
export function ApiPage() {
  const { apiKey } = route.useParams();
  const { data, error, refetch } = useQuery(apiQuery(apiKey));
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <PageSkeleton />;
  const { api, tiers } = data;
  if (!api) return <NoSuchApi apiKey={apiKey} />;
  return (
    <Page
      title={api.name}
      parent={PARENT}
      marks={
        <Badge color="gray">
          unknown operations: {UNKNOWN_OPERATIONS[api.unknownOperations].toLowerCase()}
        </Badge>
      }
      description={
        <>
          {api.description && `${api.description} `}
          <KeyText>{api.key}</KeyText>
        </>
      }
    >
      <Operations api={api} />
      <ApiLimits apiKey={api.key} tiers={tiers} />
    </Page>
  );
}

function Operations({ api }: { api: NonNullable<ApiQuery['api']> }) {
  const [adding, setAdding] = useState(false);
  const addButton = (
    <GatedButton
      permission="apis:write"
      variant="default"
      leftSection={<IconPlus size={15} aria-hidden />}
      onClick={() => setAdding(true)}
    >
      Add operation
    </GatedButton>
  );
  return (
    <Panel title="Operations" flush actions={addButton}>
      {api.operations.length === 0 ? (
        <Text c="dimmed" size="sm" p="md">
          None yet. Limits can still cover the API as a whole.
        </Text>
      ) : (
        <DataTable
          label="Operations"
          columns={[{ name: 'Operation' }, { name: 'Description' }, { name: 'Cost', numeric: true }]}
        >
          {api.operations.map(({ id, name, description, cost }) => (
            <tr key={id}>
              <th scope="row">
                <KeyText>{name}</KeyText>
              </th>
              <td>{description || <span style={{ color: 'var(--tg-text-soft)' }}>–</span>}</td>
              <NumericCell>{formatNumber(cost)}</NumericCell>
            </tr>
          ))}
        </DataTable>
      )}
      {adding && <OperationCreate api={api} opened onClose={() => setAdding(false)} />}
    </Panel>
  );
}

function NoSuchApi({ apiKey }: { apiKey: string }) {
  return (
    <Page title="No such API" parent={PARENT}>
      <EmptyState
        icon={<IconApi size={30} stroke={1.5} aria-hidden />}
        title={`There is no API “${apiKey}”`}
        action={
          <LinkButton to="/apis" variant="default">
            All APIs
          </LinkButton>
        }
      >
        Services may ask for it all the same; register it under this key to limit it.
      </EmptyState>
    </Page>
  );
}
