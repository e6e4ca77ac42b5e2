import { modals } from '@mantine/modals';
import { useBlocker } from '@tanstack/react-router';
import { useState } from 'react';
import { UserErrorsError } from '../../../lib/user-errors.js';
import { usePermission } from '../../../lib/viewer.js';
import type { ApiChoice, TierDetail } from '../api/tier.js';
import { type TierApplied, useTierApply } from '../api/tier-apply.js';
import { diffLimits } from '../limit-diff.js';
import { placeUserErrors, toSpec } from '../limit-edits.js';
import { ConflictBanner } from './conflict-banner.js';
import { DraftBanner } from './draft-banner.js';
import { LimitsEditor } from './limits-editor.js';
import { ReviewDrawer } from './review-drawer.js';
import { SaveBar } from './save-bar.js';
import { useTierEditor } from './use-tier-editor.js';

interface TierWorkspaceProps {
  tier: TierDetail;
  apis: readonly ApiChoice[];
  onApplied: (applied: TierApplied) => void;
}

/** Editing, reviewing and applying a tier's limits. */
export function TierWorkspace({ tier, apis, onApplied }: TierWorkspaceProps) {
  const editor = useTierEditor(tier);
  const apply = useTierApply();
  const { allowed } = usePermission('tiers:write');
  const [reviewing, setReviewing] = useState(false);
  const { edits, changes } = editor;
  const dirty = changes.length > 0 || !editor.sound;
  const conflict = apply.isPending ? undefined : editor.theirChanges;
  useLeaveGuard(dirty && !apply.isPending);

  const keepOnTop = () => {
    apply.reset();
    editor.keepOnTop();
  };
  const reload = () => {
    setReviewing(false);
    editor.reload();
  };
  const send = (reason: string | null) =>
    apply.mutate(
      { tierKey: tier.key, expectedVersion: editor.base.version, limits: edits.rows.map(toSpec), reason },
      {
        onSuccess: (applied) => {
          setReviewing(false);
          onApplied(applied);
        },
        onError: (error) => {
          if (!(error instanceof UserErrorsError)) return;
          const placed = placeUserErrors(edits.rows, error.userErrors);
          editor.setServerErrors(placed.byRow);
          if (placed.byRow.size > 0) setReviewing(false);
        },
      },
    );
  return (
    <>
      {conflict && <ConflictBanner theirChanges={conflict} onKeepOnTop={keepOnTop} onReload={reload} />}
      {tier.draft && !dirty && <DraftBanner tier={tier} onResume={editor.resumeDraft} />}
      <LimitsEditor
        rows={edits.rows}
        apis={apis}
        changes={changes}
        errors={editor.errors}
        editable={allowed}
        lastStoredRowId={editor.lastStoredRowId}
        dispatch={editor.dispatch}
        onReadable={editor.setReadable}
      />
      {dirty && !conflict && (
        <SaveBar
          changes={changes}
          sound={editor.sound}
          onDiscard={reload}
          onReview={() => {
            apply.reset();
            setReviewing(true);
          }}
        />
      )}
      <ReviewDrawer
        opened={reviewing && conflict === undefined}
        onClose={() => setReviewing(false)}
        tierName={tier.name}
        tenantCount={tier.tenantCount}
        changes={changes}
        replacesDraft={tier.draft != null && diffLimits(tier.draft.limits, edits.rows).length > 0}
        problem={apply.error ? problemOf(apply.error) : undefined}
        applying={apply.isPending}
        onApply={send}
      />
    </>
  );
}

function problemOf(error: Error): string {
  return error instanceof UserErrorsError ? error.message : `${error.message} The draft may have been saved.`;
}

/** Asks before edits are lost by going elsewhere. */
function useLeaveGuard(active: boolean): void {
  useBlocker({
    disabled: !active,
    enableBeforeUnload: active,
    shouldBlockFn: () =>
      new Promise<boolean>((answer) => {
        modals.openConfirmModal({
          title: 'Leave without applying?',
          children: 'Your changes to this tier are on this page only. Leaving drops them.',
          labels: { confirm: 'Leave and drop them', cancel: 'Stay' },
          confirmProps: { color: 'ember' },
          onConfirm: () => answer(false),
          onCancel: () => answer(true),
          onClose: () => answer(true),
        });
      }),
  });
}
