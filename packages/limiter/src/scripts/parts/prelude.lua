--[[ Part of decide and amend: shared functions. An algorithm's functions are created only in runs that use it. ]]
local ALGORITHMS = {}
local floor, format, sub, byte, char, concat = math.floor, string.format, string.sub, string.byte, string.char, table.concat
-- Holder of permits, 0 for none; used by concurrency.
local holder = 0

-- Usage after a policy change: twin of carriedOver in contracts.
local MAX_CARRIED <const> = 2 ^ 52
local function carriedOver(used, from, to, rule)
  if rule == RESET then
    return 0
  elseif rule == PROPORTIONAL then
    return math.min(MAX_CARRIED, math.ceil(used * to / from))
  elseif rule == ADDITIVE and used > from then
    return from
  end
  return used
end

--[[ The algorithm with a wire id; `MAKE[id]()` makes it. Twin of Algorithm in algorithms/algorithm.ts. `b` is the array that holds the
policy, `at` the position of its first parameter. A state is a table or a number that only the algorithm reads, nil if there is none.
  parameters                                number of integers
  decode(text)                              state; nil for bytes of another format. Unlike the model's, the text ends with the mark
  encode(state, mark)                       text
  step(state, b, at, cost, nowUs)           outcome (0 denied, 1 allowed, 2 above the limit), state, remaining, wait, reset (both us)
  refund(state, b, at, units, atUs, nowUs)  state
  rebase(state, b, from, to, rule, atUs)    state; `from` and `to` as `at`, `rule` RESET, PROPORTIONAL, ADDITIVE or 0
Optional: delta(before, after), the text to add to the stored integer, or nil; inFlight, charge, release, fail, deny as in the model. ]]
local algorithmOf
function algorithmOf(wireId)
  local algorithm = ALGORITHMS[wireId]
  if algorithm then
    return algorithm
  end
  if wireId > ATTEMPTS then
    --@include algorithms/attempts
    algorithm = makeAttempts(algorithmOf(wireId - ATTEMPTS))
    ALGORITHMS[wireId] = algorithm
    return algorithm
  end
  -- In branches, so that unused functions are not created: creating them is most of the cost of a single decision.
  local MAKE = {}
  if wireId == PENALTY then
    --@include algorithms/penalty
  elseif wireId == FIXED_WINDOW or wireId == TOKEN_BUCKET_INTERVAL or wireId == QUOTA or wireId == PACKED then
    --@include algorithms/fixed-window
    --@include algorithms/token-bucket-interval
    --@include algorithms/quota
  elseif wireId == SLIDING_WINDOW_LOG then
    --@include algorithms/sliding-window-log
  elseif wireId == SLIDING_WINDOW_COUNTER then
    --@include algorithms/sliding-window-counter
  elseif wireId == SLIDING_WINDOW_ESTIMATE then
    --@include algorithms/sliding-window-estimate
  elseif wireId == CONCURRENCY then
    --@include algorithms/concurrency
  else
    --@include algorithms/virtual-time
  end
  algorithm = (MAKE[wireId] or error('no algorithm with wire id ' .. wireId))()
  ALGORITHMS[wireId] = algorithm
  return algorithm
end

--@include policy
