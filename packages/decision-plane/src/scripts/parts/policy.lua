--[[ Part of prelude: a policy is a sequence of integers in an array, starting at `p`:
p size, +1 algorithm, +2 flags (1 shadow, 2 charged on failure, 4 charged on success), +3 id (0 to 47), +4 TTL period exponent,
+5 horizon (ms), +6 carries, +7 the algorithm's parameters, then per carry: id, rule, time (us), parameters. ]]
--@include mark
local IDS = 48

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
