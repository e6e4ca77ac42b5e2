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
  algorithm = MAKE[wireId]()
  ALGORITHMS[wireId] = algorithm
  return algorithm
end

--@include policy
