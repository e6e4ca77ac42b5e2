#!lua
--[[ decide: decides a batch of requests in order. Each has several limits and is charged on all of them or none.

KEYS     keys of the batch's counters and receipts, all in one slot; distinct, except hashes. Variant for several slots: keys-across.lua
ARGV[1]  the batch, a MessagePack array of integers:
         [policies, policies x (policy: constants.lua),
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
State    the algorithm's state, then the mark (policy.lua). Receipt: receipt-layout.lua
Binding  scripts/decide.ts; models: algorithms/*.ts
Source   docs/adr/0011-decide-script.md ]]
--@include constants
--@include receipt-layout

-- Positions in the batch.
local POLICIES <const> = 1
local FIRST_POLICY <const> = 2
-- Head of a request.
local ONE_CHECK <const> = 4 -- one check, without a receipt, to be charged
local PEEK <const> = 1 -- head % 2: charges nothing
local WITH_RECEIPT <const> = 2 -- head % 4 of requests with a receipt is this or more
-- Positions in a request's receipt, from its start.
local RECEIPT_KEY <const> = 0
local RECEIPT_HOLDER <const> = 1
local RECEIPT_FINGERPRINT <const> = 2
local RECEIPT_LIFETIME_MS <const> = 3
local RECEIPT_TERM_MS <const> = 4
local RECEIPT_SIZE <const> = 5
-- Positions in a check, from its start.
local CHECK_KEY <const> = 0
local CHECK_POLICY <const> = 1
local CHECK_COST <const> = 2
local CHECK_SIZE <const> = 3

-- Positions in the reply to a check, from the position before it.
local OUTCOME <const> = 1
local REMAINING <const> = 2
local WAIT_US <const> = 3
local RESET_AFTER_US <const> = 4
local REPLY_SIZE <const> = 4
-- Outcomes; denied because of attempts in flight is -1, allowed is 1 or more.
local BLOCKED <const> = -2
local DENIED <const> = 0
-- Reply to a request with a receipt.
local CHARGED_NOW <const> = 0
local REPEATED <const> = 1
local CONFLICT <const> = 2
--@include prelude

local payload, fieldList = ARGV[1], ARGV[5]
local batch = cmsgpack.unpack(payload)
-- nowUs
--@include clock

-- `at` is a position in the batch: of a policy here, of a request below. By start of a policy: its mark and the functions of its
-- algorithm, so that one lookup finds both.
local policies, marks, at, penalty = {}, {}, FIRST_POLICY, nil
for i = 1, batch[POLICIES] do
  local algorithm, mark = algorithmOf(batch[at + ALGORITHM]), markOf(batch, at, nowUs)
  mark.step, mark.decode, mark.delta = algorithm.step, algorithm.decode, algorithm.delta
  mark.inFlight = algorithm.inFlight
  if algorithm.deny then
    penalty = algorithm
  end
  policies[i], marks[at] = at, mark
  at = at + batch[at + SIZE]
end

-- keys, texts (stored text by key), call; in the variant also foreign
--@include keys | keys-across
local fields, readField, writeField = fieldList and cjson.decode(fieldList), nil, nil
if fields then
  --@include hash-fields
  readField, writeField = readHashField, writeHashField
  for k = 1, #keys do
    if fields[k] then
      texts[k] = readField(keys[k], fields[k])
    end
  end
end
-- By key: current state; state as read, if its mark is current; policy to write it under; mark of a policy newer than
-- this node's, which is kept, because otherwise the change would be carried over twice.
local states, read, written, newer = {}, {}, {}, {}
-- reply and r, the position of its last integer
--@include reply | skip-foreign
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
    if id ~= batch[p + ID] then
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
  if head == ONE_CHECK then
    -- One limit without a receipt: almost every request. Inline, because access to upvalues costs more than to locals.
    local j = at + 1
    local k, p, cost = batch[j + CHECK_KEY], policies[batch[j + CHECK_POLICY]], batch[j + CHECK_COST]
    local outcome, nextState, remaining, waitUs, resetAfterUs =
      marks[p].step(states[k] or texts[k] and load(k, p), batch, p + PARAMETERS, cost, nowUs)
    if outcome > 0 and cost > 0 then
      states[k], written[k] = nextState, p
    end
    reply[r + OUTCOME] = outcome
    reply[r + REMAINING] = remaining
    reply[r + WAIT_US] = waitUs
    reply[r + RESET_AFTER_US] = resetAfterUs
    local inFlight = marks[p].inFlight
    if inFlight then
      attempts[#attempts + 1] = inFlight(states[k], batch, p + PARAMETERS, nowUs)
    end
    r, at = r + REPLY_SIZE, j + CHECK_SIZE
  else
    -- Defined here, because creating functions takes a fifth of a single decision.
    --@include receipt
    --[[ A request with several limits, with a receipt, or to be checked only. Checks all limits first, then charges all of them, or none if
    an enforced one denies. A limit in shadow mode that denies is not charged, nor is a check without a charge. ]]
    local nextStates = {}
    local penalize
    if penalty then
      --@include penalties
      penalize = applyPenalties
    end

    local function decideRequest(at, head)
      local peek = head % 2 == PEEK
      local withReceipt = head % 4 >= WITH_RECEIPT
      local checks = floor(head / 4)
      local order = at + 1
      local first = withReceipt and order + RECEIPT_SIZE or order
      local after = first + checks * CHECK_SIZE
      if withReceipt then
        r = r + 1
        local receipt = receiptOf(texts[batch[order + RECEIPT_KEY]])
        if receipt ~= nil then
          repeatAnswer(receipt, batch[order + RECEIPT_FINGERPRINT], first, checks)
          return after
        end
        reply[r], holder = CHARGED_NOW, batch[order + RECEIPT_HOLDER]
      end

      local firstReply, all, j = r, true, first
      for c = 1, checks do
        local k, p, cost = batch[j + CHECK_KEY], policies[batch[j + CHECK_POLICY]], batch[j + CHECK_COST]
        if cost < 0 then
          -- Costs nothing from here on, including in the receipt.
          cost, batch[j + CHECK_COST] = -cost, 0
        end
        local outcome, nextState, remaining, waitUs, resetAfterUs =
          ALGORITHMS[batch[p + ALGORITHM]].step(states[k] or texts[k] and load(k, p), batch, p + PARAMETERS, cost, nowUs)
        nextStates[c] = nextState
        if outcome <= 0 and batch[p + FLAGS] % 2 == ENFORCED then
          all = false
        end
        reply[r + OUTCOME] = outcome
        reply[r + REMAINING] = remaining
        reply[r + WAIT_US] = waitUs
        reply[r + RESET_AFTER_US] = resetAfterUs
        r, j = r + REPLY_SIZE, j + CHECK_SIZE
      end
      if penalize and penalize(first, checks, firstReply, peek) then
        all = false
      end

      local charged, position = all and not peek, firstReply
      j = first
      for c = 1, checks do
        local k, p = batch[j + CHECK_KEY], policies[batch[j + CHECK_POLICY]]
        if reply[position + OUTCOME] > DENIED then
          if not charged or batch[j + CHECK_COST] == 0 then
            -- Allowed but not charged: `remaining` excludes this request.
            local _, _, remaining, _, resetAfterUs =
              ALGORITHMS[batch[p + ALGORITHM]].step(states[k], batch, p + PARAMETERS, 0, nowUs)
            reply[position + REMAINING], reply[position + RESET_AFTER_US] = remaining, resetAfterUs
          else
            states[k], written[k] = nextStates[c], p
          end
        end
        local inFlight = marks[p].inFlight
        if inFlight then
          attempts[#attempts + 1] = inFlight(states[k], batch, p + PARAMETERS, nowUs)
        end
        j, position = j + CHECK_SIZE, position + REPLY_SIZE
      end
      if withReceipt and charged then
        keepReceipt(order, first, checks, firstReply)
      end
      holder = 0
      return after
    end
    repeat
      at = decideRequest(at, batch[at])
    until at > last or batch[at] == ONE_CHECK
  end
end

for k = 1, #keys do
  local p = written[k]
  if p then
    local mark, before, delta, field, added = marks[p], read[k], nil, fields and fields[k], nil
    -- In a hash that other limits keep, a mark may be older than 17 periods: each write compares the expiry.
    if before and mark.delta and (not field or batch[p + ALGORITHM] == PACKED) then
      delta = mark.delta(before, states[k])
    end
    -- INCRBY takes a fifth of a SET. If the stored text is not an integer to Redis, it is replaced.
    if delta and field then
      added = redis.pcall('HINCRBY', keys[k], field, delta)
    elseif delta then
      added = redis.pcall('INCRBY', keys[k], delta)
    end
    if type(added) ~= 'number' then
      local text = ALGORITHMS[batch[p + ALGORITHM]].encode(states[k], newer[k] or mark.text)
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
