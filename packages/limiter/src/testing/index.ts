export { FakeClock } from './fake-clock.js';
export { type FaultProxy, type LossyProxy, startFaultProxy, startLossyProxy } from './fault-proxy.js';
