--[[ attempts: twin of algorithms/attempts.ts, for any rule except concurrency. Wire id: 16 + the rule's.
Parameters: the rule's, then the timeout of attempts (ms).
State <rule's>a1: a table of the rule's state of failures (nil: none) and the attempts in flight, a list of expiry (ms) and units,
sorted by expiry. As text: number of entries (1 byte), per entry its expiry (6 bytes, ms since 2020-01-01) and units (7 bytes), little
endian; then the rule's text with the mark, or the mark only.
Source: docs/adr/0045-attempts-in-flight.md ]]
-- Slots of the state.
local FAILED <const> = 1
local IN_FLIGHT <const> = 2
-- Bytes of an entry's expiry and units, and of both.
local EXPIRY_SIZE <const> = 6
local UNITS_SIZE <const> = 7
local ENTRY_SIZE <const> = EXPIRY_SIZE + UNITS_SIZE
-- An attempt may end before its timeout.
local MAX_RETRY_US <const> = 1000000

local function makeAttempts(rule)
  -- Position of the timeout in the parameters.
  local timeout = rule.parameters

  local function bytesOf(number, length)
    local bytes = {}
    for i = 1, length do
      local low = number % 256
      bytes[i], number = char(low), (number - low) / 256
    end
    return concat(bytes)
  end

  local function numberAt(text, from, length)
    local value = 0
    for i = from + length - 1, from, -1 do
      value = value * 256 + byte(text, i)
    end
    return value
  end

  local function expiryOf(timeoutMs, atUs)
    local partMs = math.ceil(timeoutMs / 16)
    return math.ceil((floor(atUs / 1000) + timeoutMs) / partMs) * partMs
  end

  -- Entries in flight, and the sum of their units.
  local function liveAt(state, timeoutMs, nowUs)
    local live, units, nowMs = {}, 0, floor(nowUs / 1000)
    local entries = state and state[IN_FLIGHT] or live
    for i = 1, #entries, 2 do
      if entries[i] > nowMs and entries[i] <= nowMs + 2 * timeoutMs then
        live[#live + 1], live[#live + 2] = entries[i], entries[i + 1]
        units = units + entries[i + 1]
      end
    end
    return live, units
  end

  -- Copies `entries`, because a batch may need the original.
  local function withUnits(entries, expiryMs, units)
    local list, isIn = {}, false
    for i = 1, #entries, 2 do
      if not isIn and entries[i] > expiryMs then
        list[#list + 1], list[#list + 2], isIn = expiryMs, units, true
      end
      local same = entries[i] == expiryMs
      list[#list + 1], list[#list + 2] = entries[i], entries[i + 1] + (same and units or 0)
      isIn = isIn or same
    end
    if not isIn then
      list[#list + 1], list[#list + 2] = expiryMs, units
    end
    return list
  end

  local function stateOf(failed, entries)
    if failed == nil and #entries == 0 then
      return nil
    end
    return { failed, entries }
  end

  local function step(state, b, at, cost, nowUs)
    local failed, timeoutMs = state and state[FAILED] or nil, b[at + timeout]
    local live, units = liveAt(state, timeoutMs, nowUs)
    local outcome, _, remaining, waitUs, resetAfterUs = rule.step(failed, b, at, units + cost, nowUs)
    if outcome > 0 then
      if cost > 0 then
        state = { failed, withUnits(live, expiryOf(timeoutMs, nowUs), cost) }
      end
      return outcome, state, remaining, waitUs, resetAfterUs
    end
    local alone, _, _, aloneWaitUs = rule.step(failed, b, at, cost, nowUs)
    local _, _, left, _, leftResetUs = rule.step(failed, b, at, 0, nowUs)
    if #live > 0 then
      leftResetUs = math.max(leftResetUs, live[#live - 1] * 1000 - nowUs)
    end
    if alone == 0 then
      return 0, state, left - units, aloneWaitUs, leftResetUs
    end
    local sooner, rest = 0, units
    for i = 1, #live, 2 do
      rest = rest - live[i + 1]
      sooner = live[i] * 1000 - nowUs
      if rule.step(failed, b, at, rest + cost, nowUs) > 0 then
        break
      end
    end
    if waitUs >= 0 and waitUs < sooner then
      sooner = waitUs
    end
    return -1, state, left - units, math.min(sooner, MAX_RETRY_US), leftResetUs
  end

  local function release(state, b, at, units, atUs)
    local expiryMs, list, entries = expiryOf(b[at + timeout], atUs), {}, state[IN_FLIGHT]
    for i = 1, #entries, 2 do
      local left = entries[i + 1]
      if entries[i] == expiryMs then
        left = left - units
      end
      if left > 0 then
        list[#list + 1], list[#list + 2] = entries[i], left
      end
    end
    return stateOf(state[FAILED], list)
  end

  return {
    parameters = timeout + 1,

    decode = function(text)
      local count = byte(text, 1)
      local from = 2 + count * ENTRY_SIZE
      if #text - 2 < from then
        return nil
      end
      local entries = {}
      for i = 0, count - 1 do
        entries[2 * i + 1] = numberAt(text, 2 + i * ENTRY_SIZE, EXPIRY_SIZE) + EPOCH_MS
        entries[2 * i + 2] = numberAt(text, 2 + i * ENTRY_SIZE + EXPIRY_SIZE, UNITS_SIZE)
      end
      if #text - 2 == from then
        return { nil, entries }
      end
      local failed = rule.decode(sub(text, from))
      return failed and { failed, entries } or nil
    end,

    encode = function(state, mark)
      local failed, entries = state[FAILED], state[IN_FLIGHT]
      local texts = { char(#entries / 2) }
      for i = 1, #entries, 2 do
        texts[#texts + 1] = bytesOf(entries[i] - EPOCH_MS, EXPIRY_SIZE)
        texts[#texts + 1] = bytesOf(entries[i + 1], UNITS_SIZE)
      end
      texts[#texts + 1] = failed == nil and mark or rule.encode(failed, mark)
      return concat(texts)
    end,

    step = step,

    inFlight = function(state, b, at, nowUs)
      local _, units = liveAt(state, b[at + timeout], nowUs)
      return units
    end,

    release = release,
    extraUnits = rule.extraUnits,

    -- Like step, but the charged units count as failed.
    charge = function(state, b, at, cost, nowUs)
      local outcome, _, remaining, waitUs, resetAfterUs = step(state, b, at, cost, nowUs)
      if outcome > 0 and cost > 0 then
        local _, failed = rule.step(state and state[FAILED] or nil, b, at, cost, nowUs)
        state = stateOf(failed, state and state[IN_FLIGHT] or {})
      end
      return outcome, state, remaining, waitUs, resetAfterUs
    end,

    -- Charges a failed attempt that began at `atUs`, above the limit if necessary.
    fail = function(state, b, at, units, atUs, nowUs)
      local rest = state and release(state, b, at, units, atUs)
      local failed = rest and rest[FAILED]
      local _, _, remaining = rule.step(failed, b, at, 0, nowUs)
      local _, _, capacity = rule.step(nil, b, at, 0, nowUs)
      local extra = b[at + EXTRA]
      b[at + EXTRA] = UNBOUNDED
      local outcome, charged = rule.step(failed, b, at, math.min(units, math.max(0, remaining + capacity)), nowUs)
      b[at + EXTRA] = extra
      if outcome > 0 then
        failed = charged
      end
      return stateOf(failed, rest and rest[IN_FLIGHT] or {})
    end,

    refund = function(state, b, at, units, atUs, nowUs)
      local failed = state[FAILED]
      if failed == nil then
        return state
      end
      return stateOf(rule.refund(failed, b, at, units, atUs, nowUs), state[IN_FLIGHT])
    end,

    rebase = function(state, b, from, to, carry, atUs)
      local failed = state[FAILED]
      if failed ~= nil then
        failed = rule.rebase(failed, b, from, to, carry, atUs)
      end
      if carry == RESET then
        return stateOf(failed, {})
      end
      local latestMs, entries = expiryOf(b[to + timeout], atUs), {}
      local live = liveAt(state, b[from + timeout], atUs)
      for i = 1, #live, 2 do
        entries = withUnits(entries, math.min(live[i], latestMs), live[i + 1])
      end
      return stateOf(failed, entries)
    end,
  }
end
