--[[ Part of decide: receipts of charged requests, so that a retry charges nothing more and a charge can be refunded, reported or settled
(amend.lua).

Receipt r1, a MessagePack array: [status (0 charged, 1 final, 2 refunded: its id may be charged again), holder, charged at (us), expires
at (us; 0 never; negative: expired then), lifetime (ms), reported at (us, 0 not yet), term (us), fingerprint, checks, then per check: key, cost, outcome,
remaining, wait us, reset after us, policy without carries]. The key is the only text in it; of a field, its name (hash-fields.lua).
With the fingerprint 0 only the text 1: a mark, which proves that the request was charged. ]]
local HEAD = 9

local function nameOf(k)
  local field = fields and fields[k]
  return field and keys[k] .. '|' .. field or keys[k]
end

local function keepReceipt(order, first, checks, firstReply)
  local keepMs, termUs = batch[order + 3], batch[order + 4] * 1000
  local keepUntilMs = floor(nowUs / 1000) + keepMs
  if batch[order + 2] == 0 then
    call('SET', keys[batch[order]], '1', 'PXAT', keepUntilMs)
    return
  end
  local expiresAtUs = termUs > 0 and nowUs + termUs or 0
  local kept = { 0, holder, nowUs, expiresAtUs, keepMs, 0, termUs, batch[order + 2], checks }
  local n, j, position = HEAD, first, firstReply
  for _ = 1, checks do
    local p = policies[batch[j + 1]]
    kept[n + 1], kept[n + 2] = nameOf(batch[j]), batch[j + 2]
    for i = 1, 4 do
      kept[n + 2 + i] = reply[position + i]
    end
    n = n + 6
    local size = 7 + ALGORITHMS[batch[p + 1]].parameters
    for i = 0, size - 1 do
      kept[n + 1 + i] = batch[p + i]
    end
    kept[n + 1], kept[n + 7] = size, 0
    n, j, position = n + size, j + 3, position + 4
  end
  local text = cmsgpack.pack(kept)
  -- Written now, not with the states: a later request of this batch may repeat it.
  texts[batch[order]] = text
  call('SET', keys[batch[order]], text, 'PXAT', keepUntilMs)
end

-- Decodes a receipt; nil if the request is to be decided, false for an invalid text.
local function receiptOf(text)
  if not text then
    return nil
  end
  local isRead, kept = pcall(cmsgpack.unpack, text)
  if not isRead or type(kept) ~= 'table' or type(kept[HEAD]) ~= 'number' then
    return false
  end
  if kept[1] == 2 then
    return nil
  end
  return kept
end

-- Position of a counter's check in a receipt, before its key.
local function positionOf(kept, key)
  local n = HEAD
  for _ = 1, kept[HEAD] do
    if kept[n + 1] == key then
      return n
    end
    n = n + 6 + kept[n + 7]
  end
end

-- Returns the earlier result with updated times. Limits added since are checked without a charge. `first`: position of
-- the checks of the repeated request.
local function repeatAnswer(kept, fingerprint, first, checks)
  local same = kept and kept[8] == fingerprint
  local elapsedUs = same and math.max(0, nowUs - kept[3]) or 0
  reply[r] = same and 1 or 2
  for c = 1, checks do
    local j = first + (c - 1) * 3
    local k, p = batch[j], policies[batch[j + 1]]
    local n = same and positionOf(kept, nameOf(k))
    if n then
      local waitUs = kept[n + 5]
      reply[r + 1], reply[r + 2] = kept[n + 3], kept[n + 4]
      reply[r + 3] = waitUs < 0 and waitUs or math.max(0, waitUs - elapsedUs)
      reply[r + 4] = math.max(0, kept[n + 6] - elapsedUs)
    elseif same then
      local state = states[k] or texts[k] and load(k, p)
      local _, _, remaining, _, resetAfterUs = ALGORITHMS[batch[p + 1]].step(state, batch, p + 7, 0, nowUs)
      reply[r + 1], reply[r + 2], reply[r + 3], reply[r + 4] = 1, remaining, 0, resetAfterUs
    else
      reply[r + 1], reply[r + 2], reply[r + 3], reply[r + 4] = 0, 0, 0, 0
    end
    if marks[p].inFlight then
      attempts[#attempts + 1] = 0
    end
    r = r + 4
  end
end
