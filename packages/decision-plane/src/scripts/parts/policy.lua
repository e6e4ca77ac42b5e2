--[[ Part of prelude: a policy is a run of integers in an array, at `p`:
p size, +1 algorithm, +2 flags (1 shadow, 2 charged on failure, 4 charged on success), +3 id (0 to 47), +4 slot exponent,
+5 horizon (ms), +6 carries, +7 the algorithm's parameters, then for each carry: id, rule, moment (us), parameters.

The mark, three digits after each state: which policy wrote it (id) and when its expiry was last set (slot modulo 18).
Setting an expiry on every write costs a third of the throughput, so time is cut into slots of 2^exponent ms, an eighth to a
sixteenth of the horizon (policy/ttl-slot.ts): the first write in a slot sets an expiry that outlasts the slot by the horizon
and one slot more, the others keep it. A key that is not written lives into the 17th slot after its mark's at most, so a mark
never means two slots. The numbers leave room below and above: virtual-time.lua reads state and mark as one. ]]
local LEAST_MARK, SLOTS, IDS = 64, 18, 48

local function markOf(b, p, nowUs)
  local nowMs, slotMs = floor(nowUs / 1000), 2 ^ b[p + 4]
  local slot = floor(nowMs / slotMs)
  local text = format('%03d', LEAST_MARK + b[p + 3] * SLOTS + slot % SLOTS)
  local x, y, z = byte(text, 1, 3)
  return { text = text, x = x, y = y, z = z, expiryMs = (slot + 2) * slotMs - nowMs + b[p + 5] }
end

-- The state under the policy at `p` of what the policy `id` wrote: one carry after the other, from that one on. As it is,
-- when `id` is not known; then, whether it is of a policy that is yet to be heard of here.
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
  return floor(((x - 48) * 100 + (y - 48) * 10 + z - 48 - LEAST_MARK) / SLOTS)
end
