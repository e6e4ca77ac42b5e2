import { Select, Text } from '@mantine/core';
import { useState } from 'react';
import { DataTable, NumericCell, numeric } from '../../components/data-table.js';
import { KeyText } from '../../components/marks.js';
import { Panel } from '../../components/page.js';
import { useNow } from '../../lib/time-format.js';
import { answerHeaders, type Call, callsOf, type HeaderPolicy, headerPolicies } from './answer-headers.js';
import type { PortalTenant } from './api.js';
import classes from './portal.module.css';

export function HeadersHelp({ tenant }: { tenant: PortalTenant }) {
  const now = useNow();
  const calls = new Map(callsOf(tenant.effectiveLimits).map((one) => [nameOf(one), one]));
  const [chosen, setChosen] = useState<string>();
  const [name = ''] = chosen === undefined ? calls.keys() : [chosen];
  const call = calls.get(name);
  if (call === undefined) return <Text c="dimmed">You can call every operation without limit.</Text>;
  const policies = headerPolicies(tenant.effectiveLimits, call);
  const [first] = policies;
  return (
    <>
      <Panel
        title={`A response of ${name}`}
        actions={
          <Select
            aria-label="Operation"
            data={[...calls.keys()]}
            value={name}
            onChange={(value) => value && setChosen(value)}
            searchable
            w={260}
          />
        }
      >
        {first ? (
          <HeaderLines headers={answerHeaders(policies, now)} status="200" />
        ) : (
          <Text size="sm">
            All limits of this operation are tracked per user, address or another value. The headers of your
            requests have the numbers.
          </Text>
        )}
      </Panel>
      {first && (
        <>
          <Panel flush>
            <Parts policy={first} now={now} />
          </Panel>
          <Panel title={`The response when ${first.name} is exceeded`}>
            <HeaderLines headers={answerHeaders(policies, now, first)} status="429" />
          </Panel>
        </>
      )}
    </>
  );
}

const nameOf = ({ api, operation }: Call): string => (operation === null ? api : `${api}/${operation}`);

function HeaderLines({ headers, status }: { headers: Record<string, string>; status: string }) {
  return (
    <pre className={classes.header}>
      {`HTTP/1.1 ${status}\n`}
      {Object.entries(headers).map(([name, value]) => (
        <span key={name}>
          <b>{name}</b>
          {`: ${value}\n`}
        </span>
      ))}
    </pre>
  );
}

function Parts({ policy, now }: { policy: HeaderPolicy; now: number }) {
  const { name, limit, window, remaining, reset } = policy;
  const left = Math.max(0, Math.ceil((reset - now) / 1_000));
  const rows = [
    ['RateLimit-Policy', 'Limits that were checked.', ''],
    [`"${name}"`, 'Name of the limit.', name],
    [`q=${limit}`, 'Quota: units allowed per window.', String(limit)],
    ...(window >= 1 ? [[`w=${window}`, 'Window length in seconds.', `${Math.round(window)} s`]] : []),
    ['RateLimit', 'Current state of each limit.', ''],
    [`r=${remaining}`, 'Remaining units.', String(remaining)],
    [`t=${left}`, 'Seconds until reset.', `${left} s`],
    ['Retry-After', 'Only on 429: seconds to wait before the next request.', ''],
  ] as const;
  return (
    <DataTable label="Headers" columns={['Part', 'Meaning', numeric('Value')]}>
      {rows.map(([part, means, value]) => (
        <tr key={means}>
          <th scope="row">
            <KeyText style={{ whiteSpace: 'nowrap' }}>{part ?? ''}</KeyText>
          </th>
          <td>{means}</td>
          <NumericCell>{value}</NumericCell>
        </tr>
      ))}
    </DataTable>
  );
}
