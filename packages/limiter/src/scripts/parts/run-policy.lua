-- Part of the run scripts: declares the values of the run at `at`: its cost, requests (from `first` on, up to `final`), policy and its mark
-- (policy.lua). Statements instead of a function, because creating functions is a tenth of a single decision.
local cost, p = batch[at + RUN_COST], at + RUN_POLICY
local first, final = done + 1, done + batch[at + RUN_REQUESTS]
local id, periodMs = batch[p + ID], 2 ^ batch[p + PERIOD_EXPONENT]
local period = floor(nowMs / periodMs)
local mark = format('%03d', LEAST_MARK + id * PERIODS + period % PERIODS)
local expiresAtMs = (period + 2) * periodMs + batch[p + HORIZON_MS]
local parameters = p + PARAMETERS
