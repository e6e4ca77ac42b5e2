import { collectErrors } from '../../../apps/console/test/screens.ts';
import { launchBrowser } from '../../../packages/test-kit/src/index.ts';
import { Copies } from '../running-copy.mjs';

/** A running copy of the product and a browser, for several suites. */
export class Product {
  #copies = new Copies();
  home = this.#copies.home;

  async start() {
    // Undo must not expire before a busy machine clicks it.
    ({ dev: this.dev } = await this.#copies.start({ UNDO_SECONDS: '86400' }));
    this.browser = await launchBrowser();
  }

  /** A signed-out page, and the errors that it logs. Ends the session of earlier pages. */
  async openPage() {
    const { context } = this.browser;
    await context.clearCookies();
    const page = await context.newPage();
    return { page, errors: collectErrors(page) };
  }

  async stop() {
    await this.browser?.close();
    await this.#copies.stopAll();
    this.#copies.removeHome();
  }
}
