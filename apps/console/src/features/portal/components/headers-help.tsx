import { Select, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { DataTable } from '../../../components/data-table.js';
import { KeyText } from '../../../components/key-text.js';
import { Panel } from '../../../components/page.js';
import { useNow } from '../../../lib/use-now.js';
import { answerHeaders, type Call, callsOf, type HeaderPolicy, headerPolicies } from '../answer-headers.js';
import type { PortalTenant } from '../api/portal-tenant.js';
import classes from './portal.module.css';

/** What the headers of an answer say, with the tenant's own values. */
export function HeadersHelp({ tenant }: { tenant: PortalTenant }) {
  const t = useTranslations('portal');
  const now = useNow();
  const calls = new Map(callsOf(tenant.effectiveLimits).map((one) => [nameOf(one), one]));
  const [chosen, setChosen] = useState<string>();
  const [name = ''] = chosen === undefined ? calls.keys() : [chosen];
  const call = calls.get(name);
  if (call === undefined) return <Text c="dimmed">{t('nothingLimitedHint')}</Text>;
  const policies = headerPolicies(tenant.effectiveLimits, call);
  const [first] = policies;
  return (
    <>
      <Panel
        title={t('answer', { call: name })}
        actions={
          <Select
            aria-label={t('operation')}
            data={[...calls.keys()]}
            value={name}
            onChange={(value) => value && setChosen(value)}
            allowDeselect={false}
            searchable
            w={260}
          />
        }
      >
        {first ? (
          <HeaderLines headers={answerHeaders(policies, now)} status="200" />
        ) : (
          <Text size="sm">{t('h_noCounters')}</Text>
        )}
      </Panel>
      {first && (
        <>
          <Panel flush>
            <Parts policy={first} now={now} />
          </Panel>
          <Panel title={t('refusedAnswer', { name: first.name })}>
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
  const t = useTranslations('portal');
  const { name, limit, window, remaining, reset } = policy;
  const left = Math.max(0, Math.ceil((reset - now) / 1_000));
  const rows = [
    ['RateLimit-Policy', t('h_policy'), ''],
    [`"${name}"`, t('h_name'), name],
    [`q=${limit}`, t('h_q'), String(limit)],
    ...(window >= 1
      ? [[`w=${window}`, t('h_w'), t('secondsWindow', { seconds: String(Math.round(window)) })]]
      : []),
    ['RateLimit', t('h_state'), ''],
    [`r=${remaining}`, t('h_r'), String(remaining)],
    [`t=${left}`, t('h_t'), t('secondsWindow', { seconds: String(left) })],
    ['Retry-After', t('h_retry'), ''],
  ] as const;
  const columns = [{ name: t('part') }, { name: t('means') }, { name: t('value'), numeric: true }];
  return (
    <DataTable label={t('headers')} columns={columns}>
      {rows.map(([part, means, value]) => (
        <tr key={means}>
          <th scope="row">
            <KeyText style={{ whiteSpace: 'nowrap' }}>{part ?? ''}</KeyText>
          </th>
          <td>{means}</td>
          <td className="tg-number" style={{ textAlign: 'right', whiteSpace: 'nowrap' }}>
            {value}
          </td>
        </tr>
      ))}
    </DataTable>
  );
}
