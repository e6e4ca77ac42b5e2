--[[ amend: changes counters other than by a decision, entirely or not at all.

KEYS     refund, take, restore, charge: the counters of the checks; reset: the counters to delete; refundReceipt, settle, renew: the
         receipt, whose counters share its slot
ARGV[1]  MessagePack array of integers: [operation, then
         1 refund, 2 take, 3 restore, 8 charge: charged at (us; 0 now), policies, policies x (policy: constants.lua), checks x (policy, from 1;
         units; for charge, minimum usage before it)
         4 refundReceipt: reason (0 all, 1 success, 2 failure, 3 expired, 4 released: a reservation entirely, otherwise only permits)
         5 settle: cost, overrun (0 reject, 1 cap, 2 overflow); 6 renew; 7 reset]
ARGV[2]  now, us; '' for the server's clock (always, except in tests)
ARGV[3]  deadline in server time (us), after which nothing is changed; '' for none
ARGV[4]  channel for counters that gained capacity
ARGV[5]  if a counter is a field of a hash: JSON array of each key's field, false for none
Reply    MessagePack array of integers: [now us] only after the deadline, else [now us, status (0 applied, 1 already done, 2 not found,
         also if the reservation has expired, 3 rejected), units, and for refund, take, restore, charge: remaining, reset after us of the last check; for charge, then of each]
Binding  scripts/amend.ts; model: memory/memory-store.ts
Source   docs/adr/0010-receipts.md ]]
--@include constants
--@include receipt-layout

-- Operations.
local REFUND <const> = 1
local TAKE <const> = 2
local RESTORE <const> = 3
local REFUND_RECEIPT <const> = 4
local SETTLE <const> = 5
local RESET_COUNTERS <const> = 7
local CHARGE <const> = 8
-- Positions of the operation and what follows it.
local OPERATION <const> = 1
local REASON <const> = 2 -- refundReceipt
local SETTLED_COST <const> = 2 -- settle
local OVERRUN <const> = 3 -- settle
local AT_US <const> = 2 -- refund, take, restore, charge
local POLICIES <const> = 3
local FIRST_POLICY <const> = 4
-- Positions in a check, from its start.
local CHECK_POLICY <const> = 0
local CHECK_UNITS <const> = 1
local CHECK_KNOWN <const> = 2 -- charge: minimum usage before it

-- Status of the reply.
local APPLIED <const> = 0
local DONE <const> = 1
local NOT_FOUND <const> = 2
local REJECTED <const> = 3
--@include prelude

local payload, channel, fieldList = ARGV[1], ARGV[4], ARGV[5]
local order = cmsgpack.unpack(payload)
--@include clock
--@include hash-fields
-- Names of the keys.
local names, fields = {}, fieldList and cjson.decode(fieldList) or {}
for i, key in ipairs(KEYS) do
  names[i] = fields[i] and key .. '|' .. fields[i] or key
end

local function answer(status, units, remaining, resetAfterUs, readings)
  return cmsgpack.pack({ nowUs, status, units, remaining or 0, resetAfterUs or 0, unpack(readings or {}) })
end

local function publishCleared(name)
  redis.call('PUBLISH', channel, name)
end

-- Returns key and field of a counter; no field if it is a key.
local function addressOf(name)
  local at = string.find(name, '|', 1, true)
  if at then
    return sub(name, 1, at - 1), sub(name, at + 1)
  end
  return name
end

-- Returns the state of the counter `name`, decoded for the policy at `p` of `b`, its mark and the id of the policy that wrote
-- it. MGET returns nil for values of another type instead of an error.
local function load(name, b, p)
  local key, field = addressOf(name)
  local text
  if field then
    text = readHashField(key, field)
  else
    text = redis.call('MGET', key)[1]
  end
  local x, y, z = byte(text or '', -3, -1)
  local state = z and algorithmOf(b[p + ALGORITHM]).decode(text)
  if not state then
    return nil
  end
  return state, sub(text, -3), markId(x, y, z)
end

-- Pending writes, applied at the end, so that an error changes nothing.
local changes = {}

-- `mark`: of a newer policy, kept with its expiry; nil: use the policy's own.
local function change(name, state, mark, b, p, isCleared)
  changes[#changes + 1] = { name = name, state = state, mark = mark, b = b, p = p, isCleared = isCleared }
end

local function delete(name)
  local key, field = addressOf(name)
  if field then
    redis.pcall('HDEL', key, field)
  else
    redis.call('DEL', key)
  end
end

local function saveChanges()
  for _, one in ipairs(changes) do
    local own = markOf(one.b, one.p, nowUs)
    if not one.state then
      delete(one.name)
    else
      local key, field = addressOf(one.name)
      local text = algorithmOf(one.b[one.p + ALGORITHM]).encode(one.state, one.mark or own.text)
      if field then
        writeHashField(key, field, text, one.mark, own, one.b, one.p)
      elseif one.mark then
        redis.call('SET', key, text, 'KEEPTTL')
      else
        redis.call('SET', key, text, 'PXAT', own.expiresAtMs)
      end
    end
    if one.isCleared then
      publishCleared(one.name)
    end
  end
end

local function left(state, b, p)
  local _, _, remaining, _, resetAfterUs = algorithmOf(b[p + ALGORITHM]).step(state, b, p + PARAMETERS, 0, nowUs)
  return remaining, resetAfterUs
end

-- Maximum units that can be charged past a limit: up to twice the capacity. More would not change a decision for a long
-- time, and a sliding log stores each unit.
local function mostOwed(state, b, p)
  local ahead, capacity = left(state, b, p), left(nil, b, p)
  return math.max(0, ahead + capacity)
end

--[[ refund, take, restore and charge: the counters in KEYS, under the policies of the order. ]]
-- Returns the new state, and units refunded or taken. `known`, for charge: minimum usage before it.
local function amendCheck(operation, name, p, units, atUs, known)
  local algorithm, parameters = algorithmOf(order[p + ALGORITHM]), p + PARAMETERS
  local state, mark, id = load(name, order, p)
  local isNewer = false
  if state and id ~= order[p + ID] then
    state, isNewer = rebased(state, id, order, p, nowUs)
  end
  mark = isNewer and mark or nil
  local before = left(state, order, p)
  if operation == REFUND then
    if not state then
      return state, 0
    end
    local refunded = algorithm.refund(state, order, parameters, units, atUs, nowUs)
    change(name, refunded, mark, order, p, true)
    return refunded, left(refunded, order, p) - before
  end
  -- Take: at most the remaining units. Restore: the difference to the known usage. Charge: everything up to the maximum.
  if operation == TAKE then
    units = math.min(units, before)
  elseif operation == CHARGE then
    local lost = math.max(0, known - left(nil, order, p) + before)
    units = math.min(lost + units, mostOwed(state, order, p))
  else
    units = units - left(nil, order, p) + before
  end
  if units <= 0 then
    return state, 0
  end
  local extra = order[parameters + EXTRA]
  order[parameters + EXTRA] = operation == TAKE and 0 or UNBOUNDED
  local outcome, nextState = (algorithm.charge or algorithm.step)(state, order, parameters, units, nowUs)
  order[parameters + EXTRA] = extra
  if outcome <= 0 then
    return state, 0
  end
  change(name, nextState, mark, order, p, false)
  return nextState, units
end

local function amendChecks(operation)
  local policies, at, atUs = {}, FIRST_POLICY, order[AT_US]
  if atUs == 0 then
    atUs = nowUs
  end
  for i = 1, order[POLICIES] do
    policies[i] = at
    at = at + order[at + SIZE]
  end
  local isCharge = operation == CHARGE
  local checkSize = isCharge and CHECK_KNOWN + 1 or CHECK_UNITS + 1
  local most, remaining, resetAfterUs, readings = 0, 0, 0, {}
  for _, name in ipairs(names) do
    local p = policies[order[at + CHECK_POLICY]]
    local state, units = amendCheck(operation, name, p, order[at + CHECK_UNITS], atUs, order[at + CHECK_KNOWN])
    remaining, resetAfterUs = left(state, order, p)
    if isCharge then
      readings[#readings + 1], readings[#readings + 2] = remaining, resetAfterUs
    end
    most, at = math.max(most, units), at + checkSize
  end
  saveChanges()
  return answer(APPLIED, most, remaining, resetAfterUs, readings)
end
--@include amend-receipt

local operation = order[OPERATION]
if operation <= RESTORE or operation == CHARGE then
  return amendChecks(operation)
elseif operation == RESET_COUNTERS then
  for _, name in ipairs(names) do
    delete(name)
    publishCleared(name)
  end
  return answer(APPLIED, #names)
end
return amendReceipt(operation)
