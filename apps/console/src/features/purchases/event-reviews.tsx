import { Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconReceiptRefund } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { GatedButton, MoreButton } from '../../components/buttons.js';
import { CreateModal } from '../../components/create-modal.js';
import { hidden, NumericCell, numeric, QueryTable } from '../../components/data-table.js';
import { ReasonField } from '../../components/fields.js';
import { type DotTone, StateDot } from '../../components/marks.js';
import { EmptyState } from '../../components/page.js';
import type { PaymentEventReviewStatus } from '../../generated/graphql.js';
import { useMutationDialog } from '../../lib/mutation.js';
import { formatMoment } from '../../lib/time-format.js';
import {
  type EventReview,
  eventReviewsKey,
  eventReviewsQuery,
  PaymentEventDismissDocument,
  PaymentEventRetryDocument,
  purchasesKey,
} from './api.js';

const PAYMENT_EVENT_REVIEW_STATUS_TEXT = { BOOKED: 'Booked', DISMISSED: 'Dismissed', OPEN: 'Open' } as const;

const TONES: Readonly<Record<PaymentEventReviewStatus, DotTone>> = {
  OPEN: 'bad',
  BOOKED: 'good',
  DISMISSED: 'quiet',
};

interface Question {
  kind: 'retry' | 'dismiss';
  review: EventReview;
}

/** Payment events that could not be booked. Operators retry or dismiss each. */
export function EventReviews({ status }: { status: PaymentEventReviewStatus | undefined }) {
  const list = useInfiniteQuery(eventReviewsQuery(status));
  const [question, setQuestion] = useState<Question>();
  return (
    <>
      <QueryTable
        query={list}
        list={list.data?.nodes}
        rows={5}
        empty={
          <EmptyState icon={IconReceiptRefund} title="No payment events need review">
            Events from a payment provider that could not be booked are listed here.
          </EmptyState>
        }
        label="Needs review"
        columns={['Event', 'Status', 'Problem', numeric('Attempts'), 'Received', hidden('Actions')]}
      >
        {(review) => (
          <tr key={review.id}>
            <th scope="row">
              {review.type}
              <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                {[review.provider, review.eventId, review.apiVersion].filter(Boolean).join(' · ')}
              </Text>
            </th>
            <td>
              <StateDot tone={TONES[review.status]}>
                {PAYMENT_EVENT_REVIEW_STATUS_TEXT[review.status]}
              </StateDot>
            </td>
            <td style={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>{review.problem}</td>
            <NumericCell>{review.attempts}</NumericCell>
            <td className="tg-nowrap">{formatMoment(review.receivedAt)}</td>
            <td>
              {review.status === 'OPEN' && (
                <Group gap={6} wrap="nowrap" justify="flex-end">
                  <GatedButton
                    permission="payments:write"
                    variant="default"
                    onClick={() => setQuestion({ kind: 'dismiss', review })}
                  >
                    Dismiss
                  </GatedButton>
                  <GatedButton
                    permission="payments:write"
                    onClick={() => setQuestion({ kind: 'retry', review })}
                  >
                    Retry
                  </GatedButton>
                </Group>
              )}
            </td>
          </tr>
        )}
      </QueryTable>
      <MoreButton list={list} />
      {question && <EventDecisionDialog {...question} onClose={() => setQuestion(undefined)} />}
    </>
  );
}

function EventDecisionDialog({ kind, review, onClose }: Question & { onClose: () => void }) {
  const [reason, setReason] = useState('');
  const isRetry = kind === 'retry';
  const document = isRetry ? PaymentEventRetryDocument : PaymentEventDismissDocument;
  const { errors, dialog } = useMutationDialog(document, ['reason'], eventReviewsKey, purchasesKey);
  const onDone = () => {
    const title = isRetry ? 'Event booked' : 'Event dismissed';
    notifications.show({ title, message: review.eventId, color: 'gate' });
    onClose();
  };
  return (
    <CreateModal
      title={isRetry ? `Retry ${review.type}?` : `Dismiss ${review.type}?`}
      submitLabel={isRetry ? 'Retry' : 'Dismiss'}
      onClose={onClose}
      {...dialog({ id: review.id, reason: reason.trim() || null }, onDone)}
    >
      <Text size="sm">
        {isRetry
          ? 'Tollgate processes the stored event again. If it succeeds, the payment is booked.'
          : 'The event will not be booked, and its content is deleted. Check the payment at the provider first.'}
      </Text>
      <ReasonField value={reason} onChange={setReason} error={errors.reason} />
    </CreateModal>
  );
}
