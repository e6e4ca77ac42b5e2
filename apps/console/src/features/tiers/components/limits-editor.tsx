import { Button } from '@mantine/core';
import { IconGauge, IconPlus } from '@tabler/icons-react';
import { GatedButton } from '../../../components/buttons.js';
import { LinkAnchor, LinkButton } from '../../../components/links.js';
import { EmptyState, Panel } from '../../../components/page.js';
import type { StoredLimit } from '../../../lib/limit-fields.js';
import { plural } from '../../../lib/number-format.js';
import type { ApiChoice } from '../api/tier.js';
import type { LintFinding } from '../api/tier-lint.js';
import { identityOf, type LimitChange } from '../limit-diff.js';
import type { LimitEditAction, LimitRow, RowErrors } from '../limit-edits.js';
import { newLimitFor } from '../new-limit.js';
import { InheritedLimit } from './inherited-limit.js';
import { LimitRowItem, type TypedInput } from './limit-row-item.js';
import { RemovedLimit } from './removed-limit.js';
import classes from './tiers.module.css';

interface LimitsEditorProps {
  rows: readonly LimitRow[];
  /** Limits that the tier has from defaults. */
  inherited?: readonly StoredLimit[];
  /** What is wrong or doubtful in what is stored, by the limit that it is about. */
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
