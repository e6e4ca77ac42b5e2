--[[ amend: changes counters other than by a decision, whole or not at all.

KEYS     give, take, restore, charge: the counters of the checks; reset: what is forgotten; return, settle, renew: the receipt, whose
         counters are in its slot
ARGV[1]  MessagePack array of integers: [operation, then
         1 give, 2 take, 3 restore, 8 charge: charged at (us; 0 now), policies, policies x (policy: policy.lua), checks x (policy, from 1;
         units, and of charge the units known to be used before it)
         4 return: which (0 all, 1 after a success, 2 after a failure, 3 because it expired, 4 released: a reservation whole,
         of any other request only its slots)
         5 settle: cost, overrun (0 reject, 1 cap, 2 overflow); 6 renew; 7 reset]
ARGV[2]  now, us; '' (always, but in tests) for the server's clock
ARGV[3]  server time (us) from which nobody waits for the answer any more: nothing is changed then; '' for never
ARGV[4]  channel on which counters with more room than before are told
Reply    a MessagePack array of integers: [now us] alone when it came too late, else [now us, status (0 applied, 1 done before, 2 not found, 3 rejected), units, and of the
         last check of give, take, restore, charge: remaining, reset after us; then of charge, so of each check]
Binding  scripts/amend.ts; model: store/memory/memory-store.ts
Source   docs/adr/0010-receipts.md ]]
--@include prelude

local order, nowUs, lastUs, channel = cmsgpack.unpack(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
if not nowUs then
  local time = redis.call('TIME')
  nowUs = tonumber(time[1]) * 1000000 + tonumber(time[2])
end
if lastUs and nowUs > lastUs then
  return cmsgpack.pack({ nowUs })
end
local APPLIED, DONE, NOT_FOUND, REJECTED = 0, 1, 2, 3

local function answer(status, units, remaining, resetAfterUs, readings)
  return cmsgpack.pack({ nowUs, status, units, remaining or 0, resetAfterUs or 0, unpack(readings or {}) })
end

local function tell(key)
  redis.call('PUBLISH', channel, key)
end

-- The state at `key` as the algorithm of the policy at `p` of `b` reads it, its mark and the id of the policy that wrote it.
-- By MGET: a value of another type is none, not an error.
local function load(key, b, p)
  local text = redis.call('MGET', key)[1]
  local x, y, z = byte(text or '', -3, -1)
  local state = z and algorithmOf(b[p + 1]).decode(text)
  if not state then
    return nil
  end
  return state, sub(text, -3), markId(x, y, z)
end

-- What is to be written: all at the end, so that an error before leaves everything as it was.
local changes = {}

-- `mark`: of a newer policy, which stays with the expiry that it set; nil: the own.
local function change(key, state, mark, b, p, isMore)
  changes[#changes + 1] = { key = key, state = state, mark = mark, b = b, p = p, isMore = isMore }
end

local function saveChanges()
  for _, one in ipairs(changes) do
    local own = markOf(one.b, one.p, nowUs)
    if not one.state then
      redis.call('DEL', one.key)
    else
      local text = algorithmOf(one.b[one.p + 1]).encode(one.state, one.mark or own.text)
      if one.mark then
        redis.call('SET', one.key, text, 'KEEPTTL')
      else
        redis.call('SET', one.key, text, 'PX', own.expiryMs)
      end
    end
    if one.isMore then
      tell(one.key)
    end
  end
end

local function left(state, b, p)
  local _, _, remaining, _, resetAfterUs = algorithmOf(b[p + 1]).step(state, b, p + 7, 0, nowUs)
  return remaining, resetAfterUs
end

-- The most that is charged past a limit: twice the capacity is used then. More would change no decision for a long time, and
-- a log keeps each unit.
local function mostOwed(state, b, p)
  local ahead, capacity = left(state, b, p), left(nil, b, p)
  return math.max(0, ahead + capacity)
end

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
--@include amend-receipt

local operation = order[1]
if operation <= 3 or operation == 8 then
  return amendChecks(operation)
elseif operation == 7 then
  for _, key in ipairs(KEYS) do
    redis.call('DEL', key)
    tell(key)
  end
  return answer(APPLIED, #KEYS)
end
return amendReceipt(operation)
