import { Button } from '@mantine/core';
import { IconGauge, IconPlus } from '@tabler/icons-react';
import { EmptyState } from '../../../components/empty-state.js';
import { GatedButton } from '../../../components/gated-button.js';
import { LinkAnchor, LinkButton } from '../../../components/link.js';
import { Panel } from '../../../components/page.js';
import { plural } from '../../../lib/number-format.js';
import type { ApiChoice } from '../api/tier.js';
import { identityOf, type LimitChange } from '../limit-diff.js';
import { type LimitEditAction, type LimitRow, type RowErrors, toSpec } from '../limit-edits.js';
import { newLimitFor } from '../new-limit.js';
import { LimitRowItem } from './limit-row-item.js';
import { RemovedLimit } from './removed-limit.js';
import classes from './tiers.module.css';

interface LimitsEditorProps {
  rows: readonly LimitRow[];
  apis: readonly ApiChoice[];
  changes: readonly LimitChange[];
  errors: ReadonlyMap<number, RowErrors>;
  editable: boolean;
  /** Rows up to this id came from the server; later ones were added here. */
  lastStoredRowId: number;
  dispatch: (action: LimitEditAction) => void;
  onReadable: (rowId: number, readable: boolean) => void;
}

/** The limits of a tier by API, each to be changed in place. */
export function LimitsEditor(props: LimitsEditorProps) {
  const { rows, apis, changes, errors, editable, lastStoredRowId, dispatch, onReadable } = props;
  const removed = changes.flatMap(({ kind, before }) => (kind === 'removed' && before ? [before] : []));
  const apiKeys = [...new Set([...rows, ...removed].map((limit) => limit.apiKey))];
  const names = new Map(apis.map(({ key, name }) => [key, name]));
  const add = (api: ApiChoice) => dispatch({ type: 'add', limit: newLimitFor(api, rows) });
  const firstFree = apis.find(({ key }) => !apiKeys.includes(key)) ?? apis[0];
  return (
    <Panel
      title="Limits"
      note={
        rows.length === 0
          ? undefined
          : `${plural(rows.length, 'limit')} on ${plural(new Set(rows.map((row) => row.apiKey)).size, 'API')}`
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
              .filter((row) => row.apiKey === apiKey)
              .map((row) => {
                const change = changes.find((candidate) => identityOf(candidate) === identityOf(row));
                return (
                  <LimitRowItem
                    key={row.rowId}
                    row={row}
                    apis={apis}
                    errors={errors.get(row.rowId)}
                    changed={change !== undefined}
                    editable={editable}
                    startsOpen={row.rowId > lastStoredRowId && change?.kind === 'added'}
                    onChange={(edit) => dispatch({ type: 'change', rowId: row.rowId, change: edit })}
                    onReadable={(readable) => onReadable(row.rowId, readable)}
                    onRemove={() => dispatch({ type: 'remove', rowId: row.rowId })}
                  />
                );
              })}
            {removed
              .filter((limit) => limit.apiKey === apiKey)
              .map((limit) => (
                <RemovedLimit
                  key={limit.name}
                  limit={limit}
                  onRestore={() => dispatch({ type: 'add', limit: toSpec(limit) })}
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
      aria-label={`Add a limit to ${api.name}`}
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
      title="This tier limits nothing"
      action={
        hasApis ? undefined : (
          <LinkButton to="/apis" variant="default">
            Go to APIs
          </LinkButton>
        )
      }
    >
      {hasApis
        ? 'Tenants on it may call every operation as often as they like. Add a limit to change that.'
        : 'A limit names an API. Register the first one, then come back.'}
    </EmptyState>
  );
}
