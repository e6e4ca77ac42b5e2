--[[ Part of prelude: a policy is a sequence of integers in an array, starting at `p`:
p size, +1 algorithm, +2 flags (1 shadow, 2 charged on failure, 4 charged on success), +3 id (0 to 47), +4 TTL period exponent,
+5 horizon (ms), +6 carries, +7 the algorithm's parameters, then per carry: id, rule, time (us), parameters.

The mark, three digits after each state, holds the id of the policy that wrote it and the TTL period in which its expiry was last
set, modulo 18. Setting an expiry on every write costs a third of the throughput. So time is divided into TTL periods of 2^exponent ms,
an eighth to a sixteenth of the horizon (ttlPeriodExponent): the first write in a period sets an expiry one horizon and one period after
its end, later writes keep it. A key without writes lives at most into the 17th period after its mark's, so a mark is unambiguous.
Marks leave room below and above, because virtual-time.lua reads state and mark as one number.

A packed window has period 0: the hash expires one window after the current one, set by the first write of a window (hash-fields.lua). ]]
local LEAST_MARK, PERIODS, IDS, PACKED = 64, 18, 48, 11

local function markOf(b, p, nowUs)
  local nowMs, periodMs = floor(nowUs / 1000), 2 ^ b[p + 4]
  local period = floor(nowMs / periodMs)
  local expiresAtMs = (period + 2) * periodMs + b[p + 5]
  if b[p + 1] == PACKED then
    period, expiresAtMs = 0, nowMs - nowMs % b[p + 9] + 2 * b[p + 9]
  end
  local text = format('%03d', LEAST_MARK + b[p + 3] * PERIODS + period % PERIODS)
  local x, y, z = byte(text, 1, 3)
  return { text = text, x = x, y = y, z = z, expiresAtMs = expiresAtMs }
end

-- Converts a state written by policy `id` to the policy at `p`, one carry after the other. Returns it unchanged if `id`
-- is unknown; then also whether that policy is newer than this node's.
local function rebased(state, id, b, p, nowUs)
  local algorithm = ALGORITHMS[b[p + 1]]
  local size = algorithm.parameters
  local carry, known = p + 7 + size, false
  for _ = 1, b[p + 6] do
    local nextCarry = carry + 3 + size
    known = known or b[carry] == id
    if known and state then
      local to = nextCarry + 3
      if nextCarry == p + b[p] then
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
  return state, not known and (id - b[p + 3]) % IDS < IDS / 2
end

local function markId(x, y, z)
  return floor(((x - 48) * 100 + (y - 48) * 10 + z - 48 - LEAST_MARK) / PERIODS)
end
