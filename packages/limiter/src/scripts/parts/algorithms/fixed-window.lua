--[[ State of fixed_window, token_bucket_interval and quota: twin of MS_FORM in algorithms/fixed-window.ts. A table of count and start
(ms); as text: the count, then 12 digits of the start since 2020-01-01. ]]
-- Slots of the table.
local COUNT <const> = 1
local START_MS <const> = 2

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
    startMs = startMs + EPOCH_MS
    starts[start] = startMs
  end
  -- Rejects numbers that we did not write.
  if count and count >= 0 and count == floor(count) then
    return { count, startMs }
  end
end

local function encodeWindow(state, mark)
  local count, start = state[COUNT], state[START_MS] - EPOCH_MS
  local high = floor(start / START_HALF)
  local shape = count < MAX_PRINTED and '%d%06d%06d%s' or '%.0f%06d%06d%s'
  return format(shape, count, high, start - high * START_HALF, mark)
end

-- Increment of the stored integer from one state to the next, up to a count of `most`; nil if there is none.
local function increment(before, after, most, shape)
  local added = after[COUNT] - before[COUNT]
  if after[START_MS] == before[START_MS] and before[COUNT] > 0 and after[COUNT] <= most and added >= 0 then
    return format(shape, added)
  end
end

local function windowDelta(before, after)
  return increment(before, after, MAX_INCREMENTED, '%d000000000000000')
end

--[[ packed_window: twin of SECONDS_FORM in algorithms/fixed-window.ts. State p1: the count, then 9 digits of the start in seconds since
2020-01-01. ]]
local function decodePacked(text)
  local count, startS = tonumber(sub(text, 1, -13)), tonumber(sub(text, -12, -4))
  if count and startS and count >= 0 and count == floor(count) and startS == floor(startS) then
    return { count, startS * 1000 + EPOCH_MS }
  end
end

local function encodePacked(state, mark)
  local count, startMs = state[COUNT], state[START_MS]
  local shape = count < MAX_PRINTED and '%d%09d%s' or '%.0f%09d%s'
  return format(shape, count, (startMs - EPOCH_MS) / 1000, mark)
end

local function packedDelta(before, after)
  return increment(before, after, MAX_PACKED_INCREMENTED, '%d000000000000')
end

--[[ fixed_window, packed_window: twin of algorithms/fixed-window.ts.
Parameters: extra, capacity, window (ms), 1 if aligned to the clock (constants.lua).
State f1, p1: count and start of the window.
Source: docs/adr/0012-algorithms.md ]]
local function makeFixedWindow(decode, encode, delta)
  local function current(state, b, at, nowMs)
    local windowMs, aligned = b[at + WINDOW_MS], b[at + ALIGNED] == 1
    local startMs = nowMs
    if aligned then
      startMs = nowMs - nowMs % windowMs
    end
    if not state then
      return 0, startMs
    end
    local count, storedMs = state[COUNT], state[START_MS]
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
      local extra, capacity, windowMs = b[at + EXTRA], b[at + CAPACITY], b[at + WINDOW_MS]
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
      local carried = carriedOver(count, b[from + CAPACITY], b[to + CAPACITY], rule)
      return carried > 0 and { carried, startMs } or nil
    end,
  }
end
MAKE[FIXED_WINDOW] = function()
  return makeFixedWindow(decodeWindow, encodeWindow, windowDelta)
end
MAKE[PACKED] = function()
  return makeFixedWindow(decodePacked, encodePacked, packedDelta)
end
