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
   */
  constructor(steps, stopRequest) {
    this.steps = steps;
    this.stopRequest = stopRequest;
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
      this.#parts.push({ name, part });
      part.exited.then(() => this.#failed({ name, logFile: part.logFile }));
      return result;
    });
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
