import { ActionIcon, Button, Collapse, Text, Tooltip } from '@mantine/core';
import { IconAdjustmentsHorizontal, IconGauge, IconPlus, IconTrash } from '@tabler/icons-react';
import type { LimitPolicy } from '@tollgate/contracts';
import { summarizeLimit } from '@tollgate/contracts/limit-summary';
import { useId, useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { LinkAnchor, LinkButton } from '../../components/links.js';
import { EmptyState, Panel } from '../../components/page.js';
import { ruleOf, type StoredLimit, withRule } from '../../lib/limit-fields.js';
import { plural } from '../../lib/number-format.js';
import { formatAmount } from '../../lib/rate.js';
import type { ApiChoice, LintFinding } from './api.js';
import { identityOf, type LimitChange } from './limit-diff.js';
import { type LimitEditAction, type LimitRow, newLimitFor, type RowErrors } from './limit-edits.js';
import { LimitForm, LimitPicture, RowFindings } from './limit-form.js';
import { RateInput } from './rule-fields.js';
import classes from './tiers.module.css';

interface InheritedLimitProps {
  limit: StoredLimit;
  editable: boolean;
  onOverride: () => void;
}

/** A default of the API that the tier has not replaced: shown, not the tier's to change. */
export function InheritedLimit({ limit: { policy, summary }, editable, onOverride }: InheritedLimitProps) {
  return (
    <li className={classes.row} data-inherited>
      <div className={classes.rowLine}>
        <div className={classes.rowName}>
          <span className={classes.operations}>
            {policy.operations.length === 0 ? 'all operations' : policy.operations.join(', ')}
          </span>
          <span className={classes.name}>{policy.name}, API default</span>
        </div>
        <span className={classes.inheritedRate}>{formatAmount(ruleOf(policy))}</span>
        <div className={classes.sentence}>{summary}</div>
        <div className={classes.rowActions}>
          {editable && (
            <Button
              variant="default"
              size="compact-sm"
              onClick={onOverride}
              aria-label={`Override ${policy.name} of ${policy.api}`}
            >
              Override
            </Button>
          )}
        </div>
      </div>
    </li>
  );
}

/** A limit that goes away with the next apply, and the way to keep it. */
export function RemovedLimit({ limit, onRestore }: { limit: LimitPolicy; onRestore: () => void }) {
  return (
    <li className={classes.row} data-changed data-removed>
      <div className={classes.rowLine}>
        <div className={classes.rowName}>
          <del className={classes.operations}>
            {limit.operations.length === 0 ? 'all operations' : limit.operations.join(', ')}
          </del>
          <span className={classes.name}>{limit.name}, removed</span>
        </div>
        <del className={classes.rowRate}>{formatAmount(ruleOf(limit))}</del>
        <del className={classes.sentence}>{summarizeLimit(limit)}</del>
        <div className={classes.rowActions}>
          <Button
            variant="default"
            size="compact-sm"
            onClick={onRestore}
            aria-label={`Keep ${limit.name} of ${limit.api}`}
          >
            Keep
          </Button>
        </div>
      </div>
    </li>
  );
}

/** The inputs of a row that may hold text that cannot be read. */
export type TypedInput = 'rate' | 'candidate';

interface LimitRowItemProps {
  row: LimitRow;
  apis: readonly ApiChoice[];
  errors: RowErrors | undefined;
  changed: boolean;
  /** Of the limit as it is stored. */
  findings: readonly LintFinding[];
  editable: boolean;
  /** Opens the details at once: for a limit that has just been added. */
  startsOpen: boolean;
  onChange: (policy: LimitPolicy) => void;
  onReadable: (input: TypedInput, readable: boolean) => void;
  onRemove: () => void;
}

/** One limit: its rate to be changed in place, the rest behind the details button. */
export function LimitRowItem(props: LimitRowItemProps) {
  const { row, apis, errors, changed, findings, editable, startsOpen, onChange, onReadable, onRemove } =
    props;
  const { policy, summary } = row;
  const [wantsOpen, setWantsOpen] = useState(startsOpen);
  const formId = useId();
  const what = policy.operations.length === 0 ? 'all operations' : policy.operations.join(', ');
  const named = `${policy.name} of ${policy.api}`;
  // Messages on hidden fields would never be found.
  const open = wantsOpen || hasHiddenErrors(errors);
  return (
    <li className={classes.row} data-changed={changed || undefined}>
      <div className={classes.rowLine}>
        <div className={classes.rowName}>
          <span className={classes.operations}>{what}</span>
          <span className={classes.name}>{policy.name}</span>
        </div>
        <div className={classes.rowRate}>
          <RateInput
            rule={ruleOf(policy)}
            onRule={(rule) => onChange(withRule(policy, rule))}
            onReadable={(readable) => onReadable('rate', readable)}
            error={errors?.limit ?? errors?.windowMs}
            aria-label={`Rate of ${named}`}
            size="xs"
            disabled={!editable}
            classNames={{ input: classes.rateInput ?? '' }}
          />
        </div>
        <div className={classes.sentence}>{summary ?? summarizeLimit(policy)}</div>
        <div className={classes.rowActions}>
          <Tooltip label={open ? 'Hide details' : 'Show details'}>
            <ActionIcon
              onClick={() => setWantsOpen(!open)}
              aria-expanded={open}
              aria-controls={formId}
              aria-label={`Details of ${named}`}
              size="lg"
            >
              <IconAdjustmentsHorizontal size={17} stroke={1.7} aria-hidden />
            </ActionIcon>
          </Tooltip>
          <Tooltip label="Remove limit">
            <ActionIcon onClick={onRemove} disabled={!editable} aria-label={`Remove ${named}`} size="lg">
              <IconTrash size={17} stroke={1.7} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </div>
      </div>
      {errors?.row && (
        <Text c="var(--mantine-color-error)" size="sm" px="md" pb="sm" role="alert">
          {errors.row}
        </Text>
      )}
      <RowFindings findings={findings} />
      <Collapse expanded={open} id={formId}>
        <LimitPicture policy={policy} />
        <LimitForm
          policy={policy}
          apis={apis}
          errors={errors}
          editable={editable}
          onChange={onChange}
          onReadable={(readable) => onReadable('candidate', readable)}
        />
      </Collapse>
    </li>
  );
}

function hasHiddenErrors(errors: RowErrors | undefined): boolean {
  return Object.keys(errors ?? {}).some((field) => !['limit', 'windowMs', 'row'].includes(field));
}

interface LimitsEditorProps {
  rows: readonly LimitRow[];
  /** Limits that the tier has from defaults. */
  inherited?: readonly StoredLimit[];
  /** Lint findings by limit. */
  findings?: ReadonlyMap<string, readonly LintFinding[]>;
  apis: readonly ApiChoice[];
  changes: readonly LimitChange[];
  errors: ReadonlyMap<number, RowErrors>;
  editable: boolean;
  /** Rows up to this id came from the server; later ones were added here. */
  lastStoredRowId: number;
  dispatch: (action: LimitEditAction) => void;
  onReadable: (rowId: number, input: TypedInput, readable: boolean) => void;
}

/** The limits of a tier by API, each to be changed in place. */
export function LimitsEditor(props: LimitsEditorProps) {
  const {
    rows,
    inherited = [],
    findings,
    apis,
    changes,
    errors,
    editable,
    lastStoredRowId,
    dispatch,
    onReadable,
  } = props;
  const policies = rows.map((row) => row.policy);
  const removed = changes.flatMap(({ kind, before }) => (kind === 'removed' && before ? [before] : []));
  const own = new Set([...policies, ...removed].map(identityOf));
  const fromDefaults = inherited.filter(({ policy }) => !own.has(identityOf(policy)));
  const shown = [...policies, ...removed, ...fromDefaults.map(({ policy }) => policy)];
  const apiKeys = [...new Set(shown.map((limit) => limit.api))];
  const names = new Map(apis.map(({ key, name }) => [key, name]));
  const add = (api: ApiChoice) => dispatch({ type: 'add', policy: newLimitFor(api, policies) });
  const firstFree = apis.find(({ key }) => !apiKeys.includes(key)) ?? apis[0];
  return (
    <Panel
      title="Limits"
      note={
        rows.length === 0
          ? undefined
          : `${plural(rows.length, 'limit')} on ${plural(new Set(policies.map((policy) => policy.api)).size, 'API')}`
      }
      flush
      actions={
        firstFree && (
          <GatedButton
            permission="tiers:write"
            variant="default"
            leftSection={<IconPlus size={15} aria-hidden />}
            onClick={() => add(firstFree)}
          >
            Add limit
          </GatedButton>
        )
      }
    >
      {apiKeys.length === 0 && <NoLimits hasApis={apis.length > 0} />}
      {apiKeys.map((apiKey) => (
        <section key={apiKey} className={classes.group} aria-label={names.get(apiKey) ?? apiKey}>
          <div className={classes.groupHead}>
            <LinkAnchor to="/apis/$apiKey" params={{ apiKey }} c="inherit">
              {names.get(apiKey) ?? apiKey}
            </LinkAnchor>
            <AddHere api={apis.find(({ key }) => key === apiKey)} editable={editable} onAdd={add} />
          </div>
          <ul className={classes.rows}>
            {rows
              .filter((row) => row.policy.api === apiKey)
              .map((row) => {
                const change = changes.find((candidate) => identityOf(candidate) === identityOf(row.policy));
                return (
                  <LimitRowItem
                    key={row.rowId}
                    row={row}
                    apis={apis}
                    errors={errors.get(row.rowId)}
                    changed={change !== undefined}
                    findings={change ? [] : (findings?.get(identityOf(row.policy)) ?? [])}
                    editable={editable}
                    startsOpen={row.rowId > lastStoredRowId && change?.kind === 'added'}
                    onChange={(policy) => dispatch({ type: 'change', rowId: row.rowId, policy })}
                    onReadable={(input, readable) => onReadable(row.rowId, input, readable)}
                    onRemove={() => dispatch({ type: 'remove', rowId: row.rowId })}
                  />
                );
              })}
            {removed
              .filter((limit) => limit.api === apiKey)
              .map((limit) => (
                <RemovedLimit
                  key={limit.name}
                  limit={limit}
                  onRestore={() => dispatch({ type: 'add', policy: limit })}
                />
              ))}
            {fromDefaults
              .filter(({ policy }) => policy.api === apiKey)
              .map((limit) => (
                <InheritedLimit
                  key={limit.id}
                  limit={limit}
                  editable={editable}
                  onOverride={() => dispatch({ type: 'add', policy: limit.policy })}
                />
              ))}
          </ul>
        </section>
      ))}
    </Panel>
  );
}

interface AddHereProps {
  api: ApiChoice | undefined;
  editable: boolean;
  onAdd: (api: ApiChoice) => void;
}

function AddHere({ api, editable, onAdd }: AddHereProps) {
  if (!api || !editable) return null;
  return (
    <Button
      variant="subtle"
      color="gray"
      size="compact-xs"
      leftSection={<IconPlus size={13} aria-hidden />}
      aria-label={`Add limit to ${api.name}`}
      onClick={() => onAdd(api)}
    >
      Add
    </Button>
  );
}

function NoLimits({ hasApis }: { hasApis: boolean }) {
  return (
    <EmptyState
      icon={<IconGauge size={30} stroke={1.5} aria-hidden />}
      title="No limits yet"
      action={
        hasApis ? undefined : (
          <LinkButton to="/apis" variant="default">
            Go to APIs
          </LinkButton>
        )
      }
    >
      {hasApis
        ? 'Tenants on this tier can call every operation without limit. Add a limit to change that.'
        : 'Limits apply to an API. Register one first.'}
    </EmptyState>
  );
}
