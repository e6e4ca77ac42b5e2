import { Alert, Select, Tabs, Text } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { wordsOfName } from '@tollgate/contracts/limit-title';
import { type ReactNode, useState } from 'react';
import { CopyBlock } from '../../components/copy.js';
import { Panel } from '../../components/page.js';
import { callsOf } from './answer-headers.js';
import type { PortalTenant } from './api.js';
import { decisionUrlQuery } from './api.js';
import classes from './portal.module.css';
import { KEY_PLACEHOLDER, SNIPPETS, snippetOf, URL_PLACEHOLDER } from './snippets.js';

const NAME_TEXT = {
  curl: 'cURL',
  express: 'Express',
  nginx: 'nginx',
  node: 'Node',
  sdk: 'Node with the SDK',
} as const;

interface QuickStartProps {
  tenant: PortalTenant;
  /** A key created on this page. */
  issued: { name: string; key: string } | undefined;
  createKey: ReactNode;
}

/** Steps to a first request, with the tenant's key and names. */
export function QuickStart({ tenant, issued, createKey }: QuickStartProps) {
  const { data: decisionUrl } = useQuery(decisionUrlQuery);
  const apis = [...new Set(callsOf(tenant.effectiveLimits).map((call) => call.api))];
  const [chosenApi, setApi] = useState<string>();
  const [chosenOperation, setOperation] = useState<string>();
  const api = chosenApi ?? apis[0];
  const limits = tenant.effectiveLimits.filter(({ limit }) => limit.policy.api === api);
  const operations = [...new Set(limits.flatMap(({ limit }) => limit.policy.operations))];
  const operation = operations.find((name) => name === chosenOperation) ?? operations[0] ?? 'home';
  if (api === undefined) return <Text c="dimmed">No limited APIs</Text>;
  const facts = {
    ...{ api, operation, key: issued?.key ?? KEY_PLACEHOLDER },
    decisionUrl: decisionUrl ?? URL_PLACEHOLDER,
  };
  return (
    <>
      <Panel
        title="Get a key"
        note="A key identifies you. It is shown once, and the examples below use it until you leave this page."
        actions={createKey}
      >
        {issued ? (
          <>
            <Text size="sm" mb={8}>
              The examples use {issued.name}. Save the key now; you won’t be able to see it again.
            </Text>
            <CopyBlock text={issued.key} label="Copy key" />
          </>
        ) : (
          <Text size="sm">Replace {KEY_PLACEHOLDER} in the examples with your key, or create one.</Text>
        )}
      </Panel>
      <Panel title="Choose an API">
        <div className={classes.steps}>
          <Select
            label="API"
            data={apis.map((value) => ({ value, label: wordsOfName(value) }))}
            value={api}
            onChange={(value) => {
              if (value) setApi(value);
              setOperation(undefined);
            }}
          />
          {operations.length > 0 && (
            <Select
              label="Operation"
              data={operations.map((value) => ({ value, label: wordsOfName(value) }))}
              value={operation}
              onChange={(value) => value && setOperation(value)}
            />
          )}
        </div>
      </Panel>
      <Panel title="Send a request">
        {decisionUrl === null && (
          <Alert color="ochre" mb="md" icon={<IconInfoCircle size={18} aria-hidden />}>
            Replace {URL_PLACEHOLDER} with the address of the decision API.
          </Alert>
        )}
        <Tabs defaultValue="curl" keepMounted={false}>
          <Tabs.List mb="md" aria-label="Example" style={{ flexWrap: 'nowrap', overflowX: 'auto' }}>
            {SNIPPETS.map((name) => (
              <Tabs.Tab key={name} value={name}>
                {NAME_TEXT[name]}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {SNIPPETS.map((name) => (
            <Tabs.Panel key={name} value={name}>
              <Text size="sm" c="dimmed" mb={10}>
                {
                  {
                    curl: 'Reads your limits. It charges nothing.',
                    express: `For a service that protects ${operation}: it checks the limit before it handles a request. The operator of this service provides the service token.`,
                    nginx: 'nginx adds the key to requests and passes on 429 responses and headers.',
                    node: `Calls ${api} with your key. Waits for Retry-After when rate limited.`,
                    sdk: 'The same with patientFetch of @tollgate/sdk: adds jitter to retries, stops when the request is aborted, and rejects long waits.',
                  }[name]
                }
              </Text>
              <CopyBlock text={snippetOf(name, facts)} label="Copy example" />
            </Tabs.Panel>
          ))}
        </Tabs>
      </Panel>
    </>
  );
}
