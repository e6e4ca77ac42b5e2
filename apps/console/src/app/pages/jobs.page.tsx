import { Page } from '../../components/page.js';
import classes from './jobs.module.css';

/** bull-board over the job queues, in a frame: the same session, its own page. */
export function JobsPage() {
  return (
    <Page title="Jobs" description="Background jobs: schedules, queues and failures. Owners only.">
      <iframe className={classes.board} src="/jobs-board/" title="Job queues" />
    </Page>
  );
}
