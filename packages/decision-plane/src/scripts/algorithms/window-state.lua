--[[ State of fixed_window, token_bucket_interval and quota: twin of algorithms/window-state.ts. A table of count and start (ms);
as text the count, then 12 digits of the start since 2020-01-01. ]]
local STATE_EPOCH_MS = 1577836800000

-- Keys of one policy mostly share their start: it is read once a run.
local starts = {}

local function decodeWindow(text)
  local count, start = tonumber(sub(text, 1, -16)), sub(text, -15, -4)
  local startMs = starts[start]
  if not startMs then
    startMs = tonumber(start)
    if not startMs or startMs ~= floor(startMs) then
      return nil
    end
    startMs = startMs + STATE_EPOCH_MS
    starts[start] = startMs
  end
  -- What is no number that we wrote, but reads like one, compares as false.
  if count and count >= 0 and count == floor(count) then
    return { count, startMs }
  end
end

local function encodeWindow(state, mark)
  local startMs = state[2] - STATE_EPOCH_MS
  local high = floor(startMs / 1000000)
  local count = state[1]
  -- %d prints three times as fast as %.0f, but may be 32 bits wide.
  local shape = count < 2147483648 and '%d%06d%06d%s' or '%.0f%06d%06d%s'
  return format(shape, count, high, startMs - high * 1000000, mark)
end

-- What to add to the stored integer to get from one state to the next; nil when it is no such step.
local function windowDelta(before, after)
  local added = after[1] - before[1]
  if after[2] == before[2] and before[1] > 0 and after[1] <= 9222 and added >= 0 then
    return format('%d000000000000000', added)
  end
end
