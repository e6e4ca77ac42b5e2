import { Alert, Button, Drawer, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { IconInfoCircle, IconSend } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { LimitPolicy } from '@tollgate/contracts';
import { useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { CopyBlock } from '../../components/copy.js';
import { DataTable, NumericCell, numeric } from '../../components/data-table.js';
import { Form } from '../../components/forms.js';
import { LimitPicture } from '../../components/limit-picture.js';
import { LinkAnchor } from '../../components/links.js';
import { StateDot } from '../../components/marks.js';
import { Hint, Problem } from '../../components/page.js';
import { TenantSelect } from '../../components/tenant-select.js';
import { TypedField, wholeNumbers } from '../../components/typed-field.js';
import { errorsByField } from '../../lib/graphql-request.js';
import { DECISION_REASON_TEXT } from '../../lib/labels.js';
import type { Moment } from '../../lib/limit-simulation.js';
import { useInputMutation } from '../../lib/mutation.js';
import { formatNumber, plural } from '../../lib/number-format.js';
import { formatTimeLeft } from '../../lib/time-format.js';
import { usePermission } from '../../lib/viewer.js';
import {
  TestRequestSendDocument,
  type TestResult,
  testableApisQuery,
  testableKeysQuery,
  testedLimitsQuery,
} from './api.js';
import classes from './test-request.module.css';

const PERMISSION = 'test-requests:write';
/** Maximum accepted by the server. */
const MOST_REQUESTS = 500;
/** Values to start with; the address is reserved for documentation. */
const SAMPLES: Readonly<Record<string, string>> = { ip: '192.0.2.1' };

interface TestRequestProps {
  /** Left out: the user selects a tenant. */
  tenantKey?: string;
  /** Left out: the user selects an API. */
  apiKey?: string;
  /** Public ID of the API key to start with. */
  publicId?: string;
}

/** Opens a form that sends requests to the decision API as a service would. */
export function TestRequestButton(props: TestRequestProps) {
  const [opened, setOpened] = useState(false);
  const gate = props.tenantKey === undefined ? {} : { tenantKey: props.tenantKey };
  return (
    <>
      <GatedButton
        permission={PERMISSION}
        {...gate}
        variant="default"
        leftSection={<IconSend size={15} aria-hidden />}
        onClick={() => setOpened(true)}
      >
        {props.publicId ? 'Send test' : 'Send a test request'}
      </GatedButton>
      <Drawer
        opened={opened}
        onClose={() => setOpened(false)}
        size={620}
        padding="lg"
        title={<Text fw={600}>Send a test request</Text>}
      >
        <TestRequest {...props} />
      </Drawer>
    </>
  );
}

function TestRequest(props: TestRequestProps) {
  const { data: apis } = useQuery(testableApisQuery);
  const [tenantKey, setTenantKey] = useState(props.tenantKey ?? '');
  const { data: known } = useQuery(testedLimitsQuery(tenantKey));
  const limits = known ?? [];
  const [chosenApi, setChosenApi] = useState(props.apiKey);
  const apiKey = chosenApi ?? limits[0]?.api ?? apis?.nodes[0]?.key ?? '';
  const operations = apis?.nodes.find(({ key }) => key === apiKey)?.operations ?? [];
  const [chosenOperation, setOperation] = useState<string>();
  const isOffered = operations.some(({ name }) => name === chosenOperation);
  const limited = limits.find(({ api, operations: own }) => api === apiKey && own.length > 0);
  const operation = (isOffered ? chosenOperation : limited?.operations[0]) ?? operations[0]?.name ?? '';
  const [publicId, setPublicId] = useState(props.publicId ?? '');
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const [count, setCount] = useState(1);
  const send = useInputMutation(TestRequestSendDocument, testedLimitsQuery(tenantKey).queryKey);
  const { byField, form } = errorsByField(send.error, [
    'tenantKey',
    'apiKey',
    'operation',
    'subject',
    'count',
  ]);
  const dimensions = dimensionsOf(limits, apiKey, operation).filter(
    (name) => name !== 'key' || publicId === '',
  );
  const sentAs = (dimension: string) => typed[dimension] ?? SAMPLES[dimension] ?? 'test';
  const subject = dimensions.map((dimension) => ({ dimension, value: sentAs(dimension) }));
  if (publicId !== '') subject.push({ dimension: 'key', value: publicId });
  const submit = (untilDenied: boolean) =>
    send.mutate({
      ...{ tenantKey, apiKey, operation, untilDenied },
      subject: subject.filter(({ value }) => value !== ''),
      count: untilDenied ? MOST_REQUESTS : count,
    });
  const results = send.data?.results ?? [];
  // The limits select the API and the operation to start with.
  const isComplete = known !== undefined && operation !== '';
  return (
    <Stack gap="md">
      <Form onSubmit={() => submit(false)}>
        <div className={classes.fields}>
          {!props.tenantKey && (
            <TenantSelect
              label="Tenant"
              value={tenantKey}
              onChange={setTenantKey}
              error={byField.tenantKey}
              autoFocus
            />
          )}
          {!props.apiKey && (
            <Select
              label="API"
              data={apis?.nodes.map(({ key, name }) => ({ value: key, label: name })) ?? []}
              value={apiKey || null}
              onChange={(key) => key && setChosenApi(key)}
              error={byField.apiKey}
            />
          )}
          <Select
            label="Operation"
            data={operations.map(({ name }) => name)}
            value={operation || null}
            onChange={(name) => name && setOperation(name)}
            placeholder={operations.length === 0 ? 'This API has no operations' : ''}
            error={byField.operation}
            {...(props.tenantKey ? { 'data-autofocus': true } : {})}
          />
          {tenantKey !== '' && (
            <KeySelect
              tenantKey={tenantKey}
              scope={`${apiKey}/${operation}`}
              value={publicId}
              onChange={setPublicId}
            />
          )}
          {dimensions.map((dimension) => (
            <TextInput
              key={dimension}
              label={`Value of ${dimension}`}
              value={sentAs(dimension)}
              onChange={(event) => setTyped({ ...typed, [dimension]: event.currentTarget.value })}
              error={byField.subject?.includes(`.${dimension}`) && byField.subject}
              spellCheck={false}
              autoComplete="off"
            />
          ))}
          <TypedField
            label="Requests"
            unit={wholeNumbers(1, MOST_REQUESTS)}
            value={count}
            onChange={setCount}
            error={byField.count}
          />
        </div>
        <Alert mt="sm" variant="light" color="ochre" icon={<IconInfoCircle size={18} aria-hidden />}>
          Test requests count. They use the tenant’s limits and appear in its usage and in the audit trail.
        </Alert>
        <Group gap="xs" mt="sm" justify="flex-end">
          <Button
            variant="default"
            size="sm"
            disabled={!isComplete}
            loading={send.isPending && send.variables.untilDenied === true}
            onClick={() => submit(true)}
          >
            Send until denied
          </Button>
          <Button
            type="submit"
            size="sm"
            disabled={!isComplete}
            loading={send.isPending && send.variables.untilDenied !== true}
          >
            Send
          </Button>
        </Group>
      </Form>
      <Problem title="Not sent">{form ?? (byField.subject || undefined)}</Problem>
      {results.length > 0 && <Outcome results={results} limits={limits} apiKey={apiKey} />}
    </Stack>
  );
}

/** The dimensions that the limits of an operation count by, besides the tenant. */
function dimensionsOf(limits: readonly LimitPolicy[], apiKey: string, operation: string): string[] {
  const counted = limits.filter(
    ({ api, operations }) => api === apiKey && (operations.length === 0 || operations.includes(operation)),
  );
  return [...new Set(counted.flatMap(({ per }) => per))].filter((name) => name !== 'global').sort();
}

interface KeySelectProps {
  tenantKey: string;
  /** `api/operation` of the request. */
  scope: string;
  value: string;
  onChange: (publicId: string) => void;
}

/** Selects an API key, for limits that count by key. */
function KeySelect({ tenantKey, scope, value, onChange }: KeySelectProps) {
  const { allowed } = usePermission('api-keys:read', tenantKey);
  const { data } = useQuery({ ...testableKeysQuery(tenantKey), enabled: allowed });
  const keys = data?.nodes.filter(({ revokedAt }) => revokedAt == null) ?? [];
  if (keys.length === 0) return null;
  const covers = (scopes: readonly string[]) =>
    scopes.length === 0 || scopes.includes(scope) || scopes.includes(scope.split('/')[0] ?? '');
  return (
    <Select
      label="API key"
      data={keys.map(({ name, publicId, scopes }) => ({
        value: publicId,
        label: covers(scopes) ? name : `${name}, does not cover the operation`,
        disabled: !covers(scopes),
      }))}
      value={value || null}
      onChange={(publicId) => onChange(publicId ?? '')}
      placeholder="None"
      clearable
    />
  );
}

interface OutcomeProps {
  results: readonly TestResult[];
  limits: readonly LimitPolicy[];
  apiKey: string;
}

/** The last response with its decision, and a drawing of all of them against the deciding limit. */
function Outcome({ results, limits, apiKey }: OutcomeProps) {
  const last = results.at(-1) as TestResult;
  const policy = limits.find(({ api, name }) => api === apiKey && name === last.limitName);
  const denied = results.filter(({ success }) => !success).length;
  const counts = `${plural(results.length, 'request')} sent: ${formatNumber(results.length - denied)} allowed, ${formatNumber(denied)} denied.`;
  return (
    <>
      <div className={classes.verdict} role="status">
        <span className={classes.status} data-denied={!last.success || undefined}>
          {last.status} {last.success ? 'Allowed' : 'Denied'}
        </span>
        <span>
          {DECISION_REASON_TEXT[last.reason]}
          {last.limitName && <span className="tg-soft"> by {last.limitName}</span>}
        </span>
        <Hint>
          {counts} {windowText(last)}
        </Hint>
      </div>
      {policy && (
        <div className={classes.picture}>
          <LimitPicture policy={policy} requests={results.map((result) => momentOf(result, policy.name))} />
        </div>
      )}
      {last.policies.length > 0 && (
        <DataTable label="Checked limits" columns={['Limit', 'Result', numeric('Left')]}>
          {last.policies.map(({ limitName, label, mode, success, remaining, limit }) => (
            <tr key={`${limitName}/${label}/${mode}`}>
              <th scope="row">
                {limitName} {label && <span className="tg-soft">{label}</span>}{' '}
                {mode !== 'ENFORCE' && <span className="tg-soft">{mode.toLowerCase()}</span>}
              </th>
              <td>
                <StateDot tone={success ? 'good' : 'bad'}>{success ? 'allowed' : 'denied'}</StateDot>
              </td>
              <NumericCell>
                {formatNumber(remaining)} of {formatNumber(limit)}
              </NumericCell>
            </tr>
          ))}
        </DataTable>
      )}
      <section aria-label="Response headers">
        <CopyBlock
          label="Copy response headers"
          text={[`HTTP ${last.status}`, ...last.headers.map(({ name, value }) => `${name}: ${value}`)].join(
            '\n',
          )}
        />
      </section>
      <Hint>
        <LinkAnchor to="/why" search={{ request: last.requestId }} underline="always">
          Explain {last.requestId}
        </LinkAnchor>{' '}
        · revision {last.revision}
      </Hint>
    </>
  );
}

function windowText({ resetAt, remaining, limit, retryAfter, success }: TestResult): string {
  if (limit == null || remaining == null || resetAt == null) return '';
  const left = formatTimeLeft(Math.max(0, Date.parse(resetAt) - Date.now()));
  const wait = success || retryAfter == null ? '' : ` Retry in ${formatTimeLeft(retryAfter * 1000)}.`;
  return `${formatNumber(remaining)} of ${formatNumber(limit)} left, unused again in ${left}.${wait}`;
}

/** One request in the drawing of a limit: how much of the limit was used after it. */
function momentOf({ success, delayMs, policies }: TestResult, limitName: string): Moment {
  const none: Moment = { passed: 0, beyond: 0, delayed: 0, denied: 0 };
  if (!success) return { ...none, denied: 1 };
  const state = policies.find((one) => one.limitName === limitName && !one.label && one.mode !== 'CANDIDATE');
  const used = state && state.limit > 0 ? 1 - Math.min(1, state.remaining / state.limit) : 0;
  if (delayMs > 0) return { ...none, delayed: Math.max(used, 0.02) };
  return state?.success === false ? { ...none, passed: used, beyond: 0.1 } : { ...none, passed: used };
}
