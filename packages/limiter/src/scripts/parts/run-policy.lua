-- Part of the run scripts: reads the next run, its policy's mark (policy.lua) and what it costs. Statements instead of a function,
-- because creating functions is a tenth of a single decision.
local cost, requests, p = batch[at], batch[at + 1], at + 2
local id, periodMs = batch[p + 3], 2 ^ batch[p + 4]
local period = floor(nowMs / periodMs)
local mark, expiresAtMs = format('%03d', 64 + id * 18 + period % 18), (period + 2) * periodMs + batch[p + 5]
local first = done + 1
at, done = p + batch[p], done + requests
