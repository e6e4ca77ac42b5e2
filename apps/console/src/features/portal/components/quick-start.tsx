import { Alert, Select, Tabs, Text } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslations } from 'use-intl';
import { CopyBlock } from '../../../components/copy-block.js';
import { Panel } from '../../../components/page.js';
import { callsOf } from '../answer-headers.js';
import { decisionUrlQuery } from '../api/installation.js';
import type { PortalTenant } from '../api/portal-tenant.js';
import { KEY_PLACEHOLDER, SNIPPETS, snippetOf, URL_PLACEHOLDER } from '../snippets.js';
import classes from './portal.module.css';

interface QuickStartProps {
  tenant: PortalTenant;
  /** A key that was made on this page: its name, and itself, which no later request can bring back. */
  issued: { name: string; key: string } | undefined;
  /** Makes one. */
  createKey: ReactNode;
}

/** From nothing to a request that works, with the tenant's own key and names. */
export function QuickStart({ tenant, issued, createKey }: QuickStartProps) {
  const t = useTranslations('portal');
  const { data: decisionUrl } = useQuery(decisionUrlQuery);
  const apis = [...new Set(callsOf(tenant.effectiveLimits).map((call) => call.api))];
  const [chosenApi, setApi] = useState<string>();
  const [chosenOperation, setOperation] = useState<string>();
  const api = chosenApi ?? apis[0];
  const limits = tenant.effectiveLimits.filter(({ limit }) => limit.policy.api === api);
  const operations = [...new Set(limits.flatMap(({ limit }) => limit.policy.operations))];
  const operation = operations.find((name) => name === chosenOperation) ?? operations[0] ?? 'home';
  if (api === undefined) return <Text c="dimmed">{t('noApis')}</Text>;
  const facts = {
    ...{ api, operation, key: issued?.key ?? KEY_PLACEHOLDER },
    decisionUrl: decisionUrl ?? URL_PLACEHOLDER,
  };
  return (
    <>
      <Panel title={t('step1')} note={t('step1Hint')} actions={createKey}>
        {issued ? (
          <>
            <Text size="sm" mb={8}>
              {t('keyInHand', { name: issued.name })}
            </Text>
            <CopyBlock text={issued.key} label={t('copyKey')} />
          </>
        ) : (
          <Text size="sm">{t('keyMissing', { placeholder: KEY_PLACEHOLDER })}</Text>
        )}
      </Panel>
      <Panel title={t('step2')}>
        <div className={classes.steps}>
          <Select
            label={t('api')}
            data={apis}
            value={api}
            onChange={(value) => {
              if (value) setApi(value);
              setOperation(undefined);
            }}
            allowDeselect={false}
          />
          {operations.length > 0 && (
            <Select
              label={t('operation')}
              data={operations}
              value={operation}
              onChange={(value) => value && setOperation(value)}
              allowDeselect={false}
            />
          )}
        </div>
      </Panel>
      <Panel title={t('step3')}>
        {decisionUrl === null && (
          <Alert color="ochre" mb="md" icon={<IconInfoCircle size={18} aria-hidden />}>
            {t('noDecisionUrl', { placeholder: URL_PLACEHOLDER })}
          </Alert>
        )}
        <Tabs defaultValue="curl" keepMounted={false}>
          <Tabs.List mb="md" aria-label={t('example')}>
            {SNIPPETS.map((name) => (
              <Tabs.Tab key={name} value={name}>
                {t(name)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {SNIPPETS.map((name) => (
            <Tabs.Panel key={name} value={name}>
              <Text size="sm" c="dimmed" mb={10}>
                {t(`${name}Means`, { api, operation })}
              </Text>
              <CopyBlock text={snippetOf(name, facts)} label={t('copyExample')} />
            </Tabs.Panel>
          ))}
        </Tabs>
      </Panel>
    </>
  );
}
