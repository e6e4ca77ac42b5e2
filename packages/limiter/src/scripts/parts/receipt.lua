--[[ Part of decide: receipts of charged requests, so that a retry charges nothing more and a charge can be refunded, reported or settled
(amend.lua). Layout: receipt-layout.lua. ]]

local function nameOf(k)
  local field = fields and fields[k]
  return field and keys[k] .. '|' .. field or keys[k]
end

-- `order`: position of the request's receipt; `first`: of its checks; `firstReply`: before the reply of the first check.
local function keepReceipt(order, first, checks, firstReply)
  local k, fingerprint = batch[order + RECEIPT_KEY], batch[order + RECEIPT_FINGERPRINT]
  local keepMs, termUs = batch[order + RECEIPT_LIFETIME_MS], batch[order + RECEIPT_TERM_MS] * 1000
  local keepUntilMs = floor(nowUs / 1000) + keepMs
  if fingerprint == 0 then
    call('SET', keys[k], MARKED, 'PXAT', keepUntilMs)
    return
  end
  local receipt = {
    [STATUS] = CHARGED,
    [HOLDER] = holder,
    [CHARGED_AT_US] = nowUs,
    [EXPIRES_AT_US] = termUs > 0 and nowUs + termUs or 0,
    [LIFETIME_MS] = keepMs,
    [REPORTED_AT_US] = 0,
    [TERM_US] = termUs,
    [FINGERPRINT] = fingerprint,
    [CHECKS] = checks,
  }
  local entry, j, position = CHECKS, first, firstReply
  for _ = 1, checks do
    local p = policies[batch[j + CHECK_POLICY]]
    receipt[entry + ENTRY_KEY] = nameOf(batch[j + CHECK_KEY])
    receipt[entry + ENTRY_COST] = batch[j + CHECK_COST]
    receipt[entry + ENTRY_OUTCOME] = reply[position + OUTCOME]
    receipt[entry + ENTRY_REMAINING] = reply[position + REMAINING]
    receipt[entry + ENTRY_WAIT_US] = reply[position + WAIT_US]
    receipt[entry + ENTRY_RESET_AFTER_US] = reply[position + RESET_AFTER_US]
    local to, size = entry + ENTRY_POLICY, PARAMETERS + ALGORITHMS[batch[p + ALGORITHM]].parameters
    for i = 0, size - 1 do
      receipt[to + i] = batch[p + i]
    end
    receipt[to + SIZE], receipt[to + CARRIES] = size, 0
    entry, j, position = to + size - 1, j + CHECK_SIZE, position + REPLY_SIZE
  end
  local text = cmsgpack.pack(receipt)
  -- Written now, not with the states: a later request of this batch may repeat it.
  texts[k] = text
  call('SET', keys[k], text, 'PXAT', keepUntilMs)
end

-- Decodes a receipt; nil if the request is to be decided, false for an invalid text.
local function receiptOf(text)
  if not text then
    return nil
  end
  local isRead, receipt = pcall(cmsgpack.unpack, text)
  if not isRead or type(receipt) ~= 'table' or type(receipt[CHECKS]) ~= 'number' then
    return false
  end
  if receipt[STATUS] == REFUNDED then
    return nil
  end
  return receipt
end

-- Position of a counter's entry in a receipt.
local function entryOf(receipt, key)
  local entry = CHECKS
  for _ = 1, receipt[CHECKS] do
    if receipt[entry + ENTRY_KEY] == key then
      return entry
    end
    entry = entry + ENTRY_POLICY - 1 + receipt[entry + ENTRY_POLICY + SIZE]
  end
end

-- Returns the earlier result with updated times. Limits added since are checked without a charge. `first`: position of
-- the checks of the repeated request.
local function repeatAnswer(receipt, fingerprint, first, checks)
  local same = receipt and receipt[FINGERPRINT] == fingerprint
  local elapsedUs = same and math.max(0, nowUs - receipt[CHARGED_AT_US]) or 0
  reply[r] = same and REPEATED or CONFLICT
  for c = 1, checks do
    local j = first + (c - 1) * CHECK_SIZE
    local k, p = batch[j + CHECK_KEY], policies[batch[j + CHECK_POLICY]]
    local entry = same and entryOf(receipt, nameOf(k))
    local outcome, remaining, waitUs, resetAfterUs = 0, 0, 0, 0
    if entry then
      outcome, remaining, waitUs = receipt[entry + ENTRY_OUTCOME], receipt[entry + ENTRY_REMAINING], receipt[entry + ENTRY_WAIT_US]
      waitUs = waitUs < 0 and waitUs or math.max(0, waitUs - elapsedUs)
      resetAfterUs = math.max(0, receipt[entry + ENTRY_RESET_AFTER_US] - elapsedUs)
    elseif same then
      local state = states[k] or texts[k] and load(k, p)
      local _, _, left, _, leftResetUs = ALGORITHMS[batch[p + ALGORITHM]].step(state, batch, p + PARAMETERS, 0, nowUs)
      outcome, remaining, resetAfterUs = 1, left, leftResetUs
    end
    reply[r + OUTCOME], reply[r + REMAINING], reply[r + WAIT_US], reply[r + RESET_AFTER_US] = outcome, remaining, waitUs, resetAfterUs
    if marks[p].inFlight then
      attempts[#attempts + 1] = 0
    end
    r = r + REPLY_SIZE
  end
end
