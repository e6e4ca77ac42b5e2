import type { Page } from 'playwright-core';

/** The parts of `.tollgate/dev.json` that browser tests need. */
export interface RunningStack {
  consoleUrl: string;
  graphqlUrl: string;
  decisionUrl: string;
  serviceToken: string;
  adminToken: string;
  admin: { email: string; password: string };
  demo: { tenant: string; api: string; operation: string };
}

/** A screen: its path, and how to detect that it has loaded. */
export interface Screen {
  name: string;
  path: (stack: RunningStack) => string;
  /** Brings the screen into the state to look at, and resolves when it is there. */
  arrive: (page: Page) => Promise<unknown>;
}

/** Waits for a heading. */
export const heading = (name: string | RegExp) => (page: Page) =>
  page.getByRole('heading', { name }).first().waitFor();

/** Presses a button and waits for a field of the form that it opens. */
export function openForm(button: string, field: string) {
  return async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: button, exact: true }).first().click();
    await page.getByRole('dialog').getByLabel(field).first().waitFor();
  };
}
