--[[ Part of prelude: marks and carry-over of policies (their layout: constants.lua).

The mark, three digits after each state, holds the id of the policy that wrote it and the TTL period in which its expiry was last
set, modulo 18. Setting an expiry on every write costs a third of the throughput. So time is divided into TTL periods of 2^exponent ms,
an eighth to a sixteenth of the horizon (ttlPeriodExponent): the first write in a period sets an expiry one horizon and one period after
its end, later writes keep it. A key without writes lives at most into the 17th period after its mark's, so a mark is unambiguous.
Marks leave room below and above, because virtual-time.lua reads state and mark as one number.

A packed window has period 0: the hash expires one window after the current one, set by the first write of a window (hash-fields.lua). ]]

local function markOf(b, p, nowUs)
  local nowMs, periodMs = floor(nowUs / 1000), 2 ^ b[p + PERIOD_EXPONENT]
  local period = floor(nowMs / periodMs)
  local expiresAtMs = (period + 2) * periodMs + b[p + HORIZON_MS]
  if b[p + ALGORITHM] == PACKED then
    local windowMs = b[p + PARAMETERS + WINDOW_MS]
    period, expiresAtMs = 0, nowMs - nowMs % windowMs + 2 * windowMs
  end
  local text = format('%03d', LEAST_MARK + b[p + ID] * PERIODS + period % PERIODS)
  local x, y, z = byte(text, 1, 3)
  return { text = text, x = x, y = y, z = z, expiresAtMs = expiresAtMs }
end

-- Converts a state written by policy `id` to the policy at `p`, one carry after the other. Returns it unchanged if `id`
-- is unknown; then also whether that policy is newer than this node's.
local function rebased(state, id, b, p, nowUs)
  local algorithm = ALGORITHMS[b[p + ALGORITHM]]
  local size = algorithm.parameters
  local carry, known = p + PARAMETERS + size, false
  for _ = 1, b[p + CARRIES] do
    local nextCarry = carry + CARRY_PARAMETERS + size
    known = known or b[carry + CARRY_ID] == id
    if known and state then
      local to = nextCarry + CARRY_PARAMETERS
      if nextCarry == p + b[p + SIZE] then
        to = p + PARAMETERS
      end
      local atUs = b[carry + CARRIED_AT_US]
      if atUs > nowUs then
        atUs = nowUs
      end
      state = algorithm.rebase(state, b, carry + CARRY_PARAMETERS, to, b[carry + CARRY_RULE], atUs)
    end
    carry = nextCarry
  end
  return state, not known and (id - b[p + ID]) % IDS < IDS / 2
end

-- Id of the policy that wrote a mark with the bytes x, y and z.
local function markId(x, y, z)
  return floor((x * 100 + y * 10 + z - MARK_BASE) / PERIODS)
end
