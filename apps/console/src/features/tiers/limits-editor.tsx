import { ActionIcon, Button, Collapse, Group, Text, Tooltip } from '@mantine/core';
import { IconAdjustmentsHorizontal, IconGauge, IconPlus, IconTrash } from '@tabler/icons-react';
import type { LimitPolicy } from '@tollgate/contracts';
import { summarizeLimit } from '@tollgate/contracts/limit-summary';
import { useId, useState } from 'react';
import { AddButton } from '../../components/buttons.js';
import { LimitPicture } from '../../components/limit-picture.js';
import { LinkAnchor, LinkButton } from '../../components/links.js';
import { EmptyState, Panel } from '../../components/page.js';
import { identityOf, type LimitChange } from '../../lib/limit-diff.js';
import { ruleOf, type StoredLimit, withRule } from '../../lib/limit-fields.js';
import { plural } from '../../lib/number-format.js';
import { formatAmount } from '../../lib/rate.js';
import { AddLimits } from './add-limits.js';
import type { ApiChoice, LintFinding } from './api.js';
import { fieldId, type LimitRow, type RowErrors, type useLimitEdits } from './limit-edits.js';
import { LimitForm, RowFindings } from './limit-form.js';
import { RateInput } from './rule-fields.js';
import classes from './tiers.module.css';

const coverageOf = ({ operations }: LimitPolicy): string => operations.join(', ') || 'all operations';

interface ReadOnlyLimitProps {
  policy: LimitPolicy;
  kind: 'removed' | 'inherited';
  /** Behind its name. */
  note: string;
  summary: string;
  action: 'Keep' | 'Override';
  /** Left out where the viewer cannot edit. */
  onAction: (() => void) | undefined;
}

/** A limit that is not the tier's: removed by the edits, or inherited from a default of its API. */
function ReadOnlyLimit({ policy, kind, note, summary, action, onAction }: ReadOnlyLimitProps) {
  const isRemoved = kind === 'removed';
  const Text = isRemoved ? 'del' : 'span';
  return (
    <li className={classes.row} data-kind={kind} data-changed={isRemoved || undefined}>
      <div className={classes.rowLine}>
        <div className={classes.rowName}>
          <Text className={classes.operations}>{coverageOf(policy)}</Text>
          <span className={classes.name}>
            {policy.name}, {note}
          </span>
        </div>
        <Text className={isRemoved ? classes.rowRate : classes.inheritedRate}>
          {formatAmount(ruleOf(policy))}
        </Text>
        <Text className={classes.sentence}>{summary}</Text>
        <div className={classes.rowActions}>
          {onAction && (
            <Button
              variant="default"
              size="compact-sm"
              onClick={onAction}
              aria-label={`${action} ${policy.name} of ${policy.api}`}
            >
              {action}
            </Button>
          )}
        </div>
      </div>
    </li>
  );
}

interface LimitRowItemProps {
  row: LimitRow;
  editor: ReturnType<typeof useLimitEdits>;
  apis: readonly ApiChoice[];
  /** Undefined for a limit without edits. */
  change: LimitChange | undefined;
  /** Of the stored limit. */
  findings: readonly LintFinding[];
  editable: boolean;
}

/** One limit: its rate, editable in place, and its collapsed details. */
export function LimitRowItem(props: LimitRowItemProps) {
  const { row, editor, apis, change, findings, editable } = props;
  const { rowId, policy, summary } = row;
  const errors = editor.errors.get(rowId);
  const [wantsOpen, setWantsOpen] = useState(false);
  const formId = useId();
  const named = `${policy.name} of ${policy.api}`;
  // Messages on hidden fields would never be found.
  const open = wantsOpen || hasHiddenErrors(errors);
  const edit = (next: LimitPolicy) => editor.dispatch({ type: 'change', rowId, policy: next });
  const remove = () => editor.dispatch({ type: 'remove', rowId });
  return (
    <li className={classes.row} data-changed={change !== undefined || undefined}>
      <div className={classes.rowLine}>
        <div className={classes.rowName}>
          <span className={classes.operations}>{coverageOf(policy)}</span>
          <span className={classes.name}>{policy.name}</span>
        </div>
        <div className={classes.rowRate}>
          <RateInput
            rule={ruleOf(policy)}
            onRule={(rule) => edit(withRule(policy, rule))}
            onProblem={(message) => editor.setProblem(fieldId(rowId, 'limit'), message)}
            onUnlimited={remove}
            id={fieldId(rowId, 'limit')}
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
            <ActionIcon onClick={remove} disabled={!editable} aria-label={`Remove ${named}`} size="lg">
              <IconTrash size={17} stroke={1.7} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </div>
      </div>
      {errors?.row && (
        <Text
          id={fieldId(rowId, 'row')}
          tabIndex={-1}
          c="var(--mantine-color-error)"
          size="sm"
          px="md"
          pb="sm"
          role="alert"
        >
          {errors.row}
        </Text>
      )}
      <RowFindings findings={findings} />
      <Collapse expanded={open} id={formId}>
        <LimitPicture policy={policy} />
        <LimitForm
          rowId={rowId}
          policy={policy}
          published={change ? change.before : policy}
          apis={apis}
          errors={errors}
          editable={editable}
          onChange={edit}
          onProblem={editor.setProblem}
        />
      </Collapse>
    </li>
  );
}

function hasHiddenErrors(errors: RowErrors | undefined): boolean {
  return Object.keys(errors ?? {}).some((field) => !['limit', 'windowMs', 'row'].includes(field));
}

interface LimitsEditorProps {
  editor: ReturnType<typeof useLimitEdits> & { changes: readonly LimitChange[] };
  /** Limits that the tier has from defaults. */
  inherited: readonly StoredLimit[];
  /** Lint findings by limit. */
  findings: ReadonlyMap<string, readonly LintFinding[]>;
  apis: readonly ApiChoice[];
  editable: boolean;
}

/** The limits of a tier by API, editable in place. */
export function LimitsEditor({ editor, inherited, findings, apis, editable }: LimitsEditorProps) {
  const { rows, policies, changes } = editor;
  const fromAddress = apis.find(({ key }) => key === window.location.hash.slice(1));
  // An empty key: the user selects the API.
  const [adding, setAdding] = useState(editable && fromAddress ? fromAddress.key : undefined);
  const removed = changes.flatMap(({ kind, before }) => (kind === 'removed' && before ? [before] : []));
  const own = new Set([...policies, ...removed].map(identityOf));
  const fromDefaults = inherited.filter(({ policy }) => !own.has(identityOf(policy)));
  const shown = [...policies, ...removed, ...fromDefaults.map(({ policy }) => policy)];
  const apiKeys = [...new Set(shown.map((limit) => limit.api))];
  const addPolicy = (policy: LimitPolicy) => editor.dispatch({ type: 'add', policy });
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
        apis.length > 0 && (
          <AddButton
            permission="tiers:write"
            variant="default"
            disabled={!editable}
            onClick={() => setAdding('')}
          >
            Add limits
          </AddButton>
        )
      }
    >
      {adding !== undefined && (
        <AddLimits
          key={adding}
          apis={apis}
          apiKey={adding}
          existing={policies}
          onAdd={addPolicy}
          onClose={() => setAdding(undefined)}
        />
      )}
      {apiKeys.length === 0 && adding === undefined && <NoLimits hasApis={apis.length > 0} />}
      {apiKeys.map((apiKey) => {
        const api = apis.find(({ key }) => key === apiKey);
        return (
          <section key={apiKey} className={classes.group} aria-label={api?.name ?? apiKey}>
            <Group justify="space-between" px={16} py={8} fz="sm" fw={600} className={classes.groupHead}>
              <LinkAnchor to="/apis/$apiKey" params={{ apiKey }} c="inherit">
                {api?.name ?? apiKey}
              </LinkAnchor>
              {api && editable && (
                <Button
                  variant="subtle"
                  color="gray"
                  size="compact-xs"
                  leftSection={<IconPlus size={13} aria-hidden />}
                  aria-label={`Add limits to ${api.name}`}
                  onClick={() => setAdding(api.key)}
                >
                  Add
                </Button>
              )}
            </Group>
            <ul className="tg-list">
              {rows
                .filter(({ policy }) => policy.api === apiKey)
                .map((row) => {
                  const identity = identityOf(row.policy);
                  const change = changes.find((one) => identityOf(one) === identity);
                  return (
                    <LimitRowItem
                      key={row.rowId}
                      row={row}
                      editor={editor}
                      apis={apis}
                      change={change}
                      findings={change ? [] : (findings.get(identity) ?? [])}
                      editable={editable}
                    />
                  );
                })}
              {removed
                .filter((policy) => policy.api === apiKey)
                .map((policy) => (
                  <ReadOnlyLimit
                    key={policy.name}
                    policy={policy}
                    kind="removed"
                    note="removed"
                    summary={summarizeLimit(policy)}
                    action="Keep"
                    onAction={() => addPolicy(policy)}
                  />
                ))}
              {fromDefaults
                .filter(({ policy }) => policy.api === apiKey)
                .map(({ id, policy, summary }) => (
                  <ReadOnlyLimit
                    key={id}
                    policy={policy}
                    kind="inherited"
                    note="API default"
                    summary={summary}
                    action="Override"
                    onAction={editable ? () => addPolicy(policy) : undefined}
                  />
                ))}
            </ul>
          </section>
        );
      })}
    </Panel>
  );
}

function NoLimits({ hasApis }: { hasApis: boolean }) {
  return (
    <EmptyState
      icon={IconGauge}
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
