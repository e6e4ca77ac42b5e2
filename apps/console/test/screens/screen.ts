import type { Page } from 'playwright-core';

/** What `.tollgate/dev.json` says about a running stack, as far as the browser needs it. */
export interface RunningStack {
  consoleUrl: string;
  decisionUrl: string;
  serviceToken: string;
  admin: { email: string; password: string };
  demo: { tenant: string; api: string; operation: string };
}

/** One screen: where it is, and what shows that it has drawn itself. */
export interface Screen {
  name: string;
  path: (stack: RunningStack) => string;
  /** Brings the screen into the state to look at, and resolves when it is there. */
  arrive: (page: Page) => Promise<unknown>;
}
