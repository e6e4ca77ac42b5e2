/** The parts that run, in the order of their start. */
export class Stack {
  #parts = [];
  #failed;
  /** Resolves with the name and log of the first part that ends without being asked to. */
  failed = new Promise((resolve) => {
    this.#failed = resolve;
  });

  /**
   * @param {import('../run/steps.mjs').Steps} steps
   * @param {import('../run/stop-request.mjs').StopRequest} stopRequest
   * @param {import('./watch.mjs').WatchMode | undefined} watchMode restarts apps whose sources change
   */
  constructor(steps, stopRequest, watchMode) {
    this.steps = steps;
    this.stopRequest = stopRequest;
    this.watchMode = watchMode;
  }

  /**
   * One step that starts a part.
   * @template T
   * @param {string} name
   * @param {(describe: (detail: string) => void) => Promise<{ part: object, result: T }>} work
   *   `part` is a ServiceProcess of @tollgate/embedded
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

  /** Adds a part that runs already. */
  addPart(name, part) {
    this.#parts.push({ name, part });
    part.exited.then(() => this.#failed({ name, logFile: part.logFile }));
  }

  /** One step that starts nothing which stays. */
  async step(name, work) {
    this.stopRequest.check();
    return await this.steps.run(name, work);
  }

  /** Stops all parts, the last started first, and returns when none is left. */
  async stop() {
    for (const { part } of this.#parts.reverse()) await part.stop();
    this.#parts = [];
  }

  /** Ends all parts at once, without giving them time. */
  kill() {
    for (const { part } of this.#parts) part.kill('SIGKILL');
  }
}
