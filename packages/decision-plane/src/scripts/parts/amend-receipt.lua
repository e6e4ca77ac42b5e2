--[[ Part of amend: return, settle and renew, on what a receipt (receipt.lua) says was charged. A counter that another policy
has written since is left alone, but for slots: by the receipt's policy its state cannot be read. ]]
local HEAD, ON_FAILURE, ON_SUCCESS = 9, 2, 4

-- What was charged: for each check its place in the receipt, `n` before the key; its policy begins at n + 7.
local function chargedChecks(kept)
  local places, n = {}, HEAD
  for _ = 1, kept[HEAD] do
    if kept[n + 3] > 0 and kept[n + 2] > 0 then
      places[#places + 1] = n
    end
    n = n + 6 + kept[n + 7]
  end
  return places
end

local function isSlot(kept, n)
  return kept[n + 8] == 9
end

-- An attempt whose outcome nobody has reported.
local function isAttempt(kept, n)
  return kept[6] == 0 and algorithmOf(kept[n + 8]).fail ~= nil
end

local function hasFlag(kept, n, flag)
  return floor(kept[n + 9] / flag) % 2 == 1
end

-- By place: states of attempts that count from now on, and are not written yet.
local failed = {}

-- The counter of the check at `n`: its state, whether it may be changed, and the mark to keep.
local function counterOf(kept, n)
  if failed[n] then
    return failed[n], true, nil
  end
  local state, mark, id = load(kept[n + 1], kept, n + 7)
  if not state or id == kept[n + 10] then
    return state, true, nil
  end
  return state, isSlot(kept, n), mark
end

-- Gives `units` of the check at `n` back, no more than is used; returns what came back.
local function giveBack(kept, n, units)
  local p = n + 7
  local state, mine, mark = counterOf(kept, n)
  if not state or not mine then
    return 0
  end
  local algorithm = algorithmOf(kept[p + 1])
  local given
  if isAttempt(kept, n) then
    given = algorithm.release(state, kept, p + 7, units, kept[3])
  else
    -- A failed attempt counts from when that was known.
    given = algorithm.give(state, kept, p + 7, units, algorithm.fail and kept[6] or kept[3], nowUs)
  end
  change(kept[n + 1], given, mark, kept, p, true)
  return left(given, kept, p) - left(state, kept, p)
end

-- Charges the attempt at `n`, which has failed.
local function failAttempt(kept, n)
  local p = n + 7
  local state, mine, mark = counterOf(kept, n)
  if mine then
    failed[n] = algorithmOf(kept[p + 1]).fail(state, kept, p + 7, kept[n + 2], kept[3], nowUs)
    change(kept[n + 1], failed[n], mark, kept, p, false)
  end
end

local function returnCharges(kept, which)
  if which == 3 and (kept[4] == 0 or nowUs < kept[4]) then
    return REJECTED, 0, kept[4] > 0 and kept[4] - nowUs or 0
  elseif (which == 1 or which == 2) and kept[6] > 0 then
    return DONE, 0
  end
  local most, isAny = 0, false
  local slotsOnly = which == 4 and kept[4] == 0
  for _, n in ipairs(chargedChecks(kept)) do
    local gives = which == 0 or which == 3
      or which == 1 and hasFlag(kept, n, ON_FAILURE)
      or which == 2 and hasFlag(kept, n, ON_SUCCESS)
      or which == 4 and (not slotsOnly or isSlot(kept, n))
    if which == 2 and hasFlag(kept, n, ON_FAILURE) and isAttempt(kept, n) then
      failAttempt(kept, n)
    elseif gives then
      most, isAny = math.max(most, giveBack(kept, n, kept[n + 2])), true
      kept[n + 2] = 0
    end
  end
  if which == 1 or which == 2 then
    kept[6] = nowUs
  elseif slotsOnly and not isAny then
    return DONE, 0
  else
    kept[1] = 2
  end
  return APPLIED, most
end

-- Charges `units` more at each of `places`, all or nothing; `extra` as what every limit lets pass beyond itself, nil: its own.
local function chargeMore(kept, places, units, extra)
  local charges = {}
  for _, n in ipairs(places) do
    local p = n + 7
    local state, mine = counterOf(kept, n)
    local own, charged = kept[p + 7], units
    if extra then
      charged = math.min(units, mostOwed(state, kept, p))
    end
    kept[p + 7] = extra or own
    local algorithm = algorithmOf(kept[p + 1])
    local outcome, nextState = (algorithm.charge or algorithm.step)(state, kept, p + 7, charged, nowUs)
    kept[p + 7] = own
    if mine and outcome <= 0 and kept[p + 2] % 2 == 0 then
      return false
    elseif mine and outcome > 0 then
      charges[#charges + 1] = { n = n, state = nextState }
    end
  end
  for _, one in ipairs(charges) do
    change(kept[one.n + 1], one.state, nil, kept, one.n + 7, false)
  end
  return true
end

-- What can still be charged at all of `places`, with what their throttles let pass.
local function mostLeft(kept, places)
  local most = 2 ^ 50
  for _, n in ipairs(places) do
    local p = n + 7
    local state, mine = counterOf(kept, n)
    if mine and kept[p + 2] % 2 == 0 then
      local extra = algorithmOf(kept[p + 1]).extraUnits
      local units = left(state, kept, p) + (extra and extra(kept, p + 7) or kept[p + 7])
      most = math.min(most, math.max(0, units))
    end
  end
  return most
end

local function settle(kept, cost, overrun)
  local places, slots, reserved = {}, {}, 0
  for _, n in ipairs(chargedChecks(kept)) do
    -- The actual cost of a request counts for good.
    if isAttempt(kept, n) then
      failAttempt(kept, n)
    end
  end
  kept[6] = nowUs
  for _, n in ipairs(chargedChecks(kept)) do
    if isSlot(kept, n) then
      slots[#slots + 1] = n
    else
      places[#places + 1] = n
      reserved = kept[n + 2]
    end
  end
  local more = #places > 0 and cost - reserved or 0
  if more < 0 then
    for _, n in ipairs(places) do
      giveBack(kept, n, -more)
    end
  elseif more > 0 and not chargeMore(kept, places, more) then
    if overrun == 0 then
      return REJECTED, 0
    elseif overrun == 1 then
      more = math.min(more, mostLeft(kept, places))
      if more > 0 and not chargeMore(kept, places, more) then
        more = 0
      end
    else
      chargeMore(kept, places, more, 2 ^ 50)
    end
  end
  for _, n in ipairs(slots) do
    giveBack(kept, n, kept[n + 2])
  end
  kept[1] = 1
  return APPLIED, -more
end

local function renew(kept)
  for _, n in ipairs(chargedChecks(kept)) do
    if isSlot(kept, n) then
      local p = n + 7
      local state, _, mark = counterOf(kept, n)
      local outcome, nextState = algorithmOf(kept[p + 1]).step(state, kept, p + 7, kept[n + 2], nowUs)
      if outcome == 0 then
        return REJECTED, 0
      end
      change(kept[n + 1], nextState, mark, kept, p, false)
    end
  end
  if kept[4] > 0 then
    kept[4] = nowUs + kept[7]
  end
  return APPLIED, 0
end

local function amendReceipt(operation)
  local text = redis.call('MGET', KEYS[1])[1]
  local isRead, kept = pcall(cmsgpack.unpack, text or '')
  if not text or not isRead or type(kept) ~= 'table' or type(kept[HEAD]) ~= 'number' then
    return answer(NOT_FOUND, 0)
  end
  if kept[1] > 0 then
    return answer(DONE, 0)
  end
  holder = kept[2]
  local status, units, dueInUs
  if operation == 4 then
    status, units, dueInUs = returnCharges(kept, order[2])
  elseif operation == 5 then
    status, units = settle(kept, order[2], order[3])
  else
    status, units = renew(kept)
  end
  if status == APPLIED then
    saveChanges()
    redis.call('SET', KEYS[1], cmsgpack.pack(kept), 'PX', kept[5])
  end
  return answer(status, units, 0, dueInUs)
end
