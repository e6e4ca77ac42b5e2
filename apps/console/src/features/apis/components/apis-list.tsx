import { Text } from '@mantine/core';
import { DataTable } from '../../../components/data-table.js';
import { KeyText } from '../../../components/key-text.js';
import { LinkAnchor } from '../../../components/link.js';
import type { ApisQuery } from '../../../generated/graphql.js';
import classes from './apis-list.module.css';
import { UNKNOWN_OPERATIONS } from './unknown-operations.js';

type ApiInList = ApisQuery['apis']['nodes'][number];

/** Every API with its operations and what each costs. */
export function ApisList({ apis }: { apis: readonly ApiInList[] }) {
  return (
    <DataTable
      label="APIs"
      columns={[{ name: 'API' }, { name: 'Operations and cost' }, { name: 'Unregistered operations' }]}
    >
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
            <div className={classes.operations}>
              {api.operations.map(({ id, name, cost }) => (
                <span key={id} className={classes.chip}>
                  {name}
                  {cost !== 1 && <span className={classes.cost}>cost {String(cost)}</span>}
                </span>
              ))}
              {api.operations.length === 0 && (
                <Text span c="dimmed" size="sm">
                  none yet
                </Text>
              )}
            </div>
          </td>
          <td>{UNKNOWN_OPERATIONS[api.unknownOperations]}</td>
        </tr>
      ))}
    </DataTable>
  );
}
