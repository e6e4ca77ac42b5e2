// Generated from src/scripts/*.lua by packages/limiter/tools/assemble.mjs. Do not edit.

const PRELUDE = `--[[ Part of decide and amend: shared functions. An algorithm's functions are created only in runs that use it. ]]
local ALGORITHMS = {}
local floor, format, sub, byte, char, concat = math.floor, string.format, string.sub, string.byte, string.char, table.concat
-- Holder of permits, 0 for none; used by concurrency.
local holder = 0

-- Usage after a policy change: twin of carriedOver in contracts.
local function carriedOver(used, from, to, rule)
  if rule == 1 then
    return 0
  elseif rule == 2 then
    return math.min((2 ^ 52), math.ceil(used * to / from))
  elseif rule == 3 and used > from then
    return from
  end
  return used
end

--[[ The algorithm with a wire id; \`MAKE[id]()\` makes it. Twin of Algorithm in algorithms/algorithm.ts. \`b\` is the array that holds the
policy, \`at\` the position of its first parameter. A state is a table or a number that only the algorithm reads, nil if there is none.
  parameters                                number of integers
  decode(text)                              state; nil for bytes of another format. Unlike the model's, the text ends with the mark
  encode(state, mark)                       text
  step(state, b, at, cost, nowUs)           outcome (0 denied, 1 allowed, 2 above the limit), state, remaining, wait, reset (both us)
  refund(state, b, at, units, atUs, nowUs)  state
  rebase(state, b, from, to, rule, atUs)    state; \`from\` and \`to\` as \`at\`, \`rule\` RESET, PROPORTIONAL, ADDITIVE or 0
Optional: delta(before, after), the text to add to the stored integer, or nil; inFlight, charge, release, fail, deny as in the model. ]]
local algorithmOf
function algorithmOf(wireId)
  local algorithm = ALGORITHMS[wireId]
  if algorithm then
    return algorithm
  end
  if wireId > 16 then
--[[ attempts: twin of algorithms/attempts.ts, for any rule except concurrency. Wire id: 16 + the rule's.
Parameters: the rule's, then the timeout of attempts (ms).
State <rule's>a1: a table of the rule's state of failures (nil: none) and the attempts in flight, a list of expiry (ms) and units,
sorted by expiry. As text: number of entries (1 byte), per entry its expiry (6 bytes, ms since 2020-01-01) and units (7 bytes), little
endian; then the rule's text with the mark, or the mark only.
Source: docs/adr/0045-attempts-in-flight.md ]]
-- Slots of the state.
-- Bytes of an entry's expiry and units, and of both.
-- An attempt may end before its timeout.

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
    local entries = state and state[2] or live
    for i = 1, #entries, 2 do
      if entries[i] > nowMs and entries[i] <= nowMs + 2 * timeoutMs then
        live[#live + 1], live[#live + 2] = entries[i], entries[i + 1]
        units = units + entries[i + 1]
      end
    end
    return live, units
  end

  -- Copies \`entries\`, because a batch may need the original.
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
    local failed, timeoutMs = state and state[1] or nil, b[at + timeout]
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
    return -1, state, left - units, math.min(sooner, 1000000), leftResetUs
  end

  local function release(state, b, at, units, atUs)
    local expiryMs, list, entries = expiryOf(b[at + timeout], atUs), {}, state[2]
    for i = 1, #entries, 2 do
      local left = entries[i + 1]
      if entries[i] == expiryMs then
        left = left - units
      end
      if left > 0 then
        list[#list + 1], list[#list + 2] = entries[i], left
      end
    end
    return stateOf(state[1], list)
  end

  return {
    parameters = timeout + 1,

    decode = function(text)
      local count = byte(text, 1)
      local from = 2 + count * (6 + 7)
      if #text - 2 < from then
        return nil
      end
      local entries = {}
      for i = 0, count - 1 do
        entries[2 * i + 1] = numberAt(text, 2 + i * (6 + 7), 6) + 1577836800000
        entries[2 * i + 2] = numberAt(text, 2 + i * (6 + 7) + 6, 7)
      end
      if #text - 2 == from then
        return { nil, entries }
      end
      local failed = rule.decode(sub(text, from))
      return failed and { failed, entries } or nil
    end,

    encode = function(state, mark)
      local failed, entries = state[1], state[2]
      local texts = { char(#entries / 2) }
      for i = 1, #entries, 2 do
        texts[#texts + 1] = bytesOf(entries[i] - 1577836800000, 6)
        texts[#texts + 1] = bytesOf(entries[i + 1], 7)
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
        local _, failed = rule.step(state and state[1] or nil, b, at, cost, nowUs)
        state = stateOf(failed, state and state[2] or {})
      end
      return outcome, state, remaining, waitUs, resetAfterUs
    end,

    -- Charges a failed attempt that began at \`atUs\`, above the limit if necessary.
    fail = function(state, b, at, units, atUs, nowUs)
      local rest = state and release(state, b, at, units, atUs)
      local failed = rest and rest[1]
      local _, _, remaining = rule.step(failed, b, at, 0, nowUs)
      local _, _, capacity = rule.step(nil, b, at, 0, nowUs)
      local extra = b[at + 0]
      b[at + 0] = (2 ^ 50)
      local outcome, charged = rule.step(failed, b, at, math.min(units, math.max(0, remaining + capacity)), nowUs)
      b[at + 0] = extra
      if outcome > 0 then
        failed = charged
      end
      return stateOf(failed, rest and rest[2] or {})
    end,

    refund = function(state, b, at, units, atUs, nowUs)
      local failed = state[1]
      if failed == nil then
        return state
      end
      return stateOf(rule.refund(failed, b, at, units, atUs, nowUs), state[2])
    end,

    rebase = function(state, b, from, to, carry, atUs)
      local failed = state[1]
      if failed ~= nil then
        failed = rule.rebase(failed, b, from, to, carry, atUs)
      end
      if carry == 1 then
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
    algorithm = makeAttempts(algorithmOf(wireId - 16))
    ALGORITHMS[wireId] = algorithm
    return algorithm
  end
  -- In branches, so that unused functions are not created: creating them is most of the cost of a single decision.
  local MAKE = {}
  if wireId == 12 then
--[[ penalty: twin of algorithms/penalty.ts.
Parameters: 0, denials that start a block, their window, the first block, the longest block (us).
State n1: a table of denials in the window, end of the window, blocks in succession, end of the last block (us; 0 none). As text: these
numbers, each followed by a space, then the mark.
Source: docs/adr/0060-penalties.md ]]
-- Parameters.
-- Slot of the state.
-- 2^30 times a second is longer than any block.

MAKE[12] = function()
  local function blockUs(state, nowUs)
    return math.max(0, (state and state[4] or 0) - nowUs)
  end

  return {
    parameters = 5,

    decode = function(text)
      local denials, windowEndUs, blocks, blockEndUs = string.match(text, '^(%d+) (%d+) (%d+) (%d+) %d%d%d\$')
      if not denials then
        return nil
      end
      return { tonumber(denials), tonumber(windowEndUs), tonumber(blocks), tonumber(blockEndUs) }
    end,

    encode = function(state, mark)
      return format('%.0f %.0f %.0f %.0f ', unpack(state)) .. mark
    end,

    step = function(state, b, at, cost, nowUs)
      local waitUs = blockUs(state, nowUs)
      return waitUs == 0 and 1 or 0, state, 0, waitUs, waitUs
    end,

    -- Time until the end of a block, 0 without one.
    blockUs = blockUs,

    deny = function(state, b, at, nowUs)
      local threshold, windowUs = b[at + 1], b[at + 2]
      local firstBlockUs, maxBlockUs = b[at + 3], b[at + 4]
      local denials, windowEndUs, blocks, blockEndUs = unpack(state or { 0, 0, 0, 0 })
      local leftUs = windowEndUs - nowUs
      local isOpen = leftUs > 0 and leftUs <= windowUs
      local counted = isOpen and denials + 1 or 1
      if counted < threshold then
        return { counted, isOpen and windowEndUs or nowUs + windowUs, blocks, blockEndUs }
      end
      local isRepeated = blocks > 0 and nowUs < blockEndUs + maxBlockUs
      blocks = isRepeated and math.min(31, blocks + 1) or 1
      return { 0, 0, blocks, nowUs + math.min(maxBlockUs, firstBlockUs * 2 ^ (blocks - 1)) }
    end,

    rebase = function(state)
      return state
    end,
  }
end
  elseif wireId == 1 or wireId == 7 or wireId == 10 or wireId == 11 then
--[[ State of fixed_window, token_bucket_interval and quota: twin of MS_FORM in algorithms/fixed-window.ts. A table of count and start
(ms); as text: the count, then 12 digits of the start since 2020-01-01. ]]
-- Slots of the table.

-- Cache of parsed starts, because most keys of one policy share their start.
local starts = {}

local function decodeWindow(text)
  local count, start = tonumber(sub(text, 1, -16)), sub(text, -15, -4)
  local startMs = starts[start]
  if not startMs then
    startMs = tonumber(start)
    if not startMs or startMs ~= floor(startMs) then
      return nil
    end
    startMs = startMs + 1577836800000
    starts[start] = startMs
  end
  -- Rejects numbers that we did not write.
  if count and count >= 0 and count == floor(count) then
    return { count, startMs }
  end
end

local function encodeWindow(state, mark)
  local count, start = state[1], state[2] - 1577836800000
  local high = floor(start / 1000000)
  local shape = count < 2147483648 and '%d%06d%06d%s' or '%.0f%06d%06d%s'
  return format(shape, count, high, start - high * 1000000, mark)
end

-- Increment of the stored integer from one state to the next, up to a count of \`most\`; nil if there is none.
local function increment(before, after, most, shape)
  local added = after[1] - before[1]
  if after[2] == before[2] and before[1] > 0 and after[1] <= most and added >= 0 then
    return format(shape, added)
  end
end

local function windowDelta(before, after)
  return increment(before, after, 9222, '%d000000000000000')
end

--[[ packed_window: twin of SECONDS_FORM in algorithms/fixed-window.ts. State p1: the count, then 9 digits of the start in seconds since
2020-01-01. ]]
local function decodePacked(text)
  local count, startS = tonumber(sub(text, 1, -13)), tonumber(sub(text, -12, -4))
  if count and startS and count >= 0 and count == floor(count) and startS == floor(startS) then
    return { count, startS * 1000 + 1577836800000 }
  end
end

local function encodePacked(state, mark)
  local count, startMs = state[1], state[2]
  local shape = count < 2147483648 and '%d%09d%s' or '%.0f%09d%s'
  return format(shape, count, (startMs - 1577836800000) / 1000, mark)
end

local function packedDelta(before, after)
  return increment(before, after, 9223371, '%d000000000000')
end

--[[ fixed_window, packed_window: twin of algorithms/fixed-window.ts.
Parameters: extra, capacity, window (ms), 1 if aligned to the clock (constants.lua).
State f1, p1: count and start of the window.
Source: docs/adr/0012-algorithms.md ]]
local function makeFixedWindow(decode, encode, delta)
  local function current(state, b, at, nowMs)
    local windowMs, aligned = b[at + 2], b[at + 3] == 1
    local startMs = nowMs
    if aligned then
      startMs = nowMs - nowMs % windowMs
    end
    if not state then
      return 0, startMs
    end
    local count, storedMs = state[1], state[2]
    if aligned and storedMs == startMs then
      return count, startMs
    end
    local over = storedMs <= nowMs - windowMs
    if aligned then
      over = storedMs < startMs
    end
    if over or storedMs > nowMs + windowMs then
      return 0, startMs
    elseif not aligned or storedMs > nowMs then
      startMs = storedMs
    end
    return count, startMs
  end

  return {
    parameters = 4,
    decode = decode,
    encode = encode,
    delta = delta,

    step = function(state, b, at, cost, nowUs)
      local extra, capacity, windowMs = b[at + 0], b[at + 1], b[at + 2]
      local count, startMs = current(state, b, at, floor(nowUs / 1000))
      local resetAfterUs = (startMs + windowMs) * 1000 - nowUs
      local used = count + cost
      if used <= capacity then
        return 1, { used, startMs }, capacity - used, 0, resetAfterUs
      elseif used <= capacity + extra then
        return 2, { used, startMs }, capacity - used, 0, resetAfterUs
      end
      return 0, state, capacity - count, cost > capacity + extra and -1 or resetAfterUs, resetAfterUs
    end,

    refund = function(state, b, at, units, atUs, nowUs)
      local count, startMs = current(state, b, at, floor(nowUs / 1000))
      if count == 0 or floor(atUs / 1000) < startMs then
        return state
      end
      return count > units and { count - units, startMs } or nil
    end,

    rebase = function(state, b, from, to, rule, atUs)
      local count, startMs = current(state, b, from, floor(atUs / 1000))
      local carried = carriedOver(count, b[from + 1], b[to + 1], rule)
      return carried > 0 and { carried, startMs } or nil
    end,
  }
end
MAKE[1] = function()
  return makeFixedWindow(decodeWindow, encodeWindow, windowDelta)
end
MAKE[11] = function()
  return makeFixedWindow(decodePacked, encodePacked, packedDelta)
end
--[[ token_bucket_interval: twin of algorithms/token-bucket-interval.ts.
Parameters: extra, capacity, refill (tokens per interval, 1 or more), interval (ms), maximum missing tokens.
State i1: missing tokens and the boundary of the last applied refill (fixed-window.lua).
Source: docs/adr/0012-algorithms.md ]]
-- Slots of the state.

MAKE[7] = function()
  local function missing(state, b, at, nowMs)
    local refill, intervalMs = b[at + 2], b[at + 3]
    local boundaryMs = nowMs - nowMs % intervalMs
    if not state then
      return 0, boundaryMs
    end
    local count, storedMs = state[1], state[2]
    if storedMs > boundaryMs + intervalMs then
      return 0, boundaryMs
    elseif storedMs > boundaryMs then
      return count, storedMs
    end
    count = count - floor((boundaryMs - storedMs) / intervalMs) * refill
    return count > 0 and count or 0, boundaryMs
  end

  return {
    parameters = 5,
    decode = decodeWindow,
    encode = encodeWindow,
    delta = windowDelta,

    step = function(state, b, at, cost, nowUs)
      local extra, capacity, maxMissing = b[at + 0], b[at + 1], b[at + 4]
      local refill, intervalMs = b[at + 2], b[at + 3]
      local count, startMs = missing(state, b, at, floor(nowUs / 1000))
      local used = count + cost
      local needed = used - capacity - extra
      if needed <= 0 then
        local resetAfterUs = 0
        if cost > 0 and used > maxMissing then
          used = maxMissing
        end
        if used > 0 then
          resetAfterUs = (startMs + math.ceil(used / refill) * intervalMs) * 1000 - nowUs
        end
        return used > capacity and 2 or 1, { used, startMs }, capacity - used, 0, resetAfterUs
      end
      local waitUs, resetAfterUs = -1, 0
      if cost <= capacity + extra then
        waitUs = (startMs + math.ceil(needed / refill) * intervalMs) * 1000 - nowUs
      end
      if count > 0 then
        resetAfterUs = (startMs + math.ceil(count / refill) * intervalMs) * 1000 - nowUs
      end
      return 0, state, capacity - count, waitUs, resetAfterUs
    end,

    refund = function(state, b, at, units, atUs, nowUs)
      local count, startMs = missing(state, b, at, floor(nowUs / 1000))
      if count == 0 then
        return state
      end
      -- Refills since the charge may have covered it already.
      local refill, intervalMs = b[at + 2], b[at + 3]
      local boundaries = floor(startMs / intervalMs) - floor(atUs / 1000 / intervalMs)
      local pending = math.max(0, units - math.max(0, boundaries) * refill)
      return count > pending and { count - pending, startMs } or nil
    end,

    rebase = function(state, b, from, to, rule, atUs)
      local atMs = math.max(floor(atUs / 1000), state[2])
      local count, startMs = missing(state, b, from, atMs)
      local carried = math.min(carriedOver(count, b[from + 1], b[to + 1], rule), b[to + 4])
      if carried == 0 then
        return nil
      end
      local intervalMs = b[to + 3]
      if intervalMs ~= b[from + 3] then
        startMs = atMs - atMs % intervalMs
      end
      return { carried, startMs }
    end,
  }
end
--[[ quota: twin of algorithms/quota.ts.
Parameters: extra, capacity, start, end, end of the next period (ms since the Unix epoch).
State q1: count and start of the period (fixed-window.lua).
Source: docs/adr/0012-algorithms.md ]]
-- Slots of the state.

MAKE[10] = function()
  -- Start and end of the current period, and the end of the next one.
  local function periodFor(b, at, nowMs)
    local startMs, endMs, nextEndMs = b[at + 2], b[at + 3], b[at + 4]
    if nowMs >= endMs then
      local lengthMs = nextEndMs - endMs
      local fromMs = endMs + floor((nowMs - endMs) / lengthMs) * lengthMs
      return fromMs, fromMs + lengthMs, fromMs + 2 * lengthMs
    elseif nowMs >= startMs then
      return startMs, endMs, nextEndMs
    end
    local lengthMs = math.max(endMs - startMs, nextEndMs - endMs)
    local fromMs = startMs - math.ceil((startMs - nowMs) / lengthMs) * lengthMs
    return fromMs, fromMs + lengthMs, fromMs + 2 * lengthMs
  end

  -- Current count, the start to store with it, and the end of its period.
  local function current(state, b, at, nowMs)
    local startMs, endMs, nextEndMs = periodFor(b, at, nowMs)
    local storedMs = state and state[2]
    if not storedMs or storedMs < startMs or storedMs >= nextEndMs then
      return 0, startMs, endMs
    end
    return state[1], storedMs, storedMs < endMs and endMs or nextEndMs
  end

  return {
    parameters = 5,
    decode = decodeWindow,
    encode = encodeWindow,
    delta = windowDelta,

    step = function(state, b, at, cost, nowUs)
      local extra, capacity = b[at + 0], b[at + 1]
      local count, startMs, untilMs = current(state, b, at, floor(nowUs / 1000))
      local resetAfterUs = untilMs * 1000 - nowUs
      local used = count + cost
      if used <= capacity + extra then
        return used > capacity and 2 or 1, { used, startMs }, capacity - used, 0, resetAfterUs
      end
      return 0, state, capacity - count, cost > capacity + extra and -1 or resetAfterUs, resetAfterUs
    end,

    refund = function(state, b, at, units, atUs, nowUs)
      local count, startMs = current(state, b, at, floor(nowUs / 1000))
      if count == 0 or floor(atUs / 1000) < startMs then
        return state
      end
      return count > units and { count - units, startMs } or nil
    end,

    rebase = function(state, b, from, to, rule, atUs)
      local atMs = floor(atUs / 1000)
      local count, storedMs = current(state, b, from, atMs)
      local startMs, _, nextEndMs = periodFor(b, to, atMs)
      local lengthMs = b[to + 3] - b[to + 2]
      local shortened = b[from + 3] - b[from + 2] > 1.5 * lengthMs
      local carried = 0
      if not shortened or storedMs >= startMs then
        carried = carriedOver(count, b[from + 1], b[to + 1], rule)
      end
      if carried == 0 then
        return nil
      end
      local holds = storedMs >= startMs and storedMs < nextEndMs
      return { carried, holds and storedMs or startMs }
    end,
  }
end
  elseif wireId == 3 then
--[[ sliding_window_log: twin of algorithms/sliding-window-log.ts.
Parameters: extra (units), capacity (units, 1 or more), window (us, 1 or more), maximum delay (us, 0: none).
State l1: big-endian bytes: 7 of the newest entry's time (Unix us), 3 of the total units; then the entries, oldest first: 6 of the time
modulo 2^48, 1 of the units, 1 to 255, so that more units of one time take several entries; then the mark.
In Lua: { newest time, units, text, from, to, tail }: the entries are text from \`from\` to \`to\`, then tail. Text is not copied, expired
entries are skipped, and new ones are appended to the tail; only encode copies.
Source: docs/adr/0012-algorithms.md ]]
-- Slots of the state in Lua.
-- Bytes of the text before the entries, of an entry, of its time, and of the mark.

MAKE[3] = function()
  local rep = string.rep

  local function timeAt(text, from, newestUs)
    local u, v, w, x, y, z = byte(text, from, from + 6 - 1)
    return newestUs - (newestUs - ((((u * 256 + v) * 256 + w) * 256 + x) * 256 + y) * 256 - z) % (2 ^ 48)
  end

  local function entriesOf(atUs, units)
    local time = atUs % (2 ^ 48)
    local stamp = char(
      floor(time / 2 ^ 40), floor(time / 2 ^ 32) % 256, floor(time / 2 ^ 24) % 256,
      floor(time / 2 ^ 16) % 256, floor(time / 2 ^ 8) % 256, time % 256
    )
    if units <= 255 then
      return stamp .. char(units)
    end
    local full = floor((units - 1) / 255)
    return rep(stamp .. char(255), full) .. stamp .. char(units - full * 255)
  end

  -- Number of the \`count\` entries from \`from\` on that are at or before \`untilUs\`; the last entry is later.
  local function countUntil(text, from, count, newestUs, untilUs)
    local low, high = -1, 0
    while high < count - 1 and timeAt(text, from + high * 7, newestUs) <= untilUs do
      low, high = high, high * 2 + 1
    end
    if high > count - 1 then
      high = count - 1
    end
    while high - low > 1 do
      local middle = floor((low + high) / 2)
      if timeAt(text, from + middle * 7, newestUs) <= untilUs then
        low = middle
      else
        high = middle
      end
    end
    return high
  end

  -- Current log: newest, units, text, from, to, tail.
  local function logOf(state, windowUs, maxDelayUs, nowUs)
    local oldestUs = nowUs - windowUs
    if not state then
      return 0, 0, '', 1, 0, ''
    end
    local newestUs, total, text = state[1], state[2], state[3]
    if newestUs <= oldestUs or newestUs > nowUs + windowUs + maxDelayUs then
      return 0, 0, '', 1, 0, ''
    end
    local from, to, tail = state[4], state[5], state[6]
    if from <= to and timeAt(text, from, newestUs) > oldestUs then
      return newestUs, total, text, from, to, tail
    end
    if tail ~= '' and (from > to or timeAt(text, to - 6, newestUs) <= oldestUs) then
      text = sub(text, from, to) .. tail
      from, to, tail = 1, #text, ''
    end
    local count = (to - from + 1) / 7
    local expired = countUntil(text, from, count, newestUs, oldestUs)
    local gone = expired
    -- Most logs have one unit per entry, so nothing needs to be summed.
    if count + #tail / 7 ~= total then
      gone = 0
      for i = from + 6, from + expired * 7 - 1, 7 do
        gone = gone + byte(text, i)
      end
    end
    return newestUs, total - gone, text, from + expired * 7, to, tail
  end

  -- When enough of the oldest units have expired to free \`excess\`.
  local function fitsAtUs(newestUs, total, text, from, to, tail, excess, windowUs)
    local count = (to - from + 1) / 7
    if excess > count and tail ~= '' then
      text = sub(text, from, to) .. tail
      from, to, tail, count = 1, #text, '', #text / 7
    end
    if count + #tail / 7 == total then
      return timeAt(text, from + (excess - 1) * 7, newestUs) + windowUs
    end
    for i = from, to, 7 do
      excess = excess - byte(text, i + 6)
      if excess <= 0 then
        return timeAt(text, i, newestUs) + windowUs
      end
    end
  end

  local function logged(newestUs, total, text, from, to, tail, atUs, units)
    total = total + units
    if newestUs == atUs and tail ~= '' then
      units = units + byte(tail, -1)
      tail = sub(tail, 1, -1 - 7)
    elseif newestUs == atUs then
      units = units + byte(text, to)
      to = to - 7
    end
    return { atUs, total, text, from, to, tail .. entriesOf(atUs, units) }
  end

  -- Removes units from entry \`last\` (from 0) backwards, optionally only of time \`onlyUs\`; returns the entries and the
  -- units still to remove.
  local function without(entries, last, units, newestUs, onlyUs)
    local i, part = last, ''
    while i >= 0 and units > 0 and (not onlyUs or timeAt(entries, i * 7 + 1, newestUs) == onlyUs) do
      local own = byte(entries, (i + 1) * 7)
      if own > units then
        part = sub(entries, i * 7 + 1, i * 7 + 6) .. char(own - units)
        units = 0
      else
        units = units - own
      end
      i = i - 1
    end
    return sub(entries, 1, (i + 1) * 7) .. part .. sub(entries, (last + 1) * 7 + 1), units
  end

  return {
    parameters = 4,

    decode = function(text)
      if #text < 10 + 3 or (#text - 10 - 3) % 7 ~= 0 then
        return nil
      end
      local n, o, p, q, r, s, t, u, v, w = byte(text, 1, 10)
      local newestUs = (((((n * 256 + o) * 256 + p) * 256 + q) * 256 + r) * 256 + s) * 256 + t
      return { newestUs, (u * 256 + v) * 256 + w, text, 10 + 1, #text - 3, '' }
    end,

    encode = function(state, mark)
      local newestUs, total = state[1], state[2]
      local header = char(
        floor(newestUs / 2 ^ 48), floor(newestUs / 2 ^ 40) % 256, floor(newestUs / 2 ^ 32) % 256,
        floor(newestUs / 2 ^ 24) % 256, floor(newestUs / 2 ^ 16) % 256, floor(newestUs / 2 ^ 8) % 256, newestUs % 256,
        floor(total / 2 ^ 16), floor(total / 2 ^ 8) % 256, total % 256
      )
      return header .. sub(state[3], state[4], state[5]) .. state[6] .. mark
    end,

    step = function(state, b, at, cost, nowUs)
      local extra, capacity, windowUs, maxDelayUs = b[at + 0], b[at + 1], b[at + 2], b[at + 3]
      local newestUs, total, text, from, to, tail = logOf(state, windowUs, maxDelayUs, nowUs)
      local most = capacity + extra
      local excess, runUs = total + cost - most, nowUs
      if newestUs > nowUs then
        runUs = newestUs
      end
      local waitUs = 0
      if cost > most then
        waitUs = -1
      elseif maxDelayUs > 0 then
        if excess > 0 then
          local fitsUs = fitsAtUs(newestUs, total, text, from, to, tail, excess, windowUs)
          if fitsUs > runUs then
            runUs = fitsUs
          end
        end
        waitUs = runUs - nowUs
      elseif excess > 0 then
        waitUs = fitsAtUs(newestUs, total, text, from, to, tail, excess, windowUs) - nowUs
      end
      if waitUs < 0 or waitUs > maxDelayUs then
        return 0, state, capacity - total, waitUs < 0 and -1 or waitUs - maxDelayUs,
          total == 0 and 0 or newestUs + windowUs - nowUs
      end
      local nextState = state
      if cost > 0 then
        nextState = logged(newestUs, total, text, from, to, tail, runUs, cost)
        newestUs, total = runUs, total + cost
      end
      local outcome = maxDelayUs == 0 and total > capacity and 2 or 1
      return outcome, nextState, capacity - total, waitUs, total == 0 and 0 or newestUs + windowUs - nowUs
    end,

    refund = function(state, b, at, units, atUs, nowUs)
      local windowUs, maxDelayUs = b[at + 2], b[at + 3]
      local newestUs, total, text, from, to, tail = logOf(state, windowUs, maxDelayUs, nowUs)
      if total == 0 or units == 0 or atUs <= nowUs - windowUs then
        return state
      end
      local entries, left = sub(text, from, to) .. tail, units
      local last = #entries / 7 - 1
      if atUs < newestUs then
        last = countUntil(entries, 1, last + 1, newestUs, atUs) - 1
      end
      entries, left = without(entries, last, left, newestUs, atUs)
      entries, left = without(entries, #entries / 7 - 1, left, newestUs)
      if entries == '' then
        return { 0, 0, '', 1, 0, '' }
      end
      return { timeAt(entries, #entries - 6, newestUs), total - units + left, entries, 1, #entries, '' }
    end,

    -- carriedOver applies to the sum from the newest on, so that the oldest are lost.
    rebase = function(state, b, from, to, rule, atUs)
      local newestUs, total, text, first, last, tail = logOf(state, b[from + 2], b[from + 3], atUs)
      local entries, latestUs = sub(text, first, last) .. tail, atUs + b[to + 2] + b[to + 3]
      local times, units, count, before, carriedBefore = {}, {}, 0, 0, 0
      for i = #entries - 6, 1, -7 do
        local thenUs = timeAt(entries, i, newestUs)
        if thenUs > latestUs then
          thenUs = latestUs
        end
        before = before + byte(entries, i + 6)
        local carried = carriedOver(before, b[from + 1], b[to + 1], rule)
        if carried > 65535 then
          carried = 65535
        end
        if times[count] == thenUs then
          units[count] = units[count] + carried - carriedBefore
        elseif carried > carriedBefore then
          count = count + 1
          times[count], units[count] = thenUs, carried - carriedBefore
        end
        carriedBefore = carried
      end
      if count == 0 then
        return nil
      end
      local parts = {}
      for i = count, 1, -1 do
        parts[#parts + 1] = entriesOf(times[i], units[i])
      end
      local packed = concat(parts)
      return { times[1], carriedBefore, packed, 1, #packed, '' }
    end,
  }
end
  elseif wireId == 4 then
--[[ sliding_window_counter: twin of algorithms/sliding-window-counter.ts.
Parameters: extra (units), capacity (units, 1 or more), sub-window (ms, 1 or more), number of sub-windows (2 or more).
State c1: big-endian bytes: 6 of the newest sub-window's start (Unix ms), 7 of the total, then the counts, newest first, without
trailing zeros, each with the width of the total; then the mark.
In Lua: { start, total, newest count, older counts as bytes, bytes per count }, so that a request in the newest sub-window reads no
other.
Source: docs/adr/0012-algorithms.md ]]
-- Slots of the state in Lua.
-- Bytes of the text before the counts, and of the mark.

MAKE[4] = function()
  local find, rep = string.find, string.rep

  local function widthOf(total)
    local width, most = 1, 256
    while total >= most do
      width, most = width + 1, most * 256
    end
    return width
  end

  local function countAt(text, from, width)
    local count = byte(text, from)
    for i = from + 1, from + width - 1 do
      count = count * 256 + byte(text, i)
    end
    return count
  end

  local function bytesOf(count, width)
    local text = char(count % 256)
    for _ = 2, width do
      count = floor(count / 256)
      text = char(count % 256) .. text
    end
    return text
  end

  -- Removes the oldest counts that are 0, at the end.
  local function trimmed(older, width)
    local last = #older
    while last > 0 and byte(older, last) == 0 do
      last = last - 1
    end
    last = last + (width - last % width) % width
    return last < #older and sub(older, 1, last) or older
  end

  local function resized(older, width, newWidth)
    local parts = {}
    for from = 1, #older, width do
      parts[#parts + 1] = bytesOf(countAt(older, from, width), newWidth)
    end
    return concat(parts)
  end

  -- Current start, total, newest, older, width (of the stored total).
  local function bucketsOf(state, bucketMs, buckets, nowMs)
    local startMs = nowMs - nowMs % bucketMs
    if not state then
      return startMs, 0, 0, '', 1
    end
    local storedMs, total, newest = state[1], state[2], state[3]
    local older, width = state[4], state[5]
    local aheadMs = storedMs - startMs
    local age = aheadMs < 0 and floor(-aheadMs / bucketMs) or 0
    if aheadMs > bucketMs * buckets or age >= buckets then
      return startMs, 0, 0, '', 1
    end
    if aheadMs > 0 then
      startMs = storedMs
    end
    if age > 0 then
      older = rep('\\0', (age - 1) * width) .. bytesOf(newest, width) .. older
      newest = 0
    end
    local most = (buckets - 1) * width
    if #older > most then
      for from = most + 1, #older, width do
        total = total - countAt(older, from, width)
      end
      older = sub(older, 1, most)
      older = trimmed(older, width)
    elseif total == 0 then
      older = ''
    end
    return startMs, total, newest, older, width
  end

  local function stateOf(startMs, total, newest, older, width)
    local newWidth = widthOf(total)
    if newWidth ~= width then
      older = resized(older, width, newWidth)
    end
    return { startMs, total, newest, older, newWidth }
  end

  -- When enough of the oldest sub-windows have expired to free \`excess\`, Unix ms.
  local function passesAtMs(startMs, older, width, bucketMs, buckets, excess)
    local age, from = #older / width, #older - width + 1
    while age > 0 do
      excess = excess - countAt(older, from, width)
      if excess <= 0 then
        break
      end
      age, from = age - 1, from - width
    end
    return startMs + (buckets - age) * bucketMs
  end

  local function listOf(newest, older, width)
    local counts = { newest }
    for from = 1, #older, width do
      counts[#counts + 1] = countAt(older, from, width)
    end
    return counts
  end

  -- Encodes a list, newest first; nil if all counts are 0.
  local function packed(startMs, counts, last)
    local total = 0
    for i = 1, last do
      total = total + counts[i]
    end
    if total > 0 then
      local width, parts = widthOf(total), {}
      for i = 2, last do
        parts[i - 1] = bytesOf(counts[i], width)
      end
      return { startMs, total, counts[1], trimmed(concat(parts), width), width }
    end
  end

  local function regrouped(startMs, counts, bucketMs, newMs, buckets, atMs)
    local newestMs, moved = atMs - atMs % newMs, {}
    for i = 1, buckets do
      moved[i] = 0
    end
    for i = 1, #counts do
      local age = -floor((startMs + (2 - i) * bucketMs - 1 - newestMs) / newMs)
      if age < 0 then
        age = 0
      end
      if age < buckets then
        moved[age + 1] = moved[age + 1] + counts[i]
      end
    end
    return packed(newestMs, moved, buckets)
  end

  return {
    parameters = 4,

    decode = function(text)
      if #text < 13 + 3 then
        return nil
      end
      local h, i, j, k, l, m, n, o, p, q, r, s, t = byte(text, 1, 13)
      local startMs = ((((h * 256 + i) * 256 + j) * 256 + k) * 256 + l) * 256 + m
      local total = (((((n * 256 + o) * 256 + p) * 256 + q) * 256 + r) * 256 + s) * 256 + t
      local width = widthOf(total)
      if (#text - 13 - 3) % width ~= 0 then
        return nil
      elseif #text == 13 + 3 then
        return { startMs, total, 0, '', width }
      end
      return { startMs, total, countAt(text, 13 + 1, width), sub(text, 13 + 1 + width, -1 - 3), width }
    end,

    encode = function(state, mark)
      local startMs, total, width = state[1], state[2], state[5]
      local header = char(
        floor(startMs / 2 ^ 40), floor(startMs / 2 ^ 32) % 256, floor(startMs / 2 ^ 24) % 256,
        floor(startMs / 2 ^ 16) % 256, floor(startMs / 2 ^ 8) % 256, startMs % 256,
        floor(total / 2 ^ 48), floor(total / 2 ^ 40) % 256, floor(total / 2 ^ 32) % 256, floor(total / 2 ^ 24) % 256,
        floor(total / 2 ^ 16) % 256, floor(total / 2 ^ 8) % 256, total % 256
      )
      if total == 0 then
        return header .. mark
      end
      return header .. bytesOf(state[3], width) .. state[4] .. mark
    end,

    step = function(state, b, at, cost, nowUs)
      local extra, capacity, bucketMs, buckets = b[at + 0], b[at + 1], b[at + 2], b[at + 3]
      local startMs, total, newest, older, width = bucketsOf(state, bucketMs, buckets, floor(nowUs / 1000))
      local outcome, nextState, waitUs, age = 0, state, 0, 0
      local excess = total + cost - capacity - extra
      if excess <= 0 then
        total = total + cost
        outcome = total > capacity and 2 or 1
        if cost > 0 then
          newest = newest + cost
          nextState = stateOf(startMs, total, newest, older, width)
        end
      elseif cost > capacity + extra then
        waitUs = -1
      else
        waitUs = passesAtMs(startMs, older, width, bucketMs, buckets, excess) * 1000 - nowUs
      end
      if total == 0 then
        return outcome, nextState, capacity, waitUs, 0
      end
      if newest == 0 then
        age = floor((find(older, '[^%z]') - 1) / width) + 1
      end
      return outcome, nextState, capacity - total, waitUs, (startMs + (buckets - age) * bucketMs) * 1000 - nowUs
    end,

    refund = function(state, b, at, units, atUs, nowUs)
      if not state then
        return state
      end
      local bucketMs, buckets = b[at + 2], b[at + 3]
      local startMs, total, newest, older, width = bucketsOf(state, bucketMs, buckets, floor(nowUs / 1000))
      local age = -floor((floor(atUs / 1000) - startMs) / bucketMs)
      if age <= 0 or nowUs < startMs * 1000 then
        if newest == 0 then
          return state
        end
        local given = units < newest and units or newest
        return stateOf(startMs, total - given, newest - given, older, width)
      end
      local from = (age - 1) * width + 1
      if from > #older then
        return state
      end
      local count = countAt(older, from, width)
      if count == 0 then
        return state
      end
      local given = units < count and units or count
      older = sub(older, 1, from - 1) .. bytesOf(count - given, width) .. sub(older, from + width)
      return stateOf(startMs, total - given, newest, trimmed(older, width), width)
    end,

    -- carriedOver applies to the sum from the newest on, so that the oldest are lost.
    rebase = function(state, b, from, to, rule, atUs)
      local atMs = floor(atUs / 1000)
      local capacity, bucketMs, buckets = b[from + 1], b[from + 2], b[from + 3]
      local newCapacity, newBucketMs, newBuckets = b[to + 1], b[to + 2], b[to + 3]
      local startMs, _, newest, older, width = bucketsOf(state, bucketMs, buckets, atMs)
      local counts, before, carriedBefore = listOf(newest, older, width), 0, 0
      for i = 1, #counts do
        before = before + counts[i]
        local carried = carriedOver(before, capacity, newCapacity, rule)
        if carried > (2 ^ 52) then
          carried = (2 ^ 52)
        end
        counts[i], carriedBefore = carried - carriedBefore, carried
      end
      if bucketMs ~= newBucketMs then
        return regrouped(startMs, counts, bucketMs, newBucketMs, newBuckets, atMs)
      end
      return packed(startMs, counts, #counts < newBuckets and #counts or newBuckets)
    end,
  }
end
  elseif wireId == 5 then
--[[ sliding_window_estimate: twin of algorithms/sliding-window-estimate.ts.
Parameters: extra (units), capacity (units, 1 or more), window (ms, 1 or more).
State e1: the current window's count, a comma, the previous window's count, then 12 digits of the current window's start (ms since
2020-01-01), decimal; then the mark. In Lua: { start (Unix ms), current, previous }.
Source: docs/adr/0012-algorithms.md ]]
-- Slots of the state.

MAKE[5] = function()
  local find = string.find

  -- Current start and counts.
  local function windowsOf(state, windowMs, nowMs)
    local startMs = nowMs - nowMs % windowMs
    if not state then
      return startMs, 0, 0
    end
    local storedMs, current, previous = state[1], state[2], state[3]
    local ageMs = startMs - storedMs
    if ageMs < 0 and ageMs >= -windowMs then
      return storedMs, current, previous
    elseif ageMs >= 0 and ageMs < windowMs then
      return startMs, current, previous
    end
    return startMs, 0, ageMs >= 0 and ageMs < 2 * windowMs and current or 0
  end

  -- Overlap of the previous window with the window that ends now, ms.
  local function overlapMs(startMs, windowMs, nowMs)
    local elapsedMs = nowMs - startMs
    return elapsedMs > 0 and windowMs - elapsedMs or windowMs
  end

  -- Largest overlap at which at most \`units\` of the previous window count, ms.
  local function largestOverlapMs(previous, units, windowMs)
    return floor(((units + 1) * windowMs - 1) / previous)
  end

  return {
    parameters = 3,

    decode = function(text)
      local comma = find(text, ',', 1, true)
      if not comma then
        return nil
      end
      local current, previous = tonumber(sub(text, 1, comma - 1)), tonumber(sub(text, comma + 1, -16))
      local startMs = tonumber(sub(text, -15, -4))
      -- Rejects numbers that we did not write.
      if current and previous and startMs and current >= 0 and previous >= 0
        and current + previous == floor(current) + floor(previous) and startMs == floor(startMs) then
        return { startMs + 1577836800000, current, previous }
      end
    end,

    encode = function(state, mark)
      local start, current, previous = state[1] - 1577836800000, state[2], state[3]
      local high = floor(start / 1000000)
      local small = current < 2147483648 and previous < 2147483648
      local shape = small and '%d,%d%06d%06d%s' or '%.0f,%.0f%06d%06d%s'
      return format(shape, current, previous, high, start - high * 1000000, mark)
    end,

    step = function(state, b, at, cost, nowUs)
      local extra, capacity, windowMs = b[at + 0], b[at + 1], b[at + 2]
      local nowMs = floor(nowUs / 1000)
      local startMs, current, previous = windowsOf(state, windowMs, nowMs)
      local leftMs = overlapMs(startMs, windowMs, nowMs)
      local most, weighted = capacity + extra - cost, floor(previous * leftMs / windowMs)
      local outcome, nextState, waitUs, used = 0, state, 0, current
      if current + weighted <= most then
        outcome, used = 1, current + cost
        if cost > 0 then
          nextState = { startMs, used, previous }
        end
      elseif most < 0 then
        waitUs = -1
      elseif current <= most then
        waitUs = (startMs + windowMs - largestOverlapMs(previous, most - current, windowMs)) * 1000 - nowUs
      else
        waitUs = (startMs + 2 * windowMs - largestOverlapMs(current, most, windowMs)) * 1000 - nowUs
      end
      local remaining = capacity - used - weighted
      if outcome == 1 and remaining < 0 then
        outcome = 2
      end
      local resetAfterUs = 0
      if used > 0 then
        resetAfterUs = (startMs + 2 * windowMs - largestOverlapMs(used, 0, windowMs)) * 1000 - nowUs
      elseif weighted > 0 then
        resetAfterUs = (startMs + windowMs - largestOverlapMs(previous, 0, windowMs)) * 1000 - nowUs
      end
      return outcome, nextState, remaining, waitUs, resetAfterUs
    end,

    refund = function(state, b, at, units, atUs, nowUs)
      if not state then
        return state
      end
      local windowMs, atMs = b[at + 2], floor(atUs / 1000)
      local startMs, current, previous = windowsOf(state, windowMs, floor(nowUs / 1000))
      if atMs >= startMs or nowUs < startMs * 1000 then
        if current == 0 then
          return state
        end
        return { startMs, current > units and current - units or 0, previous }
      elseif atMs < startMs - windowMs or previous == 0 then
        return state
      end
      return { startMs, current, previous > units and previous - units or 0 }
    end,

    rebase = function(state, b, from, to, rule, atUs)
      local windowMs, capacity, atMs = b[from + 2], b[from + 1], floor(atUs / 1000)
      local newWindowMs, newCapacity = b[to + 2], b[to + 1]
      local startMs, current, previous = windowsOf(state, windowMs, atMs)
      local leftMs = overlapMs(startMs, windowMs, atMs)
      local used = current + floor(previous * leftMs / windowMs)
      local carried = carriedOver(used, capacity, newCapacity, rule)
      if carried > (2 ^ 52) then
        carried = (2 ^ 52)
      end
      if carried == 0 then
        return nil
      elseif windowMs ~= newWindowMs then
        return { atMs - atMs % newWindowMs, carried, 0 }
      elseif carried == used then
        return { startMs, current, previous }
      end
      local kept
      if rule == 3 then
        kept = carried > current and -floor(-(carried - current) * windowMs / leftMs) or 0
      else
        kept = floor(previous * newCapacity / capacity)
        local most = floor(carried * windowMs / leftMs)
        if kept > most then
          kept = most
        end
      end
      return { startMs, carried - floor(kept * leftMs / windowMs), kept }
    end,
  }
end
  elseif wireId == 9 then
--[[ concurrency: twin of algorithms/concurrency.ts.
Parameters: extra, capacity, how long a permit is held without renewal (ms).
State s1: 13 bytes per permit, sorted by expiry: holder (7 bytes, 0 for none), expiry (6 bytes, ms since 2020-01-01), little endian;
permits of one holder are adjacent. As text: the same bytes, then the mark.
Source: docs/adr/0012-algorithms.md ]]
-- Bytes of a permit, and of its holder.

MAKE[9] = function()
  local find, rep = string.find, string.rep

  local function holderBytes(number)
    local low = number % 2 ^ 32
    local high = (number - low) / 2 ^ 32
    return char(low % 256, floor(low / 2 ^ 8) % 256, floor(low / 2 ^ 16) % 256, floor(low / 2 ^ 24),
      high % 256, floor(high / 2 ^ 8) % 256, floor(high / 2 ^ 16))
  end

  local function expiryBytes(expiryMs)
    local ms = expiryMs - 1577836800000
    local low = ms % 2 ^ 32
    local high = (ms - low) / 2 ^ 32
    return char(low % 256, floor(low / 2 ^ 8) % 256, floor(low / 2 ^ 16) % 256, floor(low / 2 ^ 24), high % 256, floor(high / 2 ^ 8))
  end

  -- Expiry of the permit at \`index\`, from 0.
  local function expiryAt(state, index)
    local from = index * 13
    local a, b, c, d, e, f = byte(state, from + 7 + 1, from + 13)
    return a + b * 2 ^ 8 + c * 2 ^ 16 + d * 2 ^ 24 + e * 2 ^ 32 + f * 2 ^ 40 + 1577836800000
  end

  -- Number of permits that expire at \`ms\` or before.
  local function countUntil(state, count, ms)
    if count == 0 or expiryAt(state, 0) > ms then
      return 0
    elseif expiryAt(state, count - 1) <= ms then
      return count
    end
    local low, high = 1, count - 1
    while low < high do
      local middle = floor((low + high) / 2)
      if expiryAt(state, middle) <= ms then
        low = middle + 1
      else
        high = middle
      end
    end
    return low
  end

  -- Permits that are held now, and their number.
  local function heldAt(state, leaseMs, nowMs)
    state = state or ''
    local count = #state / 13
    local gone, kept = countUntil(state, count, nowMs), countUntil(state, count, nowMs + 2 * leaseMs)
    if kept - gone < count then
      return sub(state, gone * 13 + 1, kept * 13), kept - gone
    end
    return state, count
  end

  -- First and last byte of the holder's permits. Skips matches that span two permits.
  local function findOwn(held, own)
    local from = 1
    repeat
      from = find(held, own, from, true)
      if from and (from - 1) % 13 == 0 then
        local last = from + 13 - 1
        while sub(held, last + 1, last + 7) == own do
          last = last + 13
        end
        return from, last
      end
      from = from and from + 1
    until not from
  end

  return {
    parameters = 3,

    decode = function(text)
      if (#text - 3) % 13 == 0 then
        return sub(text, 1, -4)
      end
    end,

    encode = function(state, mark)
      return state .. mark
    end,

    step = function(state, b, at, cost, nowUs)
      local extra, capacity, leaseMs = b[at + 0], b[at + 1], b[at + 2]
      local nowMs = floor(nowUs / 1000)
      local held, count = heldAt(state, leaseMs, nowMs)
      local own = holderBytes(holder)
      local from, last
      if holder > 0 then
        from, last = findOwn(held, own)
      end
      local needed = from and 0 or count + cost - capacity - extra
      if needed > 0 then
        local waitUs = -1
        if cost <= capacity + extra then
          waitUs = expiryAt(held, needed - 1) * 1000 - nowUs
        end
        return 0, state, capacity - count, waitUs, count > 0 and expiryAt(held, count - 1) * 1000 - nowUs or 0
      end
      if cost == 0 then
        return count > capacity and 2 or 1, state, capacity - count, 0, count > 0 and expiryAt(held, count - 1) * 1000 - nowUs or 0
      end
      local permits, expiryMs = cost, nowMs + leaseMs
      if from then
        permits = (last - from + 1) / 13
        held, count = sub(held, 1, from - 1) .. sub(held, last + 1), count - permits
      end
      local taken, earlier = rep(own .. expiryBytes(expiryMs), permits), countUntil(held, count, expiryMs)
      local nextState
      if earlier == count then
        nextState = held .. taken
      else
        nextState = sub(held, 1, earlier * 13) .. taken .. sub(held, earlier * 13 + 1)
      end
      count = count + permits
      return count > capacity and 2 or 1, nextState, capacity - count, 0, expiryAt(nextState, count - 1) * 1000 - nowUs
    end,

    refund = function(state, b, at, units, atUs, nowUs)
      if holder == 0 then
        return state
      end
      local held = heldAt(state, b[at + 2], floor(nowUs / 1000))
      local from, last = findOwn(held, holderBytes(holder))
      if not from then
        return state
      end
      local left = sub(held, 1, from - 1) .. sub(held, last + 1)
      return left ~= '' and left or nil
    end,

    rebase = function(state, b, from, to, rule, atUs)
      local atMs = floor(atUs / 1000)
      local held, count = heldAt(state, b[from + 2], atMs)
      if rule == 1 or count == 0 then
        return nil
      end
      local latestMs = atMs + b[to + 2]
      local kept, pieces, expiry = countUntil(held, count, latestMs), {}, expiryBytes(latestMs)
      for index = kept, count - 1 do
        pieces[#pieces + 1] = sub(held, index * 13 + 1, index * 13 + 7) .. expiry
      end
      return sub(held, 1, kept * 13) .. concat(pieces)
    end,
  }
end
  else
--[[ gcra, token_bucket (continuous), leaky_bucket: twin of algorithms/virtual-time.ts.
Parameters: throttle above the reach (us), interval (us, 1 or more), reach (us), band (us), pacing (0 none, 1 returns waits above the
reach, 2 schedules each request); constants.lua.
State g1, t1, b1: theoretical arrival time, us since 2020-01-01, decimal; then the mark.
Source: docs/adr/0012-algorithms.md ]]
-- Values of the pacing.

local function makeVirtualTime()
  -- us * to / from, rounded up. Exact by long division, because the product of two long times exceeds 2^53.
  local function rescale(us, from, to)
    local whole = floor(us / from)
    local part, quotient, rest, place = us - whole * from, 0, 0, 64 ^ 7
    while place >= 1 do
      rest = rest * 64 + part * (floor(to / place) % 64)
      local times = floor(rest / from)
      quotient = quotient * 64 + times
      rest = rest - times * from
      place = place / 64
    end
    return whole * to + quotient + (rest > 0 and 1 or 0)
  end

  return {
    parameters = 5,

    -- The mark is the fraction .064 to .927: until 2056, the rounding of a double does not cross it. Rejects texts that
    -- are not such a number.
    decode = function(text)
      local number = tonumber(text)
      if number and number > 0 and number < (1e19) then
        return floor(number / 1000) + 1577836800000000
      end
    end,

    encode = function(tatUs, mark)
      local us = tatUs - 1577836800000000
      local high = floor(us / 100000000)
      return format('%d%08d%s', high, us - high * 100000000, mark)
    end,

    delta = function(before, after)
      local added = after - before
      if added >= 0 and added < 2147483648 then
        return format('%d000', added)
      end
    end,

    step = function(state, b, at, cost, nowUs)
      local throttleUs, intervalUs, reachUs = b[at + 0], b[at + 1], b[at + 2]
      local bandUs, pacing = b[at + 3], b[at + 4]
      local aheadUs = (state or nowUs) - nowUs
      if aheadUs < 0 or aheadUs > 2 * bandUs then
        aheadUs = 0
      end
      local nextUs = aheadUs + intervalUs * cost
      local allowedUs = reachUs + throttleUs
      if nextUs > allowedUs then
        local waitUs = nextUs - allowedUs
        if intervalUs * cost > allowedUs then
          waitUs = -1
        end
        return 0, state, floor((reachUs - aheadUs) / intervalUs), waitUs, aheadUs
      end
      if nextUs > bandUs and cost > 0 then
        nextUs = bandUs
      end
      local outcome, waitUs = 1, 0
      if pacing == 2 then
        waitUs = aheadUs
      end
      if nextUs > reachUs then
        if pacing == 1 then
          waitUs = nextUs - reachUs
        else
          outcome = 2
        end
      end
      return outcome, nowUs + nextUs, floor((reachUs - nextUs) / intervalUs), waitUs, nextUs
    end,

    refund = function(state, b, at, units, atUs, nowUs)
      local intervalUs, bandUs = b[at + 1], b[at + 3]
      local aheadUs = (state or nowUs) - nowUs
      if aheadUs <= 0 or aheadUs > 2 * bandUs then
        return state
      end
      -- Earlier charges cannot be pending for longer.
      local pendingUs = math.max(0, atUs + bandUs - nowUs)
      return nowUs + math.max(0, aheadUs - math.min(pendingUs, intervalUs * units))
    end,

    -- Units that the throttle allows above the limit; a queue's delay is none.
    extraUnits = function(b, at)
      return b[at + 4] == 1 and 0 or floor(b[at + 0] / b[at + 1])
    end,

    rebase = function(state, b, from, to, rule, atUs)
      local usedUs, reachUs, bandUs = state - atUs, b[from + 2], b[from + 3]
      local mostUs = b[to + 3]
      if usedUs < 0 then
        usedUs = 0
      elseif usedUs > bandUs then
        usedUs = bandUs
      end
      if rule == 1 then
        return nil
      elseif rule == 2 then
        return atUs + math.min(mostUs, rescale(usedUs, reachUs, b[to + 2]))
      elseif rule == 3 and usedUs > reachUs then
        usedUs = reachUs
      end
      return atUs + math.min(mostUs, rescale(usedUs, b[from + 1], b[to + 1]))
    end,
  }
end
MAKE[2], MAKE[6], MAKE[8] = makeVirtualTime, makeVirtualTime, makeVirtualTime
  end
  algorithm = (MAKE[wireId] or error('no algorithm with wire id ' .. wireId))()
  ALGORITHMS[wireId] = algorithm
  return algorithm
end

--[[ Part of prelude: marks and carry-over of policies (their layout: constants.lua).

The mark, three digits after each state, holds the id of the policy that wrote it and the TTL period in which its expiry was last
set, modulo 18. Setting an expiry on every write costs a third of the throughput. So time is divided into TTL periods of 2^exponent ms,
an eighth to a sixteenth of the horizon (ttlPeriodExponent): the first write in a period sets an expiry one horizon and one period after
its end, later writes keep it. A key without writes lives at most into the 17th period after its mark's, so a mark is unambiguous.
Marks leave room below and above, because virtual-time.lua reads state and mark as one number.

A packed window has period 0: the hash expires one window after the current one, set by the first write of a window (hash-fields.lua). ]]

local function markOf(b, p, nowUs)
  local nowMs, periodMs = floor(nowUs / 1000), 2 ^ b[p + 4]
  local period = floor(nowMs / periodMs)
  local expiresAtMs = (period + 2) * periodMs + b[p + 5]
  if b[p + 1] == 11 then
    local windowMs = b[p + 7 + 2]
    period, expiresAtMs = 0, nowMs - nowMs % windowMs + 2 * windowMs
  end
  local text = format('%03d', 64 + b[p + 3] * 18 + period % 18)
  local x, y, z = byte(text, 1, 3)
  return { text = text, x = x, y = y, z = z, expiresAtMs = expiresAtMs }
end

-- Converts a state written by policy \`id\` to the policy at \`p\`, one carry after the other. Returns it unchanged if \`id\`
-- is unknown; then also whether that policy is newer than this node's.
local function rebased(state, id, b, p, nowUs)
  local algorithm = ALGORITHMS[b[p + 1]]
  local size = algorithm.parameters
  local carry, known = p + 7 + size, false
  for _ = 1, b[p + 6] do
    local nextCarry = carry + 3 + size
    known = known or b[carry + 0] == id
    if known and state then
      local to = nextCarry + 3
      if nextCarry == p + b[p + 0] then
        to = p + 7
      end
      local atUs = b[carry + 2]
      if atUs > nowUs then
        atUs = nowUs
      end
      state = algorithm.rebase(state, b, carry + 3, to, b[carry + 1], atUs)
    end
    carry = nextCarry
  end
  return state, not known and (id - b[p + 3]) % 48 < 48 / 2
end

-- Id of the policy that wrote a mark with the bytes x, y and z.
local function markId(x, y, z)
  return floor((x * 100 + y * 10 + z - (48 * 111 + 64)) / 18)
end`;

const CLOCK = `-- Part of amend, decide and the run scripts: declares \`nowUs\`, the time given or the server's, and ends the script after the deadline.
-- A script has no other clock: it sets and compares expiries as absolute times, never as times left.
local nowUs, lastUs = tonumber(ARGV[2]), tonumber(ARGV[3])
if not nowUs then
  local time = redis.call('TIME')
  nowUs = tonumber(time[1]) * 1000000 + tonumber(time[2])
end
if lastUs and nowUs > lastUs then
  return cmsgpack.pack({ nowUs })
end`;

const HASH_FIELDS = `--[[ Part of decide and amend: counters that are fields of hashes. A counter's name is its key or, for a field, key, \`|\` and field
(rules/keys.ts). Few runs need these functions; the script creates them only for those. ]]

-- Text of a field; false if there is none.
local function readHashField(key, field)
  local text = redis.pcall('HGET', key, field)
  return type(text) == 'string' and text
end
--[[ Part of hash-fields and run-packed: cleans a packed hash. A hash in constant use would keep every subject otherwise. ]]

-- Fields to read: all of a compact hash.

-- After a write to the hash \`key\` under the policy at \`p\` of \`b\`: with the first write of a window, deletes fields that ended a window
-- ago, except those of newer policies, and sets the expiry. Of a hash that is too large to be compact, only some fields are read; then the
-- next new field does the same. \`setMs\`: its expiry until now; \`expiresAtMs\`: that of this window.
local function sweep(key, setMs, expiresAtMs, b, p, nowUs)
  local call, nowMs, id, windowMs = redis.call, floor(nowUs / 1000), b[p + 3], b[p + 7 + 2]
  if setMs >= expiresAtMs - windowMs / 2 then
    return
  end
  local longestMs, isKnown, size = windowMs, { [id] = true }, 3 + 1
  for carry = p + 7 + size, p + b[p + 0] - 1, 3 + size do
    longestMs = math.max(longestMs, b[carry + 3 + 2])
    isKnown[b[carry + 0]] = true
  end
  -- A cursor of any value: a random part of a large hash.
  local next, found = unpack(call('HSCAN', key, format('%.0f', nowUs), 'COUNT', 64))
  local isWhole, ended = #found == 2 * call('HLEN', key), {}
  for i = 1, #found, 2 do
    local field, text = found[i], found[i + 1]
    local startS, written = tonumber(sub(text, -12, -4)), tonumber(sub(text, -3)) or 0
    local writer = floor((written - 64) / 18)
    local isNewer = not isKnown[writer] and (writer - id) % 48 < 48 / 2
    if not isNewer and (not startS or startS * 1000 + 1577836800000 + 2 * longestMs <= nowMs) then
      ended[#ended + 1] = field
    end
  end
  if #ended > 0 then
    call('HDEL', key, unpack(ended))
  end
  call('PEXPIREAT', key, isWhole and expiresAtMs or expiresAtMs - windowMs / 2 - 1)
end

-- Writes a field under the policy at \`p\` of \`b\`, and sets the hash's expiry. \`mark\`: the policy's. \`isNewer\`: the text has the mark of
-- a newer policy.
local function writeHashField(key, field, text, isNewer, mark, b, p)
  if type(redis.pcall('HSET', key, field, text)) ~= 'number' then
    redis.call('DEL', key)
    redis.call('HSET', key, field, text)
  end
  local expiresAtMs, setMs = mark.expiresAtMs, redis.call('PEXPIRETIME', key)
  if b[p + 1] == 11 and not isNewer then
    sweep(key, setMs, expiresAtMs, b, p, nowUs)
  elseif setMs < expiresAtMs then
    -- Other limits or policies may have set a later expiry.
    redis.call('PEXPIREAT', key, expiresAtMs)
  end
end`;

const RECEIPT = `--[[ Part of decide: receipts of charged requests, so that a retry charges nothing more and a charge can be refunded, reported or settled
(amend.lua). Layout: receipt-layout.lua. ]]

local function nameOf(k)
  local field = fields and fields[k]
  return field and keys[k] .. '|' .. field or keys[k]
end

-- \`order\`: position of the request's receipt; \`first\`: of its checks; \`firstReply\`: before the reply of the first check.
local function keepReceipt(order, first, checks, firstReply)
  local k, fingerprint = batch[order + 0], batch[order + 2]
  local keepMs, termUs = batch[order + 3], batch[order + 4] * 1000
  local keepUntilMs = floor(nowUs / 1000) + keepMs
  if fingerprint == 0 then
    call('SET', keys[k], ('1'), 'PXAT', keepUntilMs)
    return
  end
  local receipt = {
    [1] = 0,
    [2] = holder,
    [3] = nowUs,
    [4] = termUs > 0 and nowUs + termUs or 0,
    [5] = keepMs,
    [6] = 0,
    [7] = termUs,
    [8] = fingerprint,
    [9] = checks,
  }
  local entry, j, position = 9, first, firstReply
  for _ = 1, checks do
    local p = policies[batch[j + 1]]
    receipt[entry + 1] = nameOf(batch[j + 0])
    receipt[entry + 2] = batch[j + 2]
    receipt[entry + 3] = reply[position + 1]
    receipt[entry + 4] = reply[position + 2]
    receipt[entry + 5] = reply[position + 3]
    receipt[entry + 6] = reply[position + 4]
    local to, size = entry + 7, 7 + ALGORITHMS[batch[p + 1]].parameters
    for i = 0, size - 1 do
      receipt[to + i] = batch[p + i]
    end
    receipt[to + 0], receipt[to + 6] = size, 0
    entry, j, position = to + size - 1, j + 3, position + 4
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
  if not isRead or type(receipt) ~= 'table' or type(receipt[9]) ~= 'number' then
    return false
  end
  if receipt[1] == 2 then
    return nil
  end
  return receipt
end

-- Position of a counter's entry in a receipt.
local function entryOf(receipt, key)
  local entry = 9
  for _ = 1, receipt[9] do
    if receipt[entry + 1] == key then
      return entry
    end
    entry = entry + 7 - 1 + receipt[entry + 7 + 0]
  end
end

-- Returns the earlier result with updated times. Limits added since are checked without a charge. \`first\`: position of
-- the checks of the repeated request.
local function repeatAnswer(receipt, fingerprint, first, checks)
  local same = receipt and receipt[8] == fingerprint
  local elapsedUs = same and math.max(0, nowUs - receipt[3]) or 0
  reply[r] = same and 1 or 2
  for c = 1, checks do
    local j = first + (c - 1) * 3
    local k, p = batch[j + 0], policies[batch[j + 1]]
    local entry = same and entryOf(receipt, nameOf(k))
    local outcome, remaining, waitUs, resetAfterUs = 0, 0, 0, 0
    if entry then
      outcome, remaining, waitUs = receipt[entry + 3], receipt[entry + 4], receipt[entry + 5]
      waitUs = waitUs < 0 and waitUs or math.max(0, waitUs - elapsedUs)
      resetAfterUs = math.max(0, receipt[entry + 6] - elapsedUs)
    elseif same then
      local state = states[k] or texts[k] and load(k, p)
      local _, _, left, _, leftResetUs = ALGORITHMS[batch[p + 1]].step(state, batch, p + 7, 0, nowUs)
      outcome, remaining, resetAfterUs = 1, left, leftResetUs
    end
    reply[r + 1], reply[r + 2], reply[r + 3], reply[r + 4] = outcome, remaining, waitUs, resetAfterUs
    if marks[p].inFlight then
      attempts[#attempts + 1] = 0
    end
    r = r + 4
  end
end`;

const PENALTIES = `--[[ Part of decide: the penalties of a request's limits. The check after that of such a limit is its penalty, at cost 0. During a block,
the limit denies; otherwise a denial is counted, unless the request charges nothing or is denied because of attempts in flight.
Model: penalize in algorithms/penalty.ts. ]]

-- \`first\`: position of the checks; \`firstReply\`: before their reply. Returns whether a block denies the request.
local function applyPenalties(first, checks, firstReply, peek)
  local isDenied = false
  for c = 0, checks - 2 do
    local j, position = first + c * 3, firstReply + c * 4
    local jq, positionQ = j + 3, position + 4
    local q = policies[batch[jq + 1]]
    if batch[q + 1] == 12 then
      local k, p, cost, kq = batch[j + 0], policies[batch[j + 1]], batch[j + 2], batch[jq + 0]
      local outcome, blockUs = reply[position + 1], reply[positionQ + 3]
      if blockUs == 0 and outcome == 0 and cost > 0 and not peek then
        states[kq], written[kq] = penalty.deny(states[kq], batch, q + 7, nowUs), q
        blockUs = penalty.blockUs(states[kq], nowUs)
      end
      if blockUs > 0 then
        if outcome > 0 then
          local _, _, remaining, _, resetAfterUs =
            ALGORITHMS[batch[p + 1]].step(states[k], batch, p + 7, 0, nowUs)
          reply[position + 2], reply[position + 3], reply[position + 4] = remaining, blockUs, resetAfterUs
        elseif reply[position + 3] >= 0 then
          reply[position + 3] = math.max(blockUs, reply[position + 3])
        end
        reply[position + 1] = (-2)
        isDenied = isDenied or batch[p + 2] % 2 == 0
      end
    end
  end
  return isDenied
end`;

const KEYS = `--[[ Part of decide and the run scripts: the keys, all in one slot, and their stored texts, false for none. ]]
local keys, call = KEYS, redis.call
local texts = call('MGET', unpack(keys))`;

const RUN_HEAD = `--[[ Part of the run scripts: decides requests with one limit each and without receipts, all with algorithms of one family. Their keys
differ.

KEYS     the key of each request, all in one slot; distinct, except hashes. Variant for several slots: keys-across.lua
ARGV[1]  JSON array of integers: runs of [cost, requests, policy (constants.lua)], for the keys in order
ARGV[2]  now, us since the Unix epoch; '' for the server's clock (always, except in tests)
ARGV[3]  deadline in server time (us), after which nothing is charged; '' for none
ARGV[4]  only in the variant for several slots: keys-across.lua
ARGV[5]  of counters that are fields of hashes: JSON array of the requests' fields
ARGV[6]  if requests have marks (MARKED in constants.lua): MessagePack array of each request's key, '' for none; only in the variant for several slots,
         not in run-packed
ARGV[7]  lifetime of the marks, ms
Reply    MessagePack array of integers: [now us] only after the deadline, else
         [now us, per key: the usage before the request, or -1 if decide.lua has to decide it: its state was written by another
         policy, is ahead of the clock, or is not a number; nothing was charged]
State    of decide.lua
Binding  scripts/runs.ts, which computes the decisions from the usage; models: algorithms/*.ts
Source   docs/adr/0053-run-scripts.md ]]
local payload, markKeys, markLifetimeMs = ARGV[1], ARGV[6], ARGV[7]
local batch = cjson.decode(payload)
-- Part of amend, decide and the run scripts: declares \`nowUs\`, the time given or the server's, and ends the script after the deadline.
-- A script has no other clock: it sets and compares expiries as absolute times, never as times left.
local nowUs, lastUs = tonumber(ARGV[2]), tonumber(ARGV[3])
if not nowUs then
  local time = redis.call('TIME')
  nowUs = tonumber(time[1]) * 1000000 + tonumber(time[2])
end
if lastUs and nowUs > lastUs then
  return cmsgpack.pack({ nowUs })
end

local tonumber, floor, format, sub, byte, type = tonumber, math.floor, string.format, string.sub, string.byte, type
local pcall, nowMs, reply, last, at, done = redis.pcall, floor(nowUs / 1000), { nowUs }, #batch, 1, 0
-- Marks a request before its charge. False if this server does not serve the mark's key now: then decide.lua has to decide it.
local marked
if markKeys then
  local marks, keepUntilMs = cmsgpack.unpack(markKeys), nowMs + tonumber(markLifetimeMs)
  function marked(k)
    if marks[k] ~= '' and pcall('SET', marks[k], ('1'), 'PXAT', keepUntilMs).err then
      reply[k + 1] = -1
      return false
    end
    return true
  end
end`;

const KEYS_ACROSS = `--[[ Part of the variants of decide and the run scripts for keys in any slots of one master of a cluster. Different from the contract of
the script:

KEYS[1]  a key of the first request; routes the call
ARGV[4]  the script's keys, a MessagePack array of strings
Reply    decide: skip-foreign.lua; a run script: -1 for a foreign key
         Error NOACROSS if the server does not permit this access to keys; nothing was charged.

A key is foreign if this server does not serve it now: its slot is on another master, or is migrating and the key is not here. All keys
are read before the first write, because a server reports a foreign key only when it is used; during a run, nothing moves. One key per
command, because no command may use two slots.
Binding  scripts/across.ts
Source   docs/adr/0015-redis-cluster.md ]]
local keys, call, try = cmsgpack.unpack(ARGV[4]), redis.call, redis.pcall
local texts, foreign = {}, nil
for k = 1, #keys do
  local text = try('GET', keys[k])
  if type(text) == 'table' then
    if string.find(text.err, 'non local key', 1, true) then
      foreign = foreign or {}
      -- No state of any algorithm: a run script leaves it to decide.
      foreign[k], text = true, ''
    elseif string.sub(text.err, 1, 9) == 'WRONGTYPE' then
      text = false
    else
      return redis.error_reply('NOACROSS ' .. text.err)
    end
  end
  texts[k] = text
end`;

const RUN_POLICY = `-- Part of the run scripts: declares the values of the run at \`at\`: its cost, requests (from \`first\` on, up to \`final\`), policy and its mark
-- (policy.lua). Statements instead of a function: docs/adr/0053-run-scripts.md.
local cost, p = batch[at + 0], at + 2
local first, final = done + 1, done + batch[at + 1]
local id, periodMs = batch[p + 3], 2 ^ batch[p + 4]
local period = floor(nowMs / periodMs)
local mark = format('%03d', 64 + id * 18 + period % 18)
local expiresAtMs = (period + 2) * periodMs + batch[p + 5]
local parameters = p + 7`;

const RUN_FIELDS = `-- Part of run-packed and run-subject: declares the keys, all in one slot or, if ARGV[4] is given, in several, and the fields.
local keysAcross, fieldList, call = ARGV[4], ARGV[5], redis.call
local keys, fields = KEYS, cjson.decode(fieldList)
if keysAcross ~= '' then
  keys = cmsgpack.unpack(keysAcross)
end`;

const SWEEP = `--[[ Part of hash-fields and run-packed: cleans a packed hash. A hash in constant use would keep every subject otherwise. ]]

-- Fields to read: all of a compact hash.

-- After a write to the hash \`key\` under the policy at \`p\` of \`b\`: with the first write of a window, deletes fields that ended a window
-- ago, except those of newer policies, and sets the expiry. Of a hash that is too large to be compact, only some fields are read; then the
-- next new field does the same. \`setMs\`: its expiry until now; \`expiresAtMs\`: that of this window.
local function sweep(key, setMs, expiresAtMs, b, p, nowUs)
  local call, nowMs, id, windowMs = redis.call, floor(nowUs / 1000), b[p + 3], b[p + 7 + 2]
  if setMs >= expiresAtMs - windowMs / 2 then
    return
  end
  local longestMs, isKnown, size = windowMs, { [id] = true }, 3 + 1
  for carry = p + 7 + size, p + b[p + 0] - 1, 3 + size do
    longestMs = math.max(longestMs, b[carry + 3 + 2])
    isKnown[b[carry + 0]] = true
  end
  -- A cursor of any value: a random part of a large hash.
  local next, found = unpack(call('HSCAN', key, format('%.0f', nowUs), 'COUNT', 64))
  local isWhole, ended = #found == 2 * call('HLEN', key), {}
  for i = 1, #found, 2 do
    local field, text = found[i], found[i + 1]
    local startS, written = tonumber(sub(text, -12, -4)), tonumber(sub(text, -3)) or 0
    local writer = floor((written - 64) / 18)
    local isNewer = not isKnown[writer] and (writer - id) % 48 < 48 / 2
    if not isNewer and (not startS or startS * 1000 + 1577836800000 + 2 * longestMs <= nowMs) then
      ended[#ended + 1] = field
    end
  end
  if #ended > 0 then
    call('HDEL', key, unpack(ended))
  end
  call('PEXPIREAT', key, isWhole and expiresAtMs or expiresAtMs - windowMs / 2 - 1)
end`;

export const AMEND_SCRIPT = `--[[ amend: changes counters other than by a decision, entirely or not at all.

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

-- Operations.
-- Positions of the operation and what follows it.
-- Positions in a check, from its start.

-- Status of the reply.
${PRELUDE}

local payload, channel, fieldList = ARGV[1], ARGV[4], ARGV[5]
local order = cmsgpack.unpack(payload)
${CLOCK}
${HASH_FIELDS}
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

-- Returns the state of the counter \`name\`, decoded for the policy at \`p\` of \`b\`, its mark and the id of the policy that wrote
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
  local state = z and algorithmOf(b[p + 1]).decode(text)
  if not state then
    return nil
  end
  return state, sub(text, -3), markId(x, y, z)
end

-- Pending writes, applied at the end, so that an error changes nothing.
local changes = {}

-- \`mark\`: of a newer policy, kept with its expiry; nil: use the policy's own.
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
      local text = algorithmOf(one.b[one.p + 1]).encode(one.state, one.mark or own.text)
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
  local _, _, remaining, _, resetAfterUs = algorithmOf(b[p + 1]).step(state, b, p + 7, 0, nowUs)
  return remaining, resetAfterUs
end

-- Maximum units that can be charged past a limit: up to twice the capacity. More would not change a decision for a long
-- time, and a sliding log stores each unit.
local function mostOwed(state, b, p)
  local ahead, capacity = left(state, b, p), left(nil, b, p)
  return math.max(0, ahead + capacity)
end

--[[ refund, take, restore and charge: the counters in KEYS, under the policies of the order. ]]
-- Returns the new state, and units refunded or taken. \`known\`, for charge: minimum usage before it.
local function amendCheck(operation, name, p, units, atUs, known)
  local algorithm, parameters = algorithmOf(order[p + 1]), p + 7
  local state, mark, id = load(name, order, p)
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
    local refunded = algorithm.refund(state, order, parameters, units, atUs, nowUs)
    change(name, refunded, mark, order, p, true)
    return refunded, left(refunded, order, p) - before
  end
  -- Take: at most the remaining units. Restore: the difference to the known usage. Charge: everything up to the maximum.
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
  local extra = order[parameters + 0]
  order[parameters + 0] = operation == 2 and 0 or (2 ^ 50)
  local outcome, nextState = (algorithm.charge or algorithm.step)(state, order, parameters, units, nowUs)
  order[parameters + 0] = extra
  if outcome <= 0 then
    return state, 0
  end
  change(name, nextState, mark, order, p, false)
  return nextState, units
end

local function amendChecks(operation)
  local policies, at, atUs = {}, 4, order[2]
  if atUs == 0 then
    atUs = nowUs
  end
  for i = 1, order[3] do
    policies[i] = at
    at = at + order[at + 0]
  end
  local isCharge = operation == 8
  local checkSize = isCharge and 2 + 1 or 1 + 1
  local most, remaining, resetAfterUs, readings = 0, 0, 0, {}
  for _, name in ipairs(names) do
    local p = policies[order[at + 0]]
    local state, units = amendCheck(operation, name, p, order[at + 1], atUs, order[at + 2])
    remaining, resetAfterUs = left(state, order, p)
    if isCharge then
      readings[#readings + 1], readings[#readings + 2] = remaining, resetAfterUs
    end
    most, at = math.max(most, units), at + checkSize
  end
  saveChanges()
  return answer(0, most, remaining, resetAfterUs, readings)
end
--[[ Part of amend: refundReceipt, settle and renew, for the charges in a receipt (receipt-layout.lua). Counters written by another policy
since are skipped, except permits, because their state cannot be read under the receipt's policy. ]]

-- Reasons of a refund.
-- Settling at a cost above the limit.

-- Positions of the entries of charged checks.
local function chargedEntries(receipt)
  local entries, entry = {}, 9
  for _ = 1, receipt[9] do
    if receipt[entry + 3] > 0 and receipt[entry + 2] > 0 then
      entries[#entries + 1] = entry
    end
    entry = entry + 7 - 1 + receipt[entry + 7 + 0]
  end
  return entries
end

local function algorithmAt(receipt, entry)
  return algorithmOf(receipt[entry + 7 + 1])
end

local function isPermit(receipt, entry)
  return receipt[entry + 7 + 1] == 9
end

-- Whether the entry is an attempt without an outcome.
local function isAttempt(receipt, entry)
  return receipt[6] == 0 and algorithmAt(receipt, entry).fail ~= nil
end

local function hasFlag(receipt, entry, flag)
  return floor(receipt[entry + 7 + 2] / flag) % 2 == 1
end

local function isEnforced(receipt, entry)
  return receipt[entry + 7 + 2] % 2 == 0
end

-- By entry: unwritten states of attempts that are now charged.
local failed = {}

-- The counter of an entry: state, whether it may be changed, mark to keep.
local function counterOf(receipt, entry)
  if failed[entry] then
    return failed[entry], true, nil
  end
  local p = entry + 7
  local state, mark, id = load(receipt[entry + 1], receipt, p)
  if not state or id == receipt[p + 3] then
    return state, true, nil
  end
  return state, isPermit(receipt, entry), mark
end

local function changeEntry(receipt, entry, state, mark, isCleared)
  change(receipt[entry + 1], state, mark, receipt, entry + 7, isCleared)
end

-- Refunds \`units\` of an entry, at most its usage; returns the refunded units.
local function refund(receipt, entry, units)
  local p = entry + 7
  local parameters = p + 7
  local state, mine, mark = counterOf(receipt, entry)
  if not state or not mine then
    return 0
  end
  local algorithm = algorithmAt(receipt, entry)
  local refunded
  if isAttempt(receipt, entry) then
    refunded = algorithm.release(state, receipt, parameters, units, receipt[3])
  else
    -- A failed attempt counts from its report on.
    local atUs = algorithm.fail and receipt[6] or receipt[3]
    refunded = algorithm.refund(state, receipt, parameters, units, atUs, nowUs)
  end
  changeEntry(receipt, entry, refunded, mark, true)
  return left(refunded, receipt, p) - left(state, receipt, p)
end

-- Charges a failed attempt.
local function failAttempt(receipt, entry)
  local state, mine, mark = counterOf(receipt, entry)
  if mine then
    local parameters, units = entry + 7 + 7, receipt[entry + 2]
    failed[entry] = algorithmAt(receipt, entry).fail(state, receipt, parameters, units, receipt[3], nowUs)
    changeEntry(receipt, entry, failed[entry], mark, false)
  end
end

local function refundCharges(receipt, reason)
  local expiresAtUs = receipt[4]
  if reason == 3 and (expiresAtUs == 0 or nowUs < expiresAtUs) then
    return 3, 0, expiresAtUs > 0 and expiresAtUs - nowUs or 0
  elseif (reason == 1 or reason == 2) and receipt[6] > 0 then
    return 1, 0
  end
  local most, isAny = 0, false
  local permitsOnly = reason == 4 and expiresAtUs == 0
  for _, entry in ipairs(chargedEntries(receipt)) do
    local refunds = reason == 0 or reason == 3
      or reason == 1 and hasFlag(receipt, entry, 2)
      or reason == 2 and hasFlag(receipt, entry, 4)
      or reason == 4 and (not permitsOnly or isPermit(receipt, entry))
    if reason == 2 and hasFlag(receipt, entry, 2) and isAttempt(receipt, entry) then
      failAttempt(receipt, entry)
    elseif refunds then
      most, isAny = math.max(most, refund(receipt, entry, receipt[entry + 2])), true
      receipt[entry + 2] = 0
    end
  end
  if reason == 1 or reason == 2 then
    receipt[6] = nowUs
  elseif permitsOnly and not isAny then
    return 1, 0
  else
    receipt[1] = 2
    if reason == 3 then
      receipt[4] = -expiresAtUs
    end
  end
  return 0, most
end

-- Charges \`units\` more for each entry, all or nothing; \`extra\` overrides each limit's allowance above its capacity.
local function chargeMore(receipt, entries, units, extra)
  local charges = {}
  for _, entry in ipairs(entries) do
    local p = entry + 7
    local parameters = p + 7
    local state, mine = counterOf(receipt, entry)
    local own, charged = receipt[parameters + 0], units
    if extra then
      charged = math.min(units, mostOwed(state, receipt, p))
    end
    receipt[parameters + 0] = extra or own
    local algorithm = algorithmAt(receipt, entry)
    local outcome, nextState = (algorithm.charge or algorithm.step)(state, receipt, parameters, charged, nowUs)
    receipt[parameters + 0] = own
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
  local most = (2 ^ 50)
  for _, entry in ipairs(entries) do
    local p = entry + 7
    local parameters = p + 7
    local state, mine = counterOf(receipt, entry)
    if mine and isEnforced(receipt, entry) then
      local extraUnits = algorithmAt(receipt, entry).extraUnits
      local units = left(state, receipt, p) + (extraUnits and extraUnits(receipt, parameters) or receipt[parameters + 0])
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
  receipt[6] = nowUs
  for _, entry in ipairs(chargedEntries(receipt)) do
    if isPermit(receipt, entry) then
      permits[#permits + 1] = entry
    else
      entries[#entries + 1] = entry
      reserved = receipt[entry + 2]
    end
  end
  local more = #entries > 0 and cost - reserved or 0
  if more < 0 then
    for _, entry in ipairs(entries) do
      refund(receipt, entry, -more)
    end
  elseif more > 0 and not chargeMore(receipt, entries, more) then
    if overrun == 0 then
      return 3, 0
    elseif overrun == 1 then
      more = math.min(more, mostLeft(receipt, entries))
      if more > 0 and not chargeMore(receipt, entries, more) then
        more = 0
      end
    else
      chargeMore(receipt, entries, more, (2 ^ 50))
    end
  end
  for _, entry in ipairs(permits) do
    refund(receipt, entry, receipt[entry + 2])
  end
  receipt[1] = 1
  return 0, -more
end

local function renew(receipt)
  for _, entry in ipairs(chargedEntries(receipt)) do
    if isPermit(receipt, entry) then
      local parameters, permits = entry + 7 + 7, receipt[entry + 2]
      local state, _, mark = counterOf(receipt, entry)
      local outcome, nextState = algorithmAt(receipt, entry).step(state, receipt, parameters, permits, nowUs)
      if outcome == 0 then
        return 3, 0
      end
      changeEntry(receipt, entry, nextState, mark, false)
    end
  end
  if receipt[4] > 0 then
    receipt[4] = nowUs + receipt[7]
  end
  return 0, 0
end

local function amendReceipt(operation)
  local key = KEYS[1]
  local text = redis.call('MGET', key)[1]
  local isRead, receipt = pcall(cmsgpack.unpack, text or '')
  if not text or not isRead or type(receipt) ~= 'table' or type(receipt[9]) ~= 'number' then
    return answer(2, 0)
  end
  local expiresAtUs = receipt[4]
  local reason = operation == 4 and order[2] or nil
  local ignoresExpiry = reason == 3 or (reason == 1 or reason == 2) and receipt[6] > 0
  if receipt[1] ~= 0 then
    return answer(expiresAtUs < 0 and not ignoresExpiry and 2 or 1, 0)
  end
  holder = receipt[2]
  local status, units, dueInUs
  if expiresAtUs > 0 and nowUs >= expiresAtUs and not ignoresExpiry then
    -- Not swept yet.
    refundCharges(receipt, 3)
    status, units = 2, 0
  elseif reason then
    status, units, dueInUs = refundCharges(receipt, reason)
  elseif operation == 5 then
    status, units = settle(receipt, order[2], order[3])
  else
    status, units = renew(receipt)
  end
  if status == 0 or status == 2 then
    saveChanges()
    redis.call('SET', key, cmsgpack.pack(receipt), 'PXAT', floor(nowUs / 1000) + receipt[5])
  end
  return answer(status, units, 0, dueInUs)
end

local operation = order[1]
if operation <= 3 or operation == 8 then
  return amendChecks(operation)
elseif operation == 7 then
  for _, name in ipairs(names) do
    delete(name)
    publishCleared(name)
  end
  return answer(0, #names)
end
return amendReceipt(operation)
`;

export const DECIDE_SCRIPT = `#!lua
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

-- Positions in the batch.
-- Head of a request.
-- Positions in a request's receipt, from its start.
-- Positions in a check, from its start.

-- Positions in the reply to a check, from the position before it.
-- Outcomes; denied because of attempts in flight is -1, allowed is 1 or more.
-- Reply to a request with a receipt.
${PRELUDE}

local payload, fieldList = ARGV[1], ARGV[5]
local batch = cmsgpack.unpack(payload)
-- nowUs
${CLOCK}

-- \`at\` is a position in the batch: of a policy here, of a request below. By start of a policy: its mark and the functions of its
-- algorithm, so that one lookup finds both.
local policies, marks, at, penalty = {}, {}, 2, nil
for i = 1, batch[1] do
  local algorithm, mark = algorithmOf(batch[at + 1]), markOf(batch, at, nowUs)
  mark.step, mark.decode, mark.delta = algorithm.step, algorithm.decode, algorithm.delta
  mark.inFlight = algorithm.inFlight
  if algorithm.deny then
    penalty = algorithm
  end
  policies[i], marks[at] = at, mark
  at = at + batch[at + 0]
end

-- keys, texts (stored text by key), call; in the variant also foreign
${KEYS}
local fields, readField, writeField = fieldList and cjson.decode(fieldList), nil, nil
if fields then
${HASH_FIELDS}
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
-- Part of decide: declares the reply and the position of its last integer.
local reply, r = { nowUs }, 1
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
    local j = at + 1
    local k, p, cost = batch[j + 0], policies[batch[j + 1]], batch[j + 2]
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
    r, at = r + 4, j + 3
  else
    -- Defined here, because creating functions takes a fifth of a single decision.
${RECEIPT}
    --[[ A request with several limits, with a receipt, or to be checked only. Checks all limits first, then charges all of them, or none if
    an enforced one denies. A limit in shadow mode that denies is not charged, nor is a check without a charge. ]]
    local nextStates = {}
    local penalize
    if penalty then
${PENALTIES}
      penalize = applyPenalties
    end

    local function decideRequest(at, head)
      local peek = head % 2 == 1
      local withReceipt = head % 4 >= 2
      local checks = floor(head / 4)
      local order = at + 1
      local first = withReceipt and order + 5 or order
      local after = first + checks * 3
      if withReceipt then
        r = r + 1
        local receipt = receiptOf(texts[batch[order + 0]])
        if receipt ~= nil then
          repeatAnswer(receipt, batch[order + 2], first, checks)
          return after
        end
        reply[r], holder = 0, batch[order + 1]
      end

      local firstReply, all, j = r, true, first
      for c = 1, checks do
        local k, p, cost = batch[j + 0], policies[batch[j + 1]], batch[j + 2]
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
      if penalize and penalize(first, checks, firstReply, peek) then
        all = false
      end

      local charged, position = all and not peek, firstReply
      j = first
      for c = 1, checks do
        local k, p = batch[j + 0], policies[batch[j + 1]]
        if reply[position + 1] > 0 then
          if not charged or batch[j + 2] == 0 then
            -- Allowed but not charged: \`remaining\` excludes this request.
            local _, _, remaining, _, resetAfterUs =
              ALGORITHMS[batch[p + 1]].step(states[k], batch, p + 7, 0, nowUs)
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
    if before and mark.delta and (not field or batch[p + 1] == 11) then
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
`;

export const DECIDE_ACROSS_SCRIPT = `#!lua flags=allow-cross-slot-keys
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

-- Positions in the batch.
-- Head of a request.
-- Positions in a request's receipt, from its start.
-- Positions in a check, from its start.

-- Positions in the reply to a check, from the position before it.
-- Outcomes; denied because of attempts in flight is -1, allowed is 1 or more.
-- Reply to a request with a receipt.
${PRELUDE}

local payload, fieldList = ARGV[1], ARGV[5]
local batch = cmsgpack.unpack(payload)
-- nowUs
${CLOCK}

-- \`at\` is a position in the batch: of a policy here, of a request below. By start of a policy: its mark and the functions of its
-- algorithm, so that one lookup finds both.
local policies, marks, at, penalty = {}, {}, 2, nil
for i = 1, batch[1] do
  local algorithm, mark = algorithmOf(batch[at + 1]), markOf(batch, at, nowUs)
  mark.step, mark.decode, mark.delta = algorithm.step, algorithm.decode, algorithm.delta
  mark.inFlight = algorithm.inFlight
  if algorithm.deny then
    penalty = algorithm
  end
  policies[i], marks[at] = at, mark
  at = at + batch[at + 0]
end

-- keys, texts (stored text by key), call; in the variant also foreign
${KEYS_ACROSS}
local fields, readField, writeField = fieldList and cjson.decode(fieldList), nil, nil
if fields then
${HASH_FIELDS}
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
--[[ Part of the variant of decide for several slots: removes requests with foreign keys from the batch; they are neither decided nor
charged. Declares the reply, which begins with [now us, number of these requests, for each its position, from 1], and the position of its
last integer. ]]

-- Removes the requests from \`at\` on that use keys in \`foreign\`. Returns their positions.
local function removeForeign(at, foreign)
  local removed, to, from, last, position = {}, at, at, #batch, 0
  while from <= last do
    position = position + 1
    local head, order, isForeign = batch[from], from + 1, false
    local first = order
    if head % 4 >= 2 then
      isForeign, first = foreign[batch[order + 0]], order + 5
    end
    local after = first + floor(head / 4) * 3
    for j = first, after - 1, 3 do
      isForeign = isForeign or foreign[batch[j + 0]]
    end
    if isForeign then
      removed[#removed + 1] = position
    else
      for i = from, after - 1 do
        batch[to], to = batch[i], to + 1
      end
    end
    from = after
  end
  for i = to, last do
    batch[i] = nil
  end
  return removed
end

local reply, r = { nowUs, 0 }, 2
for i, position in ipairs(foreign and removeForeign(at, foreign) or {}) do
  reply[2], reply[2 + i], r = i, position, 2 + i
end
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
    local j = at + 1
    local k, p, cost = batch[j + 0], policies[batch[j + 1]], batch[j + 2]
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
    r, at = r + 4, j + 3
  else
    -- Defined here, because creating functions takes a fifth of a single decision.
${RECEIPT}
    --[[ A request with several limits, with a receipt, or to be checked only. Checks all limits first, then charges all of them, or none if
    an enforced one denies. A limit in shadow mode that denies is not charged, nor is a check without a charge. ]]
    local nextStates = {}
    local penalize
    if penalty then
${PENALTIES}
      penalize = applyPenalties
    end

    local function decideRequest(at, head)
      local peek = head % 2 == 1
      local withReceipt = head % 4 >= 2
      local checks = floor(head / 4)
      local order = at + 1
      local first = withReceipt and order + 5 or order
      local after = first + checks * 3
      if withReceipt then
        r = r + 1
        local receipt = receiptOf(texts[batch[order + 0]])
        if receipt ~= nil then
          repeatAnswer(receipt, batch[order + 2], first, checks)
          return after
        end
        reply[r], holder = 0, batch[order + 1]
      end

      local firstReply, all, j = r, true, first
      for c = 1, checks do
        local k, p, cost = batch[j + 0], policies[batch[j + 1]], batch[j + 2]
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
      if penalize and penalize(first, checks, firstReply, peek) then
        all = false
      end

      local charged, position = all and not peek, firstReply
      j = first
      for c = 1, checks do
        local k, p = batch[j + 0], policies[batch[j + 1]]
        if reply[position + 1] > 0 then
          if not charged or batch[j + 2] == 0 then
            -- Allowed but not charged: \`remaining\` excludes this request.
            local _, _, remaining, _, resetAfterUs =
              ALGORITHMS[batch[p + 1]].step(states[k], batch, p + 7, 0, nowUs)
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
    if before and mark.delta and (not field or batch[p + 1] == 11) then
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
`;

export const PROBE_SLOTS_SCRIPT = `#!lua flags=allow-cross-slot-keys
--[[ probe-slots-1: whether scripts of this connection may use several slots, as decide-across.lua does.

KEYS[1]  a key in a slot of this server
ARGV[1]  a key in another slot of this server
ARGV[2]  a key in a slot of another server; '' if there is none
Reply    1 if both keys were written and read, and the foreign one failed; 0 if the foreign one was read
Errors   those of the commands
State    both keys expire after a second
Binding  cluster/slot-modes.ts
Source   docs/adr/0015-redis-cluster.md ]]
local usualKey, otherSlotKey, foreignKey = KEYS[1], ARGV[1], ARGV[2]
for _, key in ipairs({ usualKey, otherSlotKey }) do
  redis.call('SET', key, '1', 'PX', 1000)
  redis.call('GET', key)
end
if foreignKey == '' then
  return 1
end
local foreign = redis.pcall('GET', foreignKey)
return type(foreign) == 'table' and 1 or 0
`;

export const RUN_FIRST_REQUEST_SCRIPT = `#!lua
--[[ run-first-request: fixed_window that starts at the first request. The usage is the count of the current window times its length, plus
the time since its start, ms. Twin of parts/algorithms/fixed-window.lua, without functions. ]]
${RUN_HEAD}
${KEYS}

local now = nowMs - 1577836800000
while at < last do
${RUN_POLICY}
  at, done = p + batch[p + 0], final
  local most, windowMs = batch[parameters + 0] + batch[parameters + 1], batch[parameters + 2]
  local added = format('%d000000000000000', cost)
  for k = first, final do
    local text, used, elapsedMs, isCurrent = texts[k], 0, 0, false
    if text then
      local stored = tonumber(sub(text, -15, -4))
      used, isCurrent = tonumber(sub(text, 1, -16)) or -1, sub(text, -3) == mark
      local isOwn = isCurrent
      if not isCurrent then
        local x, y, z = byte(text, -3, -1)
        isOwn = z ~= nil and floor((x * 100 + y * 10 + z - (48 * 111 + 64)) / 18) == id
      end
      if not isOwn or used < 0 or used ~= floor(used) or not stored or stored > now or stored ~= floor(stored) then
        used = -1
      else
        elapsedMs = now - stored
        if elapsedMs >= windowMs then
          used, elapsedMs, isCurrent = 0, 0, false
        elseif (used + 1) * windowMs > (2 ^ 53) then
          used = -1
        end
      end
    end
    reply[k + 1] = used < 0 and -1 or used * windowMs + elapsedMs
    local count = used + cost
    if used >= 0 and cost > 0 and count <= most and (not marked or marked(k)) then
      if not isCurrent or used == 0 or count > 9222 or type(pcall('INCRBY', keys[k], added)) ~= 'number' then
        local start = now - elapsedMs
        local high = floor(start / 1000000)
        local shape = count < 2147483648 and '%d%06d%06d%s' or '%.0f%06d%06d%s'
        call('SET', keys[k], format(shape, count, high, start - high * 1000000, mark), 'PXAT', expiresAtMs)
      end
    end
  end
end
return cmsgpack.pack(reply)
`;

export const RUN_FIRST_REQUEST_ACROSS_SCRIPT = `#!lua flags=allow-cross-slot-keys
--[[ run-first-request: fixed_window that starts at the first request. The usage is the count of the current window times its length, plus
the time since its start, ms. Twin of parts/algorithms/fixed-window.lua, without functions. ]]
${RUN_HEAD}
${KEYS_ACROSS}

local now = nowMs - 1577836800000
while at < last do
${RUN_POLICY}
  at, done = p + batch[p + 0], final
  local most, windowMs = batch[parameters + 0] + batch[parameters + 1], batch[parameters + 2]
  local added = format('%d000000000000000', cost)
  for k = first, final do
    local text, used, elapsedMs, isCurrent = texts[k], 0, 0, false
    if text then
      local stored = tonumber(sub(text, -15, -4))
      used, isCurrent = tonumber(sub(text, 1, -16)) or -1, sub(text, -3) == mark
      local isOwn = isCurrent
      if not isCurrent then
        local x, y, z = byte(text, -3, -1)
        isOwn = z ~= nil and floor((x * 100 + y * 10 + z - (48 * 111 + 64)) / 18) == id
      end
      if not isOwn or used < 0 or used ~= floor(used) or not stored or stored > now or stored ~= floor(stored) then
        used = -1
      else
        elapsedMs = now - stored
        if elapsedMs >= windowMs then
          used, elapsedMs, isCurrent = 0, 0, false
        elseif (used + 1) * windowMs > (2 ^ 53) then
          used = -1
        end
      end
    end
    reply[k + 1] = used < 0 and -1 or used * windowMs + elapsedMs
    local count = used + cost
    if used >= 0 and cost > 0 and count <= most and (not marked or marked(k)) then
      if not isCurrent or used == 0 or count > 9222 or type(pcall('INCRBY', keys[k], added)) ~= 'number' then
        local start = now - elapsedMs
        local high = floor(start / 1000000)
        local shape = count < 2147483648 and '%d%06d%06d%s' or '%.0f%06d%06d%s'
        call('SET', keys[k], format(shape, count, high, start - high * 1000000, mark), 'PXAT', expiresAtMs)
      end
    end
  end
end
return cmsgpack.pack(reply)
`;

export const RUN_PACKED_SCRIPT = `#!lua
--[[ run-packed: packed_window. The usage is the count of the current window. Twin of parts/algorithms/fixed-window.lua, without functions:
one command adds the cost, and its result shows the state before. A denial subtracts it within the script, so no client sees the sum.

Cost     1 to 9,006 (runs.ts), so that a new count is below 2^53. A larger result is not exact and left to decide.lua. ]]
${RUN_HEAD}
-- Reads nothing first: an error of HINCRBY, such as for a foreign key, leaves the request to decide.lua.
${RUN_FIELDS}
local cleaned

-- A state is a number: the count * UNIT + its start in seconds and the mark, 12 digits.
while at < last do
  local cost, p = batch[at + 0], at + 2
  local first, final = done + 1, done + batch[at + 1]
  at, done = p + batch[p + 0], final
  local parameters = p + 7
  local windowMs, most = batch[parameters + 2], batch[parameters + 0] + batch[parameters + 1]
  local startMs = nowMs - nowMs % windowMs
  local mark, expiresAtMs = 64 + batch[p + 3] * 18, startMs + 2 * windowMs
  -- The end of a state of this window: start and mark.
  local tail = startMs - 1577836800000 + mark
  local high = floor(tail / 1000000)
  local fresh = format('%d%06d%06d', cost, high, tail - high * 1000000)
  local added, units = format('%d000000000000', cost), cost * 1000000000000
  local reverse = '-' .. added
  for k = first, final do
    local key, field, used = keys[k], fields[k], -1
    local count = pcall('HINCRBY', key, field, added)
    if type(count) == 'number' then
      local before = count - units
      local stored = before % 1000000000000
      if count <= (2 ^ 53) and stored == tail and before >= tail then
        used = (before - tail) / 1000000000000
      elseif before == 0 or count <= (2 ^ 53) and before > 0 and stored % 1000 == mark and stored < tail then
        -- A new field, or one of an earlier window.
        used = 0
      end
      if used < 0 or used + cost > most then
        if before == 0 then
          call('HDEL', key, field)
        else
          call('HINCRBY', key, field, reverse)
        end
      elseif stored ~= tail then
        call('HSET', key, field, fresh)
        if not cleaned then
          -- Created here, because few runs need it.
${SWEEP}
          cleaned = sweep
        end
        cleaned(key, call('PEXPIRETIME', key), expiresAtMs, batch, p, nowUs)
      end
    end
    reply[k + 1] = used
  end
end
return cmsgpack.pack(reply)
`;

export const RUN_PACKED_ACROSS_SCRIPT = `#!lua flags=allow-cross-slot-keys
--[[ run-packed: packed_window. The usage is the count of the current window. Twin of parts/algorithms/fixed-window.lua, without functions:
one command adds the cost, and its result shows the state before. A denial subtracts it within the script, so no client sees the sum.

Cost     1 to 9,006 (runs.ts), so that a new count is below 2^53. A larger result is not exact and left to decide.lua. ]]
${RUN_HEAD}
-- Reads nothing first: an error of HINCRBY, such as for a foreign key, leaves the request to decide.lua.
${RUN_FIELDS}
local cleaned

-- A state is a number: the count * UNIT + its start in seconds and the mark, 12 digits.
while at < last do
  local cost, p = batch[at + 0], at + 2
  local first, final = done + 1, done + batch[at + 1]
  at, done = p + batch[p + 0], final
  local parameters = p + 7
  local windowMs, most = batch[parameters + 2], batch[parameters + 0] + batch[parameters + 1]
  local startMs = nowMs - nowMs % windowMs
  local mark, expiresAtMs = 64 + batch[p + 3] * 18, startMs + 2 * windowMs
  -- The end of a state of this window: start and mark.
  local tail = startMs - 1577836800000 + mark
  local high = floor(tail / 1000000)
  local fresh = format('%d%06d%06d', cost, high, tail - high * 1000000)
  local added, units = format('%d000000000000', cost), cost * 1000000000000
  local reverse = '-' .. added
  for k = first, final do
    local key, field, used = keys[k], fields[k], -1
    local count = pcall('HINCRBY', key, field, added)
    if type(count) == 'number' then
      local before = count - units
      local stored = before % 1000000000000
      if count <= (2 ^ 53) and stored == tail and before >= tail then
        used = (before - tail) / 1000000000000
      elseif before == 0 or count <= (2 ^ 53) and before > 0 and stored % 1000 == mark and stored < tail then
        -- A new field, or one of an earlier window.
        used = 0
      end
      if used < 0 or used + cost > most then
        if before == 0 then
          call('HDEL', key, field)
        else
          call('HINCRBY', key, field, reverse)
        end
      elseif stored ~= tail then
        call('HSET', key, field, fresh)
        if not cleaned then
          -- Created here, because few runs need it.
${SWEEP}
          cleaned = sweep
        end
        cleaned(key, call('PEXPIRETIME', key), expiresAtMs, batch, p, nowUs)
      end
    end
    reply[k + 1] = used
  end
end
return cmsgpack.pack(reply)
`;

export const RUN_SUBJECT_SCRIPT = `#!lua
--[[ run-subject: requests whose limits are all fields of one hash: gcra, token_bucket (continuous), leaky_bucket and fixed_window. Charges all
limits of a request or none. Twin of parts/algorithms/virtual-time.lua and fixed-window.lua, without functions. Different from run-head:

KEYS     the hash of each request
ARGV[1]  runs of [cost (1 or more), requests, limits, policy per limit (constants.lua)]
ARGV[5]  JSON array: per run, the array of its fields
Reply    [now us, per request: the usage before it per limit, or only -1]
         Usage: time from now to the theoretical arrival time, us; count of the current window; if that starts at the first request, its
         count times its length, plus the time since its start, ms.
Source   docs/adr/0052-one-value-per-subject.md ]]
${RUN_HEAD}
${RUN_FIELDS}

-- Positions in a run, from its start.
-- Lengths of the end of a state that is the same for all subjects: the mark, for windows aligned to the clock also their start.
local nowInUs, nowInMs, r, run = nowUs - 1577836800000000, nowMs - 1577836800000, 1, 0
-- Of all requests, because growing a table takes as long as its values.
local written = {}
while at < last do
  local cost, requests, limits = batch[at + 0], batch[at + 1], batch[at + 2]
  local p = at + 3
  -- Per limit: start of its policy; the end of a state that was written in this TTL period and, if the window is aligned to the clock, in
  -- this window.
  local starts, tails, tailSizes, expiries, names = {}, {}, {}, {}, nil
  for c = 1, limits do
    local periodMs, parameters = 2 ^ batch[p + 4], p + 7
    local period = floor(nowMs / periodMs)
    local mark = format('%03d', 64 + batch[p + 3] * 18 + period % 18)
    starts[c], tails[c], tailSizes[c] = p, mark, 3
    expiries[c] = (period + 2) * periodMs + batch[p + 5]
    if batch[p + 1] == 1 and batch[parameters + 3] == 1 then
      local start = nowInMs - nowMs % batch[parameters + 2]
      local high = floor(start / 1000000)
      tails[c], tailSizes[c] = format('%06d%06d%s', high, start - high * 1000000, mark), 15
    end
    p = p + batch[p + 0]
  end
  run, at = run + 1, p
  names = fields[run]

  for k = done + 1, done + requests do
    -- An error, such as for a foreign key, leaves the request to decide.lua.
    local key = keys[k]
    local texts = pcall('HMGET', key, unpack(names))
    local isUsual, all, n, expiresAtMs = not texts.err, true, 0, 0
    for c = 1, isUsual and limits or 0 do
      local text, tail, tailSize, usage, nextText = texts[c], tails[c], tailSizes[c], 0, nil
      p = starts[c]
      local parameters = p + 7
      local isCurrent = text and sub(text, -tailSize) == tail
      if text and not isCurrent then
        local x, y, z = byte(text, -3, -1)
        if not z or floor((x * 100 + y * 10 + z - (48 * 111 + 64)) / 18) ~= batch[p + 3] then
          isUsual = false
          break
        end
      end
      if batch[p + 1] == 1 then
        local used, windowMs = 0, batch[parameters + 2]
        local start = tailSize == 3 and nowInMs or nowInMs - nowMs % windowMs
        if text then
          used = tonumber(sub(text, 1, -16)) or -1
          local stored = start
          if tailSize == 3 or not isCurrent then
            stored = tonumber(sub(text, -15, -4))
          end
          if used < 0 or used ~= floor(used) or not stored or stored > start or stored ~= floor(stored) then
            isUsual = false
            break
          elseif tailSize == 15 then
            if stored < start then
              used = 0
            end
          elseif nowInMs - stored >= windowMs then
            used = 0
          else
            start = stored
          end
        end
        usage = used
        if tailSize == 3 then
          if (used + 1) * windowMs > (2 ^ 53) then
            isUsual = false
            break
          end
          usage = used * windowMs + nowInMs - start
          local high = floor(start / 1000000)
          tail = format('%06d%06d%s', high, start - high * 1000000, tail)
        end
        local count = used + cost
        if count <= batch[parameters + 0] + batch[parameters + 1] then
          nextText = format(count < 2147483648 and '%d%s' or '%.0f%s', count, tail)
        end
      else
        local bandUs = batch[parameters + 3]
        if text then
          local number = tonumber(text)
          if not number or number <= 0 or number >= (1e19) then
            isUsual = false
            break
          end
          usage = floor(number / 1000) - nowInUs
          if usage < 0 or usage > 2 * bandUs then
            usage = 0
          end
        end
        local nextUs = usage + batch[parameters + 1] * cost
        if nextUs <= batch[parameters + 2] + batch[parameters + 0] then
          if nextUs > bandUs then
            nextUs = bandUs
          end
          local nextTat = nowInUs + nextUs
          local high = floor(nextTat / 100000000)
          nextText = format('%d%08d%s', high, nextTat - high * 100000000, tail)
        end
      end
      if nextText then
        written[n + 1], written[n + 2], n = names[c], nextText, n + 2
        if expiries[c] > expiresAtMs then
          expiresAtMs = expiries[c]
        end
      elseif batch[p + 2] % 2 == 0 then
        -- Denied by a limit that is not in shadow mode.
        all = false
      end
      reply[r + c] = usage
    end

    if isUsual then
      r = r + limits
      if all and n > 0 then
        call('HSET', key, unpack(written, 1, n))
        -- Other limits may have set a later expiry.
        if call('PEXPIRETIME', key) < expiresAtMs then
          call('PEXPIREAT', key, expiresAtMs)
        end
      end
    else
      for c = 2, limits do
        reply[r + c] = nil
      end
      r = r + 1
      reply[r] = -1
    end
  end
  done = done + requests
end
return cmsgpack.pack(reply)
`;

export const RUN_SUBJECT_ACROSS_SCRIPT = `#!lua flags=allow-cross-slot-keys
--[[ run-subject: requests whose limits are all fields of one hash: gcra, token_bucket (continuous), leaky_bucket and fixed_window. Charges all
limits of a request or none. Twin of parts/algorithms/virtual-time.lua and fixed-window.lua, without functions. Different from run-head:

KEYS     the hash of each request
ARGV[1]  runs of [cost (1 or more), requests, limits, policy per limit (constants.lua)]
ARGV[5]  JSON array: per run, the array of its fields
Reply    [now us, per request: the usage before it per limit, or only -1]
         Usage: time from now to the theoretical arrival time, us; count of the current window; if that starts at the first request, its
         count times its length, plus the time since its start, ms.
Source   docs/adr/0052-one-value-per-subject.md ]]
${RUN_HEAD}
${RUN_FIELDS}

-- Positions in a run, from its start.
-- Lengths of the end of a state that is the same for all subjects: the mark, for windows aligned to the clock also their start.
local nowInUs, nowInMs, r, run = nowUs - 1577836800000000, nowMs - 1577836800000, 1, 0
-- Of all requests, because growing a table takes as long as its values.
local written = {}
while at < last do
  local cost, requests, limits = batch[at + 0], batch[at + 1], batch[at + 2]
  local p = at + 3
  -- Per limit: start of its policy; the end of a state that was written in this TTL period and, if the window is aligned to the clock, in
  -- this window.
  local starts, tails, tailSizes, expiries, names = {}, {}, {}, {}, nil
  for c = 1, limits do
    local periodMs, parameters = 2 ^ batch[p + 4], p + 7
    local period = floor(nowMs / periodMs)
    local mark = format('%03d', 64 + batch[p + 3] * 18 + period % 18)
    starts[c], tails[c], tailSizes[c] = p, mark, 3
    expiries[c] = (period + 2) * periodMs + batch[p + 5]
    if batch[p + 1] == 1 and batch[parameters + 3] == 1 then
      local start = nowInMs - nowMs % batch[parameters + 2]
      local high = floor(start / 1000000)
      tails[c], tailSizes[c] = format('%06d%06d%s', high, start - high * 1000000, mark), 15
    end
    p = p + batch[p + 0]
  end
  run, at = run + 1, p
  names = fields[run]

  for k = done + 1, done + requests do
    -- An error, such as for a foreign key, leaves the request to decide.lua.
    local key = keys[k]
    local texts = pcall('HMGET', key, unpack(names))
    local isUsual, all, n, expiresAtMs = not texts.err, true, 0, 0
    for c = 1, isUsual and limits or 0 do
      local text, tail, tailSize, usage, nextText = texts[c], tails[c], tailSizes[c], 0, nil
      p = starts[c]
      local parameters = p + 7
      local isCurrent = text and sub(text, -tailSize) == tail
      if text and not isCurrent then
        local x, y, z = byte(text, -3, -1)
        if not z or floor((x * 100 + y * 10 + z - (48 * 111 + 64)) / 18) ~= batch[p + 3] then
          isUsual = false
          break
        end
      end
      if batch[p + 1] == 1 then
        local used, windowMs = 0, batch[parameters + 2]
        local start = tailSize == 3 and nowInMs or nowInMs - nowMs % windowMs
        if text then
          used = tonumber(sub(text, 1, -16)) or -1
          local stored = start
          if tailSize == 3 or not isCurrent then
            stored = tonumber(sub(text, -15, -4))
          end
          if used < 0 or used ~= floor(used) or not stored or stored > start or stored ~= floor(stored) then
            isUsual = false
            break
          elseif tailSize == 15 then
            if stored < start then
              used = 0
            end
          elseif nowInMs - stored >= windowMs then
            used = 0
          else
            start = stored
          end
        end
        usage = used
        if tailSize == 3 then
          if (used + 1) * windowMs > (2 ^ 53) then
            isUsual = false
            break
          end
          usage = used * windowMs + nowInMs - start
          local high = floor(start / 1000000)
          tail = format('%06d%06d%s', high, start - high * 1000000, tail)
        end
        local count = used + cost
        if count <= batch[parameters + 0] + batch[parameters + 1] then
          nextText = format(count < 2147483648 and '%d%s' or '%.0f%s', count, tail)
        end
      else
        local bandUs = batch[parameters + 3]
        if text then
          local number = tonumber(text)
          if not number or number <= 0 or number >= (1e19) then
            isUsual = false
            break
          end
          usage = floor(number / 1000) - nowInUs
          if usage < 0 or usage > 2 * bandUs then
            usage = 0
          end
        end
        local nextUs = usage + batch[parameters + 1] * cost
        if nextUs <= batch[parameters + 2] + batch[parameters + 0] then
          if nextUs > bandUs then
            nextUs = bandUs
          end
          local nextTat = nowInUs + nextUs
          local high = floor(nextTat / 100000000)
          nextText = format('%d%08d%s', high, nextTat - high * 100000000, tail)
        end
      end
      if nextText then
        written[n + 1], written[n + 2], n = names[c], nextText, n + 2
        if expiries[c] > expiresAtMs then
          expiresAtMs = expiries[c]
        end
      elseif batch[p + 2] % 2 == 0 then
        -- Denied by a limit that is not in shadow mode.
        all = false
      end
      reply[r + c] = usage
    end

    if isUsual then
      r = r + limits
      if all and n > 0 then
        call('HSET', key, unpack(written, 1, n))
        -- Other limits may have set a later expiry.
        if call('PEXPIRETIME', key) < expiresAtMs then
          call('PEXPIREAT', key, expiresAtMs)
        end
      end
    else
      for c = 2, limits do
        reply[r + c] = nil
      end
      r = r + 1
      reply[r] = -1
    end
  end
  done = done + requests
end
return cmsgpack.pack(reply)
`;

export const RUN_VIRTUAL_TIME_SCRIPT = `#!lua
--[[ run-virtual-time: gcra, token_bucket (continuous) and leaky_bucket. The usage is the time from now to the theoretical arrival time, us.
Twin of parts/algorithms/virtual-time.lua, without functions. ]]
${RUN_HEAD}
${KEYS}

local now = nowUs - 1577836800000000
while at < last do
${RUN_POLICY}
  at, done = p + batch[p + 0], final
  local throttleUs, intervalUs = batch[parameters + 0], batch[parameters + 1]
  local reachUs, bandUs = batch[parameters + 2], batch[parameters + 3]
  local neededUs, allowedUs = intervalUs * cost, reachUs + throttleUs
  for k = first, final do
    local text, tat, usedUs, isCurrent = texts[k], nil, 0, false
    if text then
      local number = tonumber(text)
      isCurrent = sub(text, -3) == mark
      local isOwn = isCurrent
      if not isCurrent then
        local x, y, z = byte(text, -3, -1)
        isOwn = z ~= nil and floor((x * 100 + y * 10 + z - (48 * 111 + 64)) / 18) == id
      end
      if not isOwn or not number or number <= 0 or number >= (1e19) then
        usedUs = -1
      else
        tat = floor(number / 1000)
        usedUs = tat - now
        if usedUs < 0 or usedUs > 2 * bandUs then
          usedUs = 0
        end
      end
    end
    reply[k + 1] = usedUs
    local nextUs = usedUs + neededUs
    if usedUs >= 0 and cost > 0 and nextUs <= allowedUs and (not marked or marked(k)) then
      if nextUs > bandUs then
        nextUs = bandUs
      end
      local nextTat = now + nextUs
      local added = isCurrent and nextTat - tat or -1
      -- INCRBY takes a fifth of a SET. If the stored text is not an integer to Redis, it is replaced.
      if added < 0 or added >= 2147483648 or type(pcall('INCRBY', keys[k], format('%d000', added))) ~= 'number' then
        local high = floor(nextTat / 100000000)
        call('SET', keys[k], format('%d%08d%s', high, nextTat - high * 100000000, mark), 'PXAT', expiresAtMs)
      end
    end
  end
end
return cmsgpack.pack(reply)
`;

export const RUN_VIRTUAL_TIME_ACROSS_SCRIPT = `#!lua flags=allow-cross-slot-keys
--[[ run-virtual-time: gcra, token_bucket (continuous) and leaky_bucket. The usage is the time from now to the theoretical arrival time, us.
Twin of parts/algorithms/virtual-time.lua, without functions. ]]
${RUN_HEAD}
${KEYS_ACROSS}

local now = nowUs - 1577836800000000
while at < last do
${RUN_POLICY}
  at, done = p + batch[p + 0], final
  local throttleUs, intervalUs = batch[parameters + 0], batch[parameters + 1]
  local reachUs, bandUs = batch[parameters + 2], batch[parameters + 3]
  local neededUs, allowedUs = intervalUs * cost, reachUs + throttleUs
  for k = first, final do
    local text, tat, usedUs, isCurrent = texts[k], nil, 0, false
    if text then
      local number = tonumber(text)
      isCurrent = sub(text, -3) == mark
      local isOwn = isCurrent
      if not isCurrent then
        local x, y, z = byte(text, -3, -1)
        isOwn = z ~= nil and floor((x * 100 + y * 10 + z - (48 * 111 + 64)) / 18) == id
      end
      if not isOwn or not number or number <= 0 or number >= (1e19) then
        usedUs = -1
      else
        tat = floor(number / 1000)
        usedUs = tat - now
        if usedUs < 0 or usedUs > 2 * bandUs then
          usedUs = 0
        end
      end
    end
    reply[k + 1] = usedUs
    local nextUs = usedUs + neededUs
    if usedUs >= 0 and cost > 0 and nextUs <= allowedUs and (not marked or marked(k)) then
      if nextUs > bandUs then
        nextUs = bandUs
      end
      local nextTat = now + nextUs
      local added = isCurrent and nextTat - tat or -1
      -- INCRBY takes a fifth of a SET. If the stored text is not an integer to Redis, it is replaced.
      if added < 0 or added >= 2147483648 or type(pcall('INCRBY', keys[k], format('%d000', added))) ~= 'number' then
        local high = floor(nextTat / 100000000)
        call('SET', keys[k], format('%d%08d%s', high, nextTat - high * 100000000, mark), 'PXAT', expiresAtMs)
      end
    end
  end
end
return cmsgpack.pack(reply)
`;

export const RUN_WINDOW_SCRIPT = `#!lua
--[[ run-window: fixed_window aligned to the clock. The usage is the count of the current window. Twin of parts/algorithms/fixed-window.lua,
without functions. ]]
${RUN_HEAD}
${KEYS}

while at < last do
${RUN_POLICY}
  at, done = p + batch[p + 0], final
  local most, windowMs = batch[parameters + 0] + batch[parameters + 1], batch[parameters + 2]
  local start = nowMs - nowMs % windowMs - 1577836800000
  local high = floor(start / 1000000)
  -- The end of the text of a state of this window, written in this TTL period.
  local tail = format('%06d%06d%s', high, start - high * 1000000, mark)
  local added = format('%d000000000000000', cost)
  for k = first, final do
    local text, used, isCurrent = texts[k], 0, false
    if text then
      isCurrent = sub(text, -15) == tail
      used = tonumber(sub(text, 1, -16)) or -1
      if used < 0 or used ~= floor(used) then
        used = -1
      elseif not isCurrent then
        local stored, isOwn = tonumber(sub(text, -15, -4)), false
        local x, y, z = byte(text, -3, -1)
        isOwn = z ~= nil and floor((x * 100 + y * 10 + z - (48 * 111 + 64)) / 18) == id
        if not isOwn or not stored or stored > start or stored ~= floor(stored) then
          used = -1
        elseif stored < start then
          used = 0
        end
      end
    end
    reply[k + 1] = used
    local count = used + cost
    if used >= 0 and cost > 0 and count <= most and (not marked or marked(k)) then
      if not isCurrent or used == 0 or count > 9222 or type(pcall('INCRBY', keys[k], added)) ~= 'number' then
        local shape = count < 2147483648 and '%d%s' or '%.0f%s'
        call('SET', keys[k], format(shape, count, tail), 'PXAT', expiresAtMs)
      end
    end
  end
end
return cmsgpack.pack(reply)
`;

export const RUN_WINDOW_ACROSS_SCRIPT = `#!lua flags=allow-cross-slot-keys
--[[ run-window: fixed_window aligned to the clock. The usage is the count of the current window. Twin of parts/algorithms/fixed-window.lua,
without functions. ]]
${RUN_HEAD}
${KEYS_ACROSS}

while at < last do
${RUN_POLICY}
  at, done = p + batch[p + 0], final
  local most, windowMs = batch[parameters + 0] + batch[parameters + 1], batch[parameters + 2]
  local start = nowMs - nowMs % windowMs - 1577836800000
  local high = floor(start / 1000000)
  -- The end of the text of a state of this window, written in this TTL period.
  local tail = format('%06d%06d%s', high, start - high * 1000000, mark)
  local added = format('%d000000000000000', cost)
  for k = first, final do
    local text, used, isCurrent = texts[k], 0, false
    if text then
      isCurrent = sub(text, -15) == tail
      used = tonumber(sub(text, 1, -16)) or -1
      if used < 0 or used ~= floor(used) then
        used = -1
      elseif not isCurrent then
        local stored, isOwn = tonumber(sub(text, -15, -4)), false
        local x, y, z = byte(text, -3, -1)
        isOwn = z ~= nil and floor((x * 100 + y * 10 + z - (48 * 111 + 64)) / 18) == id
        if not isOwn or not stored or stored > start or stored ~= floor(stored) then
          used = -1
        elseif stored < start then
          used = 0
        end
      end
    end
    reply[k + 1] = used
    local count = used + cost
    if used >= 0 and cost > 0 and count <= most and (not marked or marked(k)) then
      if not isCurrent or used == 0 or count > 9222 or type(pcall('INCRBY', keys[k], added)) ~= 'number' then
        local shape = count < 2147483648 and '%d%s' or '%.0f%s'
        call('SET', keys[k], format(shape, count, tail), 'PXAT', expiresAtMs)
      end
    end
  end
end
return cmsgpack.pack(reply)
`;
