--[[ gcra, token_bucket (continuous), leaky_bucket: twin of algorithms/virtual-time.ts.
Parameters: throttle above the reach (us), interval (us, 1 or more), reach (us), band (us), pacing (0 none, 1 returns waits above the
reach, 2 schedules each request).
State g1, t1, b1: theoretical arrival time, us since 2020-01-01, decimal; then the mark.
Source: docs/adr/0012-algorithms.md ]]
local function makeVirtualTime()
  local EPOCH_US = 1577836800000000

  -- us * to / from, rounded up. Exact by long division, because the product of two long times exceeds 2^53.
  local function rescale(us, from, to)
    local whole = floor(us / from)
    local part, quotient, rest, place = us - whole * from, 0, 0, 4398046511104
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
      if number and number > 0 and number < 1e19 then
        return floor(number / 1000) + EPOCH_US
      end
    end,

    -- Printed in two halves: 32-bit integers print three times as fast as one number.
    encode = function(tatUs, mark)
      local us = tatUs - EPOCH_US
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
      local intervalUs, reachUs, maxAheadUs = b[at + 1], b[at + 2], b[at + 3]
      local aheadUs = (state or nowUs) - nowUs
      if aheadUs < 0 or aheadUs > 2 * maxAheadUs then
        aheadUs = 0
      end
      local nextUs = aheadUs + intervalUs * cost
      local allowedUs = reachUs + b[at]
      if nextUs > allowedUs then
        local waitUs = nextUs - allowedUs
        if intervalUs * cost > allowedUs then
          waitUs = -1
        end
        return 0, state, floor((reachUs - aheadUs) / intervalUs), waitUs, aheadUs
      end
      if nextUs > maxAheadUs and cost > 0 then
        nextUs = maxAheadUs
      end
      local outcome, waitUs, pacing = 1, 0, b[at + 4]
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
      local aheadUs = (state or nowUs) - nowUs
      if aheadUs <= 0 or aheadUs > 2 * b[at + 3] then
        return state
      end
      -- Earlier charges cannot be pending for longer.
      local pendingUs = math.max(0, atUs + b[at + 3] - nowUs)
      return nowUs + math.max(0, aheadUs - math.min(pendingUs, b[at + 1] * units))
    end,

    -- Units that the throttle allows above the limit; a queue's delay is none.
    extraUnits = function(b, at)
      return b[at + 4] == 1 and 0 or floor(b[at] / b[at + 1])
    end,

    rebase = function(state, b, from, to, rule, atUs)
      local usedUs, reachUs, mostUs = state - atUs, b[from + 2], b[to + 3]
      if usedUs < 0 then
        usedUs = 0
      elseif usedUs > b[from + 3] then
        usedUs = b[from + 3]
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
