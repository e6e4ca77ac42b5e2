--[[ gcra, token_bucket (continuous), leaky_bucket: twin of algorithms/virtual-time.ts.
Parameters: throttle above the reach (us), interval (us, 1 or more), reach (us), band (us), pacing (0 none, 1 returns waits above the
reach, 2 schedules each request); constants.lua.
State g1, t1, b1: theoretical arrival time, us since 2020-01-01, decimal; then the mark.
Source: docs/adr/0012-algorithms.md ]]
-- Values of the pacing.
local RETURNS_WAITS <const> = 1
local SCHEDULES <const> = 2

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
      if number and number > 0 and number < MAX_ARRIVAL then
        return floor(number / MARK_SCALE) + EPOCH_US
      end
    end,

    encode = function(tatUs, mark)
      local us = tatUs - EPOCH_US
      local high = floor(us / ARRIVAL_HALF)
      return format('%d%08d%s', high, us - high * ARRIVAL_HALF, mark)
    end,

    delta = function(before, after)
      local added = after - before
      if added >= 0 and added < MAX_PRINTED then
        return format('%d000', added)
      end
    end,

    step = function(state, b, at, cost, nowUs)
      local throttleUs, intervalUs, reachUs = b[at + THROTTLE_US], b[at + INTERVAL_US], b[at + REACH_US]
      local bandUs, pacing = b[at + BAND_US], b[at + PACING]
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
      if pacing == SCHEDULES then
        waitUs = aheadUs
      end
      if nextUs > reachUs then
        if pacing == RETURNS_WAITS then
          waitUs = nextUs - reachUs
        else
          outcome = 2
        end
      end
      return outcome, nowUs + nextUs, floor((reachUs - nextUs) / intervalUs), waitUs, nextUs
    end,

    refund = function(state, b, at, units, atUs, nowUs)
      local intervalUs, bandUs = b[at + INTERVAL_US], b[at + BAND_US]
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
      return b[at + PACING] == RETURNS_WAITS and 0 or floor(b[at + THROTTLE_US] / b[at + INTERVAL_US])
    end,

    rebase = function(state, b, from, to, rule, atUs)
      local usedUs, reachUs, bandUs = state - atUs, b[from + REACH_US], b[from + BAND_US]
      local mostUs = b[to + BAND_US]
      if usedUs < 0 then
        usedUs = 0
      elseif usedUs > bandUs then
        usedUs = bandUs
      end
      if rule == RESET then
        return nil
      elseif rule == PROPORTIONAL then
        return atUs + math.min(mostUs, rescale(usedUs, reachUs, b[to + REACH_US]))
      elseif rule == ADDITIVE and usedUs > reachUs then
        usedUs = reachUs
      end
      return atUs + math.min(mostUs, rescale(usedUs, b[from + INTERVAL_US], b[to + INTERVAL_US]))
    end,
  }
end
MAKE[GCRA], MAKE[TOKEN_BUCKET], MAKE[LEAKY_BUCKET] = makeVirtualTime, makeVirtualTime, makeVirtualTime
