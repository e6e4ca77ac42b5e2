/** Running parts, in the order of their start. */
export class Stack {
  #parts = [];
  #failed;
  /** Resolves with the name and log of the first part that ends unexpectedly. */
  failed = new Promise((resolve) => {
    this.#failed = resolve;
  });

  constructor(steps, stopRequest, watchMode) {
    this.steps = steps;
    this.stopRequest = stopRequest;
    this.watchMode = watchMode;
  }

  /**
   * Starts a part in a step.
   * @template T @param {string} name
   * @param {(describe: (detail: string) => void) => Promise<{ part: object, result: T }>} work `part`: a
   * ServiceProcess of @tollgate/embedded
   * @returns {Promise<T>}
   */
  async start(name, work) {
    this.stopRequest.check();
    return await this.steps.run(name, async (describe) => {
      const { part, result } = await work(describe);
      this.addPart(name, part);
      return result;
    });
  }

  addPart(name, part) {
    this.#parts.push({ name, part });
    part.exited.then(() => this.#failed({ name, logFile: part.logFile }));
  }

  async step(name, work) {
    this.stopRequest.check();
    return await this.steps.run(name, work);
  }

  /** Last started, first stopped. */
  async stop() {
    for (const { part } of this.#parts.reverse()) await part.stop();
    this.#parts = [];
  }

  kill() {
    for (const { part } of this.#parts) part.kill('SIGKILL');
  }
}
