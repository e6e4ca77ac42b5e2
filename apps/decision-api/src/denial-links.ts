import type { Called, LimitAnswer, LimitRequest } from '@tollgate/contracts';
import { ExplainLinkMinter } from '@tollgate/contracts/explain-link';
import type { DecisionPlane } from '@tollgate/decision-plane';

type Decided = Called<Pick<LimitRequest, 'tenant' | 'api' | 'operation'>>;

export interface DenialLinksOptions {
  /** Origin of the console. */
  consoleUrl: string;
  /** The newest pepper, which signs. */
  pepper: { version: number; secret: string };
}

/** Path of the console's page about denied requests. */
const DENIED_PATH = '/docs/denied-requests';

/** Adds the links `docs` and `explain` to denied answers, if the node has a console. */
export class DenialLinks {
  private readonly minter: ExplainLinkMinter | undefined;
  private readonly docs: string;

  /** @param options undefined: no links */
  constructor(
    private readonly plane: Pick<DecisionPlane, 'tenantOfKey'>,
    options?: DenialLinksOptions | undefined,
  ) {
    this.docs = `${options?.consoleUrl}${DENIED_PATH}`;
    if (options === undefined) return;
    const { consoleUrl, pepper } = options;
    this.minter = new ExplainLinkMinter(consoleUrl, pepper.version, pepper.secret);
  }

  /**
   * Strangers see the limit only if the problem or the headers of the response name it: not a hidden one, nor a limit of 0, which
   * blocks without being in `policies`.
   */
  add(call: Decided, answer: LimitAnswer): LimitAnswer {
    if (answer.success || this.minter === undefined) return answer;
    const tenant = call.tenant ?? this.plane.tenantOfKey(call.key);
    if (tenant === undefined) return answer;
    const { requestId, reason, retryAfter, policy: limit, policies, revision, rule = null } = answer;
    const isShown = policies.some(({ name, inHeaders }) => name === limit && inHeaders !== false);
    const explain = this.minter.mint(
      { requestId, at: Date.now(), reason, retryAfter, limit: isShown ? limit : null },
      { tenant, api: call.api, operation: call.operation, limit, revision, rule },
    );
    return { ...answer, docs: this.docs, explain };
  }
}
