#!lua
--[[ decide: decides a batch of requests in order. Each has several limits and is charged on all of them or none.

KEYS     keys of the batch's counters and receipts, all in one slot; distinct, except hashes. Variant for several slots: keys-across.lua
ARGV[1]  the batch, a MessagePack array of integers:
         [policies, policies x (policy: policy.lua),
          then per request: checks * 4 + (2 with a receipt) + (1 to charge nothing),
                            with a receipt: key, holder (1 or more), fingerprint, lifetime (ms), expires after (ms, 0 never),
                            checks x (key, from 1; policy, from 1; cost; negative: checked but not charged, never in a request of one
                            check without a receipt)]
         After the check of a limit with a penalty: one of its penalty, in shadow mode, at cost 0. Each key has policies of one id.
ARGV[2]  now, us since the Unix epoch; '' for the server's clock (always, except in tests)
ARGV[3]  deadline in server time (us), after which nothing is charged; '' for none
ARGV[4]  only in the variant for several slots: keys-across.lua
ARGV[5]  if a counter is a field of a hash: JSON array of each key's field, false for none
Reply    MessagePack array of integers: [now us] only after the deadline, else
         [now us, per request: with a receipt, 0 charged now | 1 repeated | 2 conflict: the id belongs to another request;
                  per check: -2 denied by a penalty's block | -1 denied because of attempts in flight | 0 denied | 1 allowed |
                  2 allowed above the limit, remaining, wait us (-1 never), reset after us;
          then per check of a limit that counts failures, in order: units in flight, 0 for a repeated request]
State    the algorithm's state, then the mark (policy.lua). Receipt: receipt.lua
Binding  scripts/decide.ts; models: algorithms/*.ts
Source   docs/adr/0011-decide-script.md ]]
--@include prelude

local batch, nowUs, lastUs = cmsgpack.unpack(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
--@include clock

-- By start of a policy: its mark and the functions of its algorithm, so that one lookup finds both.
local policies, marks, at, penalty = {}, {}, 2, nil
for i = 1, batch[1] do
  local algorithm, mark = algorithmOf(batch[at + 1]), markOf(batch, at, nowUs)
  mark.step, mark.decode, mark.delta = algorithm.step, algorithm.decode, algorithm.delta
  mark.inFlight = algorithm.inFlight
  if algorithm.deny then
    penalty = algorithm
  end
  policies[i], marks[at] = at, mark
  at = at + batch[at]
end

--@include keys | keys-across
local fields, readField, writeField = ARGV[5] and cjson.decode(ARGV[5]), nil, nil
if fields then
--@include hash-fields
  for k = 1, #keys do
    if fields[k] then
      texts[k] = readField(keys[k], fields[k])
    end
  end
end
-- By key: current state; state as read, if its mark is current; policy to write it under; mark of a policy newer than
-- this node's, which is kept, because otherwise the change would be carried over twice.
local states, read, written, newer = {}, {}, {}, {}
local reply, r = { nowUs }, 1
--@include | skip-foreign
-- Units in flight, in order of their checks.
local attempts = {}

local function load(k, p)
  local text, mark = texts[k], marks[p]
  local x, y, z = byte(text, -3, -1)
  local state = z and mark.decode(text)
  if not state then
    return nil
  end
  -- Compares bytes, because a substring would allocate a string per key.
  if z == mark.z and y == mark.y and x == mark.x then
    read[k] = state
  else
    local id = markId(x, y, z)
    if id ~= batch[p + 3] then
      local isNewer
      state, isNewer = rebased(state, id, batch, p, nowUs)
      newer[k] = isNewer and sub(text, -3) or nil
    end
  end
  states[k] = state
  return state
end

local last = #batch
while at <= last do
  local head = batch[at]
  if head == 4 then
    -- One limit without a receipt: almost every request. Inline, because access to upvalues costs more than to locals.
    local k, p, cost = batch[at + 1], policies[batch[at + 2]], batch[at + 3]
    local outcome, nextState, remaining, waitUs, resetAfterUs =
      marks[p].step(states[k] or texts[k] and load(k, p), batch, p + 7, cost, nowUs)
    if outcome > 0 and cost > 0 then
      states[k], written[k] = nextState, p
    end
    reply[r + 1] = outcome
    reply[r + 2] = remaining
    reply[r + 3] = waitUs
    reply[r + 4] = resetAfterUs
    local inFlight = marks[p].inFlight
    if inFlight then
      attempts[#attempts + 1] = inFlight(states[k], batch, p + 7, nowUs)
    end
    r, at = r + 4, at + 4
  else
    -- Defined here, because creating functions takes a fifth of a single decision.
--@include receipt
--[[ A request with several limits, with a receipt, or to be checked only. Checks all limits first, then charges all of them, or none if
an enforced one denies. A limit in shadow mode that denies is not charged, nor is a check without a charge. ]]
local nextStates = {}

local function decideRequest(at, head)
  local peek = head % 2 == 1
  local withReceipt = head % 4 >= 2
  local checks = floor(head / 4)
  local order = at + 1
  local first = withReceipt and at + 6 or at + 1
  local after = first + checks * 3
  if withReceipt then
    r = r + 1
    local kept = receiptOf(texts[batch[order]])
    if kept ~= nil then
      repeatAnswer(kept, batch[order + 2], first, checks)
      return after
    end
    reply[r], holder = 0, batch[order + 1]
  end

  local firstReply, all, j = r, true, first
  for c = 1, checks do
    local k, p, cost = batch[j], policies[batch[j + 1]], batch[j + 2]
    if cost < 0 then
      -- Costs nothing from here on, including in the receipt.
      cost, batch[j + 2] = -cost, 0
    end
    local outcome, nextState, remaining, waitUs, resetAfterUs =
      ALGORITHMS[batch[p + 1]].step(states[k] or texts[k] and load(k, p), batch, p + 7, cost, nowUs)
    nextStates[c] = nextState
    if outcome <= 0 and batch[p + 2] % 2 == 0 then
      all = false
    end
    reply[r + 1] = outcome
    reply[r + 2] = remaining
    reply[r + 3] = waitUs
    reply[r + 4] = resetAfterUs
    r, j = r + 4, j + 3
  end
  if penalty then
--@include penalties
  end

  local charged, position = all and not peek, firstReply
  j = first
  for c = 1, checks do
    local k, p = batch[j], policies[batch[j + 1]]
    if reply[position + 1] > 0 then
      if not charged or batch[j + 2] == 0 then
        -- Allowed but not charged: `remaining` excludes this request.
        local _, _, remaining, _, resetAfterUs = ALGORITHMS[batch[p + 1]].step(states[k], batch, p + 7, 0, nowUs)
        reply[position + 2], reply[position + 4] = remaining, resetAfterUs
      else
        states[k], written[k] = nextStates[c], p
      end
    end
    local inFlight = marks[p].inFlight
    if inFlight then
      attempts[#attempts + 1] = inFlight(states[k], batch, p + 7, nowUs)
    end
    j, position = j + 3, position + 4
  end
  if withReceipt and charged then
    keepReceipt(order, first, checks, firstReply)
  end
  holder = 0
  return after
end
    repeat
      at = decideRequest(at, batch[at])
    until at > last or batch[at] == 4
  end
end

for k = 1, #keys do
  local p = written[k]
  if p then
    local mark, before, delta, field, added = marks[p], read[k], nil, fields and fields[k], nil
    -- In a hash that other limits keep, a mark may be older than 17 periods: each write compares the expiry.
    if before and mark.delta and (not field or batch[p + 1] == PACKED) then
      delta = mark.delta(before, states[k])
    end
    -- INCRBY takes a fifth of a SET. If the stored text is not an integer to Redis, it is replaced.
    if delta and field then
      added = redis.pcall('HINCRBY', keys[k], field, delta)
    elseif delta then
      added = redis.pcall('INCRBY', keys[k], delta)
    end
    if type(added) ~= 'number' then
      local text = ALGORITHMS[batch[p + 1]].encode(states[k], newer[k] or mark.text)
      if field then
        writeField(keys[k], field, text, newer[k], mark, batch, p)
      elseif before or newer[k] then
        call('SET', keys[k], text, 'KEEPTTL')
      else
        call('SET', keys[k], text, 'PXAT', mark.expiresAtMs)
      end
    end
  end
end
for i = 1, #attempts do
  reply[r + i] = attempts[i]
end
return cmsgpack.pack(reply)
