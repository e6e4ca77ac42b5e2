import { DataTable, NumericCell } from '../../../components/data-table.js';
import { LinkAnchor } from '../../../components/link.js';
import { formatAgo, formatMoment } from '../../../lib/time-format.js';
import type { ChangeSetInList } from '../api/change-sets.js';
import { StatusBadge } from './status-badge.js';

/** Change sets with how far each has come. */
export function ChangeSetsTable({ sets }: { sets: readonly ChangeSetInList[] }) {
  return (
    <DataTable
      label="Change sets"
      columns={[
        { name: 'Change set' },
        { name: 'Status' },
        { name: 'Changes', numeric: true },
        { name: 'Author' },
        { name: 'Created' },
      ]}
    >
      {sets.map(({ id, title, status, items, author, createdAt }) => (
        <tr key={id}>
          <th scope="row">
            <LinkAnchor to="/change-sets/$changeSetId" params={{ changeSetId: id }} c="inherit">
              {title}
            </LinkAnchor>
          </th>
          <td>
            <StatusBadge status={status} />
          </td>
          <NumericCell>{items.length}</NumericCell>
          <td>{author}</td>
          <td>
            <time dateTime={createdAt} title={formatMoment(createdAt)}>
              {formatAgo(createdAt)}
            </time>
          </td>
        </tr>
      ))}
    </DataTable>
  );
}
