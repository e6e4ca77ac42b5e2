--[[ Part of decide: a request of several limits, or with a receipt, or only a look. Checks every limit first; charges all of
them, or none, when one that is enforced refuses. One in shadow that refuses is not charged, nor is one that is looked at. ]]
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
      -- From here on it costs nothing, in the receipt too.
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

  local charged, place = all and not peek, firstReply
  j = first
  for c = 1, checks do
    local k, p = batch[j], policies[batch[j + 1]]
    if reply[place + 1] > 0 then
      if not charged or batch[j + 2] == 0 then
        -- Would pass, but is not charged after all: what is left is what was there before.
        local _, _, remaining, _, resetAfterUs = ALGORITHMS[batch[p + 1]].step(states[k], batch, p + 7, 0, nowUs)
        reply[place + 2], reply[place + 4] = remaining, resetAfterUs
      else
        states[k], written[k] = nextStates[c], p
      end
    end
    local inFlight = marks[p].inFlight
    if inFlight then
      attempts[#attempts + 1] = inFlight(states[k], batch, p + 7, nowUs)
    end
    j, place = j + 3, place + 4
  end
  if withReceipt and charged then
    keepReceipt(order, first, checks, firstReply)
  end
  holder = 0
  return after
end
