--[[ Part of amend: refundReceipt, settle and renew, for the charges in a receipt (receipt-layout.lua). Counters written by another policy
since are skipped, except permits, because their state cannot be read under the receipt's policy. ]]

-- Reasons of a refund.
local ALL <const> = 0
local SUCCESS <const> = 1
local FAILURE <const> = 2
local EXPIRED <const> = 3
local RELEASED <const> = 4
-- Settling at a cost above the limit.
local REJECT <const> = 0
local CAP <const> = 1

-- Positions of the entries of charged checks.
local function chargedEntries(receipt)
  local entries, entry = {}, CHECKS
  for _ = 1, receipt[CHECKS] do
    if receipt[entry + ENTRY_OUTCOME] > 0 and receipt[entry + ENTRY_COST] > 0 then
      entries[#entries + 1] = entry
    end
    entry = entry + ENTRY_POLICY - 1 + receipt[entry + ENTRY_POLICY + SIZE]
  end
  return entries
end

local function algorithmAt(receipt, entry)
  return algorithmOf(receipt[entry + ENTRY_POLICY + ALGORITHM])
end

local function isPermit(receipt, entry)
  return receipt[entry + ENTRY_POLICY + ALGORITHM] == CONCURRENCY
end

-- Whether the entry is an attempt without an outcome.
local function isAttempt(receipt, entry)
  return receipt[REPORTED_AT_US] == 0 and algorithmAt(receipt, entry).fail ~= nil
end

local function hasFlag(receipt, entry, flag)
  return floor(receipt[entry + ENTRY_POLICY + FLAGS] / flag) % 2 == 1
end

local function isEnforced(receipt, entry)
  return receipt[entry + ENTRY_POLICY + FLAGS] % 2 == ENFORCED
end

-- By entry: unwritten states of attempts that are now charged.
local failed = {}

-- The counter of an entry: state, whether it may be changed, mark to keep.
local function counterOf(receipt, entry)
  if failed[entry] then
    return failed[entry], true, nil
  end
  local p = entry + ENTRY_POLICY
  local state, mark, id = load(receipt[entry + ENTRY_KEY], receipt, p)
  if not state or id == receipt[p + ID] then
    return state, true, nil
  end
  return state, isPermit(receipt, entry), mark
end

local function changeEntry(receipt, entry, state, mark, isCleared)
  change(receipt[entry + ENTRY_KEY], state, mark, receipt, entry + ENTRY_POLICY, isCleared)
end

-- Refunds `units` of an entry, at most its usage; returns the refunded units.
local function refund(receipt, entry, units)
  local p = entry + ENTRY_POLICY
  local parameters = p + PARAMETERS
  local state, mine, mark = counterOf(receipt, entry)
  if not state or not mine then
    return 0
  end
  local algorithm = algorithmAt(receipt, entry)
  local refunded
  if isAttempt(receipt, entry) then
    refunded = algorithm.release(state, receipt, parameters, units, receipt[CHARGED_AT_US])
  else
    -- A failed attempt counts from its report on.
    local atUs = algorithm.fail and receipt[REPORTED_AT_US] or receipt[CHARGED_AT_US]
    refunded = algorithm.refund(state, receipt, parameters, units, atUs, nowUs)
  end
  changeEntry(receipt, entry, refunded, mark, true)
  return left(refunded, receipt, p) - left(state, receipt, p)
end

-- Charges a failed attempt.
local function failAttempt(receipt, entry)
  local state, mine, mark = counterOf(receipt, entry)
  if mine then
    local parameters, units = entry + ENTRY_POLICY + PARAMETERS, receipt[entry + ENTRY_COST]
    failed[entry] = algorithmAt(receipt, entry).fail(state, receipt, parameters, units, receipt[CHARGED_AT_US], nowUs)
    changeEntry(receipt, entry, failed[entry], mark, false)
  end
end

local function refundCharges(receipt, reason)
  local expiresAtUs = receipt[EXPIRES_AT_US]
  if reason == EXPIRED and (expiresAtUs == 0 or nowUs < expiresAtUs) then
    return REJECTED, 0, expiresAtUs > 0 and expiresAtUs - nowUs or 0
  elseif (reason == SUCCESS or reason == FAILURE) and receipt[REPORTED_AT_US] > 0 then
    return DONE, 0
  end
  local most, isAny = 0, false
  local permitsOnly = reason == RELEASED and expiresAtUs == 0
  for _, entry in ipairs(chargedEntries(receipt)) do
    local refunds = reason == ALL or reason == EXPIRED
      or reason == SUCCESS and hasFlag(receipt, entry, ON_FAILURE)
      or reason == FAILURE and hasFlag(receipt, entry, ON_SUCCESS)
      or reason == RELEASED and (not permitsOnly or isPermit(receipt, entry))
    if reason == FAILURE and hasFlag(receipt, entry, ON_FAILURE) and isAttempt(receipt, entry) then
      failAttempt(receipt, entry)
    elseif refunds then
      most, isAny = math.max(most, refund(receipt, entry, receipt[entry + ENTRY_COST])), true
      receipt[entry + ENTRY_COST] = 0
    end
  end
  if reason == SUCCESS or reason == FAILURE then
    receipt[REPORTED_AT_US] = nowUs
  elseif permitsOnly and not isAny then
    return DONE, 0
  else
    receipt[STATUS] = REFUNDED
    if reason == EXPIRED then
      receipt[EXPIRES_AT_US] = -expiresAtUs
    end
  end
  return APPLIED, most
end

-- Charges `units` more for each entry, all or nothing; `extra` overrides each limit's allowance above its capacity.
local function chargeMore(receipt, entries, units, extra)
  local charges = {}
  for _, entry in ipairs(entries) do
    local p = entry + ENTRY_POLICY
    local parameters = p + PARAMETERS
    local state, mine = counterOf(receipt, entry)
    local own, charged = receipt[parameters + EXTRA], units
    if extra then
      charged = math.min(units, mostOwed(state, receipt, p))
    end
    receipt[parameters + EXTRA] = extra or own
    local algorithm = algorithmAt(receipt, entry)
    local outcome, nextState = (algorithm.charge or algorithm.step)(state, receipt, parameters, charged, nowUs)
    receipt[parameters + EXTRA] = own
    if mine and outcome <= 0 and isEnforced(receipt, entry) then
      return false
    elseif mine and outcome > 0 then
      charges[#charges + 1] = { entry = entry, state = nextState }
    end
  end
  for _, charge in ipairs(charges) do
    changeEntry(receipt, charge.entry, charge.state, nil, false)
  end
  return true
end

-- Units that can still be charged for all entries, including their extra.
local function mostLeft(receipt, entries)
  local most = UNBOUNDED
  for _, entry in ipairs(entries) do
    local p = entry + ENTRY_POLICY
    local parameters = p + PARAMETERS
    local state, mine = counterOf(receipt, entry)
    if mine and isEnforced(receipt, entry) then
      local extraUnits = algorithmAt(receipt, entry).extraUnits
      local units = left(state, receipt, p) + (extraUnits and extraUnits(receipt, parameters) or receipt[parameters + EXTRA])
      most = math.min(most, math.max(0, units))
    end
  end
  return most
end

local function settle(receipt, cost, overrun)
  local entries, permits, reserved = {}, {}, 0
  for _, entry in ipairs(chargedEntries(receipt)) do
    -- The actual cost of a request is permanent.
    if isAttempt(receipt, entry) then
      failAttempt(receipt, entry)
    end
  end
  receipt[REPORTED_AT_US] = nowUs
  for _, entry in ipairs(chargedEntries(receipt)) do
    if isPermit(receipt, entry) then
      permits[#permits + 1] = entry
    else
      entries[#entries + 1] = entry
      reserved = receipt[entry + ENTRY_COST]
    end
  end
  local more = #entries > 0 and cost - reserved or 0
  if more < 0 then
    for _, entry in ipairs(entries) do
      refund(receipt, entry, -more)
    end
  elseif more > 0 and not chargeMore(receipt, entries, more) then
    if overrun == REJECT then
      return REJECTED, 0
    elseif overrun == CAP then
      more = math.min(more, mostLeft(receipt, entries))
      if more > 0 and not chargeMore(receipt, entries, more) then
        more = 0
      end
    else
      chargeMore(receipt, entries, more, UNBOUNDED)
    end
  end
  for _, entry in ipairs(permits) do
    refund(receipt, entry, receipt[entry + ENTRY_COST])
  end
  receipt[STATUS] = FINAL
  return APPLIED, -more
end

local function renew(receipt)
  for _, entry in ipairs(chargedEntries(receipt)) do
    if isPermit(receipt, entry) then
      local parameters, permits = entry + ENTRY_POLICY + PARAMETERS, receipt[entry + ENTRY_COST]
      local state, _, mark = counterOf(receipt, entry)
      local outcome, nextState = algorithmAt(receipt, entry).step(state, receipt, parameters, permits, nowUs)
      if outcome == 0 then
        return REJECTED, 0
      end
      changeEntry(receipt, entry, nextState, mark, false)
    end
  end
  if receipt[EXPIRES_AT_US] > 0 then
    receipt[EXPIRES_AT_US] = nowUs + receipt[TERM_US]
  end
  return APPLIED, 0
end

local function amendReceipt(operation)
  local key = KEYS[1]
  local text = redis.call('MGET', key)[1]
  local isRead, receipt = pcall(cmsgpack.unpack, text or '')
  if not text or not isRead or type(receipt) ~= 'table' or type(receipt[CHECKS]) ~= 'number' then
    return answer(NOT_FOUND, 0)
  end
  local expiresAtUs = receipt[EXPIRES_AT_US]
  local reason = operation == REFUND_RECEIPT and order[REASON] or nil
  local ignoresExpiry = reason == EXPIRED or (reason == SUCCESS or reason == FAILURE) and receipt[REPORTED_AT_US] > 0
  if receipt[STATUS] ~= CHARGED then
    return answer(expiresAtUs < 0 and not ignoresExpiry and NOT_FOUND or DONE, 0)
  end
  holder = receipt[HOLDER]
  local status, units, dueInUs
  if expiresAtUs > 0 and nowUs >= expiresAtUs and not ignoresExpiry then
    -- Not swept yet.
    refundCharges(receipt, EXPIRED)
    status, units = NOT_FOUND, 0
  elseif reason then
    status, units, dueInUs = refundCharges(receipt, reason)
  elseif operation == SETTLE then
    status, units = settle(receipt, order[SETTLED_COST], order[OVERRUN])
  else
    status, units = renew(receipt)
  end
  if status == APPLIED or status == NOT_FOUND then
    saveChanges()
    redis.call('SET', key, cmsgpack.pack(receipt), 'PXAT', floor(nowUs / 1000) + receipt[LIFETIME_MS])
  end
  return answer(status, units, 0, dueInUs)
end
