--[[ Part of amend: refundReceipt, settle and renew, for the charges in a receipt (receipt.lua). Counters written by another policy since
are skipped, except permits, because their state cannot be read under the receipt's policy. ]]
local HEAD, ON_FAILURE, ON_SUCCESS = 9, 2, 4

-- Returns the position of each charged check: `n` precedes the key, the policy starts at n + 7.
local function chargedChecks(kept)
  local positions, n = {}, HEAD
  for _ = 1, kept[HEAD] do
    if kept[n + 3] > 0 and kept[n + 2] > 0 then
      positions[#positions + 1] = n
    end
    n = n + 6 + kept[n + 7]
  end
  return positions
end

local function isPermit(kept, n)
  return kept[n + 8] == 9
end

-- Whether the check at `n` is an attempt without an outcome.
local function isAttempt(kept, n)
  return kept[6] == 0 and algorithmOf(kept[n + 8]).fail ~= nil
end

local function hasFlag(kept, n, flag)
  return floor(kept[n + 9] / flag) % 2 == 1
end

-- By position: unwritten states of attempts that are now charged.
local failed = {}

-- The counter of the check at `n`: state, whether it may be changed, mark to keep.
local function counterOf(kept, n)
  if failed[n] then
    return failed[n], true, nil
  end
  local state, mark, id = load(kept[n + 1], kept, n + 7)
  if not state or id == kept[n + 10] then
    return state, true, nil
  end
  return state, isPermit(kept, n), mark
end

-- Refunds `units` of the check at `n`, at most its usage; returns the refunded units.
local function refund(kept, n, units)
  local p = n + 7
  local state, mine, mark = counterOf(kept, n)
  if not state or not mine then
    return 0
  end
  local algorithm = algorithmOf(kept[p + 1])
  local refunded
  if isAttempt(kept, n) then
    refunded = algorithm.release(state, kept, p + 7, units, kept[3])
  else
    -- A failed attempt counts from its report on.
    refunded = algorithm.refund(state, kept, p + 7, units, algorithm.fail and kept[6] or kept[3], nowUs)
  end
  change(kept[n + 1], refunded, mark, kept, p, true)
  return left(refunded, kept, p) - left(state, kept, p)
end

-- Charges the failed attempt at `n`.
local function failAttempt(kept, n)
  local p = n + 7
  local state, mine, mark = counterOf(kept, n)
  if mine then
    failed[n] = algorithmOf(kept[p + 1]).fail(state, kept, p + 7, kept[n + 2], kept[3], nowUs)
    change(kept[n + 1], failed[n], mark, kept, p, false)
  end
end

local function refundCharges(kept, reason)
  if reason == 3 and (kept[4] == 0 or nowUs < kept[4]) then
    return REJECTED, 0, kept[4] > 0 and kept[4] - nowUs or 0
  elseif (reason == 1 or reason == 2) and kept[6] > 0 then
    return DONE, 0
  end
  local most, isAny = 0, false
  local permitsOnly = reason == 4 and kept[4] == 0
  for _, n in ipairs(chargedChecks(kept)) do
    local refunds = reason == 0 or reason == 3
      or reason == 1 and hasFlag(kept, n, ON_FAILURE)
      or reason == 2 and hasFlag(kept, n, ON_SUCCESS)
      or reason == 4 and (not permitsOnly or isPermit(kept, n))
    if reason == 2 and hasFlag(kept, n, ON_FAILURE) and isAttempt(kept, n) then
      failAttempt(kept, n)
    elseif refunds then
      most, isAny = math.max(most, refund(kept, n, kept[n + 2])), true
      kept[n + 2] = 0
    end
  end
  if reason == 1 or reason == 2 then
    kept[6] = nowUs
  elseif permitsOnly and not isAny then
    return DONE, 0
  else
    kept[1] = 2
    if reason == 3 then
      kept[4] = -kept[4]
    end
  end
  return APPLIED, most
end

-- Charges `units` more at each position, all or nothing; `extra` overrides each limit's allowance above its capacity.
local function chargeMore(kept, positions, units, extra)
  local charges = {}
  for _, n in ipairs(positions) do
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

-- Units that can still be charged at all positions, including their extra.
local function mostLeft(kept, positions)
  local most = 2 ^ 50
  for _, n in ipairs(positions) do
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
  local positions, permits, reserved = {}, {}, 0
  for _, n in ipairs(chargedChecks(kept)) do
    -- The actual cost of a request is permanent.
    if isAttempt(kept, n) then
      failAttempt(kept, n)
    end
  end
  kept[6] = nowUs
  for _, n in ipairs(chargedChecks(kept)) do
    if isPermit(kept, n) then
      permits[#permits + 1] = n
    else
      positions[#positions + 1] = n
      reserved = kept[n + 2]
    end
  end
  local more = #positions > 0 and cost - reserved or 0
  if more < 0 then
    for _, n in ipairs(positions) do
      refund(kept, n, -more)
    end
  elseif more > 0 and not chargeMore(kept, positions, more) then
    if overrun == 0 then
      return REJECTED, 0
    elseif overrun == 1 then
      more = math.min(more, mostLeft(kept, positions))
      if more > 0 and not chargeMore(kept, positions, more) then
        more = 0
      end
    else
      chargeMore(kept, positions, more, 2 ^ 50)
    end
  end
  for _, n in ipairs(permits) do
    refund(kept, n, kept[n + 2])
  end
  kept[1] = 1
  return APPLIED, -more
end

local function renew(kept)
  for _, n in ipairs(chargedChecks(kept)) do
    if isPermit(kept, n) then
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
  local reason = operation == 4 and order[2] or nil
  local ignoresExpiry = reason == 3 or (reason == 1 or reason == 2) and kept[6] > 0
  if kept[1] > 0 then
    return answer(kept[4] < 0 and not ignoresExpiry and NOT_FOUND or DONE, 0)
  end
  holder = kept[2]
  local status, units, dueInUs
  if kept[4] > 0 and nowUs >= kept[4] and not ignoresExpiry then
    -- Not swept yet.
    refundCharges(kept, 3)
    status, units = NOT_FOUND, 0
  elseif reason then
    status, units, dueInUs = refundCharges(kept, reason)
  elseif operation == 5 then
    status, units = settle(kept, order[2], order[3])
  else
    status, units = renew(kept)
  end
  if status == APPLIED or status == NOT_FOUND then
    saveChanges()
    redis.call('SET', KEYS[1], cmsgpack.pack(kept), 'PXAT', floor(nowUs / 1000) + kept[5])
  end
  return answer(status, units, 0, dueInUs)
end
