/** How a load balancer chooses the node of a request: any node, or one of two by the tenant. */
export type Routing = 'any node' | 'two nodes per tenant';

export interface Request {
  tenant: number;
  node: number;
}

/** Requests of tenants by Zipf's law (exponent 1): the n-th tenant has 1/n of the traffic of the first. */
export class Traffic {
  private readonly random: () => number;
  private readonly tenants: number;
  private readonly nodes: number;
  private readonly routing: Routing;
  constructor(random: () => number, tenants: number, nodes: number, routing: Routing) {
    this.random = random;
    this.tenants = tenants;
    this.nodes = nodes;
    this.routing = routing;
  }

  next(): Request {
    const tenant = Math.min(this.tenants, Math.floor((this.tenants + 1) ** this.random())) - 1;
    if (this.routing === 'any node') return { tenant, node: Math.floor(this.random() * this.nodes) };
    const choice = this.random() < 0.5 ? 1 : 2;
    return { tenant, node: (Math.imul(tenant + 1, 0x9e3779b1 * choice) >>> 0) % this.nodes };
  }
}
