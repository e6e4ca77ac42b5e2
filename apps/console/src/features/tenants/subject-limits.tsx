import { Autocomplete, Button, Collapse, Drawer, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { Form } from '../../components/forms.js';
import { LimitLadder } from '../../components/limit-ladder.js';
import { LinkAnchor } from '../../components/links.js';
import { KeyText, StateDot } from '../../components/marks.js';
import { EmptyText, Hint, QueryFallback } from '../../components/page.js';
import { DIMENSIONS, ruleOf } from '../../lib/limit-fields.js';
import { formatAmount } from '../../lib/rate.js';
import type { TenantDetail } from './api.js';
import { type SubjectLimitDetail, type SubjectValue, subjectLimitsQuery } from './subject-limits-api.js';
import classes from './tenants.module.css';

interface SubjectLimitsProps {
  tenant: TenantDetail;
  onClose: () => void;
}

/** Asks for a value of a dimension and shows the limits of its requests. */
export function SubjectLimits({ tenant, onClose }: SubjectLimitsProps) {
  const counted = tenant.effectiveLimits.flatMap(({ limit }) => limit.policy.per);
  const [dimension, setDimension] = useState(counted.find((name) => name !== 'global') ?? 'user');
  const [value, setValue] = useState('');
  const [subject, setSubject] = useState<SubjectValue>();
  const isComplete = dimension.trim() !== '' && value.trim() !== '';
  return (
    <Drawer opened onClose={onClose} size="lg" title={`Limits of a subject of ${tenant.name}`}>
      <Form onSubmit={() => isComplete && setSubject({ dimension: dimension.trim(), value: value.trim() })}>
        <Group align="end" grow preventGrowOverflow={false} wrap="nowrap">
          <Autocomplete
            label="Dimension"
            data={[...new Set([...DIMENSIONS, ...counted])].filter((name) => name !== 'global')}
            filter={({ options }) => options}
            value={dimension}
            onChange={setDimension}
          />
          <TextInput
            label="Value"
            data-autofocus
            spellCheck={false}
            autoComplete="off"
            value={value}
            onChange={({ currentTarget }) => setValue(currentTarget.value)}
          />
          <Button type="submit" size="sm" flex="none" disabled={!isComplete}>
            Show limits
          </Button>
        </Group>
      </Form>
      {subject ? (
        <Result tenant={tenant} subject={subject} />
      ) : (
        <Hint>
          Shows each limit as nodes apply it to one user, key or address, with the rule that changes it.
        </Hint>
      )}
    </Drawer>
  );
}

function Result({ tenant, subject }: { tenant: TenantDetail; subject: SubjectValue }) {
  const query = useQuery(subjectLimitsQuery(tenant.key, subject));
  return (
    <Stack mt="md" gap="sm">
      <QueryFallback query={query} rows={3} />
      {query.data?.length === 0 && <EmptyText>This tenant has no limits.</EmptyText>}
      <ul className="tg-list">
        {query.data?.map((limit) => (
          <SubjectLimit
            key={`${limit.effective.limit.policy.api} ${limit.effective.limit.policy.name}`}
            limit={limit}
            tenant={tenant}
          />
        ))}
      </ul>
    </Stack>
  );
}

const ACCESS = {
  LIMITED: undefined,
  EXEMPT: { tone: 'good', text: 'Exempt' },
  DENIED: { tone: 'bad', text: 'Denied' },
} as const;

interface SubjectLimitProps {
  limit: SubjectLimitDetail;
  tenant: TenantDetail;
}

function SubjectLimit({ limit: { effective, access, rule }, tenant }: SubjectLimitProps) {
  const [open, setOpen] = useState(false);
  const ladderId = useId();
  const { policy } = effective.limit;
  const { tier, tierVersion } = tenant.subscription;
  const state = ACCESS[access];
  return (
    <li className={classes.subjectLimit}>
      <div className={classes.limitTitle}>
        {state ? (
          <StateDot tone={state.tone}>{state.text}</StateDot>
        ) : (
          <span className={classes.limitRate}>{formatAmount(ruleOf(policy))}</span>
        )}
        <span>
          {policy.name} <span className="tg-soft">{policy.api}</span>
        </span>
        {!state && (
          <Button
            size="compact-xs"
            variant={rule ? 'light' : 'default'}
            rightSection={
              <IconChevronDown size={12} aria-hidden className={open ? classes.turned : undefined} />
            }
            aria-expanded={open}
            aria-controls={ladderId}
            aria-label={`How ${policy.name}, ${policy.api} was calculated`}
            onClick={() => setOpen(!open)}
          >
            {rule ? 'from subject rule' : 'as for all subjects'}
          </Button>
        )}
      </div>
      {rule && (
        <Text size="sm" c="dimmed" mt={2}>
          {rule.tenant ? (
            <LinkAnchor to="/tenants/$tenantKey/exceptions" params={{ tenantKey: tenant.key }}>
              Rule
            </LinkAnchor>
          ) : (
            <LinkAnchor to="/subject-rules">Rule for all tenants</LinkAnchor>
          )}{' '}
          for {rule.dimension} <KeyText>{rule.pattern}</KeyText>
          {rule.reason && `: “${rule.reason}”`}
        </Text>
      )}
      <Collapse expanded={open} id={ladderId}>
        <LimitLadder
          {...effective}
          policy={policy}
          tenantKey={tenant.key}
          tier={{ ...tier, version: tierVersion.number }}
          timeZone={tenant.timeZone}
        />
      </Collapse>
    </li>
  );
}
