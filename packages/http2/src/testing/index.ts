export { FrameFuzzer } from './frame-fuzzer.js';
export * from './hpack-encoder.js';
export { numbersFrom } from './random.js';
export * from './raw-client.js';
