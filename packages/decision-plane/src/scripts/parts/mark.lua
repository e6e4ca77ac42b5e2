--[[ Part of policy and of the run scripts. The mark, three digits after each state, holds the id of the policy that wrote it and the TTL
period in which its expiry was last set, modulo 18. Setting an expiry on every write costs a third of the throughput. So time is divided
into TTL periods of 2^exponent ms, an eighth to a sixteenth of the horizon (ttlPeriodExponent): the first write in a period sets an
expiry one horizon and one period after its end, later writes keep it. A key without writes lives at most into the 17th period after its
mark's, so a mark is unambiguous. Marks leave room below and above, because virtual-time.lua reads state and mark as one number. ]]
local LEAST_MARK, PERIODS = 64, 18

local function markOf(b, p, nowUs)
  local nowMs, periodMs = floor(nowUs / 1000), 2 ^ b[p + 4]
  local period = floor(nowMs / periodMs)
  local text = format('%03d', LEAST_MARK + b[p + 3] * PERIODS + period % PERIODS)
  local x, y, z = byte(text, 1, 3)
  return { text = text, x = x, y = y, z = z, expiryMs = (period + 2) * periodMs - nowMs + b[p + 5] }
end

local function markId(x, y, z)
  return floor(((x - 48) * 100 + (y - 48) * 10 + z - 48 - LEAST_MARK) / PERIODS)
end
