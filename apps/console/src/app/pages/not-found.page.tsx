import { IconMapQuestion } from '@tabler/icons-react';
import { LinkButton } from '../../components/links.js';
import { EmptyState, Page } from '../../components/page.js';

export function NotFoundPage() {
  return (
    <Page title="Page not found">
      <EmptyState
        icon={<IconMapQuestion size={30} stroke={1.5} aria-hidden />}
        title="This page does not exist"
        action={
          <LinkButton to="/" variant="default">
            Go to live view
          </LinkButton>
        }
      >
        It may have been renamed. Use the navigation to find it.
      </EmptyState>
    </Page>
  );
}
