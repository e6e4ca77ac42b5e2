--[[ Part of amend: give, take, restore and charge, on the counters in KEYS by the policies that come with them. ]]
-- Returns the new state, and units returned or taken. `known` of charge: usage that the counter is raised to first.
local function amendCheck(operation, key, p, units, atUs, known)
  local algorithm = algorithmOf(order[p + 1])
  local state, mark, id = load(key, order, p)
  local isNewer = false
  if state and id ~= order[p + 3] then
    state, isNewer = rebased(state, id, order, p, nowUs)
  end
  mark = isNewer and mark or nil
  local before = left(state, order, p)
  if operation == 1 then
    if not state then
      return state, 0
    end
    local given = algorithm.give(state, order, p + 7, units, atUs, nowUs)
    change(key, given, mark, order, p, true)
    return given, left(given, order, p) - before
  end
  -- Take: as much as there is. Restore: what is missing to the units that are known to be used. Charge: all, as far as it
  -- matters.
  if operation == 2 then
    units = math.min(units, before)
  elseif operation == 8 then
    local lost = math.max(0, known - left(nil, order, p) + before)
    units = math.min(lost + units, mostOwed(state, order, p))
  else
    units = units - left(nil, order, p) + before
  end
  if units <= 0 then
    return state, 0
  end
  local extra = order[p + 7]
  order[p + 7] = operation == 2 and 0 or 2 ^ 50
  local outcome, nextState = (algorithm.charge or algorithm.step)(state, order, p + 7, units, nowUs)
  order[p + 7] = extra
  if outcome <= 0 then
    return state, 0
  end
  change(key, nextState, mark, order, p, false)
  return nextState, units
end

local function amendChecks(operation)
  local policies, at, atUs = {}, 4, order[2]
  if atUs == 0 then
    atUs = nowUs
  end
  for i = 1, order[3] do
    policies[i] = at
    at = at + order[at]
  end
  local isCharge = operation == 8
  local most, remaining, resetAfterUs, readings = 0, 0, 0, {}
  for i, key in ipairs(KEYS) do
    local p = policies[order[at]]
    local state, units = amendCheck(operation, key, p, order[at + 1], atUs, order[at + 2])
    remaining, resetAfterUs = left(state, order, p)
    if isCharge then
      readings[#readings + 1], readings[#readings + 2] = remaining, resetAfterUs
    end
    most, at = math.max(most, units), at + (isCharge and 3 or 2)
  end
  saveChanges()
  return answer(APPLIED, most, remaining, resetAfterUs, readings)
end
