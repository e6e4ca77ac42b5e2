import { Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconReceiptRefund } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { CreateModal } from '../../../components/create-modal.js';
import { DataTable, NumericCell } from '../../../components/data-table.js';
import { EmptyState } from '../../../components/empty-state.js';
import { Failure } from '../../../components/failure.js';
import { GatedButton } from '../../../components/gated-button.js';
import { MoreButton } from '../../../components/more-button.js';
import { RowsSkeleton } from '../../../components/page.js';
import { ReasonField } from '../../../components/reason-field.js';
import { type DotTone, StateDot } from '../../../components/state-dot.js';
import type { PaymentEventReviewStatus } from '../../../generated/graphql.js';
import { formatMoment } from '../../../lib/time-format.js';
import { errorsByField } from '../../../lib/user-errors.js';
import {
  type EventDecision,
  type EventReview,
  eventDecisionCall,
  eventReviewsQuery,
  useEventDecision,
} from '../api/event-reviews.js';
import classes from './purchases.module.css';

const TONES: Readonly<Record<PaymentEventReviewStatus, DotTone>> = {
  OPEN: 'bad',
  BOOKED: 'good',
  DISMISSED: 'quiet',
};

type Question = Pick<EventDecision, 'kind'> & { review: EventReview };

/** Payment events that could not be booked. Operators retry or dismiss each. */
export function EventReviews({ status }: { status: PaymentEventReviewStatus | undefined }) {
  const t = useTranslations('purchases');
  const list = useInfiniteQuery(eventReviewsQuery(status));
  const [question, setQuestion] = useState<Question>();
  const reviews = list.data?.pages.flatMap(({ nodes }) => nodes);
  if (!reviews) {
    return list.error ? (
      <Failure error={list.error} onRetry={() => void list.refetch()} />
    ) : (
      <RowsSkeleton rows={5} />
    );
  }
  if (reviews.length === 0) {
    return (
      <EmptyState icon={<IconReceiptRefund size={30} stroke={1.5} aria-hidden />} title={t('noEventReviews')}>
        {t('noEventReviewsHint')}
      </EmptyState>
    );
  }
  const columns = [
    { name: t('paymentEvent') },
    { name: t('state') },
    { name: t('eventProblem') },
    { name: t('eventAttempts'), numeric: true },
    { name: t('receivedAt') },
    { name: t('actions'), hidden: true },
  ];
  return (
    <>
      <DataTable label={t('eventReviews')} columns={columns}>
        {reviews.map((review) => (
          <tr key={review.id}>
            <th scope="row">
              {review.type}
              <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                {[review.provider, review.eventId, review.apiVersion].filter(Boolean).join(' · ')}
              </Text>
            </th>
            <td>
              <StateDot tone={TONES[review.status]}>{t(review.status)}</StateDot>
            </td>
            <td style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>{review.problem}</td>
            <NumericCell>{review.attempts}</NumericCell>
            <td className={classes.nowrap}>{formatMoment(review.receivedAt)}</td>
            <td>
              {review.status === 'OPEN' && (
                <Group gap={6} wrap="nowrap" justify="flex-end">
                  <GatedButton
                    permission="payments:write"
                    variant="default"
                    onClick={() => setQuestion({ kind: 'dismiss', review })}
                  >
                    {t('dismiss')}
                  </GatedButton>
                  <GatedButton
                    permission="payments:write"
                    onClick={() => setQuestion({ kind: 'retry', review })}
                  >
                    {t('retryEvent')}
                  </GatedButton>
                </Group>
              )}
            </td>
          </tr>
        ))}
      </DataTable>
      <MoreButton list={list} />
      {question && <EventDecisionDialog {...question} onClose={() => setQuestion(undefined)} />}
    </>
  );
}

function EventDecisionDialog({ kind, review, onClose }: Question & { onClose: () => void }) {
  const t = useTranslations('purchases');
  const [reason, setReason] = useState('');
  const decide = useEventDecision();
  const { byField, form } = errorsByField(decide.error, ['reason']);
  const decision = { kind, id: review.id, reason: reason.trim() || null };
  const isRetry = kind === 'retry';
  const submit = () =>
    decide.mutate(decision, {
      onSuccess: () => {
        const title = t(isRetry ? 'eventBooked' : 'eventDismissed');
        notifications.show({ title, message: review.eventId, color: 'gate' });
        onClose();
      },
    });
  return (
    <CreateModal
      opened
      title={t(isRetry ? 'retryEventTitle' : 'dismissTitle', { type: review.type })}
      onClose={onClose}
      onSubmit={submit}
      submitLabel={t(isRetry ? 'retryEvent' : 'dismiss')}
      pending={decide.isPending}
      problem={form}
      copy={{ call: eventDecisionCall(decision) }}
    >
      <Text size="sm">{t(isRetry ? 'retryEventHint' : 'dismissHint')}</Text>
      <ReasonField value={reason} onChange={setReason} error={byField.reason} />
    </CreateModal>
  );
}
