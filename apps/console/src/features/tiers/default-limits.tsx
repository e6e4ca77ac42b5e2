import { Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { configOfPolicy } from '@tollgate/contracts';
import { useReducer, useState } from 'react';
import { GatedButton } from '../../components/buttons.js';
import { ChangeReview } from '../../components/change-review.js';
import { CarryOverChoice } from '../../components/fields.js';
import { Panel } from '../../components/page.js';
import type { CarryOver } from '../../generated/graphql.js';
import type { StoredLimit } from '../../lib/limit-fields.js';
import type { ApiChoice } from './api.js';
import { toDefaultLimitInput, useDefaultLimitsSet } from './api.js';
import { diffLimits, identityOf } from './limit-diff.js';
import {
  assignUserErrors,
  checkRows,
  NO_EDITS,
  newLimitFor,
  type RowErrors,
  reduceLimitEdits,
} from './limit-edits.js';
import { LimitRowItem } from './limits-editor.js';
import { carryOverExample } from './publish-review.js';
import { ChangeList, SaveBar } from './save-bar.js';
import classes from './tiers.module.css';

interface DefaultLimitsProps {
  api: ApiChoice & { version: number };
  limits: readonly StoredLimit[];
  editable: boolean;
  onApplied: (changeId: string | null | undefined) => void;
}

/** Edits the default limits of an API. */
export function DefaultLimits({ api, limits, editable, onApplied }: DefaultLimitsProps) {
  const [edits, dispatch] = useReducer(reduceLimitEdits, NO_EDITS, (none) =>
    reduceLimitEdits(none, { type: 'load', limits }),
  );
  const [unreadable, setUnreadable] = useState<ReadonlySet<string>>(new Set());
  const [serverErrors, setServerErrors] = useState<ReadonlyMap<number, RowErrors>>(new Map());
  const [reviewing, setReviewing] = useState(false);
  const policies = edits.rows.map(({ policy }) => policy);
  const changes = diffLimits(
    limits.map(({ policy }) => policy),
    policies,
  );
  const errors = new Map([...serverErrors, ...checkRows(edits.rows)]);
  const sound = errors.size === 0 && unreadable.size === 0;
  const change = (action: Parameters<typeof dispatch>[0]) => {
    setServerErrors(new Map());
    dispatch(action);
  };
  return (
    <>
      <Panel
        title="Default limits"
        note="Every tier inherits these unless it has a limit of the same name."
        flush
        actions={
          <GatedButton
            permission="apis:write"
            variant="default"
            disabled={!editable}
            leftSection={<IconPlus size={15} aria-hidden />}
            onClick={() => change({ type: 'add', policy: newLimitFor(api, policies) })}
          >
            Add default limit
          </GatedButton>
        }
      >
        {edits.rows.length === 0 && (
          <Text c="dimmed" size="sm" p="md">
            No defaults. Tiers without limits on this API allow everything.
          </Text>
        )}
        <ul className={classes.rows}>
          {edits.rows.map((row) => (
            <LimitRowItem
              key={row.rowId}
              row={row}
              apis={[api]}
              errors={errors.get(row.rowId)}
              changed={changes.some((one) => identityOf(one) === identityOf(row.policy))}
              findings={[]}
              editable={editable}
              startsOpen={row.rowId > limits.length}
              onChange={(policy) => change({ type: 'change', rowId: row.rowId, policy })}
              onReadable={(input, readable) =>
                setUnreadable((inputs) => withMember(inputs, `${row.rowId} ${input}`, !readable))
              }
              onRemove={() => change({ type: 'remove', rowId: row.rowId })}
            />
          ))}
        </ul>
      </Panel>
      {(changes.length > 0 || !sound) && (
        <SaveBar
          changes={changes}
          sound={sound}
          onDiscard={() => change({ type: 'load', limits })}
          onReview={() => setReviewing(true)}
        />
      )}
      {reviewing && (
        <DefaultsReview
          api={api}
          policies={policies}
          changes={changes}
          onClose={() => setReviewing(false)}
          onApplied={onApplied}
          onRefused={(userErrors) => {
            const assigned = assignUserErrors(edits.rows, userErrors);
            setServerErrors(assigned.byRow);
            if (assigned.byRow.size > 0) setReviewing(false);
          }}
        />
      )}
    </>
  );
}

interface DefaultsReviewProps {
  api: DefaultLimitsProps['api'];
  policies: Parameters<typeof toDefaultLimitInput>[0][];
  changes: ReturnType<typeof diffLimits>;
  onClose: () => void;
  onApplied: DefaultLimitsProps['onApplied'];
  onRefused: (userErrors: Parameters<typeof assignUserErrors>[1]) => void;
}

function DefaultsReview({ api, policies, changes, onClose, onApplied, onRefused }: DefaultsReviewProps) {
  const set = useDefaultLimitsSet();
  const [carryOver, setCarryOver] = useState<CarryOver>('KEEP');
  const input = {
    ...{ apiKey: api.key, expectedVersion: api.version, carryOver },
    limits: policies.map(toDefaultLimitInput),
  };
  const defaultLimits = policies.map((policy) => configOfPolicy(policy, true));
  return (
    <ChangeReview
      title={`Review default limits of ${api.name}`}
      permission="apis:write"
      call={{ mutation: 'apiDefaultLimitsSet', inputType: 'ApiDefaultLimitsSetInput', input }}
      config={{ apis: { [api.key]: { name: api.name, defaultLimits } } }}
      send={({ reason, dryRun }) => set({ ...input, reason, dryRun })}
      onRefused={onRefused}
      onClose={onClose}
      onApplied={({ changeId }) => {
        onClose();
        onApplied(changeId);
      }}
    >
      <ChangeList changes={changes} />
      {changes.some(({ kind }) => kind === 'changed') && (
        <CarryOverChoice
          label="Existing usage"
          value={carryOver}
          onChange={setCarryOver}
          example={carryOverExample(changes)}
        />
      )}
    </ChangeReview>
  );
}

function withMember(members: ReadonlySet<string>, member: string, present: boolean): ReadonlySet<string> {
  if (members.has(member) === present) return members;
  const next = new Set(members);
  if (present) next.add(member);
  else next.delete(member);
  return next;
}
