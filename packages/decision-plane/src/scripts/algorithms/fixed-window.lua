--[[ fixed_window: twin of algorithms/fixed-window.ts.
Parameters: a = limit (1 or more), b = window (ms), c = 1 when aligned to the clock.
State f1: count, then 12 digits of the window's start (ms since 2020-01-01), decimal.
Source: docs/adr/0005-algorithms-and-state.md ]]
local STATE_EPOCH_MS = 1577836800000

ALGORITHMS[1] = {
  decode = function(text)
    local count, startMs = tonumber(sub(text, 1, -13)), tonumber(sub(text, -12))
    if count and startMs then
      return { count, startMs + STATE_EPOCH_MS }
    end
  end,

  encode = function(state)
    return format('%.0f%012.0f', state[1], state[2] - STATE_EPOCH_MS)
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
