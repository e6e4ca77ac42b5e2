--[[ Part of decide and amend: shared functions. An algorithm's functions are created only in runs that use it. ]]
local ALGORITHMS = {}
local floor, format, sub, byte, char, concat = math.floor, string.format, string.sub, string.byte, string.char, table.concat
-- Holder of permits, 0 for none; used by concurrency.
local holder = 0

-- Usage after a policy change: twin of carriedOver in contracts.
local function carriedOver(used, from, to, rule)
  if rule == 1 then
    return 0
  elseif rule == 2 then
    return math.min(4503599627370496, math.ceil(used * to / from))
  elseif rule == 3 and used > from then
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
  if wireId > 16 then
--@include algorithms/attempts
    algorithm = makeAttempts(algorithmOf(wireId - 16))
    ALGORITHMS[wireId] = algorithm
    return algorithm
  end
  -- In branches, so that unused functions are not created: creating them is most of the cost of a single decision.
  local MAKE = {}
  if wireId == 12 then
--@include algorithms/penalty
  elseif wireId == 1 or wireId == 7 or wireId >= 10 then
--@include algorithms/fixed-window
--@include algorithms/token-bucket-interval
--@include algorithms/quota
  elseif wireId == 3 then
--@include algorithms/sliding-window-log
  elseif wireId == 4 then
--@include algorithms/sliding-window-counter
  elseif wireId == 5 then
--@include algorithms/sliding-window-estimate
  elseif wireId == 9 then
--@include algorithms/concurrency
  else
--@include algorithms/virtual-time
  end
  algorithm = MAKE[wireId]()
  ALGORITHMS[wireId] = algorithm
  return algorithm
end

--@include policy
