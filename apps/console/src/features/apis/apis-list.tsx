import { Group, Text } from '@mantine/core';
import { coversApi } from '@tollgate/contracts/limit-scope';
import { DataTable } from '../../components/data-table.js';
import { LinkAnchor } from '../../components/links.js';
import { KeyText } from '../../components/marks.js';
import { EmptyText, Panel } from '../../components/page.js';
import type { ApisQuery, UnknownOperations } from '../../generated/graphql.js';
import { ruleOf } from '../../lib/limit-fields.js';
import { formatAmount } from '../../lib/rate.js';
import type { TierOnApi } from './api.js';
import classes from './apis.module.css';

export const UNKNOWN_OPERATIONS: Record<UnknownOperations, string> = {
  COUNT: 'Counted',
  ALLOW: 'Allowed',
  REFUSE: 'Denied',
};

type ApiInList = ApisQuery['apis']['nodes'][number];

export function ApisList({ apis }: { apis: readonly ApiInList[] }) {
  return (
    <DataTable label="APIs" columns={['API', 'Operations and cost', 'Unregistered operations']}>
      {apis.map((api) => (
        <tr key={api.id}>
          <th scope="row">
            <LinkAnchor to="/apis/$apiKey" params={{ apiKey: api.key }} c="inherit" fw={500}>
              {api.name}
            </LinkAnchor>
            <br />
            <KeyText c="dimmed">{api.key}</KeyText>
          </th>
          <td>
            <Group gap="4px 6px">
              {api.operations.map(({ id, name, cost }) => (
                <span key={id} className={classes.chip}>
                  {name}
                  {cost !== 1 && <span className="tg-soft">cost {String(cost)}</span>}
                </span>
              ))}
              {api.operations.length === 0 && (
                <Text span c="dimmed" size="sm">
                  none yet
                </Text>
              )}
            </Group>
          </td>
          <td>{UNKNOWN_OPERATIONS[api.unknownOperations]}</td>
        </tr>
      ))}
    </DataTable>
  );
}

export function ApiLimits({ apiKey, tiers }: { apiKey: string; tiers: readonly TierOnApi[] }) {
  const rows = tiers
    .toSorted((a, b) => a.rank - b.rank)
    .flatMap((tier) =>
      (tier.published?.limits ?? [])
        .filter((limit) => coversApi(limit.policy, apiKey))
        .map((limit) => ({ tier, limit })),
    );
  return (
    <Panel title="Limits by tier" flush>
      {rows.length === 0 ? (
        <EmptyText>No tier limits this API. Select “Add limits” above.</EmptyText>
      ) : (
        <DataTable label="Limits by tier" columns={['Tier', 'Operations', 'Limit', 'Meaning']}>
          {rows.map(({ tier, limit }) => (
            <tr key={limit.id}>
              <th scope="row">
                <LinkAnchor to="/tiers/$tierKey" params={{ tierKey: tier.key }} c="inherit">
                  {tier.name}
                </LinkAnchor>
              </th>
              <td>{limit.policy.operations.join(', ') || 'all operations'}</td>
              <td style={{ whiteSpace: 'nowrap', fontWeight: 500 }}>{formatAmount(ruleOf(limit.policy))}</td>
              <td>
                <Text span size="sm" c="dimmed" style={{ display: 'block', minWidth: 220 }}>
                  {limit.summary}
                </Text>
              </td>
            </tr>
          ))}
        </DataTable>
      )}
    </Panel>
  );
}
