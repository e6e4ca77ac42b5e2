--[[ fixed_window: twin of algorithms/fixed-window.ts.
Parameters: a = limit (1 or more), b = window (ms), c = 1 when aligned to the clock.
State f1: count, then 12 digits of the window's start (ms since 2020-01-01), decimal; then the mark.
Source: docs/adr/0005-algorithms-and-state.md ]]
local STATE_EPOCH_MS = 1577836800000

ALGORITHMS[1] = {
  decode = function(text)
    local count, startMs = tonumber(sub(text, 1, -16)), tonumber(sub(text, -15, -4))
    if count and startMs then
      return { count, startMs + STATE_EPOCH_MS }
    end
  end,

  encode = function(state, mark)
    local startMs = state[2] - STATE_EPOCH_MS
    local high = floor(startMs / 1000000)
    local count = state[1]
    -- %d prints three times as fast as %.0f, but may be 32 bits wide.
    local shape = count < 2147483648 and '%d%06d%06d%s' or '%.0f%06d%06d%s'
    return format(shape, count, high, startMs - high * 1000000, mark)
  end,

  step = function(state, batch, at, cost, nowUs)
    local limit, windowMs, aligned = batch[at], batch[at + 1], batch[at + 2] == 1
    local nowMs = floor(nowUs / 1000)
    local count, startMs = 0, nowMs
    if aligned then
      startMs = nowMs - nowMs % windowMs
    end
    if state then
      local storedMs = state[2]
      local over = storedMs <= nowMs - windowMs
      if aligned then
        over = storedMs < startMs
      end
      if not over then
        count = state[1]
        local aheadMs = storedMs - nowMs
        if aheadMs > 0 then
          if aheadMs <= windowMs then
            startMs = storedMs
          end
        elseif not aligned then
          startMs = storedMs
        end
      end
    end
    local resetAfterUs = (startMs + windowMs) * 1000 - nowUs
    if count + cost <= limit then
      return true, { count + cost, startMs }, limit - count - cost, 0, resetAfterUs
    end
    local remaining = limit - count
    if remaining < 0 then
      remaining = 0
    end
    return false, state, remaining, cost > limit and -1 or resetAfterUs, resetAfterUs
  end,
}
